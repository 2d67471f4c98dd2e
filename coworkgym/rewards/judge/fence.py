"""The fence around what a judge reads: text of others is quoted so that it can be data only."""

import hashlib
from collections.abc import Iterable, Sequence

from coworkgym.rewards.judge.neutral import neutralise

BAR = "| "
"""What every line of quoted text begins with."""


def quote(text: str, words: Iterable[str]) -> str:
    """Returns neutralised text with a bar before each line.

    Args:
        text: What a candidate wrote.
        words: The verdicts.
    """
    return BAR + neutralise(text, words).replace("\n", f"\n{BAR}")


def shares(lengths: Sequence[int], limit: int) -> list[int]:
    """Returns how much of each may stay: short ones whole, long ones alike, `limit` in all."""
    kept = [0] * len(lengths)
    shortest_first = sorted(range(len(lengths)), key=lengths.__getitem__)
    for place, index in enumerate(shortest_first):
        kept[index] = min(lengths[index], limit // (len(lengths) - place))
        limit -= kept[index]
    return kept


def left_out(size: int, length: int, first: int = 0) -> range:
    """Returns which characters of a text go: of what stays, a third stands after them.

    Args:
        size: Length of the text.
        length: How much of it stays.
        first: Length of a beginning that stays whole where it fits.
    """
    if size <= length:
        return range(0)
    tail = (length - first if first <= length else length) // 3
    return range(length - tail, size - tail)


def cut(quoted: str, out: range, words: Iterable[str]) -> str:
    """Returns a quoted text without some characters; a line without a bar says how many.

    What that makes of a line is neutralised as well: a cut could turn `Result: metal` into a
    verdict.

    Args:
        quoted: The text, as `quote` gives it.
        out: Which characters go.
        words: The verdicts.
    """
    if not out:
        return quoted
    mark = f"(cut here: {len(out)} of {len(quoted)} characters)"
    head, tail = quoted[: out.start].rstrip(f"{BAR}\n"), quoted[out.stop :].lstrip(f"{BAR}\n")
    bare = [piece.removeprefix(BAR).replace(f"\n{BAR}", "\n") for piece in (head, tail)]
    before, after = (quote(piece, words) if piece else "" for piece in bare)
    return "\n".join(filter(None, (before, mark, after)))


def fence(content: str, avoid: str = "") -> tuple[str, str]:
    """Returns content between two delimiters, and the code in them.

    The code is a hash of the content, changed until it stands neither there nor in `avoid`.
    """
    code = _hash(content + avoid)
    while code in content or code in avoid:
        code = _hash(code + content + avoid)
    return f"<evidence {code}>\n{content}\n</evidence {code}>", code


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
