"""A user who follows a script: answers what is asked, corrects, changes their mind, settles.

How a reply is read, sentence by sentence:

1. A question is answered by the facts whose phrases it holds, in their order. "I need to know ..."
   asks, too, and the lines under "Please tell me:" are part of the question.
2. Else, a question that asks for leave ("shall I send it?") is agreed to. The stage never ends in
   that turn.
3. Any other question is answered "I don't have that". "Anything else?" is no question, nor is
   "please let me know if you would like changes".
4. A reply without a question is a report, and so is one that tells the result and asks only whether
   that is all right. A correction that applies is made; a report that settles nothing is sent back;
   then the user changes their mind, if they are to; and then they thank, and the stage ends.

Phrases are matched as whole words, without case, in English and Chinese; a phrase of `settled_by`
that is a time of day or a date is matched by value, so that 3:30 PM is 15:30. Words that would end
a talk elsewhere mean nothing here.
"""

from collections.abc import Hashable, Iterable, Sequence
from datetime import date
from functools import lru_cache

from coworkgym.rewards.matching.clock_times import times
from coworkgym.rewards.matching.mentions import dates, normalise, phrase_key, phrases
from coworkgym.users.questions import asks_leave, questions, reports
from coworkgym.users.script import UserScript
from coworkgym.users.user import SimulatedUser, Turn

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


_NO_YEAR = 2000  # of dates that give none


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
        asked, is_report = _read(text)
        if asked and not (is_report and self._is_settled(text, asked)):
            turn = self._answer(asked)
        else:
            turn = self._report(text)
        self._first = False
        return turn

    def _is_settled(self, text: str, asked: Sequence[str]) -> bool:
        """Whether a reply tells what the user wants to hear, and asks nothing that they know."""
        wanted = self.script.settled_by
        known = (phrase for fact in self.script.facts for phrase in fact.asked_by)
        return not _holds(" ".join(asked), known) and (not wanted or _settles(text, wanted))

    def _answer(self, asked: Sequence[str]) -> Turn:
        said = [fact.says for fact in self.script.facts if self._first and fact.volunteered]
        for question in asked:
            known = [f.says for f in self.script.facts if _holds(question, f.asked_by)]
            if not known and asks_leave(question):
                known = [self._says["yes"]]
            said += known or [self._says["unknown"]]
        if set(said) == {self._says["unknown"]}:
            return self._fruitless(self._says["unknown"])
        return Turn(" ".join(dict.fromkeys(said)), ends_stage=False)

    def _report(self, text: str) -> Turn:
        for number, correction in enumerate(self.script.corrections):
            if number not in self._corrected and _holds(text, correction.phrases):
                self._corrected |= {number}
                return Turn(correction.says, ends_stage=False)
        if self.script.settled_by and not _settles(text, self.script.settled_by):
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


def _holds(text: str, wanted: Iterable[str]) -> bool:
    """Whether a text holds one of the phrases."""
    keys = [_key(phrase) for phrase in wanted]
    return bool(keys and phrases(normalise(text), keys))


def _settles(text: str, wanted: Iterable[str]) -> bool:
    """Whether a text holds one of the phrases; of a time of day or a date, its value."""
    plain = normalise(text)
    values = {phrase: _value(phrase) for phrase in wanted}
    told = {mention.value for mention in times(plain)}
    for year in {value.year for value in values.values() if isinstance(value, date)}:
        told |= {mention.value for mention in dates(plain, None, year)}
    if any(value in told for value in values.values() if value is not None):
        return True
    return _holds(plain, [phrase for phrase, value in values.items() if value is None])


@lru_cache(maxsize=8)  # who is not understood often says the same again
def _read(text: str) -> tuple[tuple[str, ...], bool]:
    """The questions in a reply, and whether it may be a report all the same."""
    return tuple(questions(text)), reports(text)


@lru_cache(maxsize=4096)
def _key(phrase: str) -> str:
    return phrase_key(phrase)


@lru_cache(maxsize=4096)
def _value(phrase: str) -> Hashable:
    """Returns the time of day or the date that a phrase is, or None."""
    plain = normalise(phrase)
    found = (*times(plain), *dates(plain, None, _NO_YEAR))
    return next((m.value for m in found if (m.start, m.end) == (0, len(plain))), None)
