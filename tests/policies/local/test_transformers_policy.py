"""The policy of a local model: tokens, draws, limits, pickles."""

import copy
import pickle
import subprocess
import sys

import pytest
import torch

from coworkgym.envs import Episode
from coworkgym.errors import ContextOverflow, UnknownNameError
from coworkgym.policies import SamplingPolicy
from coworkgym.policies.local import ModelError, TransformersPolicy, decoder
from coworkgym.policies.local.decoder import Completion
from coworkgym.rollouts.segments import SegmentJoiner
from coworkgym.tasks import get_package

CHATS = ["Hello.", "Please list all of my open tickets, oldest first.", "And now?"]


def chats(tools, texts=CHATS):
    return [[{"role": "user", "content": text}] for text in texts], [tools[:1]] * len(texts)


class Scripted:
    """A decoder that says what it is told."""

    def __init__(self, policy, texts):
        self.format, self.texts, self.rows = policy._format, list(texts), []

    def complete(self, rows):
        self.rows += rows
        said = [tuple(self.format.encode(self.texts.pop(0))) for _ in rows]
        return [Completion(ids, (0.0,) * len(ids), True, None) for ids in said]


def prompt_of(policy, transcript, tools, seed):
    return policy._prompts.of(transcript, tools, seed, policy.policy_version)


def forced_logprobs(model, tokens, temperature=1.0):
    ids = torch.tensor([tokens.prompt_ids + tokens.completion_ids])
    with torch.no_grad():
        spread = (model(ids).logits[0].float() / temperature).log_softmax(-1)
    start = len(tokens.prompt_ids)
    return [spread[start - 1 + n, token].item() for n, token in enumerate(tokens.completion_ids)]


def test_it_is_a_sampling_policy(make_policy):
    policy = make_policy(name="tiny", system="Brief.")
    assert isinstance(policy, SamplingPolicy)
    assert policy.name == policy.policy_version == "tiny"
    assert policy.context_length == 4096
    assert policy.harness["call_form"] == "hermes" and policy.harness["system"] == "Brief."
    assert policy.settings["temperature"] == 1.0 and policy.settings["dtype"] == "float32"


def test_a_dialogue_turn_by_turn_is_the_whole_rendering(make_policy, worked):
    """A-turn-separator, A-eos-slice: no token is lost, added or cut otherwise at a boundary."""
    messages, tools = worked
    policy = make_policy()
    answers = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
    assert len(answers) >= 4
    texts = [policy._format.render([messages[i]], [], prompt=False) for i in answers]
    texts = [t.split("<|im_start|>assistant\n")[1].removesuffix("\n") for t in texts]
    policy._decoder = Scripted(policy, texts)
    for i in answers:
        [said] = policy.act([messages[:i]], [tools], [5])
        whole = policy._format.encode(policy._format.render(messages[:i], tools, prompt=True))
        assert said["tokens"].prompt_ids == tuple(whole)
        assert policy.count_tokens(messages[:i], tools, 5) == len(whole)
        told = [(c["name"], c["arguments"]) for c in said.get("tool_calls", ())]
        assert told == [(c["name"], c["arguments"]) for c in messages[i].get("tool_calls", ())]


def test_prompts_continue_what_was_read_and_sampled(make_policy, task):
    """A-turn-separator, A-tool-tokens-in-loss: what was sampled stays as it was."""
    policy, episode = make_policy(), Episode(task)
    joiner, sampled, turns = SegmentJoiner(), 0, 0
    while turns < 4:
        [said] = policy.act([episode.transcript.messages], [task.tool_schemas], [3])
        joiner.add(said["tokens"])
        sampled, turns = sampled + len(said["tokens"].completion_ids), turns + 1
        calls = [{"name": "helpdesk_list_tickets", "arguments": {}}]
        policy._prompts.memory.find = lambda key, answer: policy._prompts.memory._turns.get(
            key
        )  # calls come from us
        episode.say({"content": said["content"], "tool_calls": calls})
    [segment] = joiner.segments()
    assert sum(segment.mask) == sampled < len(segment.mask)
    assert all(p == 0 for p, m in zip(segment.logprobs, segment.mask, strict=True) if not m)


