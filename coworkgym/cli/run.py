"""`coworkgym run`: policies over packages, and what they score."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.progress import Progress
from rich.table import Table

from coworkgym.cli.options import JsonOption, SplitOption, err, is_file, out, print_json
from coworkgym.errors import unknown
from coworkgym.policies import Policy, get_policy, policy_names
from coworkgym.rewards import FORMULAS
from coworkgym.rollouts import Finished, Summary, run_episodes, save_episodes, summarise
from coworkgym.tasks import LANGUAGES, LEVELS, Item, get_package, load_task, packages


class Job(NamedTuple):
    """Items of one kind, to be played by one policy; `path` is the task file, if it is one."""

    items: list[Item]
    policy: Policy
    path: str | None = None


def run(  # noqa: PLR0913
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Packages, ids or task files; all packages if none."
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", help=f"Of {', '.join(policy_names())}; may be repeated."),
    ] = None,
    level: Annotated[
        list[str] | None, typer.Option("--level", help="May be repeated; all for every level.")
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="May be repeated; all for each.")
    ] = None,
    split: SplitOption = "train",
    episodes: Annotated[int, typer.Option("--episodes", min=1, help="Seeds of each kind.")] = 10,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The first seed.")] = 0,
    reward: Annotated[str, typer.Option("--reward", help=f"Of {', '.join(FORMULAS)}.")] = "score",
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Keep the episodes here as JSON lines.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run policies over packages and print what they score."""
    if reward not in FORMULAS:
        raise unknown("reward formula", reward, FORMULAS)
    levels = _expand(level or ["easy"], LEVELS)
    languages = _expand(language or ["en"], LANGUAGES)
    chosen = [get_policy(name) for name in policy or ["reference"]]
    jobs = [
        Job(items, player, path)
        for items, path in _groups(names, levels, languages, split, range(seed, seed + episodes))
        for player in chosen
    ]
    summaries = []
    with Progress(console=err, disable=not err.is_terminal, transient=True) as progress:
        bar = progress.add_task("episodes", total=sum(len(job.items) for job in jobs))
        for job in jobs:
            finished = _play(job)
            summaries.append(summarise(finished, reward, asked=len(job.items)))
            if out_dir is not None:
                save_episodes(finished, out_dir / _file_name(finished[0]))
            progress.advance(bar, len(job.items))
    if as_json:
        print_json({"packages": [summary._asdict() for summary in summaries]})
    else:
        _print(summaries, reward)


def _expand(given: list[str], every: Sequence[str]) -> list[str]:
    return list(every) if "all" in given else given


def _groups(
    names: list[str] | None,
    levels: list[str],
    languages: list[str],
    split: str,
    seeds: Sequence[int],
) -> Iterator[tuple[list[Item], str | None]]:
    """Yields the items of each package, level and language, and of each task file."""
    for name in names or [package.name for package in packages()]:
        if is_file(name):
            yield [load_task(name).item], name
            continue
        package = get_package(name)
        for level in levels:
            for language in languages:
                variant = {"level": level, "language": language, "split": split}
                yield [package.item(seed=seed, **variant) for seed in seeds], None  # type: ignore[arg-type]


def _play(job: Job) -> list[Finished]:
    if job.path is not None:
        return list(run_episodes([load_task(job.path)], job.policy))
    package = get_package(job.items[0].package)
    return list(run_episodes((package.build(item) for item in job.items), job.policy))


def _file_name(episode: Finished) -> str:
    item = episode.item
    return f"{item.package}-{item.level}-{item.language}-{item.split}-{episode.policy}.jsonl"


def _print(summaries: list[Summary], reward: str) -> None:
    """Prints one row a summary; the column for ungraded episodes only where there are any."""
    ungraded = any(summary.ungraded for summary in summaries)
    table = Table(box=None, pad_edge=False)
    for name in ("package", "level", "lang", "policy"):
        table.add_column(name, no_wrap=True)
    for name in ("n", reward, "compl.", "safety", "solved", *(["ungraded"] if ungraded else [])):
        table.add_column(name, justify="right", no_wrap=True)
    for s in summaries:
        table.add_row(
            *(s.name, s.level, s.language, s.policy, str(s.episodes)),
            *(f"{value:.2f}" for value in (s.mean_score, s.completion, s.safety, s.solved)),
            *([str(s.ungraded)] if ungraded else []),
        )
    out.print(table)
