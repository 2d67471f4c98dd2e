"""Segments: the turns of a local model joined into rows for a trainer, token by token."""

from coworkgym.policies import Tokens
from coworkgym.rollouts.rollout import Segment


class SegmentJoiner:
    """Joins turns: one that continues what was read and written extends the segment before."""

    def __init__(self) -> None:
        self._segments: list[_Open] = []

    def add(self, turn: Tokens) -> None:
        """Takes the next turn.

        Raises:
            ValueError: When there is not one log-probability for each sampled token.
        """
        if len(turn.completion_ids) != len(turn.logprobs):
            raise ValueError(
                f"{len(turn.logprobs)} log-probabilities for {len(turn.completion_ids)} tokens"
            )
        if not self._segments or not self._segments[-1].extend(turn):
            self._segments.append(_Open(turn))

    def segments(self) -> tuple[Segment, ...]:
        """Returns the segments so far, in order."""
        return tuple(segment.closed() for segment in self._segments)


class _Open:
    """A segment that may grow."""

    def __init__(self, turn: Tokens) -> None:
        self.version = turn.policy_version
        self.prompt = list(turn.prompt_ids)
        self.completion = list(turn.completion_ids)
        self.logprobs = list(turn.logprobs)
        self.mask = [1] * len(turn.completion_ids)

    def extend(self, turn: Tokens) -> bool:
        """Takes a turn that continues this segment; False for one that does not."""
        known = self.prompt + self.completion
        read = turn.prompt_ids[: len(known)]
        if turn.policy_version != self.version or list(read) != known:
            return False
        between = turn.prompt_ids[len(known) :]
        self.completion += [*between, *turn.completion_ids]
        self.logprobs += [*[0.0] * len(between), *turn.logprobs]
        self.mask += [*[0] * len(between), *[1] * len(turn.completion_ids)]
        return True

    def closed(self) -> Segment:
        return Segment(
            *(tuple(self.prompt), tuple(self.completion), tuple(self.logprobs), tuple(self.mask)),
            policy_version=self.version,
        )
