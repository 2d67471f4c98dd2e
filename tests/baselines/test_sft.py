"""SFT: it trains, saves, goes on, evaluates, and says what is wrong."""

import json
import math
from importlib.util import find_spec

import pytest

if not all(map(find_spec, ("torch", "transformers", "peft", "trl", "datasets"))):
    pytest.skip("needs coworkgym[train]", allow_module_level=True)

import families
import torch

from baselines.models import load, load_tokenizer, new_model
from baselines.sft import Args, main
from baselines.sft_trainer import HeldOut, StageTrainer, TrainingError, config_of, dataset_of
from baselines.supervision import encode_rows, nested, read_rows, shares_of
from baselines.templates import IGNORED
from coworkgym.errors import SettingsError, UnknownNameError
from coworkgym.policies.local import ChatFormat, ModelError, TransformersPolicy
from coworkgym.rollouts import Run, collect
from coworkgym.rollouts.exports import save_jsonl

pytestmark = pytest.mark.filterwarnings("ignore")
ROWS = 6


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sft")
    families.save_model(folder / "model")
    save_jsonl(families.rows_of(ROWS), folder / "rows.jsonl")
    return folder


def args_of(place, out, **given):
    plain = {
        "model": str(place / "model"), "rows": str(place / "rows.jsonl"), "out": str(out),
        "rank": 0, "lr": 5e-3, "schedule": "constant", "warmup": 0.0, "batch": 2,
        "micro_batch": 1, "steps": 2, "eval_tasks": 0, "threads": 1, "cpu": True, "quiet": True,
    }  # fmt: skip
    return Args(**plain | given)


@pytest.fixture(scope="module")
def trained(place):
    """A run of two stages with all weights, and what `main` returned."""
    out = place / "trained"
    given = {"stages": "0.5,1.0", "steps": 4, "eval_tasks": 1, "eval_tokens": 24}
    return out, main(args_of(place, out, **given))


def test_the_loss_falls_and_everything_is_kept(trained):
    out, found = trained
    losses = [loss for _, loss in found["losses"]]
    assert [step for step, _ in found["losses"]] == list(range(1, 9))
    assert sum(losses[-2:]) < sum(losses[:2]) - 2
    for name in ("model.safetensors", "tokenizer.json", "args.json", "log.json"):
        assert (out / name).is_file()
    assert (out / "curves.png").is_file() or not find_spec("matplotlib")
    assert (out / "stage-0" / "model.safetensors").is_file()
    assert found["played"][-1]["step"] == 8
    shown = json.loads((out / "transcripts.jsonl").read_text().splitlines()[-1])
    assert "validation" in shown["id"] and shown["messages"]


def test_what_was_trained_plays(trained):
    """A-partial-batch: five tasks, four side by side."""
    out, _ = trained
    policy = TransformersPolicy(out, device="cpu", max_tokens=24)
    rollouts = list(collect(families.items(5), policy, concurrency=4))
    assert len({rollout.item for rollout in rollouts}) == 5
    assert all(rollout.score.status == "graded" for rollout in rollouts)


def test_a_finished_run_trains_nothing_more(trained, place):
    out, found = trained
    given = {"stages": "0.5,1.0", "steps": 4, "eval_tasks": 1, "eval_tokens": 24}
    again = main(args_of(place, out, **given))
    assert [tuple(pair) for pair in again["losses"]] == [tuple(pair) for pair in found["losses"]]
    with pytest.raises(SettingsError, match=r"lr 0\.005, now 0\.1"):
        main(args_of(place, out, lr=0.1, **given))


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_killing_and_going_on_is_not_seen(place, monkeypatch, optimizer):
    given = {"steps": 4, "save_every": 2, "optimizer": optimizer}
    whole = main(args_of(place, place / f"whole-{optimizer}", **given))["losses"]
    plain = StageTrainer.compute_loss

    def killed(self, *args, **kwargs):
        if self.state.global_step == 3:
            raise KeyboardInterrupt
        return plain(self, *args, **kwargs)

    torn = args_of(place, place / f"torn-{optimizer}", **given)
    with monkeypatch.context() as patch:
        patch.setattr(StageTrainer, "compute_loss", killed)
        with pytest.raises(KeyboardInterrupt):
            main(torn)
    torch.manual_seed(99)  # whatever another process would begin with
    assert main(torn)["losses"] == whole


