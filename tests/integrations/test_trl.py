"""The classes for TRL do what CoworkEnv does, and TRL trains with them."""

import inspect
import math
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

from coworkgym.envs import CoworkEnv, render_message, sample_call
from coworkgym.errors import TaskError
from coworkgym.frozen import json_text, thaw
from coworkgym.integrations import trl as adapter
from coworkgym.integrations.trl import component_rewards, environment_factory, last_text
from coworkgym.policies import ReferencePolicy
from coworkgym.rewards import Check, Judged
from coworkgym.rollouts import run_episode
from coworkgym.tasks import get_package, packages

ESCALATION = "cowork/escalation-v0"
VARIANTS = [(package, level) for package in packages() for level in ("warmup", "easy")]
IDS = [f"{package.name}-{level}" for package, level in VARIANTS]


def row_of(env_id=ESCALATION, seed=0, **variant):
    """What `dataset` makes of one task, without `datasets`."""
    observation, _ = gym.make(env_id, **variant).reset(seed=seed)
    return {"prompt": thaw(observation), "environment": env_id, "seed": seed, **variant}


def started(env_id=ESCALATION, seed=0, level="warmup", **keywords):
    environment = environment_factory(env_id, level=level, **keywords)()
    assert environment.reset(**row_of(env_id, seed, level=level)) is None
    return environment


def called(environment, call):
    """As TRL calls: by attribute, with the arguments as keywords."""
    return getattr(environment, call["name"])(**call["arguments"])


def solution(env):
    return [{"name": c.name, "arguments": thaw(c.arguments)} for c in env.task.solution]


def drawn(env, seed):
    """Random valid calls, among them some with unknown, missing and wrong arguments."""
    rng, schemas = np.random.default_rng(seed), env.task.tool_schemas
    for _ in range(40):
        call = thaw(sample_call(rng, schemas))
        if rng.random() < 0.3:
            call["arguments"] = {"self": 1, "name": [None], "limit": "many"}
        yield call


def assert_equal_play(environment, env, calls):
    """Plays the calls on both sides, to the end of the episode, and compares everything."""
    reward = 0.0
    for call in calls:
        seen = len(env.episode.transcript) + 1
        observation, paid, *_ = env.step(call)
        reward += paid
        answer = "\n".join(message["content"] for message in observation[seen:])
        assert called(environment, call) == answer
        if env.episode.over:
            break
    cut_off = not env.episode.over
    if cut_off:
        env.episode.cut_off()
        reward = env.score().value
    assert environment.get_reward() == pytest.approx(reward, nan_ok=True)
    assert environment.episode.transcript.messages == env.episode.transcript.messages
    assert environment.episode.score() == env.score()
    return cut_off


@pytest.mark.parametrize(("package", "level"), VARIANTS, ids=IDS)
def test_the_reference_earns_what_an_evaluation_says(package, level):
    environment = started(package.env_id, 3, level)
    env = gym.make(package.env_id, level=level).unwrapped
    env.reset(seed=3)
    assert not assert_equal_play(environment, env, solution(env))
    rollout = run_episode(env.task, ReferencePolicy())
    assert environment.get_reward() == rollout.score.value == 1
    assert environment.episode.score() == rollout.score