def test_an_answer_that_was_cut_off_gets_its_end_in_the_next_prompt(make_policy, opening):
    policy, (messages, tools) = make_policy(max_tokens=3), opening
    [said] = policy.act([messages], [tools])
    assert said["finish_reason"] == "length" and len(said["tokens"].completion_ids) == 3
    told = {"role": "assistant", "content": said["content"]}
    [after] = policy.act([[*messages, told, {"role": "user", "content": "Go on."}]], [tools])
    known = said["tokens"].prompt_ids + said["tokens"].completion_ids
    end = policy._format.end_of_turn
    prompt = after["tokens"].prompt_ids
    assert prompt[: len(known)] == known and prompt[len(known)] == end.id


def test_what_the_policy_did_not_say_is_tokenised_anew(make_policy, opening):
    policy, (messages, tools) = make_policy(), opening
    policy.act([messages], [tools])
    other = [*messages, {"role": "assistant", "content": "Something else."},
             {"role": "user", "content": "Go on."}]  # fmt: skip
    [said] = policy.act([other], [tools])
    whole = policy._format.encode(policy._format.render(other, tools, prompt=True))
    assert said["tokens"].prompt_ids == tuple(whole)


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probabilities_are_those_of_a_forward_pass(make_policy, model, opening, temperature):
    """A-tool-tokens-in-loss: alone, in a padded batch, and on states of the turn before."""
    policy = make_policy(temperature=temperature)
    transcripts, tools = chats(opening[1])
    first = policy.act(transcripts, tools, [1, 2, 3])
    longer = [
        [*chat, {"role": "assistant", "content": said["content"]} | (
            {"tool_calls": said["tool_calls"]} if "tool_calls" in said else {}
        ), {"role": "user", "content": f"{n} more"}]
        for n, (chat, said) in enumerate(zip(transcripts, first, strict=True))
    ]  # fmt: skip
    assert all(
        prompt_of(policy, t, k, s).turn.states
        for t, k, s in zip(longer, tools, [1, 2, 3], strict=True)
    )
    second = policy.act(longer, tools, [1, 2, 3])
    for said in first + second:
        forced = forced_logprobs(model, said["tokens"], temperature)
        assert said["tokens"].logprobs == pytest.approx(forced, abs=1e-4)
    assert not any(turn.states for turn in list(policy._prompts.memory._turns.values())[:3])


def test_answers_do_not_depend_on_the_batch(make_policy, opening):
    transcripts, tools = chats(opening[1], [*CHATS, *CHATS, "x"])
    seeds = [1, 2, 3, 4, 5, 6, 7]
    together = make_policy().act(transcripts, tools, seeds)
    apart = [
        make_policy(batch=1).act([t], [k], [s])[0]
        for t, k, s in zip(transcripts, tools, seeds, strict=True)
    ]
    turned = make_policy(batch=3).act(transcripts[::-1], tools[::-1], seeds[::-1])[::-1]
    for one, other, third in zip(together, apart, turned, strict=True):
        assert one["content"] == other["content"] == third["content"]
        assert one["tokens"].completion_ids == other["tokens"].completion_ids
        assert one["tokens"].completion_ids == third["tokens"].completion_ids


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_rows_that_ended_leave_the_batch_and_change_no_answer(
    make_policy, model, opening, monkeypatch, temperature
):
    transcripts, tools = chats(opening[1], [*CHATS, *CHATS])
    seeds = list(range(len(transcripts)))
    whole, widths = model.generate, []

    def watched(**given):
        widths.append(len(given["input_ids"]))
        return whole(**given)

    monkeypatch.setattr(model, "generate", watched)
    answers = {}
    for size in (3, 16, 10_000):
        monkeypatch.setattr(decoder, "_ROUND", size)
        widths.clear()
        policy = make_policy(temperature=temperature, max_tokens=20, batch=len(seeds))
        answers[size] = [one["tokens"] for one in policy.act(transcripts, tools, seeds)]
        longest = max(len(one.completion_ids) for one in answers[size])
        assert len(widths) == -(-longest // size) and widths == sorted(widths, reverse=True)
    for rounds in (3, 16):
        for one, other in zip(answers[rounds], answers[10_000], strict=True):
            assert one.completion_ids == other.completion_ids
            assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)


