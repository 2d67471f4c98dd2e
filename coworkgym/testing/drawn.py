"""Drawn episodes and worlds: they print as what happened in them."""

from coworkgym.envs import Episode
from coworkgym.services import World


class DrawnEpisode(Episode):
    """An episode that prints as its calls."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Returns the task and the calls, as they were sent."""
        calls = ", ".join(f"{event.name} {event.raw}" for event in self.office.log)
        return f"Episode({self.task!r}, after: {calls or 'nothing'})"


class DrawnWorld(World):
    """A world that prints as what differs."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Returns the records that differ from the initial ones."""
        changed = ", ".join(f"{change.table} {change.id}" for change in self.diff())
        return f"World(changed: {changed or 'nothing'})"
