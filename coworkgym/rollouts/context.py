"""Context: what a policy is shown of a transcript that is longer than it may read.

The rule: the results of tools are left out, oldest first, each replaced by a note of its length,
until the rest fits. The system message, what the user and the agent said, the calls and the newest
results (those after the last assistant message) always stay. The transcript itself is not changed,
and scoring sees all of it.
"""

from collections.abc import Callable, Sequence

from coworkgym.frozen import FrozenDict, Json, json_text
from coworkgym.transcript import Message

Count = Callable[[Sequence[Message], Json], int]


def estimate_tokens(transcript: Sequence[Message], tools: Json) -> int:
    """Returns about how many tokens a model reads: a third of the bytes, rounded up."""
    size = len(json_text([transcript, tools]).encode())
    return -(-size // 3)


def fit(
    transcript: Sequence[Message], tools: Json, limit: int, count: Count = estimate_tokens
) -> Sequence[Message] | None:
    """Returns what of a transcript fits into a number of tokens, by the rule of this module.

    Args:
        transcript: All messages.
        tools: The tool schemas, which take room too.
        limit: Tokens, at least 1.
        count: Counts them.

    Returns:
        The transcript itself where it fits, a shortened one, or None where nothing does.
    """
    if count(transcript, tools) <= limit:
        return transcript
    last = max((n for n, m in enumerate(transcript) if m["role"] == "assistant"), default=0)
    old = [n for n, message in enumerate(transcript[:last]) if message["role"] == "tool"]
    low, high = 1, len(old)  # the fewest results to leave out
    while low < high:
        middle = (low + high) // 2
        if count(_without(transcript, old[:middle]), tools) <= limit:
            high = middle
        else:
            low = middle + 1
    shortened = _without(transcript, old[:low])
    return shortened if old and count(shortened, tools) <= limit else None


def _without(transcript: Sequence[Message], places: Sequence[int]) -> list[Message]:
    shown = list(transcript)
    for place in places:
        message = shown[place]
        note = json_text({"left_out": f"{len(message['content'])} characters of an old result"})
        if len(note) < len(message["content"]):
            shown[place] = FrozenDict(message, content=note)
    return shown
