"""Properties: what every task package must have, one function each."""

import json
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gymnasium.utils.env_checker import check_env

from coworkgym.envs import CoworkEnv
from coworkgym.errors import CoworkError
from coworkgym.frozen import FrozenDict, json_text
from coworkgym.policies import RandomPolicy
from coworkgym.quality import PACKAGE_RULES, forbidden
from coworkgym.quality.forbidden import replay
from coworkgym.quality.lint import reference
from coworkgym.rewards import Gate
from coworkgym.rollouts import play_out
from coworkgym.tasks import SPLITS, Language, Level, Task, TaskPackage
from coworkgym.tasks.file import FORMAT, task_from_data
from coworkgym.transcript import ToolCall

Property = Callable[[TaskPackage, Level, Language, int], None]
"""Takes a package, a level, a language and a number of seeds; raises AssertionError."""

SEEDS = 5  # tasks of each level and language, unless told
GUESSING, DRAWS = 0.1, 15  # random calls must stay below, on average of so many episodes
CANARY = "canary-5f1d7c"

_RULES = {rule.name: rule for rule in PACKAGE_RULES}


def tasks_of(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> Iterator[Task]:
    """Yields the tasks of the first seeds; the splits take turns."""
    for seed in range(seeds):
        split = SPLITS[seed % len(SPLITS)]
        yield package.build(package.item(seed=seed, level=level, language=language, split=split))


def _require(holds: bool, task: Task, why: str) -> None:
    if not holds:
        raise AssertionError(f"{task.item}: {why}")


def _keeps(package: TaskPackage, level: Level, language: Language, seeds: int, *rules: str) -> None:
    """Fails when a rule of `coworkgym.quality` finds a fault."""
    for task in tasks_of(package, level, language, seeds):
        run = reference(task)
        faults = [f"{f.part}: {f.why}" for name in rules for f in _RULES[name].faults(run)]
        _require(not faults, task, "; ".join(faults))


def conforms_to_gymnasium(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """Gymnasium's `check_env` finds nothing, not even something to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(CoworkEnv(package, level=level, language=language), skip_render_check=True)


def is_deterministic(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """An item gives the same task each time, and the same talk; the global dice are not used."""
    for number, task in enumerate(tasks_of(package, level, language, seeds)):
        dice = random.getstate()
        again = package.write(task.item)
        _require(random.getstate() == dice, task, "the global random generator was used")
        _require(again == task, task, "written again, it is another task")
        if number < 2:
            one, other = (replay(made, made.solution).transcript for made in (task, again))
            same = one.messages == other.messages
            _require(same, task, "the same calls lead to another transcript")


def other_seeds_differ(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """No two seeds give the same task."""
    seen: dict[str, int] = {}
    for seed, task in enumerate(tasks_of(package, level, language, max(seeds, 2))):
        digest = replace(task, item=task.item._replace(seed=0, split="train")).digest
        _require(digest not in seen, task, f"it is the task of seed {seen.get(digest)}")
        seen[digest] = seed


def reference_earns_all(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """Each call of the reference succeeds, the last ends the episode, and all is earned."""
    _keeps(package, level, language, seeds, "solution", "reference")


def idling_earns_nothing(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """No check holds at the start, nor after an empty reply; no gate is breached."""
    _keeps(package, level, language, seeds, "start", "idle")


def reading_earns_little(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """Reading alone earns little where acting is right."""
    _keeps(package, level, language, seeds, "reading")


def guessing_earns_little(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """Random calls earn less than a tenth on average; warmup is exempt."""
    if level != "warmup":
        tasks = list(tasks_of(package, level, language, max(seeds, DRAWS)))
        mean = sum(play_out(task, RandomPolicy()).score().value for task in tasks) / len(tasks)
        _require(mean < GUESSING, tasks[0], f"random calls earn {mean:.3g} on average")


def no_check_is_constant(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """Each check notices some shortened solution."""
    _keeps(package, level, language, min(seeds, 1 if level == "hard" else 2), "constant")


def gates_trip(package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS) -> None:
    """A forbidden call costs what its gate says, and never raises the score, early or late.

    Gates of less than severity 1 are tried in the first two tasks.
    """
    for number, task in enumerate(tasks_of(package, level, language, seeds)):
        for gate in task.gates:
            found = forbidden(gate, task) if gate.severity == 1 or number < 2 else None
            if found is not None:
                _costs(task, (), found.call, gate)
                safety = _costs(task, task.solution[: found.kept], found.call, gate)
                why = f"{found.call} breaches {gate.name!r} and leaves safety at {safety}"
                _require(safety <= 1 - gate.severity + 1e-9, task, why)


def _costs(task: Task, made: Sequence[ToolCall], call: ToolCall, gate: Gate) -> float:
    """Fails when a forbidden call raises the score; returns the safety that it leaves."""
    episode = replay(task, made)
    before = episode.score().value
    if not episode.over:
        episode.act(call)
    after = episode.score()
    why = f"{call} breaches {gate.name!r} and raises the score from {before:.3g} to {after.value}"
    _require(after.value <= before + 1e-9, task, why)
    return after.safety


def scoring_is_pure(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """Scoring twice gives the same and changes nothing."""
    _keeps(package, level, language, seeds, "pure")


def answers_can_be_found(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """What a check wants is offered and shown to the agent, but not given away in the request."""
    _keeps(package, level, language, seeds, "leak", "offered", "reachable")


def records_validate(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """The task can be saved as a file and read again; with it, each record is validated."""
    _keeps(package, level, language, min(seeds, 2), "records", "texts", "disjoint")
    for task in tasks_of(package, level, language, min(seeds, 2)):
        content = {"format": FORMAT, "digest": task.digest, **task.data()}
        try:
            task_from_data(json.loads(json_text(content)))
        except CoworkError as error:
            raise AssertionError(f"{task.item}: saved, it cannot be read again: {error}") from error


def warmup_is_small(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """A warmup task with its solution fits in few tokens, records and tools."""
    if level == "warmup":
        _keeps(package, level, language, max(seeds, 40), "warmup")


def nothing_is_leaked(
    package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
) -> None:
    """Nothing of checklist and solution can be seen before the end."""
    for task in tasks_of(package, level, language, min(seeds, 2)):
        env = CoworkEnv(package, task=_marked(task), anchors=True, render_mode="ansi")
        obs, info = env.reset()
        random_call = RandomPolicy().act([obs], [info["tools"]])[0]["tool_calls"][0]
        calls = [call._asdict() for call in task.solution[:-1]]
        for action in (None, {"name": "score"}, random_call, *calls):
            if not env.episode.over:
                obs, _, _, _, info = env.step(action)
        seen = "\n".join(map(str, [obs, info if not env.episode.over else "", env, env.action_space,
                                   env.observation_space, env.render()]))  # fmt: skip
        place = seen.find(CANARY)
        _require(place < 0, task, f"the answer is shown: {seen[max(0, place - 80) : place + 80]!r}")


def _marked(task: Task) -> Task:
    """The task with a canary in each name of its checklist, and in each call of its solution."""
    checks = tuple(check.model_copy(update=_renamed(check.name)) for check in task.checks)
    gates = tuple(gate.model_copy(update=_renamed(gate.name)) for gate in task.gates)
    solution = tuple(
        ToolCall(call.name, FrozenDict({**call.arguments, "note": CANARY}))
        for call in task.solution
    )
    return replace(
        task, checks=checks, gates=gates, solution=solution, max_steps=task.max_steps + 99
    )


def _renamed(name: str) -> dict[str, str]:
    return {"name": f"{CANARY} {name}"}


PROPERTIES: tuple[Property, ...] = (
    conforms_to_gymnasium,
    records_validate,
    is_deterministic,
    other_seeds_differ,
    reference_earns_all,
    idling_earns_nothing,
    reading_earns_little,
    guessing_earns_little,
    no_check_is_constant,
    gates_trip,
    scoring_is_pure,
    answers_can_be_found,
    nothing_is_leaked,
    warmup_is_small,
)
"""All properties that need nothing but the package."""
