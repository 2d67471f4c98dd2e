"""Plan: what is trained, played and compared, fixed before the runs; see `docs/learning.md`.

An *arm* is a way to train, and what it starts from. It is trained once a seed, and played greedily
on tasks of the test split, the same for all arms. A *comparison* is the difference of two arms.
"""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from study.jobs import Job


class Size(NamedTuple):
    """How large a study is.

    Attributes:
        model: What all arms start from, as of `baselines.models.load`.
        packages: That are trained, all in one model.
        level: Of all tasks.
        demonstrations: Training tasks of each package that are demonstrated.
        episodes: Held-out tasks of each package.
        seeds: Of training.
        play: Options of `study.playing`.
    """

    model: str
    packages: tuple[str, ...]
    level: str
    demonstrations: int
    episodes: int
    seeds: tuple[int, ...]
    play: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arm:
    """A way to train.

    Attributes:
        name: Its own.
        about: What is special about it, as the table says it.
        train: Module and options; empty for what is not trained. `{work}`, `{seed}`, `{out}` and
            `{start}` are filled in: folders, and the model of the arm before.
        start: The arm that it goes on from.
        shared: Whether all seeds go on from that arm's first seed.
        uses: Other arms that must be there, their first seed.
        trained_as: The arm whose training it is a part of, such as its first stage.
        leaves: Where its model lies in its folder.
        policy: What is played, if not its model.
        seeds: Of training, if others than the study's.
        play: More options of playing.
        packages: What is played, if other than the study's packages.
        measured: Whether it is played at all.
    """

    name: str
    about: str
    train: tuple[str, ...] = ()
    start: str = ""
    shared: bool = False
    uses: tuple[str, ...] = ()
    trained_as: str = ""
    leaves: str = "."
    policy: str = ""
    seeds: tuple[int, ...] | None = None
    play: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    measured: bool = True


@dataclass(frozen=True)
class Comparison:
    """A difference of two arms.

    Attributes:
        question: What it answers.
        ours: An arm.
        theirs: Another.
        measure: Of `MEASURES`.
    """

    question: str
    ours: str
    theirs: str
    measure: str = "score"

    @property
    def family(self) -> tuple[str, str]:
        """Comparisons whose p-values are corrected together have the same."""
        return self.question, self.measure


@dataclass(frozen=True)
class Study:
    """Arms and comparisons of one size.

    Attributes:
        name: Its own; results and folders have it.
        size: How large it is.
        before: Jobs that arms need, such as demonstrations, with `{work}` for its folder.
        arms: In the order in which they run.
        comparisons: In the order of the table.
    """

    name: str
    size: Size
    before: tuple[Job, ...] = ()
    arms: tuple[Arm, ...] = ()
    comparisons: tuple[Comparison, ...] = ()

    def arm(self, name: str) -> Arm:
        """Returns the arm of a name.

        Raises:
            KeyError: Where there is none.
        """
        return {arm.name: arm for arm in self.arms}[name]

    def seeds(self, arm: Arm) -> tuple[int, ...]:
        """Returns the seeds that an arm is trained with; one for what is not trained."""
        if not self.is_trained(arm):
            return (0,)
        return arm.seeds or self.size.seeds

    def is_trained(self, arm: Arm) -> bool:
        """Returns whether an arm differs by seed."""
        return bool(self._trainer(arm).train)

    def packages(self, arm: Arm) -> tuple[str, ...]:
        """Returns the packages that an arm plays."""
        return arm.packages or self.size.packages

    def jobs(
        self, work: Path, names: Collection[str] = (), seeds: Collection[int] = ()
    ) -> list[Job]:
        """Returns all jobs, each after those it needs.

        Args:
            work: Folder of the study.
            names: Of the arms that are wanted, with what they need; all where none is named.
            seeds: That are wanted; all where none is named.
        """
        jobs = {job.name: _filled(job, {"work": str(work)}) for job in self.before}
        wanted = []
        for arm in self.arms:
            for seed in self.seeds(arm):
                for job in self._jobs(arm, seed, work):
                    jobs.setdefault(job.name, job)
                    if (not names or arm.name in names) and (not seeds or seed in seeds):
                        wanted.append(job.name)
        for name in wanted:  # grows while it is walked
            wanted += [need for need in jobs[name].needs if need not in wanted]
        return [job for job in jobs.values() if job.name in wanted]

    def played(self, arm: Arm, seed: int, work: Path) -> Path:
        """Returns the folder of the store with the episodes of an arm."""
        return work / "played" / f"{arm.name}-{seed}"

    def model(self, arm: Arm, seed: int, work: Path) -> str:
        """Returns where the model of an arm is."""
        trainer = self._trainer(arm)
        if not trainer.train:
            return arm.policy or self.size.model
        return str(work / "models" / f"{trainer.name}-{seed}" / arm.leaves)

    def _trainer(self, arm: Arm) -> Arm:
        return self.arm(arm.trained_as) if arm.trained_as else arm

    def _jobs(self, arm: Arm, seed: int, work: Path) -> list[Job]:
        """How an arm is trained and played with one seed."""
        jobs, needs = [], tuple(job.name for job in self.before)
        trainer = self._trainer(arm)
        if trainer.train:
            name = f"{trainer.name}-{seed}"
            given = {"work": str(work), "seed": str(seed), "out": str(work / "models" / name)}
            before = [(self.arm(used), self.seeds(self.arm(used))[0]) for used in trainer.uses]
            if trainer.start:
                start = self.arm(trainer.start)
                from_seed = self.seeds(start)[0] if trainer.shared else seed
                given["start"] = self.model(start, from_seed, work)
                before.append((start, from_seed))
            needs += tuple(
                f"train-{self._trainer(one).name}-{number}"
                for one, number in before
                if self._trainer(one).train
            )
            jobs.append(_filled(Job(f"train-{name}", trainer.train, needs), given))
            needs = (f"train-{name}",)
        if arm.measured:
            command = self._playing(arm, seed, work)
            jobs.append(Job(f"play-{arm.name}-{seed}", command, needs))
        return jobs

    def _playing(self, arm: Arm, seed: int, work: Path) -> tuple[str, ...]:
        return (
            "study.playing",
            *("--policy", arm.policy or f"model:{self.model(arm, seed, work)}"),
            *("--packages", ",".join(self.packages(arm))),
            *("--level", self.size.level),
            *("--episodes", str(self.size.episodes)),
            *("--out", str(self.played(arm, seed, work))),
            *self.size.play,
            *arm.play,
        )


def _filled(job: Job, given: dict[str, str]) -> Job:
    return Job(job.name, tuple(word.format(**given) for word in job.command), job.needs)
