"""Jobs: commands that depend on each other, a few side by side, each run once."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


class JobError(RuntimeError):
    """A command that failed: which, and where what it said is."""


@dataclass(frozen=True)
class Job:
    """A command of this repository.

    Attributes:
        name: Its own; the folder that it writes has it, too.
        command: Module and arguments of `python -m`.
        needs: Names of the jobs before it.
    """

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()


def run(jobs: Sequence[Job], work: Path, workers: int) -> None:
    """Runs what has not been run, in order of the list where dependencies leave a choice.

    A finished job leaves `work/done/NAME.json` with its command and seconds, and is not run again
    as long as that is its command. What it prints is in `work/logs/NAME.log`.

    Args:
        jobs: Each after those it needs.
        work: Folder that commands are run for.
        workers: Jobs side by side; each has one thread.

    Raises:
        JobError: When one failed; those that run are waited for.
    """
    todo = [job for job in jobs if not is_done(job, work)]
    over = {job.name for job in jobs} - {job.name for job in todo}
    with ThreadPoolExecutor(workers) as pool:
        running: dict[Future[None], Job] = {}
        while todo or running:
            for job in [job for job in todo if over.issuperset(job.needs)]:
                if len(running) == workers:
                    break
                running[pool.submit(_run, job, work)] = job
                todo.remove(job)
            if not running:
                raise JobError(f"nothing can run before {[job.name for job in todo]}")
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                job = running.pop(future)
                future.result()
                over.add(job.name)
                print(f"{time.strftime('%H:%M:%S')}  {job.name}, {len(todo)} to go", flush=True)


def is_done(job: Job, work: Path) -> bool:
    """Returns whether a job was run with this command."""
    try:
        found = json.loads(_note(job, work).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    return bool(found["command"] == list(job.command))


def _note(job: Job, work: Path) -> Path:
    return work / "done" / f"{job.name}.json"


def _run(job: Job, work: Path) -> None:
    log = work / "logs" / f"{job.name}.log"
    for folder in (log.parent, work / "done"):
        folder.mkdir(parents=True, exist_ok=True)
    paths = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
    began = time.monotonic()
    with log.open("a", encoding="utf-8") as file:
        file.write(f"$ python -m {shlex.join(job.command)}\n")
        file.flush()
        ended = subprocess.run(
            [sys.executable, "-m", *job.command], stdout=file, stderr=file, env=env, check=False
        )
    if ended.returncode:
        raise JobError(f"{job.name} ended with {ended.returncode}: see {log}")
    note = {"command": list(job.command), "seconds": round(time.monotonic() - began, 3)}
    _note(job, work).write_text(json.dumps(note), encoding="utf-8")
