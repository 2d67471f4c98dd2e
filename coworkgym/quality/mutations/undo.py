"""Undo: the call that takes back what a call has changed, found from the tools and the change."""

from collections.abc import Iterator, Mapping

from coworkgym.envs import Episode
from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.services import Change, Tool
from coworkgym.transcript import ToolCall


def undoing_call(ready: Episode, call: ToolCall) -> ToolCall | None:
    """Returns the call that restores the records after another call.

    Args:
        ready: The episode before the other call; it stays as it is.
        call: The other call.

    Returns:
        The first call of a writing tool of that service that restores them; None when no single
        one does, or when there is nothing to restore.
    """
    wanted = _lasting(ready)
    changed = ready.fork()
    changed.act(call)
    if changed.over:
        return None
    for change in changed.office.log[-1].changes:
        for undoing in _candidates(change, changed):
            undone = changed.fork()
            refused = undone.act(undoing).error
            if refused is None and _lasting(undone) == wanted:
                return undoing
    return None


def _lasting(episode: Episode) -> dict[tuple[str, str], Json]:
    """What differs from the initial records, apart from what the office stamps by itself."""
    differing: dict[tuple[str, str], Json] = {}
    for name, record_id, before, after in episode.office.world.diff():
        table = episode.task.base.schema[name]
        was, now = (row and table.lasting(row) for row in (before, after))
        if was != now:
            differing[name, record_id] = now
    return differing


def _candidates(change: Change, episode: Episode) -> Iterator[ToolCall]:
    """Yields a call of each tool that can be given what the change tells."""
    service = change.table.partition(".")[0]
    key = episode.task.base.schema[change.table].key
    for name, tool in episode.task.tools.items():
        if tool.writes and name.partition("_")[0] == service:
            arguments = _arguments(tool, change, key)
            if set(tool.schema["parameters"]["required"]) <= set(arguments):
                yield ToolCall(name, freeze(arguments))


def _arguments(tool: Tool, change: Change, key: str) -> dict[str, Json]:
    """The arguments that set back the record: its key, and the fields as they were."""
    before = change.before or FrozenDict()
    now = change.after or before
    required = tool.schema["parameters"]["required"]
    given: dict[str, Json] = {key: change.id, "overwrite": True} | _swapped(before, now)
    for name in tool.parameters:
        moved = name.removeprefix("new_")
        if moved != name:
            given[name] = before.get(moved)
        elif name in now and (name in required or before.get(name) != now[name]):
            stays = f"new_{name}" in tool.parameters
            given[name] = now[name] if stays else before.get(name, now[name])
    return {n: given[n] for n in tool.parameters if given.get(n) is not None}


def _swapped(before: Mapping[str, Json], now: Mapping[str, Json]) -> dict[str, Json]:
    """What has to be added to and removed from the list that the change altered."""
    for name, items in now.items():
        was = before.get(name)
        if isinstance(items, list) and isinstance(was, list) and items != was:
            add, remove = [i for i in was if i not in items], [i for i in items if i not in was]
            return {"add": add, "remove": remove}
    return {}
