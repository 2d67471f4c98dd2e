"""The judge: a language model that answers, after the episode, what no program can check."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coworkgym.chat import ChatClient, ChatError
from coworkgym.errors import GraderError
from coworkgym.frozen import FrozenDict
from coworkgym.rewards.checklist import Check, Gate
from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.judge.answer import UNCLEAR, Answer, read_verdict
from coworkgym.rewards.judge.cache import Asking, JudgeCache
from coworkgym.rewards.judge.client import JudgeClient, Written
from coworkgym.rewards.judge.exhibit import show
from coworkgym.rewards.judge.prompt import Prompt, write_prompt
from coworkgym.rewards.judged import PARTS, Part, judged_in
from coworkgym.rewards.ruling import Ruling, undecided
from coworkgym.rewards.statement import Statement

GRADES: Mapping[str, float] = FrozenDict({"met": 1.0, "partly": 0.5, "unmet": 0.0})
"""The verdicts of a judge that is not told others, and what they are worth."""

_SHOWN = 200  # characters of an answer without a verdict
_CUT_OFF = "length"  # why an answer stopped that was longer than allowed


class Judge:
    """Asks a model whether criteria are met by the evidence of an episode.

    What it cannot find out stays undecided, with the reason, and is never a grade: a server that
    fails, an answer that ends in no verdict, votes that split, evidence that is unclear.

    Args:
        client: How the model is reached.
        votes: How often each criterion is asked; more than half must agree.
        tries: How often an answer is asked for until it ends in a verdict.
        grades: The words to choose from and their worth, in [0, 1]. Beside them a judge may say
            `unclear`, which decides nothing.
        cache: Verdicts given before; by default those of this judge only.
        limit: Characters of evidence that are shown. What is cut of the agent's own words is told
            in the reason of a ruling.
        deadline: Seconds for one answer, with all the tries of the client.

    Raises:
        GraderError: For votes, tries or grades that cannot be.
    """

    def __init__(  # noqa: PLR0913
        self,
        client: ChatClient,
        *,
        votes: int = 1,
        tries: int = 2,
        grades: Mapping[str, float] = GRADES,
        cache: JudgeCache | None = None,
        limit: int = 20_000,
        deadline: float = 300.0,
    ) -> None:
        for name, number in (("votes", votes), ("tries", tries), ("limit", limit)):
            if number < 1:
                raise GraderError(f"{name} must be at least 1, got {number!r}")
        _check_grades(grades)
        self.client, self.votes, self.tries, self.limit = client, votes, tries, limit
        self.grades = dict(grades)
        self._words = (*grades, UNCLEAR)
        self.cache = JudgeCache() if cache is None else cache
        self._asks = JudgeClient(client, self._words, deadline)

    def resolve(self, lines: Iterable[Statement | Check | Gate], evidence: Evidence) -> Evidence:
        """Returns the evidence with the answer to every judged statement, however deep it stands.

        An answer that is there already stays; an undecided one is asked for again.

        Args:
            lines: Statements, checks or gates.
            evidence: Of an episode that is over.
        """
        verdicts = dict(evidence.verdicts)
        for judged in judged_in(list(lines)):
            known = verdicts.get(judged.key)
            if judged.needs_judge(evidence) and (known is None or known.grade is None):
                verdicts[judged.key] = self.rule(judged.criterion, evidence, judged.shows)
        return replace(evidence, verdicts=FrozenDict(verdicts))

    def rule(
        self, criterion: str, evidence: Evidence, shows: Sequence[Part] = PARTS, told: str = ""
    ) -> Ruling:
        """Returns what the model finds on one criterion.

        Args:
            criterion: One sentence.
            evidence: Of an episode that is over.
            shows: The parts of the evidence that the model sees.
            told: A verdict that somebody else is said to have found.
        """
        try:
            evidence.require_whole_log()
        except GraderError as error:
            return undecided(str(error))
        exhibit = show(evidence, shows, self.limit, self._words)
        prompt = write_prompt(criterion, exhibit, self.grades, told)
        ruling = self._count([self._vote(prompt, vote) for vote in range(self.votes)])
        if not exhibit.hidden:
            return ruling
        hidden = f"{exhibit.hidden} characters that the agent wrote were cut out for the judge"
        return ruling._replace(why=f"{ruling.why} ({hidden})")

    def _vote(self, prompt: Prompt, vote: int) -> Answer:
        asking = Asking(self.client.model, self.client.url, prompt.digest, vote)
        answer = self.cache.get(asking)
        if answer is not None and answer.verdict in self._words:
            return answer
        written = Written("", "")
        for attempt in range(self.tries):
            try:
                written = self._asks.ask(prompt.messages(attempt > 0), vote * self.tries + attempt)
            except ChatError as error:
                return Answer("", str(error))
            answer = self._read(written)
            if answer is not None:
                self.cache.put(asking, answer)
                return answer
        text, was = written.text, "was cut off and " if written.finish_reason == _CUT_OFF else ""
        ending = f"ends {text[-_SHOWN:]!r}" if text else "is empty"
        return Answer("", f"no verdict in {self.tries} tries; the last answer {was}{ending}")

    def _read(self, written: Written) -> Answer | None:
        cut_off = written.finish_reason == _CUT_OFF  # then it ends in the middle of its reasoning
        return None if cut_off else read_verdict(written.text, self._words)

    def _count(self, answers: Sequence[Answer]) -> Ruling:
        words = tuple(answer.verdict for answer in answers)
        counts = Counter(words)
        for verdict, reason in answers:
            if verdict and 2 * counts[verdict] > self.votes:
                share = f" ({counts[verdict]} of {self.votes} votes)" if self.votes > 1 else ""
                if verdict == UNCLEAR:
                    return undecided(f"{UNCLEAR}: {reason}{share}", words)
                return Ruling(self.grades[verdict], verdict, words, reason + share)
        failed = next((answer.reason for answer in answers if not answer.verdict), "")
        if self.votes == 1:
            return undecided(failed, words)
        listed = [f"{word or 'no verdict'} {counts[word]}" for word in (*self._words, "")]
        split = f"{self.votes} votes split: {', '.join(listed)}"
        return undecided(f"{split}; {failed}" if failed else split, words)


def _check_grades(grades: Mapping[str, float]) -> None:
    words = [word.strip().casefold() for word in grades]
    if len(set(words)) < 2 or len(set(words)) < len(words) or "" in words:
        raise GraderError(f"grades need two or more words that differ, got {list(grades)!r}")
    if UNCLEAR in words:
        raise GraderError(f"{UNCLEAR!r} is the verdict without a grade, got {list(grades)!r}")
    if odd := [word for word in words if not word[0].isalnum()]:
        raise GraderError(f"grades are words that begin with a letter or digit, got {odd[0]!r}")
    for word, grade in grades.items():
        if not (math.isfinite(grade) and 0 <= grade <= 1):
            raise GraderError(f"the grade of {word!r} must lie in [0, 1], got {grade!r}")
