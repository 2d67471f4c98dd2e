"""Episodes: one run of one task. Office, transcript and user together, without Gymnasium."""

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from coworkgym.envs.actions import entry_of, read_call
from coworkgym.errors import EpisodeError
from coworkgym.frozen import FrozenDict, Json, admit, json_text
from coworkgym.rewards import Evidence, Score, score
from coworkgym.services import MALFORMED, Office, World
from coworkgym.services.dialects import dialect
from coworkgym.services.faults import Faults
from coworkgym.services.instants import time_zone
from coworkgym.tasks import Task
from coworkgym.tasks.spec import Stage, day_and_time
from coworkgym.transcript import ToolCall, ToolResult, Transcript
from coworkgym.users import ScriptedUser, SimulatedUser, SingleTurn
from coworkgym.users.model_user import UserFault

if TYPE_CHECKING:
    from coworkgym.rewards.judge import Judge

UserFactory = Callable[[Stage, str], SimulatedUser]  # of a stage that has a script; language
MORNING = 9  # hour of the day at which the next stage begins

NOT_RUN = ToolResult(
    json_text({"error": "not_run", "message": "A reply before this call ended the stage."}),
    "not_run",
)
_EMPTY = "The message was empty. Call a tool, or answer with text."


class EarlyEnd(NamedTuple):
    """What ends an episode before its user does.

    Attributes:
        on_malformed: A malformed call.
        on_breach: A breach of a gate of severity 1; every call is scored then.
    """

    on_malformed: bool = False
    on_breach: bool = False

    def applies(self, episode: "Episode", result: ToolResult) -> bool:
        """Whether the call that was just answered ends the episode."""
        malformed = self.on_malformed and result.error in MALFORMED
        return malformed or (self.on_breach and episode.score().safety == 0)