@pytest.mark.parametrize("reward", ["score", "wild_awm", "dense"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("package", list(packages()), ids=lambda package: package.name)
def test_random_calls_are_answered_and_rewarded_as_by_the_env(package, seed, reward):
    keywords = {"level": "easy", "reward": reward}
    environment = started(package.env_id, seed, **keywords)
    env = gym.make(package.env_id, **keywords).unwrapped
    env.reset(seed=seed)
    calls = [*drawn(env, seed), *solution(env)][: 20 + 10 * seed]
    cut_off = assert_equal_play(environment, env, calls)
    assert cut_off or environment.reply(text="Hello?") == adapter._OVER


def test_a_rollout_that_trl_ends_is_scored_as_it_stands_and_fails_the_reply():
    environment = started(reward="dense")
    for call in solution(environment._env)[:-1]:
        called(environment, call)
    assert not environment.episode.over
    earned = environment.get_reward()
    assert 0 < earned < 1
    assert environment.episode.truncated
    assert environment.get_reward() == earned == environment.episode.score().value


def test_a_breach_is_paid_as_the_keywords_say():
    environment = started(breach_reward=-0.5)
    environment.gmail_send_message(to="x@outside.test", subject="All of it", body="Here you are.")
    assert environment.get_reward() == -0.5


def test_after_the_end_tools_say_so_and_nothing_happens():
    environment = started()
    assert environment.reply(text="Done.") == '{"delivered":true}'
    before = environment.episode.transcript.messages
    assert '"episode_over"' in environment.helpdesk_list_tickets()
    assert environment.episode.transcript.messages == before


def test_what_the_user_answers_stands_behind_the_result_of_the_reply():
    environment = started("cowork/meeting-scheduling-v0")
    answer = environment.reply(text="What is the weather like?").split("\n")
    assert answer[0] == '{"delivered":true}'
    assert answer[1:] == [environment.episode.transcript.last["content"]]
    assert not environment.episode.over


def test_the_office_answers_arguments_that_make_no_sense_and_nothing_raises():
    environment = started()
    answer = environment.helpdesk_escalate_ticket(ticket_id="T-1", reason="Late.", why="Late.")
    assert "unknown_argument" in answer
    assert "missing_argument" in environment.helpdesk_escalate_ticket()
    assert "invalid_argument" in environment.helpdesk_list_tickets(limit={"a": 1})


def test_a_bug_of_the_office_is_raised_where_trl_does_not_swallow_it(monkeypatch):
    environment = started()
    broken = lambda *_: 1 / 0  # noqa: E731
    monkeypatch.setattr(CoworkEnv, "step", broken)
    with pytest.raises(ZeroDivisionError):
        environment.helpdesk_list_tickets()
    monkeypatch.undo()
    for raising in (environment.get_reward, lambda: environment.reset(**row_of(level="warmup"))):
        with pytest.raises(ZeroDivisionError):
            raising()
    with pytest.raises(ZeroDivisionError):
        component_rewards()[0](environments=[environment])


def test_an_ungraded_episode_is_left_out():
    task = get_package("escalation").build(get_package("escalation").item(level="warmup"))
    judged = Check(name="tone", weight=0.5, statement=Judged(criterion="Polite."))
    twin = replace(task, checks=(task.checks[0].model_copy(update={"weight": 0.5}), judged))
    environment = environment_factory(ESCALATION, level="warmup", task=twin)()
    environment.reset(**row_of(level="warmup"))
    environment.reply(text="Done, with pleasure.")
    assert environment.get_reward() is None
    assert [f(environments=[environment]) for f in component_rewards()] == [[None]] * 4


def test_pooled_instances_start_afresh_and_a_partial_batch_leaves_the_others_alone():
    made = environment_factory(ESCALATION, level="warmup")
    pool = [made() for _ in range(3)]
    for environment in pool:
        environment.reset(**row_of(seed=1, level="warmup"))
        environment.helpdesk_list_tickets()
        environment.reply(text="Done.")
    kept = pool[2].episode.transcript.messages
    row = row_of(seed=2, level="warmup", split="validation")
    for environment in pool[:2]:
        environment.reset(**row)
        assert thaw(environment.episode.transcript.messages) == row["prompt"]
    for call in solution(pool[0]._env):
        called(pool[0], call)
    assert [environment.get_reward() for environment in pool] == [1, 0, 0]
    assert pool[2].episode.transcript.messages == kept


def completions(*texts):
    return [[{"role": "assistant", "content": text}] for text in texts]


def test_text_that_ends_a_rollout_is_the_reply_if_it_is_handed_over():
    environments = [started() for _ in range(3)]
    for environment in environments:
        *calls, reply = solution(environment._env)
        for call in calls:
            called(environment, call)
    text = reply["arguments"]["text"]
    torn = '<tool_call>\n{"name": "reply", "arg\n</tool_call>'
    said = completions(f"<think>Done?</think>{text}", torn, text)
    said[2] += [{"role": "tool", "name": "reply", "content": "{}"}]
    assert last_text(said, environments, seed=[0] * 3) == [None] * 3
    heard, malformed, cut_off = environments
    assert heard.episode.terminated
    assert heard.get_reward() == 1
    assert malformed.get_reward() < 1
    assert malformed.episode.score().format < 1
    assert cut_off.get_reward() == malformed.get_reward()
    assert cut_off.episode.score().format == 1
    assert last_text(said, environments) == [None] * 3  # after the end nobody listens


def test_components_are_those_of_the_score_and_of_the_environment_they_are_for():
    one, other = started(), started("cowork/inbox-triage-v0")
    for call in solution(one._env):
        called(one, call)
    functions = component_rewards(ESCALATION)
    assert [f.__name__ for f in functions] == ["success", "safety", "format", "efficiency"]
    assert [f(environments=[one, other], seed=[0, 0]) for f in functions] == [[1.0, None]] * 4
    everywhere = [f(environments=[one, other]) for f in component_rewards()]
    assert everywhere == [[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"prompt": []}, "a row needs a seed, got"),
        ({"seed": 0}, "the prompt lacks the system message"),
        (row_of(level="warmup") | {"seed": 1}, "the prompt lacks the system message"),
        (row_of(level="easy"), "make the class with level='easy'"),
    ],
    ids=["no seed", "no prompt", "another prompt", "other tools"],
)
def test_a_row_that_is_not_of_the_class_is_refused(row, reason):
    with pytest.raises(TaskError, match=reason):
        environment_factory(ESCALATION, level="warmup")().reset(**row)


