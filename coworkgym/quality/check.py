"""Check: what shows when a task is played: its solution, idling, forbidden and left-out calls."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from coworkgym.envs import Episode
from coworkgym.frozen import json_text
from coworkgym.policies import NullPolicy
from coworkgym.quality.forbidden import forbidden, replay
from coworkgym.quality.lint import STATIC, Fault, Reference, Rule
from coworkgym.quality.tolerance import TOLERANCE
from coworkgym.rewards import Score, score
from coworkgym.rollouts import play_out
from coworkgym.transcript import ToolCall

READING = TOLERANCE.reading


def _solution_runs(run: Reference) -> Iterator[Fault]:
    """A-gold-raises."""
    parts = [f"solution[{n}] {call.name}" for n, call in enumerate(run.task.solution)]
    log = [event for event in run.episode.office.log if event.actor == "agent"]
    for part, event in zip(parts, log, strict=False):
        if event.error is not None:
            yield Fault(part, event.result)
    if len(log) < len(parts):
        yield Fault(parts[len(log)], f"the episode ends after {len(log)} of {len(parts)} calls")
    elif not run.episode.terminated:
        yield Fault(["solution", *parts][-1], "the reply that ends the episode is missing")


def _reference_earns_all(run: Reference) -> Iterator[Fault]:
    result = run.episode.score()
    if result.status == "ungraded":
        yield Fault("score", f"the reference cannot be graded: {result.reason}")
    for check in result.checks:
        if check.value < 1:
            yield Fault(f"check {check.name!r}", f"the reference earns {check.value}: {check.why}")
    for gate in result.gates:
        if gate.breached:
            yield Fault(f"gate {gate.name!r}", f"the reference breaches it: {gate.why}")
    if result.false_claim:
        yield Fault("solution", "its reply claims a deed, and nothing was changed")


def _idling_earns_nothing(run: Reference) -> Iterator[Fault]:
    for check in play_out(run.task, NullPolicy()).score().checks:
        if check.value > 0:
            yield Fault(f"check {check.name!r}", f"saying OK. earns {check.value}: {check.why}")


def _starts_unmet(run: Reference) -> Iterator[Fault]:
    result = Episode(run.task).score()
    for check in result.checks:
        if check.value > 0:
            why = f"it holds to {check.value} before anything is done: {check.why}"
            yield Fault(f"check {check.name!r}", why)
    for gate in result.gates:
        if gate.breached:
            yield Fault(f"gate {gate.name!r}", f"it is breached at the start: {gate.why}")


def _breaches_count(run: Reference) -> Iterator[Fault]:
    task = run.task
    for gate in task.gates:
        found = forbidden(gate, task) if gate.severity == 1 else None
        if found is None:
            continue
        result = replay(task, found.within(task.solution)).score()
        if result.safety > 0:
            name, arguments = found.call
            why = f"{name} {json_text(arguments)} leaves safety at {result.safety:.3g}"
            yield Fault(f"gate {gate.name!r}", why)


def _no_constant(run: Reference) -> Iterator[Fault]:
    constant = {check.name for check in run.task.checks}
    for calls in _shortened(run.task.solution):
        if constant:
            held = replay(run.task, calls).score().checks
            constant -= {check.name for check in held if check.value < 1}
    for check in run.task.checks:
        if check.name in constant:
            yield Fault(f"check {check.name!r}", "it holds whatever the solution leaves out")


def _shortened(solution: Sequence[ToolCall]) -> Iterator[list[ToolCall]]:
    """Yields the solution without each single call, and without all calls of each tool."""
    for number in range(len(solution)):
        yield [*solution[:number], *solution[number + 1 :]]
    for name in sorted({call.name for call in solution}):
        yield [call for call in solution if call.name != name]


def _scoring_is_pure(run: Reference) -> Iterator[Fault]:
    task, evidence = run.task, run.episode.evidence()
    before = evidence.final.digest()
    scores = [score(task.checks, task.gates, evidence, len(task.solution)) for _ in range(2)]
    first, second = ([*_lines(result)] for result in scores)
    for (part, one), (_, other) in zip(first, second, strict=True):
        if one != other:
            yield Fault(part, f"scored twice, it differs: {one}, then {other}")
    if evidence.final.digest() != before or replace(task).digest != run.digest:
        yield Fault("score", "scoring changes the records")


def _lines(result: Score) -> Iterator[tuple[str, str]]:
    """Yields the place and the verdict of each check and gate."""
    for check in result.checks:
        yield f"check {check.name!r}", f"{check.value} ({check.why})"
    for gate in result.gates:
        yield f"gate {gate.name!r}", f"{'breached' if gate.breached else 'kept'} ({gate.why})"


def _reading_earns_little(run: Reference) -> Iterator[Fault]:
    tools, solution = run.task.tools, run.task.solution
    reads = [call for call in solution if not tools[call.name].writes]
    value = replay(run.task, reads).score().value
    if len(reads) < len(solution) and value > READING + 1e-9:
        yield Fault("solution", f"its reading calls alone earn {value:.3g}, at most {READING}")


TASK_RULES = (
    *STATIC,
    Rule("solution", "Every call of the solution succeeds, the last ends it.", _solution_runs),
    Rule("reference", "The solution earns every check and is safe.", _reference_earns_all),
    Rule("idle", "Saying OK. and nothing else completes nothing.", _idling_earns_nothing),
    Rule("start", "At the start gates hold and checks do not.", _starts_unmet),
    Rule("breach", "One forbidden call more leaves no safety.", _breaches_count),
    Rule("constant", "Each check notices some shortened solution.", _no_constant),
    Rule("pure", "Scoring twice is equal and changes nothing.", _scoring_is_pure),
)
PACKAGE_RULES = (
    *TASK_RULES,
    Rule("reading", f"Reading alone earns at most {READING}.", _reading_earns_little),
)
"""On top of TASK_RULES, what the library asks of its own packages."""
