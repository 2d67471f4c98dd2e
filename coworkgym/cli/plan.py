"""Plans: the options of verbs that play episodes, written once."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from coworkgym.policies import policy_names
from coworkgym.policies.specs import MODEL_FORMS
from coworkgym.rewards import FORMULAS
from coworkgym.rollouts import EXECUTORS
from coworkgym.tasks import LANGUAGES, LEVELS, SPLITS

_POLICIES = ", ".join([*policy_names(), *MODEL_FORMS.values()])
_MODEL = "chat:MODEL@URL"


def _option(panel: str, flag: str, about: str, **limits: Any) -> Any:
    return typer.Option(flag, help=about, rich_help_panel=panel, **limits)


_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_TASKS = "Which tasks"
_POLICY = "Which policy"
_HOW = "How episodes are played"
_WHERE = "Where they are played and kept"


@dataclass(frozen=True)
class PlanOptions:
    """The options of a verb that plays episodes, as the command line gives them."""

    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Packages, ids or task files; all packages if none."
        ),
    ] = None
    policy: Annotated[
        list[str] | None, _option(_POLICY, "--policy", f"Of {_POLICIES}; may be repeated.")
    ] = None
    level: Annotated[
        list[str] | None,
        _option(_TASKS, "--level", f"Of {', '.join(LEVELS)}, or all; may be repeated."),
    ] = None
    language: Annotated[
        list[str] | None,
        _option(_TASKS, "--language", f"Of {', '.join(LANGUAGES)}, or all; may be repeated."),
    ] = None
    split: Annotated[str, _option(_TASKS, "--split", f"Of {', '.join(SPLITS)}.")] = "train"
    episodes: Annotated[
        int, _option(_TASKS, "--episodes", "Tasks (seeds) of each kind.", min=1)
    ] = 10
    root: Annotated[
        Path | None, _option(_TASKS, "--root", "Of claw_eval: the checkout; it holds tasks/.")
    ] = None
    task: Annotated[
        list[str] | None,
        _option(_TASKS, "--task", "Of claw_eval: a task's id; may be repeated; all if none."),
    ] = None
    mode: Annotated[
        str, _option(_TASKS, "--mode", "Of claw_eval: intended (without faults) or faithful.")
    ] = "intended"
    samples: Annotated[int, _option(_TASKS, "--samples", "Episodes of each task.", min=1)] = 1
    seed: Annotated[int, _option(_TASKS, "--seed", "The first seed of the tasks.", min=0)] = 0
    policy_seed: Annotated[
        int, _option(_POLICY, "--policy-seed", "Other draws of the policy.", min=0)
    ] = 0
    reward: Annotated[str, _option(_HOW, "--reward", f"Of {', '.join(FORMULAS)}.")] = "score"
    user: Annotated[
        str, _option(_HOW, "--user", f"Who speaks for users with a script: scripted, or {_MODEL}.")
    ] = "scripted"
    judge: Annotated[
        str | None, _option(_HOW, "--judge", f"Who grades what no program can: {_MODEL}.")
    ] = None
    faults: Annotated[
        float | None, _option(_HOW, "--faults", "Share of calls that fail, in [0, 1].")
    ] = None
    max_steps: Annotated[
        int | None, _option(_HOW, "--max-steps", "Cut episodes off after so many calls.", min=1)
    ] = None
    max_context: Annotated[
        int | None, _option(_HOW, "--max-context", "Tokens shown; old results are left out.", min=1)
    ] = None
    timeout: Annotated[
        float | None, _option(_HOW, "--timeout", "Seconds after which an episode is void.")
    ] = None
    temperature: Annotated[
        float | None, _option(_POLICY, "--temperature", "Of a model's draws; 0 for none.")
    ] = None
    max_tokens: Annotated[
        int | None, _option(_POLICY, "--max-tokens", "Length of a model's answer.", min=1)
    ] = None
    executor: Annotated[
        str, _option(_WHERE, "--executor", f"Where to play: {', '.join(EXECUTORS)}.")
    ] = "inline"
    workers: Annotated[
        int | None,
        _option(_WHERE, "--workers", "Of processes or ray; by default one a core.", min=1),
    ] = None
    concurrency: Annotated[
        int, _option(_WHERE, "--concurrency", "Episodes side by side in each worker.", min=1)
    ] = 8
    out: Annotated[
        Path | None,
        _option(
            _WHERE, "--out", "Keep the episodes in this folder; the same command goes on with it."
        ),
    ] = None
    compress: Annotated[bool, _option(_WHERE, "--compress", "Keep them compressed (zstd).")] = False


def takes_plan(**defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a verb all options of PlanOptions; it gets them as its first argument, `options`.

    Args:
        defaults: Of options whose default is another one for this verb.
    """
    hints = get_type_hints(PlanOptions, include_extras=True)
    shared = [_parameter(one, hints[one.name], defaults) for one in fields(PlanOptions)]

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(verb, eval_str=True).parameters.values())[1:]
        parameters = [*shared, *(one.replace(kind=_KEYWORD) for one in own)]

        def wrapped(**given: Any) -> None:
            options = PlanOptions(**{one.name: given.pop(one.name) for one in shared})
            verb(options, **given)

        wrapped.__doc__, wrapped.__name__ = verb.__doc__, verb.__name__
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {one.name: one.annotation for one in parameters}
        return wrapped

    return decorate


def _parameter(
    option: "Field[Any]", annotation: Any, defaults: Mapping[str, Any]
) -> inspect.Parameter:
    default = defaults.get(option.name, option.default)
    return inspect.Parameter(option.name, _KEYWORD, default=default, annotation=annotation)