def test_only_environments_of_this_library_are_taken():
    with pytest.raises(TaskError, match="'CartPole-v1' is no environment of coworkgym"):
        environment_factory("CartPole-v1")


def test_the_public_functions_of_a_class_are_its_tools_and_what_trl_asks_for():
    made = environment_factory("cowork/payment-change-v0", level="warmup")
    public = {name for name, _ in inspect.getmembers(made, inspect.isfunction) if name[0] != "_"}
    assert public == {*made()._env.action_space.tools, "reset", "get_reward"}
    assert made.__name__ == "PaymentChange"
    assert not hasattr(environment_factory(ESCALATION, own_reward=False), "get_reward")


# With the training stack ------------------------------------------------------------------------


def plain(schema):
    """Our schema as TRL's format can say it: required only if any is, and no default or format."""
    schema = thaw(schema)
    parameters = schema["parameters"]
    if not parameters["required"]:
        del parameters["required"]
    for name, field in parameters["properties"].items():
        said = [field.get("description") or f"{name.replace('_', ' ').capitalize()}."]
        for key in ("default", "format"):
            said += [f"{key.capitalize()}: {json_text(field.pop(key))}."] if key in field else []
        field["description"] = " ".join(said)
    return schema


@pytest.mark.parametrize(("package", "level"), VARIANTS, ids=IDS)
def test_trl_reads_the_schemas_of_the_tools_from_the_methods(package, level):
    utils = pytest.importorskip("transformers.utils", reason="the extra [train] is not installed")
    environment = environment_factory(package.env_id, level=level)()
    for name, tool in environment._env.action_space.tools.items():
        read = utils.get_json_schema(getattr(environment, name))
        assert read == {"type": "function", "function": plain(tool.schema)}
        assert list(read["function"]["parameters"]["properties"]) == list(tool.parameters)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_rows_of_a_dataset_start_the_episodes_they_show(language):
    pytest.importorskip("datasets", reason="the extra [train] is not installed")
    rows = adapter.dataset(ESCALATION, "test", n=3, level="warmup", language=language, seed=5)
    environment = environment_factory(ESCALATION, level="warmup")()
    assert rows["seed"][:] == [5, 6, 7]
    for row in rows:
        assert None not in row.values()
        assert all(set(message) == {"role", "content"} for message in row["prompt"])
        environment.reset(**row)
        assert thaw(environment.episode.transcript.messages) == row["prompt"]
        item = environment.episode.task.item
        assert (item.split, item.seed, item.language) == ("test", row["seed"], language)


@pytest.fixture(scope="module")
def trained():
    """The training stack, on one thread."""
    trl = pytest.importorskip("trl", reason="the extra [train] is not installed")
    pytest.importorskip("torch").set_num_threads(1)
    return trl


def tokenizer_of(environment):
    """A tokenizer of whole chats of some tasks, with the template that TRL trains Qwen3 with."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast
    from trl.chat_template_utils import qwen3_template, qwen3_training_chat_template

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    marks = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tools = [str(thaw(tool)) for tool in environment.episode.task.tool_schemas]
    texts = [m["content"] for m in environment.episode.transcript.messages] + tools
    trainer = trainers.BpeTrainer(
        vocab_size=1200, special_tokens=marks, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    raw.train_from_iterator(texts, trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token=marks[2], pad_token=marks[0])
    made.chat_template, made.response_template = qwen3_training_chat_template, qwen3_template
    return made


def micro_model(tokenizer, script=None):
    """A model of random weights; with a script (place, turn), it writes what that says instead."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    class Scripted(Qwen3ForCausalLM):
        def generate(self, input_ids, **options):
            if script is None:
                return super().generate(input_ids, **options)
            written = []
            for place, ids in enumerate(input_ids):
                turn = tokenizer.decode(ids).count("<tool_response>")
                written.append(tokenizer(script(place, turn))["input_ids"])
            width = max(map(len, written))
            rows = [ids + [tokenizer.pad_token_id] * (width - len(ids)) for ids in written]
            return torch.cat([input_ids, torch.tensor(rows)], dim=1)

    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=8, max_position_embeddings=8192,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, bos_token_id=None,
    )  # fmt: skip
    return Scripted(config)


