"""The person who asked: hears the agent's replies and decides how the talk goes on."""

from typing import NamedTuple, Protocol


class Turn(NamedTuple):
    """What the user does after a reply.

    Attributes:
        says: The user's next message, or None.
        ends_stage: Whether the matter is settled: the stage ends, and with the last one the task.
    """

    says: str | None
    ends_stage: bool


class SimulatedUser(Protocol):
    """The user of one episode. Only the user ends a stage; words of the agent never do."""

    def hear(self, text: str) -> Turn:
        """Answers one reply of the agent."""
        ...

    def fork(self) -> "SimulatedUser":
        """Returns an independent user in the same state."""
        ...
