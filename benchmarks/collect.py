"""Collect: what an episode costs beyond its office and its score, and what more workers bring.

The floor is an episode without any of this: build the task, run the calls of the reference through
Episode.act, score. Figures are CPU time of this process an episode, in rounds in which all ways of
playing follow each other, each on seeds that nobody has played; the medians of their ratios to the
floor of the same round are what can be compared.

More workers are measured with a policy that takes 20 ms of CPU an episode. Starting them is left
out: time runs from the first WARM episodes to the last. It is wall time, so that it says something
only where the cores have nothing else to do: see `load_before` in the result.

    python benchmarks/collect.py            # prints the table, writes results/collect.json
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from typing import NamedTuple

from busy import BusyPolicy
from provenance import provenance
from rich.console import Console
from rich.table import Table

from coworkgym import Episode, get_package, packages
from coworkgym.policies import ReferencePolicy
from coworkgym.rollouts import Executor, Store, collect, executor_from, settings_of
from coworkgym.tasks import Item

RESULTS = Path(__file__).parent / "results" / "collect.json"
WARM = 12  # episodes after which every worker has begun
FLOOR = "build, act, score"


class Way(NamedTuple):
    """One way of playing episodes, and the most it may cost in floors."""

    what: str
    play: Callable[[Sequence[Item]], None]
    budget: float | None


class Figure(NamedTuple):
    """Microseconds of CPU an episode; the same in floors, and the budget in floors."""

    what: str
    us: float
    floors: float
    budget: float | None


class Speed(NamedTuple):
    """Episodes a second with some workers, in multiples of one process too; the driver's own CPU.

    The driver's microseconds an episode tell how many workers one driver can keep busy.
    """

    what: str
    a_second: float
    times: float
    budget: float | None
    driver_us: float


class Pace(NamedTuple):
    """Episodes a second of wall time, and microseconds of the driver's CPU an episode."""

    a_second: float
    driver_us: float


def play_bare(items: Sequence[Item]) -> None:
    """The floor."""
    for item in items:
        task = get_package(item.package).build(item)
        episode = Episode(task)
        for call in task.solution:
            episode.act(call)
        if episode.score().value != 1:
            raise RuntimeError(f"{item}: the reference must earn 1")


def play_inline(items: Sequence[Item]) -> None:
    """Collects in this process, without a store."""
    for _ in collect(items, ReferencePolicy()):
        pass


def play_into(items: Sequence[Item], *, compress: bool) -> None:
    """Collects in this process, into a new store."""
    policy = ReferencePolicy()
    with tempfile.TemporaryDirectory() as folder:
        with Store(folder, settings_of(policy), compress=compress) as store:
            for _ in collect(items, policy, store=store):
                pass


def ways() -> list[Way]:
    """All ways of playing, the floor first."""
    listed = [
        Way(FLOOR, play_bare, None),
        Way("collect", play_inline, 1.2),
        Way("collect into a store", lambda items: play_into(items, compress=False), 2.0),
    ]
    if find_spec("zstandard"):
        packed = Way("into a zstd store", lambda items: play_into(items, compress=True), None)
        listed.append(packed)
    return listed


def fresh_items(seeds: Iterator[int], number: int) -> list[Item]:
    """Items of all packages in turn, each with a seed of its own."""
    each = list(packages())
    return [each[n % len(each)].item(seed=next(seeds), level="warmup") for n in range(number)]


def costs(rounds: int, episodes: int, seeds: Iterator[int]) -> list[Figure]:
    """Measures every way in each round; the order turns, so that none is always first."""
    listed = ways()
    spent: dict[str, list[float]] = {way.what: [] for way in listed}
    for turn in range(rounds + 1):  # the first warms up and is left out
        for way in listed[turn % len(listed) :] + listed[: turn % len(listed)]:
            items = fresh_items(seeds, episodes)
            start = time.process_time()
            way.play(items)
            if turn:
                spent[way.what].append((time.process_time() - start) / episodes * 1e6)
    floor = spent[FLOOR]
    return [
        Figure(
            what,
            median(spent[what]),
            median(us / f for us, f in zip(spent[what], floor, strict=True)),
            budget,
        )
        for what, _, budget in listed
    ]


