"""Memory: what a policy read and wrote in the turns so far, token for token, within bounds."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from coworkgym.envs.actions import entry_of, read_call
from coworkgym.frozen import Json, admit, json_text
from coworkgym.policies.local.states import States
from coworkgym.transcript import Message


class Turn(NamedTuple):
    """One turn of a policy.

    Attributes:
        answer: What it answered, as `answer_text` gives it.
        ids: All tokens, prompt and completion.
        reasoning: Thoughts by the position of their message; transcripts do not hold them.
        states: Of the tokens; None when they were let go.
    """

    answer: str
    ids: tuple[int, ...]
    reasoning: Mapping[int, str]
    states: States | None


def answer_text(message: Message) -> str:
    """Returns an assistant message as text that is equal before and after the office took it."""
    calls = [read_call(call) for call in message.get("tool_calls", ())]
    entries = [entry_of(admit(call.name), admit(call.arguments)) for call in calls]
    return json_text([admit(message.get("content")) or "", entries])


def key_of(transcript: Sequence[Message], tools: Json, seed: int, version: str) -> str:
    """Returns what identifies a turn: everything that the draw depends on."""
    text = json_text([list(transcript), list(tools), seed, version])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class TurnMemory:
    """The latest turns; the oldest are forgotten first, their states before their tokens.

    Args:
        turns: Most turns.
        nbytes: Most memory of states.
    """

    def __init__(self, turns: int = 4096, nbytes: int = 4 << 30) -> None:
        self._most, self._room = turns, nbytes
        self._turns: OrderedDict[str, Turn] = OrderedDict()

    def find(self, key: str, answer: Mapping[str, Any]) -> Turn | None:
        """Returns a turn when it was answered as the transcript says."""
        turn = self._turns.get(key)
        return turn if turn is not None and turn.answer == answer_text(answer) else None

    def keep(self, key: str, turn: Turn, before: str | None = None) -> None:
        """Keeps a turn.

        Args:
            key: Of the turn.
            turn: What happened.
            before: Key of the turn it continues, whose states are part of the new ones.
        """
        if before is not None and before in self._turns:
            self._turns[before] = self._turns[before]._replace(states=None)
        self._turns.pop(key, None)
        self._turns[key] = turn
        if len(self._turns) > self._most:
            self._turns.popitem(last=False)
        self._make_room()

    def _make_room(self) -> None:
        held = {key: turn.states.nbytes for key, turn in self._turns.items() if turn.states}
        excess = sum(held.values()) - self._room
        for key, nbytes in held.items():
            if excess <= 0:
                return
            self._turns[key] = self._turns[key]._replace(states=None)
            excess -= nbytes