def test_answers_depend_on_the_seed_and_on_nothing_global(make_policy, opening):
    messages, tools = opening
    torch.manual_seed(1)
    answers = make_policy().act([messages] * 4, [tools] * 4, [1, 2, 3, 1])
    torch.manual_seed(2)
    before = torch.get_rng_state()
    again = make_policy().act([messages] * 4, [tools] * 4, [1, 2, 3, 1])
    assert torch.equal(before, torch.get_rng_state())
    drawn = [said["tokens"].completion_ids for said in answers]
    assert drawn == [said["tokens"].completion_ids for said in again]
    assert drawn[0] == drawn[3] and len(set(drawn)) == 3


def test_temperature_zero_takes_the_likeliest(make_policy, model, opening):
    messages, tools = opening
    [said] = make_policy(temperature=0).act([messages], [tools], [9])
    tokens = said["tokens"]
    with torch.no_grad():
        logits = model(torch.tensor([tokens.prompt_ids + tokens.completion_ids])).logits[0]
    start = len(tokens.prompt_ids) - 1
    likeliest = logits[start : start + len(tokens.completion_ids)].argmax(-1).tolist()
    assert list(tokens.completion_ids) == likeliest and set(tokens.logprobs) == {0.0}


def test_the_models_own_generation_settings_do_not_matter(make_policy, model, opening):
    messages, tools = opening
    plain = make_policy().act([messages], [tools], [1])
    own = model.generation_config
    model.generation_config = type(own)(
        do_sample=True, top_k=1, repetition_penalty=9.0, eos_token_id=2
    )
    try:
        assert make_policy().act([messages], [tools], [1]) == plain
        assert model.generation_config.top_k == 1
    finally:
        model.generation_config = own


def test_an_answer_ends_with_its_turn(make_policy, opening):
    """A-stop-token-masked: the end-of-turn token is sampled, counted, and not in the text."""
    messages, tools = opening
    policy = make_policy(max_tokens=400, temperature=2.0)
    answers = policy.act([messages] * 8, [tools] * 8, list(range(8)))
    stopped = [said for said in answers if said["finish_reason"] == "stop"]
    assert stopped
    for said in stopped:
        ids = said["tokens"].completion_ids
        assert ids[-1] == policy._format.end_of_turn.id and ids.count(ids[-1]) == 1
        assert len(said["tokens"].logprobs) == len(ids)
        assert "<|im_end|>" not in said["content"]


def test_context_is_kept(make_policy, opening):
    messages, tools = opening
    length = make_policy().count_tokens(messages, tools)
    [said] = make_policy(context_length=length + 2).act([messages], [tools])
    assert len(said["tokens"].completion_ids) <= 2
    with pytest.raises(ContextOverflow, match=str(length)):
        make_policy(context_length=length).act([messages], [tools])
    assert make_policy(max_tokens=7).max_tokens == 7


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            '<tool_call>\n{"name": "helpdesk_list_tickets", "arguments": {"status": "op',
            "incomplete_json",
        ),
        (
            '<tool_call>\n{"name": "helpdesk_list_tickets", "arguments": {status}}\n</tool_call>',
            "invalid_json",
        ),
    ],
)
def test_malformed_calls_are_answered_with_an_error(make_policy, task, text, code):
    """A-missing-brace, A-truncated-args: no silent reply; the next prompt has what was written."""
    policy, episode = make_policy(), Episode(task)
    policy._decoder = Scripted(policy, [text + "<|im_end|>", "Done.<|im_end|>"])
    [said] = policy.act([episode.transcript.messages], [task.tool_schemas])
    [result] = episode.say(said)
    assert result.error == code and not episode.over
    [after] = policy.act([episode.transcript.messages], [task.tool_schemas])
    known = said["tokens"].prompt_ids + said["tokens"].completion_ids
    assert after["tokens"].prompt_ids[: len(known)] == known
    fresh = make_policy()._format
    assert text in fresh.render(episode.transcript.messages, task.tool_schemas, prompt=True)


def test_thoughts_are_kept_in_the_prompt_and_out_of_the_transcript(make_policy, task):
    policy, episode = make_policy(), Episode(task)
    call = '<tool_call>\n{"name": "helpdesk_list_tickets", "arguments": {}}\n</tool_call>'
    text = f"<think>\nI look first.\n</think>\n\n{call}<|im_end|>"
    policy._decoder = Scripted(policy, [text, "Done.<|im_end|>"])
    [said] = policy.act([episode.transcript.messages], [task.tool_schemas])
    assert said["reasoning"] == "I look first." and said["content"] == ""
    episode.say(said)
    prompt = prompt_of(policy, episode.transcript.messages, task.tool_schemas, 0)
    assert prompt.turn is not None and prompt.reasoning == {2: "I look first."}
    told = [
        {**m, "reasoning": "I look first."} if i == 2 else m
        for i, m in enumerate(episode.transcript.messages)
    ]
    whole = policy._format.encode(policy._format.render(told, task.tool_schemas, prompt=True))
    assert prompt.ids == tuple(whole)


