"""A user who asks once: the first reply settles the stage."""

from coworkgym.users.user import SimulatedUser, Turn


class SingleTurn:
    """Takes the first reply as the answer, whatever it says."""

    def hear(self, text: str) -> Turn:
        """Ends the stage."""
        return Turn(says=None, ends_stage=True)

    def fork(self) -> SimulatedUser:
        """Returns itself: there is no state."""
        return self
