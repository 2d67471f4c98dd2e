"""The tiny base model: its drills are true, its tokenizer lossless, its checkpoint usable."""

import json
import re
import warnings

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from baselines.tiny import checkpoint_path
from baselines.tiny.drills import LESSONS, LISTING, make_drill
from baselines.tiny.kinds import KINDS
from baselines.tiny.listings import LISTINGS, PACKAGES
from baselines.tiny.model import Size, new_model
from baselines.tiny.pretrain import Row, exactness, loss_of, tensors
from baselines.tiny.tokenizer import render
from coworkgym.envs import Episode
from coworkgym.policies.local import ChatFormat, TransformersPolicy
from coworkgym.tasks import get_package
from coworkgym.transcript import from_openai, to_openai, tools_to_openai

WORDS = ("yes", "no", "none", " none", "agrees", "differs")
SAVED = (checkpoint_path() / "model.safetensors").exists()
needs_checkpoint = pytest.mark.skipif(not SAVED, reason="no checkpoint here")
DRILLS = [make_drill(seed, lesson) for lesson in LESSONS for seed in range(12)]
HELD_OUT = [make_drill(20_000_000 + seed, LESSONS[1], "validation") for seed in range(4)]


def calls(messages):
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for message in messages
        for call in message.get("tool_calls", ())
    ]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several wait for each other when tests run side by side
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(checkpoint_path())


@pytest.fixture(scope="module")
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return AutoModelForCausalLM.from_pretrained(checkpoint_path(), dtype=torch.float32)


def test_equal_arguments_give_equal_drills():
    assert make_drill(5, LESSONS[2]) == make_drill(5, LESSONS[2]) != make_drill(6, LESSONS[2])


def test_every_kind_and_every_listing_is_drilled():
    weighted = {kind for lesson in LESSONS for kind in lesson.weights}
    assert weighted == set(KINDS)
    drilled = [make_drill(seed, lesson) for lesson in LESSONS for seed in range(50)]
    assert {kind for drill in drilled for kind in drill.kinds} == {LISTING, *KINDS}
    assert len(LISTINGS) == 7


def test_every_call_of_a_drill_succeeds_and_is_offered():
    for drill in DRILLS:
        offered = {tool["function"]["name"] for tool in drill.tools}
        assert {name for name, _ in calls(drill.messages)} <= offered
        for message in drill.messages:
            if message["role"] == "tool":
                assert "error" not in json.loads(message["content"])


def test_a_value_that_a_drill_answers_with_was_shown_before():
    for drill in DRILLS:
        shown = ""
        for message in drill.messages:
            for name, arguments in calls([message]):
                if name == "reply":
                    for value in re.split("[;,:] ?", arguments["text"]):
                        written = json.dumps(value, ensure_ascii=False)[1:-1]
                        assert written in shown or value in WORDS or value.isdigit()
            shown += message["content"]


def test_no_drill_holds_a_request_or_plays_a_solution_of_a_package():
    requests, solutions = set(), set()
    for name in PACKAGES:
        package = get_package(name)
        for level in ("warmup", "easy"):
            for seed in range(12):
                task = package.build(package.item(seed=seed, level=level))
                requests.update(stage.request for stage in task.stages)
                names = [call.name for call in task.solution if call.name != "reply"]
                solutions.add(tuple(names))
    for drill in DRILLS:
        text = "\n".join(message["content"] for message in drill.messages)
        assert not any(request in text for request in requests)
        played = tuple(name for name, _ in calls(drill.messages) if name != "reply")
        assert played not in solutions


@needs_checkpoint
def test_tokens_say_what_they_were_made_from(tokenizer):
    for drill in DRILLS:
        text = render(tokenizer, drill.messages, drill.tools)
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
    assert tokenizer.decode(tokenizer("héllo 你好 \t{}")["input_ids"]) == "héllo 你好 \t{}"


@needs_checkpoint
def test_a_value_has_the_same_tokens_wherever_it_stands(tokenizer):
    for value in ("TK-6439", "ivy.kruger@otter-travel.example", "GB84QTWB99015526285705", "58.31"):
        ids = tokenizer(value)["input_ids"]
        assert len(ids) > 1
        for around in ('{"to": "%s"}', '","id":"%s","x":"', "about %s: ", "(%s)", "is %s."):
            found = tokenizer(around % value)["input_ids"]
            assert any(found[i : i + len(ids)] == ids for i in range(len(found)))


@needs_checkpoint
@pytest.mark.parametrize("name", PACKAGES)
def test_a_whole_reference_episode_of_warmup_is_short(tokenizer, name):
    package = get_package(name)
    task = package.build(package.item(seed=1, level="warmup", split="test"))
    episode = Episode(task)
    for call in task.solution:
        episode.act(call)
    tools = tools_to_openai(task.tool_schemas)
    text = render(tokenizer, to_openai(episode.transcript.messages), tools)
    bare = render(tokenizer, to_openai(task.opening), [])
    with_tools = render(tokenizer, to_openai(task.opening), tools)
    length = {len_of: len(tokenizer(t)["input_ids"]) for len_of, t in
              (("all", text), ("bare", bare), ("tools", with_tools))}  # fmt: skip
    assert length["all"] <= 1000
    assert length["tools"] - length["bare"] <= 12, "a tool is one token: train the tokenizer anew"


@needs_checkpoint
def test_twenty_steps_lower_the_loss(tokenizer):
    tiny = new_model(Size(hidden=64, head_dim=32, mlp=32), tokenizer, seed=0)
    rows = [Row(drill, tokenizer) for drill in DRILLS[:4]]
    ids, said = tensors(rows, tokenizer.pad_token_id)
    optimizer = torch.optim.AdamW(tiny.parameters(), lr=0.01)
    losses = []
    for _ in range(20):
        loss = loss_of(tiny, ids, said)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 1
    exact = exactness(tiny.eval(), rows, tokenizer.pad_token_id)
    assert set(exact) >= {"listing", "tokens", *DRILLS[0].kinds}


@needs_checkpoint
def test_the_checkpoint_is_small():
    assert sum(file.stat().st_size for file in checkpoint_path().iterdir()) < 6_000_000
    assert {"card.json", "model.safetensors", "tokenizer.json", "config.json"} <= {
        file.name for file in checkpoint_path().iterdir()
    }


@needs_checkpoint
def test_the_checkpoint_answers_held_out_drills_with_calls(model, tokenizer):
    policy = TransformersPolicy.from_model(model, tokenizer, temperature=0, max_tokens=64)
    chats = [from_openai(drill.messages[:2]) for drill in HELD_OUT]
    tools = [[tool["function"] for tool in drill.tools] for drill in HELD_OUT]
    said = policy.act(chats, tools)
    wanted = [calls(drill.messages)[0] for drill in HELD_OUT]
    found = [[(c["name"], c["arguments"]) for c in m.get("tool_calls", ())][:1] for m in said]
    assert all(found)
    assert sum(one == [two] for one, two in zip(found, wanted, strict=True)) >= 3


@needs_checkpoint
def test_the_checkpoint_keeps_what_its_card_says(model, tokenizer):
    card = json.loads((checkpoint_path() / "card.json").read_text(encoding="utf-8"))
    assert card["parameters"] == sum(p.numel() for p in model.parameters())
    rows = [Row(drill, tokenizer) for drill in HELD_OUT]
    one, every = exactness(model, rows, tokenizer.pad_token_id)["tokens"]
    assert one / every > card["held_out"]["tokens"] - 0.1
    assert ChatFormat(tokenizer).call_form == "hermes"
