"""A user who follows a script: answers what is asked, corrects, changes their mind, settles.

How a reply is read, sentence by sentence:

1. A question is answered by the facts whose phrases it holds, in their order.
2. Else, a question that asks for leave ("shall I send it?") is agreed to. The stage never ends in
   that turn.
3. Any other question is answered "I don't have that". "Anything else?" is no question.
4. A reply without a question is a report. A correction that applies is made; a report that settles
   nothing is sent back; then the user changes their mind, if they are to; and then they thank, and
   the stage ends.

Phrases are matched as whole words, without case, in English and Chinese. Words that would end a
talk elsewhere mean nothing here.
"""

import re
from collections.abc import Iterable

from coworkgym.rewards.matching.mentions import normalise, phrase_key, phrases
from coworkgym.users.script import UserScript
from coworkgym.users.user import SimulatedUser, Turn

_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]?")
_QUESTION = re.compile(
    r"[?？]\s*$|\b(?:please|could you|can you|kindly) (?:tell|let|give|confirm|clarify|share)\b"
    r"|请问|请告诉|请确认|请提供",
    re.IGNORECASE,
)
_LEAVE = re.compile(
    r"\b(?:shall|should|may|can) i\b|\bdo you want me to\b|\bwould you like me to\b"
    r"|\b(?:is|would) (?:that|this|it) (?:be )?(?:ok|okay|fine|all right|alright)\b"
    r"|\b(?:go ahead|proceed|please confirm|to confirm)\b"
    r"|可以吗|好吗|行吗|要不要我|是否要我|需要我|请确认",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\banything else\b|\bany(?:thing)? (?:other|more|further)\b|还有(?:什么|其他)", re.IGNORECASE
)

_SAYS = {
    "en": {
        "yes": "Yes, please go ahead.",
        "unknown": "I don't have that.",
        "not_yet": "That does not answer what I asked for. Please tell me the result.",
        "thanks": "Thank you, that settles it.",
        "enough": "I'll take care of it myself then.",
    },
    "zh": {
        "yes": "好的，请继续。",
        "unknown": "这个我没有。",
        "not_yet": "这还没有回答我的要求。请告诉我结果。",
        "thanks": "谢谢，这样就可以了。",
        "enough": "那我自己来处理吧。",
    },
}


class ScriptedUser:
    """Follows a script in one language; the same replies always get the same answers.

    Args:
        script: What the user knows and wants.
        language: en or zh.
    """

    def __init__(self, script: UserScript, language: str) -> None:
        self.script = script
        self._says = _SAYS[language]
        self._left = script.patience
        self._first = True
        self._corrected: frozenset[int] = frozenset()
        self._changed_mind = False
        self._settled = False

    def fork(self) -> SimulatedUser:
        """Returns an independent user in the same state."""
        twin = ScriptedUser.__new__(ScriptedUser)
        twin.__dict__.update(self.__dict__)
        return twin

    def hear(self, text: str) -> Turn:
        """Answers one reply of the agent."""
        if self._settled:
            return Turn(self._says["thanks"], ends_stage=True)
        questions = [s for s in _sentences(text) if _QUESTION.search(s) and not _COURTESY.search(s)]
        turn = self._answer(questions) if questions else self._take_report(text)
        self._first = False
        return turn

    def _answer(self, questions: list[str]) -> Turn:
        said = [fact.says for fact in self.script.facts if self._first and fact.volunteered]
        for question in questions:
            known = [f.says for f in self.script.facts if _holds(question, f.asked_by)]
            if not known and _LEAVE.search(question):
                known = [self._says["yes"]]
            said += known or [self._says["unknown"]]
        if set(said) == {self._says["unknown"]}:
            return self._fruitless(self._says["unknown"])
        return Turn(" ".join(dict.fromkeys(said)), ends_stage=False)

    def _take_report(self, text: str) -> Turn:
        for number, correction in enumerate(self.script.corrections):
            if number not in self._corrected and _holds(text, correction.phrases):
                self._corrected |= {number}
                return Turn(correction.says, ends_stage=False)
        if self.script.settled_by and not _holds(text, self.script.settled_by):
            return self._fruitless(self._says["not_yet"])
        if self.script.change_of_mind and not self._changed_mind:
            self._changed_mind = True
            return Turn(self.script.change_of_mind, ends_stage=False)
        self._settled = True
        return Turn(self._says["thanks"], ends_stage=True)

    def _fruitless(self, says: str) -> Turn:
        self._left -= 1
        if self._left:
            return Turn(says, ends_stage=False)
        self._settled = True
        return Turn(self._says["enough"], ends_stage=True)


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip()]


def _holds(text: str, wanted: Iterable[str]) -> bool:
    """Whether a text holds one of the phrases."""
    keys = [phrase_key(phrase) for phrase in wanted]
    return bool(keys and phrases(normalise(text), keys))