def test_new_weights_make_old_states_unusable(make_policy, opening):
    messages, tools = opening
    policy = make_policy()
    [said] = policy.act([messages], [tools])
    told = [
        *messages,
        {"role": "assistant", "content": said["content"]},
        {"role": "user", "content": "?"},
    ]
    assert prompt_of(policy, told, tools, 0).turn is not None
    policy.policy_version = "later"
    assert prompt_of(policy, told, tools, 0).turn is None
    assert policy.act([messages], [tools])[0]["tokens"].policy_version == "later"


def test_memory_is_bounded(make_policy, opening):
    from coworkgym.policies.local.memory import TurnMemory

    policy = make_policy()
    policy._prompts.memory = TurnMemory(turns=3, nbytes=1)
    messages, tools = opening
    for seed in range(5):
        policy.act([messages], [tools], [seed])
    assert len(policy._prompts.memory._turns) == 3
    assert not any(turn.states for turn in policy._prompts.memory._turns.values())


def test_it_pickles_by_its_path(folder, opening):
    messages, tools = opening
    policy = TransformersPolicy(folder, max_tokens=5, policy_version="v1")
    policy.policy_version = "v2"
    twin = pickle.loads(pickle.dumps(policy))
    assert twin.name == "tiny" and twin.policy_version == "v2" and twin.settings == policy.settings
    assert twin.act([messages], [tools], [4]) == policy.act([messages], [tools], [4])


def test_a_model_in_memory_does_not_pickle(make_policy):
    with pytest.raises(TypeError, match="save the model"):
        pickle.dumps(make_policy())


def test_what_is_missing_is_named(folder, tmp_path):
    with pytest.raises(ModelError, match="no folder"):
        TransformersPolicy(tmp_path / "nothing")
    with pytest.raises(ModelError, match=r"no config\.json"):
        TransformersPolicy(tmp_path)
    with pytest.raises(ModelError, match="dtype 'float33'"):
        TransformersPolicy(folder, dtype="float33")
    with pytest.raises(UnknownNameError, match="hermes"):
        TransformersPolicy(folder, call_form="herme")
    with pytest.raises(ModelError, match="at least"):
        TransformersPolicy(folder, temperature=-1)


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")
def test_adapters_are_merged_or_refused(folder, model, tmp_path, opening):
    peft = pytest.importorskip("peft")
    with pytest.raises(ModelError, match="holds no adapter"):
        TransformersPolicy(folder, adapter=tmp_path)
    messages, tools = opening
    torch.manual_seed(0)
    config = peft.LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)
    tuned = peft.get_peft_model(copy.deepcopy(model), config, adapter_name="default")
    tuned.save_pretrained(tmp_path / "lora")
    loaded = TransformersPolicy(folder, adapter=tmp_path / "lora", max_tokens=6)
    assert loaded.name == "tiny+lora" and loaded.settings["adapter"] == "lora"
    held = TransformersPolicy.from_model(tuned.eval(), loaded._format.tokenizer, max_tokens=6)
    [one], [other] = (p.act([messages], [tools], [2]) for p in (loaded, held))
    assert one["tokens"].completion_ids == other["tokens"].completion_ids
    untuned = TransformersPolicy(folder, max_tokens=6)
    assert untuned.settings["weights"] != loaded.settings["weights"]
    [plain] = untuned.act([messages], [tools], [2])
    assert plain["tokens"].completion_ids != one["tokens"].completion_ids


def test_it_plays_episodes(make_policy):
    package = get_package("inbox_triage")
    policy = make_policy()
    for seed in range(2):
        episode = Episode(package.build(package.item(level="warmup", seed=seed)))
        for _ in range(3):
            if not episode.over:
                [said] = policy.act(
                    [episode.transcript.messages], [episode.task.tool_schemas], [seed]
                )
                episode.say(said)


def test_the_core_does_not_import_torch():
    code = "import sys, coworkgym, coworkgym.policies; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