class Episode:
    """One run of one task.

    Args:
        task: What to run; shared, never changed.
        interface: How the office is reached; noted in the audit log.
        user: Who asks in all stages; by default each stage's own user.
        early_end: What ends it before the user does; by default nothing.
        faults: Which calls fail; by default none. The seed comes from the task's item.
        make_user: Makes the user of each stage that has a user script; by default a ScriptedUser.
    """

    __slots__ = (
        "_guest", "_make_user", "_past_faults", "early_end", "interface", "office", "task",
        "terminated", "transcript", "truncated", "user",
    )  # fmt: skip

    def __init__(
        self,
        task: Task,
        *,
        interface: str = "function",
        user: SimulatedUser | None = None,
        early_end: EarlyEnd | None = None,
        faults: Faults | None = None,
        make_user: UserFactory | None = None,
    ) -> None:
        self.task = task
        self.early_end = early_end
        self.interface = interface
        if faults is not None:
            faults = faults.validate()._replace(seed=zlib.crc32(json_text(task.item).encode()))
        self.office = Office(
            World(task.base), task.tools, task.zone, task.owner, faults, dialect(task.dialect)
        )
        self.transcript = Transcript()
        self.transcript.extend(task.opening)
        self._guest, self._make_user = user, make_user
        self._past_faults: tuple[UserFault, ...] = ()
        self.user = user or self._user_of(task.stages[0])
        self.terminated = self.truncated = False

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated

    @property
    def steps(self) -> int:
        """Number of calls so far."""
        return self.office.step

    @property
    def user_faults(self) -> tuple[UserFault, ...]:
        """What the users of all stages so far did wrong; scripted ones do nothing wrong."""
        return self._past_faults + tuple(getattr(self.user, "faults", ()))

    def act(self, call: object) -> ToolResult:
        """Runs one tool call, as an assistant message of its own.

        Args:
            call: A ToolCall, or a mapping with `name` and `arguments`; anything else is answered
                with an error.

        Raises:
            EpisodeError: When the episode has ended.
        """
        self._require_running()
        return self._run_all([read_call(call)], "")[0]

    def say(self, message: Mapping[str, Json]) -> list[ToolResult]:
        """Takes a whole assistant message.

        Its calls run in call order, each seeing the effects of those before, and every one is
        answered. Text beside calls is kept but is no reply; text without calls is the reply.

        Args:
            message: `content`, and `tool_calls` with `name` and `arguments` each, as a mapping or
                as JSON text.

        Returns:
            The result of each call.

        Raises:
            EpisodeError: When the episode has ended.
        """
        self._require_running()
        content = admit(message.get("content")) or ""
        calls = message.get("tool_calls")
        listed = calls if isinstance(calls, list | tuple) else [] if calls is None else [calls]
        if listed:
            return self._run_all([read_call(call) for call in listed], str(content))
        self.transcript.add_text("assistant", str(content))
        if not str(content).strip():
            result = self.office.call(ToolCall("", None), interface=self.interface)
            self._after(result, [_EMPTY])
            return [result]
        call = ToolCall("reply", FrozenDict(text=content))
        result = self.office.call(call, interface=self.interface)
        said = self._hear(str(content)) if result.error is None else [result.content]
        self._after(result, said)
        return [result]

    def _run_all(self, calls: Sequence[ToolCall], content: str) -> list[ToolResult]:
        results: list[ToolResult] = []
        entries: list[tuple[str, Json, str | None]] = []
        said: list[str] = []
        stage = self.office.stage
        for call in calls:
            if self.terminated or self.truncated or self.office.stage != stage:
                results.append(NOT_RUN)
                entries.append(entry_of(admit(call.name), admit(call.arguments)))
                continue
            result = self.office.call(call, interface=self.interface)
            event = self.office.log[-1]
            results.append(result)
            entries.append(entry_of(event.name, event.raw))
            if event.name == "reply" and result.error is None:
                said += self._hear(str(event.arguments["text"]))
            self._end_or_go_on(result)
        ids = self.transcript.add_calls(entries, content)
        for call_id, result in zip(ids, results, strict=True):
            self.transcript.add_result(call_id, result.content)
        for text in said:
            self.transcript.add_text("user", text)
        return results

    def _after(self, result: ToolResult, said: Sequence[str]) -> None:
        for text in said:
            self.transcript.add_text("user", text)
        self._end_or_go_on(result)

    def _end_or_go_on(self, result: ToolResult) -> None:
        if self.early_end is not None and self.early_end.applies(self, result):
            self.terminated = True
        self.truncated = not self.terminated and self.office.step >= self.task.max_steps

    def _hear(self, text: str) -> list[str]:
        """Lets the user answer a reply; returns what is said to the agent next."""
        says, ends_stage = self.user.hear(text)
        said = [] if says is None else [says]
        if not ends_stage:
            return said
        if self.office.stage + 1 == len(self.task.stages):
            self.terminated = True
            return said
        return [*said, self._next_stage()]

    def _next_stage(self) -> str:
        """Moves to the next morning, lets the system act, and returns the next request."""
        self.office.stage += 1
        stage = self.task.stages[self.office.stage]
        self.office.world.advance(_next_morning(self.office.now, self.task.zone))
        for change in stage.changes:
            self.office.change(self.task.base.schema[change.table], change.id, change.fields)
        if self._guest is None:
            self._past_faults, self.user = self.user_faults, self._user_of(stage)
        notices = [change.notice for change in stage.changes if change.notice]
        return "\n".join([day_and_time(self.office.now, self.task), stage.request, *notices])

    def _user_of(self, stage: Stage) -> SimulatedUser:
        if stage.user is None:
            return SingleTurn()
        make, language = self._make_user, self.task.item.language
        return make(stage, language) if make else ScriptedUser(stage.user, language)

    def cut_off(self) -> None:
        """Ends the episode before its user does; it is scored as it stands, and never passes."""
        self._require_running()
        self.truncated = True

    def _require_running(self) -> None:
        if self.terminated or self.truncated:
            raise EpisodeError("the episode has ended; reset() starts the next one")

    def fork(self) -> "Episode":
        """Returns an independent episode in the same state."""
        twin = Episode.__new__(Episode)
        twin.task = self.task
        twin.early_end = self.early_end
        twin.interface = self.interface
        twin.office = self.office.fork()
        twin.transcript = self.transcript.fork()
        twin.user = self.user.fork()
        twin._guest = twin.user if self._guest is not None else None
        twin._make_user, twin._past_faults = self._make_user, self._past_faults
        twin.terminated, twin.truncated = self.terminated, self.truncated
        return twin

    def anchor(self) -> str:
        """Returns a hash that is equal in equal states of one item.

        It covers what the agent's world differs in from the start and the last message, and
        neither clock, ids of calls, nor the number of steps. Reading leaves the world alone, so
        equal anchors can hide different knowledge.
        """
        last = self.transcript.last
        state = [list(self.task.item), self.office.stage, self.office.world.changes_digest(),
                 last["role"], last["content"]]  # fmt: skip
        return hashlib.blake2b(json_text(state).encode(), digest_size=12).hexdigest()

    def evidence(self) -> Evidence:
        """Returns what scoring sees, as of now; later steps do not change it."""
        return Evidence(
            initial=self.task.base,
            final=self.office.world.fork(),
            log=tuple(self.office.log),
            transcript=self.transcript.messages,
            language=self.task.item.language,
            zone=self.task.zone,
            finished=not self.truncated,
        )

    def score(self, judge: "Judge | None" = None) -> Score:
        """Scores the episode as it stands; changes nothing.

        Args:
            judge: Answers what no program can check; without one such episodes are ungraded. Ask
                it after the end only.

        Returns:
            The score; ungraded after a user's fault too.
        """
        if self.user_faults:
            reason = f"user_fault: {self.user_faults[0]}"
            return Score("ungraded", nan, nan, None, (), (), False, nan, nan, reason)
        task, evidence = self.task, self.evidence()
        if judge is not None:
            evidence = judge.resolve([*task.checks, *task.gates], evidence)
        return score(task.checks, task.gates, evidence, len(task.solution))


def _next_morning(now: datetime, zone: str) -> datetime:
    local = now.astimezone(time_zone(zone)) + timedelta(days=1)
    return local.replace(hour=MORNING, minute=0, second=0)
