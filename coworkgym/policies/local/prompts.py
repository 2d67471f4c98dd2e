"""Prompts: the tokens a model reads in each turn, those of the turns before unchanged."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from coworkgym.frozen import Json
from coworkgym.policies.local.chat_format import ChatFormat
from coworkgym.policies.local.decoder import Completion
from coworkgym.policies.local.memory import Turn, TurnMemory, answer_text, key_of
from coworkgym.transcript import Message


class Prompt(NamedTuple):
    """What a model reads in one turn.

    Attributes:
        key: Identifies the turn.
        ids: The tokens.
        position: Of the answer in the transcript.
        reasoning: Thoughts by the position of their message.
        before: Key of the turn that it continues, if any.
        turn: That turn.
    """

    key: str
    ids: tuple[int, ...]
    position: int
    reasoning: Mapping[int, str]
    before: str | None = None
    turn: Turn | None = None


class Prompts:
    """Makes prompts; remembers the turns, so that the next one continues them.

    Args:
        chat_format: Renders and encodes.
    """

    def __init__(self, chat_format: ChatFormat) -> None:
        self.memory = TurnMemory()
        self._format = chat_format

    def of(self, transcript: Sequence[Message], tools: Json, seed: int, version: str) -> Prompt:
        """Returns the prompt of the next turn.

        Args:
            transcript: The messages so far.
            tools: The tool schemas.
            seed: The episode's.
            version: Which weights read it.
        """
        key = key_of(transcript, tools, seed, version)
        last = max((i for i, m in enumerate(transcript) if m["role"] == "assistant"), default=None)
        turn, before = None, None
        if last is not None:
            before = key_of(transcript[:last], tools, seed, version)
            turn = self.memory.find(before, transcript[last])
        reasoning = turn.reasoning if turn else {}
        told = [
            {**message, "reasoning": reasoning[i]} if i in reasoning else message
            for i, message in enumerate(transcript)
        ]
        if turn is not None and last is not None:
            suffix = self._format.suffix(told, tools, last)
            if suffix is not None:
                ids = turn.ids + self._after(turn, suffix)
                return Prompt(key, ids, len(told), reasoning, before, turn)
        ids = tuple(self._format.encode(self._format.render(told, tools, prompt=True)))
        return Prompt(key, ids, len(told), reasoning)

    def keep(self, prompt: Prompt, completion: Completion, message: Message) -> None:
        """Remembers what was answered to a prompt."""
        thought = {prompt.position: message["reasoning"]} if "reasoning" in message else {}
        turn = Turn(
            answer_text(message),
            prompt.ids + completion.ids,
            {**prompt.reasoning, **thought},
            completion.states,
        )
        self.memory.keep(prompt.key, turn, prompt.before)

    def _after(self, turn: Turn, suffix: str) -> tuple[int, ...]:
        """Tokens that come after a turn; an answer that was cut off is ended first."""
        end = self._format.end_of_turn
        cut = turn.ids[-1] != end.id
        return tuple(self._format.encode(end.text + suffix if cut else suffix))
