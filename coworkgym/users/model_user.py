"""A user spoken by a language model and held to a script: what it makes up is never said.

A scripted user hears every reply too, and decides: the talk ends when the script ends it, and what
the script tells in a turn is told in the script's words. The model chooses the other words. Its
answer to a reply is checked before it is used, and a faulty one is kept as a UserFault, while the
scripted user's answer is given instead. Faults are the user's and never the agent's:

- `no_answer`: the server failed; `no_json`: the answer is not of the form that was asked for.
- `ends_on_agreement`, `ends_early`: it calls the matter settled while the agent asks for leave, or
  before the script does.
- `restarts`: after the matter is settled it repeats the request, or goes on.
- `invents`: it names an id, number, date, time or address that nobody has said.
- `gives_away`: it tells a fact that nobody asked for, or the change of mind before its time.
"""

import json
import re
from collections.abc import Hashable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Literal, NamedTuple, Protocol

from coworkgym.chat import ChatError, Completion
from coworkgym.frozen import FrozenDict, clean_text, json_text
from coworkgym.rewards.matching.mentions import (
    dates,
    masked,
    normalise,
    numbers,
    phrase_key,
    phrases,
)
from coworkgym.services.patterns import lazy_pattern
from coworkgym.transcript import Message
from coworkgym.users.brief import write_brief
from coworkgym.users.script import Fact, UserScript
from coworkgym.users.scripted import ScriptedUser
from coworkgym.users.user import SimulatedUser, Turn

FaultKind = Literal[
    "no_answer", "no_json", "ends_on_agreement", "ends_early", "restarts", "invents", "gives_away"
]

_HOPELESS = (401, 403, 404)  # no other reply of the agent mends these
_LONGEST_REPLY = 20_000  # characters of a reply that the model reads and may repeat
_KEPT = 500  # characters of an answer that a fault keeps


class UserFault(NamedTuple):
    """What the user did wrong.

    Attributes:
        turn: Number of the reply that was answered, from 1.
        kind: See the module.
        text: The beginning of what the model wrote, or of the server's error.
    """

    turn: int
    kind: FaultKind
    text: str

    def __str__(self) -> str:
        """As one line."""
        return f"{self.kind} in turn {self.turn}: {self.text}"


class Client(Protocol):
    """Whatever completes a chat, such as a ChatClient."""

    def complete(self, messages: Sequence[Message], /) -> Completion:
        """Returns the model's answer to a chat."""
        ...


class ModelUser:
    """Talks as a model does, knows and wants what the script says.

    Args:
        script: What the user knows and wants.
        client: Asks the model.
        language: en or zh.
        opening: The request that began the stage.
    """

    def __init__(self, script: UserScript, client: Client, language: str, opening: str) -> None:
        self.script = script
        self.faults: tuple[UserFault, ...] = ()
        self._client = client
        self._language = language
        self._opening = opening
        self._scripted: SimulatedUser = ScriptedUser(script, language)
        self._brief = write_brief(script, language, opening)
        self._thanks = ScriptedUser(UserScript(), language).hear("").says
        self._talk: tuple[tuple[str, Turn], ...] = ()

    def fork(self) -> SimulatedUser:
        """Returns an independent user in the same state, with the same client."""
        twin = ModelUser.__new__(ModelUser)
        twin.__dict__.update(self.__dict__)
        return twin

    def hear(self, text: str) -> Turn:
        """Answers one reply of the agent.

        Raises:
            ChatError: When the client has no access to the model.
        """
        scripted = self._scripted.fork()
        due = scripted.hear(text)
        text = text[:_LONGEST_REPLY]
        gives_up = due.ends_stage and due.says != self._thanks
        turn = due if gives_up else self._spoken(text, due)
        self._scripted = scripted
        self._talk += ((text, turn),)
        return turn

    def _spoken(self, text: str, due: Turn) -> Turn:
        """The model's turn where it is usable, else the one that is due by the script."""
        try:
            written = str(self._client.complete(self._messages(text)).message["content"])
        except ChatError as error:
            if error.status in _HOPELESS:
                raise
            return self._fault("no_answer", str(error), due)
        answer = read_answer(written)
        if answer is None:
            return self._fault("no_json", written, due)
        if kind := self._wrong(answer, text, due):
            return self._fault(kind, written, due)
        told = [words for words in self._words() if words in str(due.says)]
        whole = all(_holds(str(answer.says), words) for words in told)
        return answer if whole and answer.ends_stage == due.ends_stage else due

    def _fault(self, kind: FaultKind, text: str, due: Turn) -> Turn:
        self.faults += (UserFault(len(self._talk) + 1, kind, clean_text(text)[:_KEPT]),)
        return due

    def _wrong(self, answer: Turn, text: str, due: Turn) -> FaultKind | None:
        """What is wrong with an answer to `text`."""
        says, settled = str(answer.says), answer.ends_stage
        if settled and not due.ends_stage:
            return "ends_on_agreement" if _asks_leave(text, self._language) else "ends_early"
        over = bool(self._talk) and self._talk[-1][1].ends_stage
        if due.ends_stage and (_repeats(says, self._opening) or (over and not settled)):
            return "restarts"
        said = [self._opening, text, str(due.says)]
        said += [words for reply, turn in self._talk for words in (reply, str(turn.says))]
        if self._strange(says, [*said, *self._words()]):
            return "invents"
        untold = [words for words in self._secrets(text) if not _holds("\n".join(said), words)]
        given = self._strange(says, said) & _values(untold, self._language)
        return "gives_away" if given or any(_holds(says, words) for words in untold) else None

    def _strange(self, says: str, known: Sequence[str]) -> set[Hashable]:
        """What an answer names and the known texts do not."""
        named = _values([says], self._language)
        return named and named - _values(known, self._language) - _pieces(known)

    def _words(self) -> list[str]:
        """Everything that the script can tell."""
        script = self.script
        told = [fact.says for fact in script.facts] + [c.says for c in script.corrections]
        return told + ([script.change_of_mind] if script.change_of_mind else [])

    def _secrets(self, text: str) -> list[str]:
        """What a reply gives no reason to tell: facts nobody asks for, and the change of mind."""
        asks = not ScriptedUser(UserScript(), self._language).hear(text).ends_stage
        open_facts = {f.says for f in self.script.facts if asks or _is_wanted(f, text)}
        open_facts |= {correction.says for correction in self.script.corrections}
        return [words for words in self._words() if words not in open_facts]

    def _messages(self, text: str) -> list[Message]:
        """The talk as the model sees it, in which the agent is the one who asks."""
        chat = [FrozenDict(role="system", content=self._brief)]
        for reply, turn in self._talk:
            said = json_text({"says": turn.says, "settled": turn.ends_stage})
            chat.append(FrozenDict(role="user", content=reply))
            chat.append(FrozenDict(role="assistant", content=said))
        return [*chat, FrozenDict(role="user", content=text)]


