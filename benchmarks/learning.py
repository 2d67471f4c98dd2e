"""Learning: what the baselines learn, on held-out tasks, with intervals.

The protocol is `docs/learning.md`; arms and comparisons are in `study/arms.py`. Every training run
and every played run is a job that is done once: a run that was killed goes on where it was.

    python benchmarks/learning.py run                            # everything, for hours
    python benchmarks/learning.py run --arms sft_100 grpo        # these, and what they need
    python benchmarks/learning.py plan                           # the commands, and what is done
    python benchmarks/learning.py report                         # tables, results/, docs/images/
"""

import argparse
import json
import shlex
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from provenance import provenance
from study.arms import STUDIES
from study.jobs import is_done, run
from study.plan import Study
from study.results import results
from study.tables import show

HERE = Path(__file__).parent
IMAGES = HERE.parent / "docs" / "images"
VERSIONS = ("torch", "transformers", "trl", "peft", "numpy")


def main() -> None:
    """Runs, lists or reports a study."""
    asked = _asked()
    study = STUDIES[asked.study]
    work = asked.work / study.name
    jobs = study.jobs(work, asked.arms, asked.seeds)
    if not jobs:
        raise SystemExit(f"none of these arms has a seed of {asked.seeds}")
    if asked.verb == "run":
        run(jobs, work, asked.workers)
    elif asked.verb == "plan":
        for job in jobs:
            print("done " if is_done(job, work) else "     ", job.name)
            print("       python -m", shlex.join(job.command))
    else:
        _report(study, work)


def _report(study: Study, work: Path) -> None:
    found: dict[str, Any] = {
        **results(study, work),
        **provenance(VERSIONS),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    path = HERE / "results" / f"learning_{study.name}.json"
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    show(found)
    print(f"-> {path}")
    if find_spec("matplotlib"):
        from study.figures import draw

        for image in draw(found, IMAGES):
            print(f"-> {image}")


def _asked() -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("verb", choices=("run", "plan", "report"))
    parser.add_argument("--study", choices=sorted(STUDIES), default="tiny")
    parser.add_argument("--arms", nargs="*", default=(), help="names; all where none is given")
    parser.add_argument("--seeds", nargs="*", type=int, default=(), help="all where none is given")
    parser.add_argument("--work", type=Path, default=Path("runs/learning"))
    parser.add_argument("--workers", type=int, default=2, help="jobs side by side, a core each")
    asked = parser.parse_args()
    names = [arm.name for arm in STUDIES[asked.study].arms]
    for name in asked.arms:
        if name not in names:
            parser.error(f"no arm is named {name!r}; there are {', '.join(names)}")
    asked.work = asked.work.resolve()
    return asked


if __name__ == "__main__":
    main()
