"""The fence around what a judge reads: text of others is quoted so that it can be data only."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from coworkgym.frozen import clean_text
from coworkgym.services.patterns import lazy_pattern

BAR = "| "
"""What every line of quoted text begins with."""

_BRACKETS = str.maketrans("<>{}", "‹›❴❵")
_FORMAL = frozenset("<>{}[]|:=`~/#")  # what markup is made of
_UNUSUAL = lazy_pattern(r"[^\n\t\x20-\x7e]")
_UNSEEN = lazy_pattern("[\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_FENCES = lazy_pattern(r"`{3,}|~{3,}")
_TAGS = lazy_pattern(r"\[([\s/|]*[a-z_]+[\s|]*)\]", re.IGNORECASE)  # [INST], [/INST], [|user|]
_SPEAKERS = (
    r"grade|verdict|score|rating|judge?ment|评分|裁决|判定"
    r"|system|assistant|user|human|developer|tool|instructions?|response"
)
_SPEAKING = lazy_pattern(rf"({_SPEAKERS})[^\w\n]*[:=][^\w\n]*", re.IGNORECASE)
_COLONS = str.maketrans(":=", "--")


def neutralise(text: str) -> str:
    """Returns text in which nothing is markup, a role, or a verdict, to whoever reads it.

    Angle brackets and braces become ‹ › ❴ ❵, so there is no tag, no special token and no JSON
    object; code fences become quotation marks, `[INST]` becomes `(INST)`; the colon after a word
    such as grade, verdict or system becomes a dash; invisible characters (zero-width, bidi,
    controls) stand as `(U+200B)`; look-alikes of Latin letters and of markup, such as full-width
    ones, count as what they look like.
    """
    text = clean_text(text).replace("\r\n", "\n")
    text = _UNUSUAL.sub(lambda found: _shown(found[0]), text).translate(_BRACKETS)
    text = _TAGS.sub(r"(\1)", _FENCES.sub("'''", text))
    return _SPEAKING.sub(lambda found: found[0].translate(_COLONS), text)


def quote(text: str) -> str:
    """Returns neutralised text with a bar before each line."""
    return "\n".join(BAR + line for line in neutralise(text).split("\n"))


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    """The number of a character that cannot be seen; the ASCII letter or sign it looks like.

    Digits stay, because 5² is not 52.
    """
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cf", "Zl", "Zp") or _UNSEEN.search(character):
        return f"(U+{ord(character):04X})"
    plain = unicodedata.normalize("NFKC", character)
    is_letter = len(plain) == 1 and plain.isascii() and plain.isalpha()
    return plain if is_letter or plain in _FORMAL else character


def shares(lengths: Sequence[int], limit: int) -> list[int]:
    """Returns how much of each may stay: short ones whole, long ones alike, `limit` in all."""
    kept = [0] * len(lengths)
    shortest_first = sorted(range(len(lengths)), key=lengths.__getitem__)
    for place, index in enumerate(shortest_first):
        kept[index] = min(lengths[index], limit // (len(lengths) - place))
        limit -= kept[index]
    return kept


def cut(text: str, length: int) -> str:
    """Returns the beginning of a text; a last line without a bar says how much is missing."""
    if len(text) <= length:
        return text
    return f"{text[:length]}\n(cut here: {len(text) - length} of {len(text)} characters)"


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