def read_answer(written: str) -> Turn | None:
    """Returns the last `{"says": ..., "settled": ...}` in what a model wrote, or None."""
    for place in reversed([match.start() for match in re.finditer("{", written)]):
        try:
            answer, _ = json.JSONDecoder().raw_decode(written, place)
        except (ValueError, RecursionError):
            continue
        says, settled = answer.get("says"), answer.get("settled")
        if isinstance(says, str) and says.strip() and isinstance(settled, bool):
            return Turn(clean_text(says), settled)
    return None


def _asks_leave(text: str, language: str) -> bool:
    """Whether a reply asks for leave: only that keeps a user who knows nothing from giving up."""
    return not ScriptedUser(UserScript(patience=1), language).hear(text).ends_stage


def _is_wanted(fact: Fact, text: str) -> bool:
    keys = [phrase_key(phrase) for phrase in fact.asked_by]
    return fact.volunteered or bool(keys and phrases(normalise(text), keys))


def _holds(text: str, words: str) -> bool:
    return phrase_key(words) in phrase_key(text)


def _repeats(says: str, opening: str) -> bool:
    """Whether an answer is the request over again, word for word or nearly so."""
    alike = SequenceMatcher(None, phrase_key(says), phrase_key(opening), autojunk=False)
    return _holds(says, opening) or (alike.quick_ratio() > 0.8 and alike.ratio() > 0.8)


_ONES = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HAN = "一|二|三|四|五|六|七|八|九|十|十一|十二"
_COUNTED = {word: n % 12 + 1 for n, word in enumerate(f"{_ONES}|{_HAN}".split("|"))} | {"两": 2}
_DAYS = "mon tues wednes thurs fri satur sun 一 二 三 四 五 六 日".split()
_DAY = lazy_pattern(
    r"\b(mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)([一二三四五六日])(?![次个])"
)
_TIME = lazy_pattern(
    r"(?<![0-9:])([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?(?![0-9])(?: ?[ap]\.?m\b)?"
    rf"|(?<!\w)([0-9]{{1,2}}|{_ONES}) ?(?:[ap]\.?m\b|o'clock)"
    r"|([0-9]{1,2}|十[一二]?|[二两三四五六七八九])点(?:([0-9]{1,2})分?)?",
    re.IGNORECASE,
)
_WORD = lazy_pattern("[a-z0-9@_.+-]+")
_HARD = lazy_pattern("[0-9]|.@.")
_ORDINAL = lazy_pattern("([0-9]+)(?:st|nd|rd|th)?")
_PIECE = lazy_pattern(rf"[0-9]+|\b(?:{_ONES})\b|十[一二]?|[一二两三四五六七八九]")
_NO_YEAR = 2000  # stands for the year of dates that give none


def _values(texts: Iterable[str], language: str) -> set[Hashable]:
    """The ids, numbers, dates, times and addresses that texts name, however they write them."""
    text = normalise("\n".join(texts))
    found: set[Hashable] = set()
    for name, sign in _DAY.findall(text.casefold()):
        found.add(("day", _DAYS.index(name or sign) % 7))
    for hour, minute, clock, point, past in _TIME.findall(text):
        found.add(_time(hour or clock or point, minute or past or "0"))
    text = _TIME.sub(" ", text)
    days = dates(text, None, _NO_YEAR)
    for day in (mention.value for mention in days if isinstance(mention.value, date)):
        found.add(("date", day.month, day.day))
        if day.year != _NO_YEAR:
            found.add(Decimal(day.year))
    text = masked(text, days, None)
    amounts = numbers(text, language)
    found |= {mention.value for mention in amounts}
    for word in _WORD.findall(masked(text, amounts, None).casefold()):
        token = word.strip("._+-")
        number = _ORDINAL.fullmatch(token)
        if _HARD.search(token):
            found.add(Decimal(number[1]) if number else token)
    return found


def _pieces(texts: Iterable[str]) -> set[Hashable]:
    """What a piece of a named value may stand for: the digits of an id, a day, the hour "ten"."""
    found: set[Hashable] = set()
    text = normalise("\n".join(texts)).casefold()
    for piece in _PIECE.findall(_DAY.sub(" ", text)):
        found.add(Decimal(_COUNTED.get(piece, piece)))
        if len(piece) < 3 or piece in _COUNTED:
            found.add(_time(piece, "0"))
    return found


def _time(hour: str, minute: str) -> Hashable:
    return "time", int(_COUNTED.get(hour.casefold(), hour)) % 12, int(minute)
