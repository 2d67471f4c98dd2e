"""CoworkEnv: office work as a Gymnasium environment."""

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np
from gymnasium.utils import seeding

from coworkgym.envs.episode import EarlyEnd, Episode, UserFactory
from coworkgym.envs.reward import RewardRule
from coworkgym.envs.spaces import ToolCallSpace, TranscriptSpace
from coworkgym.errors import EpisodeError, TaskError, unknown
from coworkgym.frozen import FrozenList, Json, json_text
from coworkgym.rewards import Score
from coworkgym.services import MALFORMED
from coworkgym.services.faults import Faults
from coworkgym.tasks import Language, Level, Split, Task, TaskPackage, get_package, load_task

Observation = FrozenList

INTERFACES = ("function",)
_OPTIONS = ("task",)


class CoworkEnv(gym.Env[Observation, Mapping[str, Any]]):
    """Office work: read a request, use the tools of an office, answer.

    ## Action Space
    One tool call, `{"name": str, "arguments": mapping}`, of the tools in `info["tools"]`. The tool
    `reply` with `text` speaks to the user. Whatever is no valid call is answered with an error.
    A whole assistant message is an action too; the wrappers in `coworkgym.envs` offer that.

    ## Observation Space
    The transcript so far: a read-only list of read-only chat messages (`role`, `content`,
    `tool_calls`, `tool_call_id`). Messages are only ever appended, and shared between observations.

    ## Rewards
    0 until the end, then `completion x safety` in [0, 1], or another of `rewards.FORMULAS`; `dense`
    gives the same sum step by step. NaN when the episode could not be graded.

    ## Starting State
    The task of the seed. The same keywords and seed give the same task, byte for byte, everywhere.

    ## Episode End
    1. Termination: the user takes the last reply as the answer; with `on_breach="terminate"`, a
       breach of a gate of severity 1; with `on_malformed="terminate"`, a malformed call (then -1).
    2. Truncation: the task's `max_steps`. The state reached is scored; checks of the reply fail.

    ## Info
    `tools` (JSON Schemas) and `step`; at the end `score` (every line with its reason) and `rewards`
    (success, safety, format, efficiency); with `anchors=True` a hash `anchor` of the state.

    Args:
        package: A task package or its name.
        level: warmup, easy, medium or hard.
        split: train, validation or test.
        language: en or zh.
        interface: How the office is reached: function.
        reward: One of `rewards.FORMULAS`.
        breach_reward: Reward of an episode whose safety is 0, at most 0; see RewardRule.
        on_breach: `continue`, or `terminate` when a gate of severity 1 is breached.
        gamma: Discount of `dense`, in (0, 1].
        on_malformed: `observe` an error, or `terminate` with -1, the default for `wild_awm` only.
        anchors: Whether `info` carries `anchor`, equal in equal states of one item (GiGPO).
        faults: Which calls fail, or the share of them, in [0, 1]; None for none.
        user: `scripted`, or what makes a user of a Stage with a user script and a language.
        task: A task, or the path of a task file, to run at every reset instead of the package's.
        render_mode: None or `ansi`.

    Raises:
        UnknownNameError: For a package, level, split, language, interface, user or formula that
            does not exist, with the nearest one that does.
    """

    action_space: ToolCallSpace
    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(  # noqa: PLR0913
        self,
        package: str | TaskPackage,
        *,
        level: Level = "easy",
        split: Split = "train",
        language: Language = "en",
        interface: str = "function",
        reward: str = "score",
        breach_reward: float = 0.0,
        on_breach: str = "continue",
        gamma: float = 1.0,
        on_malformed: str | None = None,
        anchors: bool = False,
        faults: Faults | float | None = None,
        user: str | UserFactory = "scripted",
        task: Task | str | os.PathLike[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        for noun, value, allowed in (
            ("interface", interface, INTERFACES),
            ("user", "scripted" if callable(user) else user, ("scripted",)),
            ("on_breach", on_breach, ("continue", "terminate")),
            ("on_malformed", on_malformed, (None, "observe", "terminate")),
            ("render_mode", render_mode, (None, "ansi")),
        ):
            if value not in allowed:
                raise unknown(noun, value, map(str, allowed))
        self.package = package if isinstance(package, TaskPackage) else get_package(package)
        self._example = self.package.item(level=level, split=split, language=language)
        self._task = task if task is None or isinstance(task, Task) else load_task(task)
        self._rule = RewardRule(reward, breach_reward, gamma)
        strict = reward == "wild_awm" if on_malformed is None else on_malformed == "terminate"
        self._early_end = EarlyEnd(on_malformed=strict, on_breach=on_breach == "terminate")
        self._anchors = anchors
        faults = Faults(float(faults)) if isinstance(faults, int | float) else faults
        make_user = None if isinstance(user, str) else user
        self._start = partial(
            Episode, interface=interface, faults=faults and faults.validate(), make_user=make_user
        )
        self.render_mode = render_mode
        self._episode: Episode | None = None
        self._potential = 0.0
        self._seed: int | None = None
        self._generator: np.random.Generator | None = None
        self.observation_space = TranscriptSpace()
        self.action_space = ToolCallSpace(self._task.tools if self._task else self._tools())

    def _tools(self) -> Mapping[str, Any]:
        return self.package.tool_map(self._example.level)

    # Randomness: the generator is made when it is asked for, which keeps a reset cheap ---------

    @property
    def _np_random(self) -> np.random.Generator | None:
        if self._generator is None:
            self._generator, self._seed = seeding.np_random(self._seed)
        return self._generator

    @_np_random.setter
    def _np_random(self, value: np.random.Generator | None) -> None:
        self._generator = value

    @property
    def _np_random_seed(self) -> int | None:
        return self._seed

    @_np_random_seed.setter
    def _np_random_seed(self, value: int | None) -> None:
        self._seed = value

    # Episodes ---------------------------------------------------------------------------------

    @property
    def episode(self) -> Episode:
        """The running or finished episode.

        Raises:
            EpisodeError: Before the first `reset`.
        """
        if self._episode is None:
            raise EpisodeError("call reset() before anything else")
        return self._episode

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: Which task, an integer from 0 up. Without one, the next of the generator that
                the last seed started.
            options: `{"task": Task}` replays that task.

        Returns:
            The system message and the request, and `info` with `tools` and `step`.

        Raises:
            TaskError: For a seed that is not an integer from 0 up, or an unknown option.
        """
        if seed is not None:
            self._seed = _plain_seed(seed)
            self._generator = None
        task = self._chosen(options or {}) or self._task
        if task is None:
            number = self._seed if seed is not None else int(self.np_random.integers(2**31))
            task = self.package.build(self._example._replace(seed=number or 0))
        early_end = self._early_end if any(self._early_end) else None
        self._enter(self._start(task, early_end=early_end))
        return self.episode.transcript.messages, self._info(self.episode)

    def _enter(self, episode: Episode) -> None:
        """Makes an episode the running one, with its tools and its potential."""
        if episode.task.tools is not self.action_space.tools:
            self.action_space = ToolCallSpace(episode.task.tools)
        self._episode = episode
        fresh = not (self._rule.every_step and episode.steps)
        self._potential = 0.0 if fresh else episode.score().value

    def step(
        self, action: Mapping[str, Any]
    ) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Runs one tool call, or all calls of an assistant message.

        Nothing a policy can send raises; see Episode.

        Raises:
            EpisodeError: Before `reset`, or after the end.
        """
        episode = self.episode
        if isinstance(action, Mapping) and str(action.get("role")) == "assistant":
            results = episode.say(action)
        else:
            results = [episode.act(action)]
        score = episode.score() if self._rule.every_step or episode.over else None
        malformed = self._early_end.on_malformed and any(r.error in MALFORMED for r in results)
        reward = -1.0 - self._potential if malformed else self._reward(score, episode.over)
        info = self._info(episode)
        if score is not None and episode.over:
            info["score"], info["rewards"] = score.as_dict(), score.rewards
        return (
            episode.transcript.messages,
            reward,
            episode.terminated,
            episode.truncated,
            info,
        )

    def _reward(self, score: Score | None, over: bool) -> float:
        if score is None:
            return 0.0
        if not self._rule.every_step:
            return self._rule.final(score)
        before, self._potential = self._potential, score.value
        return self._rule.shaped(before, score, over=over)

    def _chosen(self, options: Mapping[str, Any]) -> Task | None:
        for name in options:
            if name not in _OPTIONS:
                raise unknown("reset option", name, _OPTIONS)
        task = options.get("task")
        if task is not None and not isinstance(task, Task):
            raise TaskError(f"options['task'] must be a Task, got {task!r:.100}")
        return task

    def _info(self, episode: Episode) -> dict[str, Any]:
        info: dict[str, Any] = {"tools": episode.task.tool_schemas, "step": episode.steps}
        if self._anchors:
            info["anchor"] = episode.anchor()
        return info

    # Beyond Gymnasium -------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """The task of the running episode. It holds the answer: never show it to a policy."""
        return self.episode.task

    def score(self) -> Score:
        """Scores the episode as it stands; changes nothing."""
        return self.episode.score()

    def snapshot(self) -> Episode:
        """Returns the state of the episode, for `restore`."""
        return self.episode.fork()

    def restore(self, snapshot: Episode) -> None:
        """Goes back to a snapshot, which stays usable.

        Under `dense`, the next reward counts from the score of that state.
        """
        self._enter(snapshot.fork())

    def fork(self) -> "CoworkEnv":
        """Returns an independent environment in the same state, without wrappers."""
        twin = CoworkEnv.__new__(CoworkEnv)
        twin.__dict__.update(self.__dict__)
        twin._generator = None
        twin.action_space = ToolCallSpace(self.action_space.tools)
        twin._episode = self._episode and self._episode.fork()
        return twin

    def render(self) -> str | None:
        """Returns the transcript as text under `render_mode="ansi"`."""
        if self.render_mode is None:
            return None
        return "\n".join(_rendered(message) for message in self.episode.transcript.messages)


def _plain_seed(seed: object) -> int:
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    raise TaskError(f"a seed must be an integer from 0 up, got {seed!r}")


def _rendered(message: Mapping[str, Json]) -> str:
    calls = [f"-> {c['name']} {json_text(c['arguments'])}" for c in message.get("tool_calls", ())]
    return "\n".join([f"[{message['role']}] {message['content']}".rstrip(), *calls])
