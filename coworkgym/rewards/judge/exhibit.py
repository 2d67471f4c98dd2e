"""The exhibit: the evidence as a judge reads it, quoted, and cut where it is too long."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from coworkgym.frozen import Json, json_text
from coworkgym.rewards.evidence import Evidence, as_record
from coworkgym.rewards.judge.fence import cut, left_out, quote, shares
from coworkgym.rewards.judged import PARTS, Part
from coworkgym.services import Change, Event

_TITLES: dict[Part, str] = {
    "changes": "Records that the agent changed",
    "calls": "Calls of the agent, with their results",
    "reply": "Replies of the agent to its user",
}


class Exhibit(NamedTuple):
    """What a judge is shown of an episode.

    Attributes:
        text: The evidence, quoted.
        cut: How many of its characters are left out.
        hidden: How many of these the agent wrote: in replies, arguments or records.
    """

    text: str
    cut: int
    hidden: int


class _Text(NamedTuple):
    """One text: how much of its beginning the agent wrote, and whether it tells of a read only."""

    quoted: str
    written: int
    is_read: bool = False


_Quote = Callable[[str], str]


def show(evidence: Evidence, parts: Sequence[Part], limit: int, words: Sequence[str]) -> Exhibit:
    """Returns at most `limit` characters of the evidence.

    What is too long loses its middle, the longest texts first, so that no text, however long,
    crowds out another. Of a call the result is cut before the arguments. Calls that changed
    nothing and were not refused get what all others leave.

    Args:
        evidence: Of an episode that is over.
        parts: What to show of it.
        limit: Characters, titles and marks not counted.
        words: The verdicts, which no text of the agent may give.
    """

    def neutral(text: str) -> str:
        return quote(text, words)

    texts = {part: [*_TEXTS[part](evidence, neutral)] for part in PARTS if part in parts}
    blocks, gone, hidden = [], 0, 0
    for (part, group), kept in zip(texts.items(), _kept([*texts.values()], limit), strict=True):
        blocks.append(f"{_TITLES[part]}: {len(group) or 'none'}")
        for number, (text, length) in enumerate(zip(group, kept, strict=True), start=1):
            out = left_out(len(text.quoted), length, text.written)
            blocks.append(f"({number})\n{cut(text.quoted, out, words)}")
            gone += len(out)
            hidden += max(0, min(out.stop, text.written) - out.start)
    return Exhibit("\n".join(blocks), gone, hidden)


def _kept(groups: Sequence[Sequence[_Text]], limit: int) -> list[list[int]]:
    """How much of each text stays."""
    lengths = [[0 if text.is_read else len(text.quoted) for text in group] for group in groups]
    rooms = shares([*map(sum, lengths)], limit)
    kept = [shares(sizes, room) for sizes, room in zip(lengths, rooms, strict=True)]
    reads = [len(text.quoted) if text.is_read else 0 for group in groups for text in group]
    more = iter(shares(reads, limit - sum(map(sum, kept))))
    return [[length + next(more) for length in group] for group in kept]


def _changes(evidence: Evidence, neutral: _Quote) -> Iterator[_Text]:
    for change in evidence.changes.values():
        text = "\n".join([f"record: {change.table} {change.id}", *_difference(change)])
        quoted = neutral(text)
        yield _Text(quoted, len(quoted))


def _difference(change: Change) -> Iterator[str]:
    before, after = as_record(change.before), as_record(change.after)
    if change.before is None:
        yield f"created: {_filled(after)}"
    elif change.after is None:
        yield f"deleted: {_filled(before)}"
    else:
        names = [name for name in after if after[name] != before.get(name)]
        yield from (f"{n}: {json_text(before.get(n))} → {json_text(after[n])}" for n in names)


def _filled(record: Mapping[str, Json]) -> str:
    return json_text({name: value for name, value in record.items() if value not in (None, "", [])})


def _calls(evidence: Evidence, neutral: _Quote) -> Iterator[_Text]:
    for event in evidence.log:
        if event.actor == "agent" and not _is_reply(event):
            given = {name: value for name, value in event.arguments.items() if value is not None}
            asked = f"call: {json_text(event.name)}\narguments: {json_text(given)}"
            answered = "result" if event.error is None else "refused"
            quoted = neutral(asked)
            whole = f"{quoted}\n{neutral(f'{answered}: {event.result}')}"
            yield _Text(whole, len(quoted), event.error is None and not event.changes)


def _is_reply(event: Event) -> bool:
    return event.name == "reply" and event.error is None


def _replies(evidence: Evidence, neutral: _Quote) -> Iterator[_Text]:
    for said in evidence.replies:
        quoted = neutral(said.text)
        yield _Text(quoted, len(quoted))


_TEXTS = {"changes": _changes, "calls": _calls, "reply": _replies}