def test_one_seed_gives_one_run_and_an_adapter_is_saved(place):
    runs = []
    for name in ("one", "two"):
        out = place / name
        given = {"rank": 4, "lr": 1e-2, "dropout": 0.1}
        runs.append(main(args_of(place, out, **given))["losses"])
        assert (out / "adapter_config.json").is_file()
    assert runs[0] == runs[1]
    again = load(str(place / "one"), device="cpu")
    assert any("lora" in name for name, _ in again.model.named_parameters())
    policy = TransformersPolicy(place / "model", adapter=place / "one", device="cpu", max_tokens=8)
    [rollout] = collect(families.items(1), policy)
    assert rollout.score.status == "graded"


def test_every_trained_token_weighs_the_same(place):
    """Micro-batches, the last of them short, give the gradient of the mean over all tokens."""
    tokenizer = load_tokenizer(str(place / "model"))
    rows = read_rows(str(place / "rows.jsonl"), "", "")
    lessons = encode_rows(rows, ChatFormat(tokenizer), 9999).kept[:3]
    counts = [30, 5, 60]  # tokens trained of each
    cut = [
        one._replace(labels=_last(one.labels, count))
        for one, count in zip(lessons, counts, strict=True)
    ]
    norms = {}
    for micro in (1, 2):
        model = load(str(place / "model"), device="cpu").model
        expected = _mean_loss(model, cut)
        given = args_of(place, place / f"micro{micro}", batch=4, micro_batch=micro, steps=1)
        config = config_of(place / f"micro{micro}", given, 3)
        trainer = StageTrainer(
            model=model, args=config, train_dataset=dataset_of(cut), processing_class=tokenizer
        )
        trainer.train()
        line = trainer.state.log_history[0]
        assert line["loss"] == pytest.approx(expected[0], rel=1e-4)
        assert line["grad_norm"] == pytest.approx(expected[1], rel=1e-3)
        norms[micro] = line["grad_norm"]
    assert norms[1] == pytest.approx(norms[2], rel=1e-4)


def _last(labels, count):
    places = [n for n, label in enumerate(labels) if label != IGNORED][-count:]
    return [label if n in places else IGNORED for n, label in enumerate(labels)]


def _mean_loss(model, lessons):
    total, count = 0.0, 0
    for lesson in lessons:
        logits = model(input_ids=torch.tensor([lesson.input_ids])).logits[0, :-1]
        labels = torch.tensor(lesson.labels[1:])
        total = total + torch.nn.functional.cross_entropy(
            logits, labels, ignore_index=IGNORED, reduction="sum"
        )
        count += lesson.trained
    (total / count).backward()
    norm = math.sqrt(sum(float(w.grad.square().sum()) for w in model.parameters()))
    model.zero_grad()
    return float(total / count), norm


def test_a_model_that_sees_takes_a_step(place):
    folder = place / "seeing"
    words = families.tokenizer("qwen3_vl")
    words.save_pretrained(folder)
    new_model(families.seeing(len(words))).save_pretrained(folder)
    out = place / "seen"
    found = main(args_of(place, out, model=str(folder), rank=4, steps=1))
    assert len(found["losses"]) == 1
    assert "language_model" in (out / "adapter_config.json").read_text()


def test_own_solved_rollouts_are_learnt_from(place):
    store = place / "own"
    list(collect(families.items(2), "reference", store=store))
    list(collect(families.items(2), "null", store=place / "failed"))
    rows = read_rows("", "", f"{store},{place / 'failed'}")
    assert len(rows) == 2 and all(row["solved"] for row in rows)
    assert Run(store).settings.policy == "reference"