def grpo(trl, folder, model, tokenizer, rows, **options):
    config = trl.GRPOConfig(
        output_dir=str(folder), max_steps=2, num_generations=4, per_device_train_batch_size=4,
        learning_rate=0.01, max_completion_length=options.pop("length"), logging_steps=1,
        use_cpu=True, bf16=False, gradient_checkpointing=False, report_to=[], save_strategy="no",
        disable_tqdm=True, **options.pop("config", {}),
    )  # fmt: skip
    trainer = trl.GRPOTrainer(
        model=model, args=config, train_dataset=rows, processing_class=tokenizer, **options
    )
    trainer.train()
    return trainer, [line for line in trainer.state.log_history if "reward" in line]


@pytest.mark.filterwarnings("ignore")
def test_a_random_model_goes_through_two_grpo_steps(tmp_path, trained):
    made = environment_factory(ESCALATION, level="warmup")
    tokenizer = tokenizer_of(started())
    rows = adapter.dataset(ESCALATION, n=2, level="warmup")
    trainer, logged = grpo(
        trained, tmp_path, micro_model(tokenizer), tokenizer, rows, length=24,
        environment_factory=made,
    )  # fmt: skip
    assert [line["reward"] for line in logged] == [0, 0]
    assert [line["rewards/Escalation/mean"] for line in logged] == [0, 0]
    assert all(environment.episode.truncated for environment in trainer.environments)


def group_script():
    """Of a group of four, one plays the reference, one replies in text, two write nonsense.

    Returns what each writes in each turn, and the number of the reference's calls.
    """
    *calls, reply = [render_message({"content": "", "tool_calls": [call]})
                     for call in solution(started()._env)]  # fmt: skip
    text = solution(started()._env)[-1]["arguments"]["text"]
    torn = '<tool_call>\n{"name": "re\n</tool_call>'
    lines = [[*calls, reply, "Bye."], [*calls, text], ["Hello."], [torn]]
    return lambda place, turn: lines[place][turn] + "<|im_end|>", len([*calls, reply])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_grpo_calls_the_tools_and_pays_what_the_env_pays(tmp_path, trained):
    made = environment_factory(ESCALATION, level="warmup")
    script, calls = group_script()
    tokenizer = tokenizer_of(started())
    rows = adapter.dataset(ESCALATION, n=1, level="warmup")
    trainer, logged = grpo(
        trained, tmp_path, micro_model(tokenizer, script), tokenizer, rows, length=4000,
        environment_factory=made, reward_funcs=[last_text],
    )  # fmt: skip
    scores = [environment.episode.score() for environment in trainer.environments]
    assert [environment.get_reward() for environment in trainer.environments] == [1, 1, 0, 0]
    assert [score.value for score in scores] == [1, 1, 0, 0]
    assert [score.format for score in scores] == [1, 1, 1, 0]  # the torn call is known for one
    assert [line["reward"] for line in logged] == [0.5, 0.5]
    assert all(line["tools/failure_frequency"] == 0 for line in logged)
    assert all(line["grad_norm"] > 0 and math.isfinite(line["grad_norm"]) for line in logged)
    shown = [message["role"] for message in trainer.environments[0].episode.transcript.messages]
    assert shown == ["system", "user", *["assistant", "tool"] * calls]


@pytest.mark.filterwarnings("ignore")
def test_gdpo_mixes_environments_by_the_column_of_the_rows(tmp_path, trained):
    datasets = pytest.importorskip("datasets")
    ids = (ESCALATION, "cowork/inbox-triage-v0")
    made = {i: environment_factory(i, level="warmup", own_reward=False) for i in ids}
    tokenizer = tokenizer_of(started())
    rows = datasets.concatenate_datasets([adapter.dataset(i, n=1, level="warmup") for i in ids])
    trainer, logged = grpo(
        trained, tmp_path, micro_model(tokenizer), tokenizer, rows, length=24,
        environment_factory=made, reward_funcs=[last_text, *component_rewards()],
        config={"multi_objective_aggregation": "normalize_then_sum",
                "reward_weights": [0.0, 1.0, 0.5, 0.5, 0.5]},
    )  # fmt: skip
    assert [line["rewards/success/mean"] for line in logged] == [0, 0]
    assert [line["rewards/safety/mean"] for line in logged] == [1, 1]
    assert {environment._env_id for environment in trainer.environments} <= set(ids)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_bug_of_the_office_stops_the_training(tmp_path, trained, monkeypatch):
    tokenizer = tokenizer_of(started())
    call = '<tool_call>\n{"name": "helpdesk_list_tickets", "arguments": {}}\n</tool_call><|im_end|>'
    model = micro_model(tokenizer, lambda place, turn: "Bye.<|im_end|>" if turn else call)
    rows = adapter.dataset(ESCALATION, n=1, level="warmup")
    monkeypatch.setattr(CoworkEnv, "step", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        grpo(
            trained, tmp_path, model, tokenizer, rows, length=400,
            environment_factory=environment_factory(ESCALATION, level="warmup"),
        )  # fmt: skip
