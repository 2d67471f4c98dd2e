"""Jobs run once, in the order of what they need; a study is the jobs of its arms."""

import json

import pytest
from study.arms import STUDIES
from study.jobs import Job, JobError, is_done, run
from study.plan import Arm, Size, Study


def writing(path, text, name="x", needs=()):
    code = f"import pathlib; p = pathlib.Path({str(path)!r}); p.open('a').write({text!r})"
    # `python -m` of a module that runs what it is given
    return Job(name, ("timeit", "-n", "1", "-r", "1", code), needs)


def test_jobs_run_once_and_after_what_they_need(tmp_path):
    file = tmp_path / "order"
    jobs = [
        writing(file, "c", "last", ("first", "second")),
        writing(file, "b", "second", ("first",)),
        writing(file, "a", "first"),
    ]
    run(jobs, tmp_path, workers=2)
    assert file.read_text() == "abc"
    run(jobs, tmp_path, workers=2)
    assert file.read_text() == "abc"


def test_a_job_with_another_command_is_run_again(tmp_path):
    file = tmp_path / "order"
    run([writing(file, "a")], tmp_path, workers=1)
    assert not is_done(writing(file, "b"), tmp_path)
    run([writing(file, "b")], tmp_path, workers=1)
    assert file.read_text() == "ab"


def test_a_job_that_fails_names_its_log_and_is_not_done(tmp_path):
    job = Job("broken", ("timeit", "-n", "1", "-r", "1", "raise SystemExit(3)"))
    with pytest.raises(JobError, match=r"broken ended with .*broken\.log"):
        run([job, Job("next", ("timeit",), ("broken",))], tmp_path, workers=1)
    assert not is_done(job, tmp_path)


def test_what_nothing_brings_is_named(tmp_path):
    with pytest.raises(JobError, match="nothing can run before"):
        run([Job("lost", ("timeit",), ("nobody",))], tmp_path, workers=1)


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda one: one.name)
def test_every_arm_of_a_study_can_run(study, tmp_path):
    jobs = study.jobs(tmp_path)
    names = [job.name for job in jobs]
    assert len(set(names)) == len(names)
    for place, job in enumerate(jobs):
        assert set(job.needs) <= set(names)
        assert "{" not in "".join(job.command), job
        assert job.name not in job.needs and place >= 0
    arms = {arm.name for arm in study.arms}
    for row in study.comparisons:
        assert {row.ours, row.theirs} <= arms
        played = [set(study.packages(study.arm(name))) for name in (row.ours, row.theirs)]
        assert set.intersection(*played), row


def test_an_arm_brings_what_it_needs_and_no_more(tmp_path):
    names = {job.name for job in STUDIES["tiny"].jobs(tmp_path, ["rft"])}
    assert names == {
        "reference", "demonstrations", "train-sft_75-0", "train-explore-0",
        *(f"{what}-rft-{seed}" for what in ("train", "play") for seed in (0, 1)),
    }  # fmt: skip


def test_one_seed_of_an_arm_brings_that_seed_only(tmp_path):
    names = {job.name for job in STUDIES["tiny"].jobs(tmp_path, ["grpo"], [2])}
    assert names == {
        "reference", "demonstrations", "train-sft_75-0", "train-grpo-2", "play-grpo-2",
    }  # fmt: skip


def test_seeds_start_from_the_shared_model_or_from_their_own(tmp_path):
    size = Size("tiny", ("escalation",), "warmup", 1, 1, (4, 5))
    arms = (
        Arm("first", "", ("m", "--out", "{out}", "--seed", "{seed}")),
        Arm("own", "", ("m", "{start}"), start="first"),
        Arm("same", "", ("m", "{start}"), start="first", shared=True),
    )
    study = Study("s", size, arms=arms)
    found = {job.name: job for job in study.jobs(tmp_path)}
    assert found["train-own-5"].needs == ("train-first-5",)
    assert found["train-same-5"].needs == ("train-first-4",)
    assert found["train-same-5"].command[-1].endswith("models/first-4")
    assert json.dumps(found["train-first-5"].command).count("5") >= 2