def test_a_dry_run_trains_nothing(place, capsys):
    out = place / "dry"
    told = main(args_of(place, out, dry_run=True, rank=8, epochs=2.0, steps=0))
    assert not out.exists()
    assert told["rows"] == ROWS and told["seconds"] > 0 and told["memory"].adapter > 0
    printed = capsys.readouterr().out
    for word in ("describe the tools", "are trained", "GiB", "min for"):
        assert word in printed


def test_stages_are_nested_and_drawn_at_random():
    parts = list(nested(list(range(20)), shares_of("0.2,0.5,1.0"), seed=1))
    assert [len(part) for part in parts] == [4, 10, 20]
    assert set(parts[0]) < set(parts[1]) < set(parts[2])
    assert parts[0] != [0, 1, 2, 3]
    assert parts != list(nested(list(range(20)), [0.2, 0.5, 1.0], seed=2))
    for wrong in ("1.0,0.5", "0", "0.5,0.5", "1.5", "half"):
        with pytest.raises(SettingsError):
            shares_of(wrong)


def test_rows_that_cannot_be_trained_are_counted(place):
    form = ChatFormat(load_tokenizer(str(place / "model")))
    rows = families.rows_of(3)
    silent = {**rows[0], "messages": rows[0]["messages"][:2]}
    lengths = sorted(len(one.input_ids) for one in encode_rows(rows, form, 9999).kept)
    lessons = encode_rows([*rows, silent], form, lengths[0])
    assert len(lessons.kept) == lengths.count(lengths[0])
    assert lessons.dropped["without assistant tokens"] == 1
    assert lessons.dropped[f"longer than {lengths[0]} tokens"] == 3 - len(lessons.kept)
    with pytest.raises(ModelError, match="no row can be trained on: 1 without assistant tokens"):
        encode_rows([silent], form, 9999)
    with pytest.raises(ModelError, match="3 longer than 5 tokens"):
        encode_rows(rows, form, 5)


def test_what_is_asked_for_must_be_there(place):
    rows = str(place / "rows.jsonl")
    with pytest.raises(SettingsError, match="name what to learn from"):
        read_rows("", "", "")
    with pytest.raises(UnknownNameError, match="Did you mean 'escalation'"):
        read_rows(rows, "", "", packages="escalatoin")
    with pytest.raises(SettingsError, match="none of 6 rows"):
        read_rows(rows, "", "", packages="inbox_triage")
    with pytest.raises(UnknownNameError, match="level"):
        main(args_of(place, place / "x", packages="escalation", level="warmupp"))
    save_jsonl(families.rows_of(1, split="test"), place / "test.jsonl")
    with pytest.raises(SettingsError, match="held out"):
        read_rows(str(place / "test.jsonl"), "", "")


def test_a_loss_that_is_no_number_stops_at_its_step(place, monkeypatch):
    plain = StageTrainer.__mro__[1].compute_loss

    def broken(self, *args, **kwargs):
        loss = plain(self, *args, **kwargs)
        return loss * math.nan if self.state.global_step == 1 else loss

    monkeypatch.setattr(StageTrainer.__mro__[1], "compute_loss", broken)
    with pytest.raises(TrainingError, match="the loss is nan at step 2: lower lr"):
        main(args_of(place, place / "nan", batch=1, steps=3))


def test_memory_that_runs_out_says_what_to_lower(place, monkeypatch):
    def full(*args, **kwargs):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 TB")

    monkeypatch.setattr(StageTrainer, "compute_loss", full)
    with pytest.raises(TrainingError, match=r"out of memory at step 1: lower micro_batch \(1\)"):
        main(args_of(place, place / "full", steps=1))


def test_evaluating_plays_and_changes_no_draw(place):
    loaded = load(str(place / "model"), device="cpu")
    policy = TransformersPolicy.from_model(loaded.model, loaded.tokenizer, max_tokens=8)
    held_out = HeldOut(policy, families.items(1, split="test"), 1, 2, place / "held")
    torch.manual_seed(5)
    first = torch.rand(3)
    torch.manual_seed(5)
    told = held_out.play(3)
    assert torch.equal(torch.rand(3), first)
    assert told["episodes"] == 1 and told is held_out.play(3)
