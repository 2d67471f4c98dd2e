"""TRL: classes for `GRPOTrainer(environment_factory=...)`, its rows, and its reward functions."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, ClassVar, Literal

import gymnasium as gym

from coworkgym.envs import CoworkEnv, Episode, parse_model_text
from coworkgym.errors import TaskError
from coworkgym.evals import MissingExtra
from coworkgym.frozen import Json, json_text
from coworkgym.rewards import Score
from coworkgym.services import Tool
from coworkgym.tasks import Language, Level, Split, Task

COMPONENTS = ("success", "safety", "format", "efficiency")  # the reward vector, each in [0, 1]

_OVER = json_text({"error": "episode_over", "message": "The episode is over. Nothing was done."})
_ITEM = ("split", "level", "language")  # the columns besides the seed that say which task it is
_UNSAID = ("default", "format")  # what a schema says and TRL cannot read from a signature
_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}


class TrlEnvironment:
    """One episode at a time, driven by TRL; `environment_factory` adds a method for each tool.

    TRL takes every public function of a class as a tool, `reset` and `get_reward` excepted; all
    else here is private or a property. An instance plays many episodes, one after the other.
    """

    _env_id: ClassVar[str]
    _keywords: ClassVar[Mapping[str, Any]]

    def __init__(self) -> None:
        self._env = _made(self._env_id, self._keywords)
        self._tools = set(self._env.action_space.tools)
        self._bug: Exception | None = None
        self._earned = 0.0

    @property
    def episode(self) -> Episode:
        """The running or finished episode, for reward functions of one's own."""
        return self._env.episode

    def reset(self, **row: Any) -> None:
        """Starts the episode of a row of `dataset`.

        Args:
            **row: `seed` and `prompt`, which holds the opening and is left as it is; `split`,
                `level` and `language` where they differ from the keywords of the class.

        Raises:
            TaskError: For a row without a seed, of other tools than the class has, or with a
                prompt that lacks the system message or the request.
        """
        self._raise_bug()
        if row.get("seed") is None:
            raise TaskError(f"a row needs a seed, got {sorted(row)}; `dataset` makes such rows")
        options = None if self._keywords.get("task") else {"task": self._task_of(row)}
        self._env.reset(seed=row["seed"], options=options)
        self._earned = 0.0
        _require_opening(self.episode.task, row.get("prompt") or ())

    def _task_of(self, row: Mapping[str, Any]) -> Task:
        """The task of a row. A class has one set of tools, so the task must have them, too."""
        own = {name: self._keywords[name] for name in _ITEM if name in self._keywords}
        own |= {name: row[name] for name in _ITEM if row.get(name) is not None}
        package = self._env.package
        task = package.build(package.item(seed=row["seed"], **own))
        if set(task.tools) != self._tools:
            raise TaskError(
                f"{task.item} offers {len(task.tools)} tools and {type(self).__name__} has "
                f"{len(self._tools)}: make the class with level={task.item.level!r}"
            )
        return task

    def _step(self, action: Mapping[str, Any]) -> str:
        """Runs a call; returns its result, and on further lines what the user says to it."""
        if self.episode.over:
            return _OVER
        seen = len(self.episode.transcript) + 1
        try:
            observation, reward, *_ = self._env.step(action)
        except Exception as bug:  # TRL shows it to the model as a tool's error and trains on
            self._bug = bug
            raise
        self._earned += float(reward)
        return "\n".join(message["content"] for message in observation[seen:])

    def _raise_bug(self) -> None:
        if self._bug is not None:
            raise self._bug

    def _finish(self) -> Score:
        """Ends the episode if it is open, and scores it."""
        self._raise_bug()
        episode = self.episode
        if not episode.over:
            episode.cut_off()
            self._earned += self._env._reward(episode.score(), over=True)  # as its last step pays
        return episode.score()


def environment_factory(
    env_id: str, *, own_reward: bool = True, **keywords: Any
) -> type[TrlEnvironment]:
    """Returns a class whose instances play an environment under TRL.

    Each tool is a method of its own name, with a signature and a Google docstring from which TRL
    reads the tool's schema. Defaults and formats, which TRL cannot read from a signature, stand in
    the descriptions. The methods answer with JSON text, whatever they are given.

    Args:
        env_id: A Gymnasium id, such as cowork/escalation-v0.
        own_reward: Whether the class has `get_reward`. TRL adds what that gives to all reward
            functions with weight 1, so it is False beside `component_rewards`.
        **keywords: Of `gymnasium.make`: level, split, reward ...

    Raises:
        TaskError: For an id that is no environment of coworkgym.
    """
    env = _made(env_id, keywords)
    members: dict[str, Any] = {t.name: _method(t) for t in env.action_space.tools.values()}
    members |= {"__doc__": f"{env_id} under TRL.", "_env_id": env_id, "_keywords": keywords}
    members |= {"get_reward": _get_reward} if own_reward else {}
    name = "".join(word.capitalize() for word in env.package.name.split("_"))
    return type(name, (TrlEnvironment,), members)