def pace(executor: Executor, items: Sequence[Item]) -> Pace:
    """Measures from the first WARM of the episodes to the last."""
    walls, cpus = [], []
    for _ in collect(items, BusyPolicy(), executor=executor, concurrency=1):
        walls.append(time.perf_counter())
        cpus.append(time.process_time())
    number = len(walls) - WARM
    wall, cpu = walls[-1] - walls[WARM - 1], cpus[-1] - cpus[WARM - 1]
    return Pace(number / wall, cpu / number * 1e6)


def speeds(rounds: int, episodes: int, seeds: Iterator[int]) -> list[Speed]:
    """Measures one process, two, and two Ray actors where Ray is, in turn."""
    crews: list[tuple[str, str, int, float | None]] = [
        ("one process", "processes", 1, None),
        ("two processes", "processes", 2, 1.7),
    ]
    if find_spec("ray"):
        start_ray()
        crews.append(("two Ray actors", "ray", 2, None))
    found: dict[str, list[Pace]] = {what: [] for what, *_ in crews}
    for _ in range(rounds):
        for what, name, workers, _ in crews:
            items = fresh_items(seeds, episodes * workers)
            found[what].append(pace(executor_from(name, workers), items))
    one = found["one process"]
    return [
        Speed(
            what,
            median(many.a_second for many in found[what]),
            median(
                many.a_second / single.a_second
                for many, single in zip(found[what], one, strict=True)
            ),
            budget,
            median(many.driver_us for many in found[what]),
        )
        for what, _, _, budget in crews
    ]


def start_ray() -> None:
    """Starts Ray quietly; its actors find the policy of this benchmark."""
    import ray

    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)


def kept(value: float, budget: float | None, *, at_most: bool) -> str:
    """Whether a budget holds."""
    if budget is None:
        return ""
    return "yes" if (value <= budget if at_most else value >= budget) else "NO"


def show(figures: Sequence[Figure], found: Sequence[Speed]) -> None:
    """Prints the tables."""
    table = Table(box=None, pad_edge=False)
    for column in ("what", "us CPU an episode", "floors", "at most", "kept"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for f in figures:
        budget = "" if f.budget is None else f"{f.budget:.1f}"
        says = kept(f.floors, f.budget, at_most=True)
        table.add_row(f.what, f"{f.us:,.0f}", f"{f.floors:.2f}", budget, says)
    workers = Table(box=None, pad_edge=False)
    columns = ("workers, 20 ms an episode", "episodes a second", "times", "at least", "kept")
    for column in (*columns, "us CPU of the driver"):
        workers.add_column(column, justify="left" if column.startswith("w") else "right")
    for s in found:
        budget = "" if s.budget is None else f"{s.budget:.1f}"
        says = kept(s.times, s.budget, at_most=False)
        driver = f"{s.driver_us:,.0f}"
        workers.add_row(s.what, f"{s.a_second:.1f}", f"{s.times:.2f}", budget, says, driver)
    console = Console()
    console.print(table)
    console.print()
    console.print(workers)


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=11, help="rounds of each way")
    parser.add_argument("--episodes", type=int, default=140, help="episodes of a way in a round")
    parser.add_argument("--crews", type=int, default=3, help="rounds of each number of workers")
    parser.add_argument("--out", type=Path, default=RESULTS, help="result file")
    args = parser.parse_args()
    seeds, load = count(10**6), os.getloadavg()[0]
    figures = costs(args.rounds, args.episodes, seeds)
    found = speeds(args.crews, args.episodes, seeds)
    show(figures, found)
    measured = ("pydantic", *(name for name in ("ray", "zstandard") if find_spec(name)))
    result = {
        **provenance(measured),
        "rounds": args.rounds,
        "episodes_a_round": args.episodes,
        "cores": os.cpu_count(),
        "load_before": load,
        "figures": [figure._asdict() for figure in figures],
        "workers": [speed._asdict() for speed in found],
    }
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