def _get_reward(self: TrlEnvironment) -> float | None:
    """Ends the episode if it is open; returns its reward, or None when it is ungraded.

    A bug of the office, which TRL took for an error of the tool, is raised here.
    """
    self._finish()
    return None if math.isnan(self._earned) else self._earned


def component_rewards(env_id: str | None = None) -> list[Callable[..., list[float | None]]]:
    """Returns the reward functions `success`, `safety`, `format` and `efficiency`, as GDPO wants.

    Success is gated by safety. Make the class with `own_reward=False`, or success counts twice.

    Args:
        env_id: The environment whose rollouts count; those of others get None. By default all.
    """
    return [_component(name, env_id) for name in COMPONENTS]


def last_text(
    completions: Sequence[Sequence[Mapping[str, Any]]],
    environments: Iterable[TrlEnvironment],
    **columns: Any,
) -> list[float | None]:
    """Hands the text that ended each rollout to the user, as the reply; pays nothing.

    TRL ends a rollout at a message without a call and shows it to reward functions only. This one
    stands first in `reward_funcs`; without it the tool `reply` is the only way to answer. Text
    with a <tool_call> that TRL could not read counts as that call.
    """
    for completion, environment in zip(completions, environments, strict=True):
        last = completion[-1]
        if last["role"] == "assistant" and not last.get("tool_calls"):
            environment._step(parse_model_text(last.get("content") or ""))
    return [None] * len(completions)


def dataset(
    env_id: str,
    split: Split = "train",
    n: int = 256,
    level: Level = "easy",
    language: Language = "en",
    seed: int = 0,
) -> Any:
    """Returns the rows of n tasks.

    Args:
        env_id: A Gymnasium id.
        split: train, validation or test.
        n: Number of tasks.
        level: warmup, easy, medium or hard; that of the class.
        language: en or zh.
        seed: Of the first task; the others follow one by one.

    Returns:
        A datasets.Dataset of `prompt` (system message and request), `environment` (the id),
        `seed`, `split`, `level` and `language`.
    """
    try:
        from datasets import Dataset  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise MissingExtra("rows need datasets: pip install 'coworkgym[train]'") from None
    variant = {"split": split, "level": level, "language": language}
    env, rows = _made(env_id, variant), []
    for number in range(seed, seed + n):
        prompt = [dict(message) for message in env.reset(seed=number)[0]]
        rows.append({"prompt": prompt, "environment": env_id, "seed": number, **variant})
    return Dataset.from_list(rows)


def _made(env_id: str, keywords: Mapping[str, Any]) -> CoworkEnv:
    env = gym.make(env_id, **keywords).unwrapped
    if not isinstance(env, CoworkEnv):
        raise TaskError(f"{env_id!r} is no environment of coworkgym")
    return env


def _require_opening(task: Task, prompt: Iterable[Mapping[str, Any]]) -> None:
    """Refuses a prompt without all of the opening; there may be more in it."""
    shown = [str(message["content"]) for message in prompt]
    for message in task.opening:
        if not any(message["content"] in text for text in shown):
            raise TaskError(
                f"the prompt lacks the {message['role']} message of {task.item}: were the rows "
                "made with other keywords, or by another version?"
            )


def _component(name: str, env_id: str | None) -> Callable[..., list[float | None]]:
    def component(environments: Iterable[TrlEnvironment], **columns: Any) -> list[float | None]:
        vectors = [
            environment._finish().rewards if env_id in (None, environment._env_id) else {}
            for environment in environments
        ]
        values = [vector.get(name, math.nan) for vector in vectors]
        return [None if math.isnan(value) else value for value in values]

    component.__name__ = component.__qualname__ = name
    return component


def _method(tool: Tool) -> Callable[..., str]:
    """The method of a tool. It takes whatever it is given: the office says what is wrong."""

    def call(self: TrlEnvironment, /, **arguments: Json) -> str:
        return self._step({"name": tool.name, "arguments": arguments})

    schema = tool.schema["parameters"]
    fields, required = schema["properties"], schema["required"]
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=_annotation(field))
        for name, field in fields.items()
        for default in (Parameter.empty if name in required else field.get("default"),)
    ]
    itself = Parameter("self", Parameter.POSITIONAL_ONLY)
    call.__signature__ = Signature([itself, *parameters])  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__name__ = call.__qualname__ = tool.name
    lines = [f"    {name}: {_described(name, field)}" for name, field in fields.items()]
    call.__doc__ = "\n".join([tool.description, *(["", "Args:", *lines] if lines else [])])
    return call


def _annotation(field: Mapping[str, Any]) -> Any:
    """The type from which TRL reads the same schema; a bare one where null means "not given"."""
    if "enum" in field:
        return Literal[tuple(field["enum"])]
    if field["type"] == "array":
        return list[_annotation(field["items"])]  # type: ignore[misc]
    return _TYPES[field["type"]]


def _described(name: str, field: Mapping[str, Any]) -> str:
    """The description of an argument, which TRL wants to have, and what else its schema says."""
    said = field.get("description") or f"{name.replace('_', ' ').capitalize()}."
    more = (f" {key.capitalize()}: {json_text(field[key])}." for key in _UNSAID if key in field)
    return "".join([said, *more])
