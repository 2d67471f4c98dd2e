"""ChatPolicy against a server on loopback: messages, waiting, and whose a failure is."""

import asyncio
import gc
import json
import math
import pickle
import subprocess
import sys
import threading

import pytest

from coworkgym import Episode
from coworkgym.chat import ChatError
from coworkgym.errors import ContextOverflow, InfrastructureError, TaskError
from coworkgym.policies import ChatPolicy
from coworkgym.policies.policy import AsyncPolicy, SamplingPolicy

KEY = "sk-very-secret"
ASK = [{"role": "user", "content": "Hello?"}]
TOOL = {"name": "mail_send", "description": "Sends.", "parameters": {"type": "object"}}
MARKUP = '<tool_call>{"name": "helpdesk_list_tickets", "arguments": {}}</tool_call>'


def says(content="Hi.", *calls, reason="stop", **more):
    """The body of a completion; a call is (name, arguments)."""
    made = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": content, "tool_calls": made, **more}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return {"choices": [{"message": message, "finish_reason": reason}], "usage": usage}


def fails(status, message, **fields):
    return (status, {"error": {"message": message, **fields}}, {})


def drop(sent):
    raise ConnectionResetError


@pytest.fixture
def make(model):
    """Makes a policy of the server; `waits` keeps what it slept."""
    model.answers = [says()]

    def policy(**options):
        waits = []

        async def sleep(seconds):
            waits.append(seconds)

        url = f"http://127.0.0.1:{model.server_port}/v1/"
        made = ChatPolicy("small", url, **{"sleep": sleep, **options})
        made.waits = waits
        return made

    return policy


def ask(policy, transcript=ASK, tools=(TOOL,), seed=0):
    return asyncio.run(policy.answer(transcript, tools, seed))


# Messages ----------------------------------------------------------------------------------------


def test_it_answers_one_by_one_and_in_batches(make):
    policy = make()
    assert isinstance(policy, AsyncPolicy)
    assert isinstance(policy, SamplingPolicy)
    assert policy.name == "chat:small"
    assert policy.act([ASK], [[TOOL]]) == [ask(policy)]
    assert policy.act([], []) == []


def test_an_answer_carries_its_tokens_its_ending_and_its_retries(make, model):
    policy = make(api_key=KEY, temperature=0.5, max_tokens=9, extra={"top_p": 1})
    assert ask(policy) == {
        "role": "assistant",
        "content": "Hi.",
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        "finish_reason": "stop",
        "retries": 0,
    }
    [sent] = model.seen
    assert model.addressed == [("/v1/chat/completions", f"Bearer {KEY}")]
    assert 0 <= sent.pop("seed") < 2**31
    assert sent == {"model": "small", "messages": ASK, "temperature": 0.5, "max_tokens": 9,
                    "top_p": 1, "tools": [{"type": "function", "function": TOOL}]}  # fmt: skip


@pytest.mark.parametrize("usage", [None, "many", {}, {"prompt_tokens": "7"}])
def test_a_server_that_does_not_count_is_no_failure(usage, make, model):
    model.answers = [says() | {"usage": usage}]
    assert ask(make())["usage"] == {"prompt_tokens": 0, "completion_tokens": 0}


def test_a_request_has_a_seed_of_its_episode_and_turn(make, model):
    policy = make()
    later = [*ASK, {"role": "assistant", "content": "Yes?"}, *ASK]
    policy.act([ASK, ASK, later], [[]] * 3, [5, 6, 5])
    assert len({sent["seed"] for sent in model.seen}) == 3
    policy.act([ASK] * 20, [[]] * 20, range(20))
    assert all(0 <= sent["seed"] < 2**31 for sent in model.seen)
    del model.seen[3:]
    before = model.seen[:]
    policy.act([ASK, ASK, later], [[]] * 3, [5, 6, 5])
    assert sorted(sent["seed"] for sent in model.seen[3:]) == sorted(s["seed"] for s in before)


def test_a_field_can_be_taken_out_of_the_requests(make, model):
    ask(make(extra={"seed": None, "top_k": 4}))
    assert "seed" not in model.seen[0]
    assert model.seen[0]["top_k"] == 4


def test_what_is_kept_beside_a_message_is_not_sent(make, model):
    policy = make()
    ask(policy, [*ASK, ask(policy) | {"reasoning": "Hm.", "tokens": [1]}, *ASK])
    assert model.seen[1]["messages"] == [*ASK, {"role": "assistant", "content": "Hi."}, *ASK]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_call_in_the_reasoning_is_none(field, make, model, task):
    """A-call-in-think"""
    policy = make()
    model.answers = [
        says("", ("helpdesk_list_tickets", "{}"), **{field: f"First: {MARKUP}"}),
        says("", **{field: f"Only this: {MARKUP}"}),
    ]
    both, only = ask(policy), ask(policy)
    assert both["reasoning"] == f"First: {MARKUP}"
    assert len(Episode(task).say(both)) == 1
    assert "tool_calls" not in only
    assert [result.error for result in Episode(task).say(only)] == ["malformed_call"]


def test_call_markup_in_the_content_stays_text(make, model):
    """A-call-in-think"""
    model.answers = [says(f"I would write {MARKUP}.")]
    answer = ask(make())
    assert answer["content"] == f"I would write {MARKUP}."
    assert "tool_calls" not in answer


def test_all_calls_of_a_message_are_run_in_their_order(make, model, task):
    """A-parallel-subset"""
    [escalates] = [call for call in task.solution if call.name == "helpdesk_escalate_ticket"]
    names = ["helpdesk_list_tickets", escalates.name, "helpdesk_list_tickets"]
    given = ["{}", json.dumps(escalates.arguments), '{"status": "open"}']
    model.answers = [says(None, *zip(names, given, strict=True), reason="tool_calls")]
    answer = ask(make())
    assert answer["finish_reason"] == "tool_calls"
    episode = Episode(task)
    assert [result.error for result in episode.say(answer)] == [None] * 3
    assert [event.name for event in episode.office.log] == names


@pytest.mark.parametrize("empty", ["", None, {}, "{}"])
def test_no_arguments_are_none(empty, make, model, task):
    """A-empty-args"""
    model.answers = [says("", ("helpdesk_list_tickets", empty))]
    [result] = Episode(task).say(ask(make()))
    assert result.error is None


def test_arguments_may_come_as_an_object(make, model):
    model.answers = [says("", ("mail_send", {"to": "ana"}))]
    assert ask(make())["tool_calls"][0]["arguments"] == {"to": "ana"}


def test_broken_arguments_are_the_agents_and_do_not_end_the_chat(make, model, task):
    """A-truncated-args"""
    policy, broken = make(), '{"status": "op'
    model.answers = [says("", ("helpdesk_list_tickets", broken), reason="length")]
    answer = ask(policy)
    assert (answer["tool_calls"][0]["raw"], answer["finish_reason"]) == (broken, "length")
    episode = Episode(task)
    assert [result.error for result in episode.say(answer)] == ["incomplete_json"]
    ask(policy, episode.transcript.messages)
    assert len(model.seen) == 2, "nothing is sent again"
    [call] = model.seen[1]["messages"][2]["tool_calls"]
    assert call["function"]["arguments"] == "{}", "servers parse the arguments of old calls"


@pytest.mark.parametrize("refused", [
    fails(500, "error parsing tool call: raw='{\"to\": \"an', err=unexpected end of JSON input"),
    fails(400, "Failed to call a function.", code="tool_use_failed"),
    fails(500, "Failed to parse input at pos 12: <tool_call>"),
])  # fmt: skip
def test_a_call_that_the_server_cannot_read_is_a_malformed_one(refused, make, model, task):
    """A-truncated-args"""
    model.answers = [refused]
    policy, episode = make(), Episode(task)
    answer = ask(policy)
    assert (answer["content"], answer["finish_reason"]) == ("", "malformed_call")
    episode.say(answer)
    assert (episode.steps, episode.over, policy.waits) == (1, False, [])


# Servers that fail -------------------------------------------------------------------------------


def test_a_busy_server_is_asked_again_when_it_wants_to(make, model):
    model.answers = [(429, {}, {}), (503, {}, {}), (429, {}, {"Retry-After": "7"}), says()]
    policy = make()
    assert ask(policy)["retries"] == 3
    assert policy.waits == [0.5, 1, 7]


FAILURES = {
    "dropped": drop,
    "cut_off": lambda sent: iter([b'{"choices": ']),
    "html": lambda sent: b"<html>Bad gateway</html>",
    "bad_json": lambda sent: b'{"choices": [{"mess',
    "no_choices": lambda sent: {"choices": []},
    "content_of_parts": lambda sent: says([{"type": "text", "text": "Hi."}]),
    "failed_upstream": lambda sent: {"choices": [says()["choices"][0] | {"error": {"code": 502}}]},
    "error_in_the_body": lambda sent: {"error": {"message": "overloaded", "code": 503}},
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_an_answer_that_is_none_is_asked_for_again(failure, make, model):
    met = [failure, lambda sent: says()]
    model.answer = lambda sent: met.pop(0)(sent)
    policy = make()
    answer = ask(policy)
    assert (answer["content"], answer["retries"], policy.waits) == ("Hi.", 1, [0.5])
    model.answer = failure
    with pytest.raises(ChatError, match=r"/v1/chat/completions: (no |refused)") as caught:
        ask(make(retries=1))
    assert not caught.value.hopeless
    assert caught.value.retries == 1


def test_a_slow_server_is_asked_again_however_slowly_it_drips(make, model):
    met = [lambda: iter([b" "] * 1000), lambda: model.over.wait(5), says]
    model.answer = lambda sent: met.pop(0)()
    policy = make(timeout=0.15)
    assert ask(policy)["retries"] == 2
    model.answer = lambda sent: model.over.wait(5)
    with pytest.raises(ChatError, match="no response: TimeoutError"):
        ask(make(timeout=0.05, retries=0))


def test_a_server_that_cannot_be_reached_is_not_given_up_for_ever(model):
    policy = ChatPolicy("small", "http://127.0.0.1:1/v1", retries=0)
    with pytest.raises(InfrastructureError, match="no response: ConnectError") as caught:
        ask(policy)
    assert not caught.value.hopeless


@pytest.mark.parametrize("refused", [
    (401, {"error": f"bad key {KEY}"}, {}), (402, {}, {}), (403, {}, {}), (404, {}, {}),
    fails(429, "You exceeded your current quota.", code="insufficient_quota"),
])  # fmt: skip
def test_without_access_there_is_no_hope(refused, make, model):
    model.answers = [refused]
    policy = make(api_key=KEY)
    with pytest.raises(InfrastructureError, match="refused") as caught:
        ask(policy)
    assert caught.value.hopeless
    assert policy.waits == []
    assert pickle.loads(pickle.dumps(caught.value)).hopeless


@pytest.mark.parametrize("url", ["no-scheme", "http://127.0.0.1:port", "ftp://127.0.0.1"])
def test_a_url_that_is_none_is_hopeless(url):
    with pytest.raises(InfrastructureError, match="no response") as caught:
        ask(ChatPolicy("small", url))
    assert caught.value.hopeless


def test_no_secret_is_shown_anywhere(make, model):
    words = "of ana pw-secret"
    model.answers = [(401, {"error": f"bad key {KEY} {words} " + "x" * 2000}, {})]
    url = f"http://ana:pw-secret@127.0.0.1:{model.server_port}/v1?key=query-secret"
    for policy in (make(api_key=KEY), ChatPolicy("small", url, api_key=KEY)):
        with pytest.raises(ChatError) as caught:
            ask(policy)
        error = caught.value
        shown = f"{error!r} {error.__context__!r} {error.__cause__!r} {policy!r} {policy.settings}"
        assert KEY not in shown
        assert "query-secret" not in shown
        assert len(str(error)) <= 500
    assert "pw-secret" not in shown
    with pytest.raises(ChatError) as caught:
        ask(make(api_key="sk-\nsecret"))
    assert "secret" not in f"{caught.value!r} {caught.value.__context__!r}"


# What a server does not take ---------------------------------------------------------------------

TOO_LONG = [
    fails(400, "This model's maximum context length is 8192 tokens. However, your messages resulted"
          " in 9001 tokens.", code="context_length_exceeded"),
    fails(400, "Your input is too much for this model.", code="context_length_exceeded"),
    (400, {"object": "error", "message": "This model's maximum context length is 8192 tokens. "
           "However, you requested 9000 tokens in the messages.", "code": 400}, {}),
    fails(400, "The decoder prompt (length 9001) is longer than the maximum model length of 8192."),
    fails(400, "request (9001 tokens) exceeds the available context size (8192 tokens), try "
          "increasing it", type="exceed_context_size_error"),
    fails(500, "Context size has been exceeded.", type="server_error"),
    fails(200, "the request exceeds the available context size. try increasing it"),
    fails(400, "The input (9001 tokens) is longer than the model's context length (8192 tokens)."),
    fails(400, "Requested tokens (9001) exceed context window of 8192"),
    fails(413, "prompt is too long: 9001 tokens > 8192 maximum"),
    (400, [{"error": {"message": "The input token count (9001) exceeds the maximum number of tokens"
                      " allowed (8192)."}}], {}),
    (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192."},
     {}),
]  # fmt: skip


@pytest.mark.parametrize("refused", TOO_LONG)
def test_a_transcript_that_is_too_long_is_the_agents(refused, make, model):
    model.answers = [refused]
    policy = make(max_tokens=100)
    with pytest.raises(ContextOverflow, match=r"/v1/chat/completions: .*status"):
        ask(policy)
    assert policy.waits == []


@pytest.mark.parametrize(("refused", "hopeless"), [
    (fails(429, "Request too large: exceeds the context limit of a minute"), False),
    (fails(400, "Too many messages"), False),
    (fails(413, "Request Entity Too Large"), False),
    (fails(500, "'max_tokens' is too large: 9000. This model's maximum context length is 8192 "
           "tokens and your request has 12 input tokens."), True),
])  # fmt: skip
def test_another_limit_is_not_the_agents(refused, hopeless, make, model):
    model.answers = [refused]
    with pytest.raises(InfrastructureError) as caught:
        ask(make(max_tokens=9000, retries=1))
    assert caught.value.hopeless is hopeless
    assert caught.value.retries == (refused[0] == 429)


def test_what_a_model_says_about_contexts_is_only_text(make, model):
    model.answers = [says("The error was: maximum context length")]
    assert ask(make())["content"].endswith("context length")
    model.answers = [says([{"text": "The maximum context length"}])]
    with pytest.raises(ChatError, match="no chat completion"):
        ask(make(retries=0))


NO_TOOLS = [
    fails(400, "registry.ollama.ai/library/small does not support tools"),
    fails(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
    fails(500, "tools param requires --jinja flag"),
    fails(404, "No endpoints found that support tool use."),
    fails(400, "Unsupported parameter: 'tools' is not supported with this model."),
    fails(400, "small does not support Function Calling"),
    fails(400, "Function calling is not enabled for this model"),
    fails(400, "`tool calling` is not supported with this model"),
    (422, {"detail": [{"loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]}, {}),
]


@pytest.mark.parametrize("refused", NO_TOOLS)
def test_a_server_without_tools_is_hopeless_and_named(refused, make, model):
    model.answers = [refused]
    policy = make()
    with pytest.raises(InfrastructureError, match=r"http://127.*'small' takes no tools") as caught:
        ask(policy)
    assert caught.value.hopeless
    assert "--enable-auto-tool-choice" in str(caught.value)
    assert policy.waits == []


def test_a_request_without_tools_is_not_refused_for_them(make, model):
    model.answers = [fails(400, "The messages of tools are not supported")]
    with pytest.raises(ChatError, match="refused") as caught:
        ask(make(), tools=())
    assert not caught.value.hopeless


def test_a_schema_that_is_refused_is_not_a_lack_of_tools(make, model):
    model.answers = [
        fails(400, "Invalid schema for function 'mail_send': 'oneOf' is not permitted")
    ]
    with pytest.raises(ChatError, match="refused") as caught:
        ask(make())
    assert caught.value.refusal is None


# Waiting -----------------------------------------------------------------------------------------


def test_sixty_four_requests_wait_at_the_same_time_and_are_answered_in_order(make, model):
    model.socket.listen(128)
    lock, all_in, flying, most = threading.Lock(), threading.Event(), [0], [0]

    def answer(sent):
        with lock:
            flying[0] += 1
            most[0] = max(most[0], flying[0])
            if flying[0] == 64:
                all_in.set()
        all_in.wait(10)
        with lock:
            flying[0] -= 1
        return says(sent["messages"][0]["content"])

    model.answer = answer
    chats = [[{"role": "user", "content": str(n)}] for n in range(64)]
    answers = make().act(chats, [[TOOL]] * 64)
    assert most == [64]
    assert [one["content"] for one in answers] == [chat[0]["content"] for chat in chats]


def keep_open(model):
    """Makes the server keep its connections; returns the ends of the clients that it has met."""
    clients = []

    class Kept(model.RequestHandlerClass):
        protocol_version = "HTTP/1.1"

        def setup(self):
            clients.append(self.client_address)
            super().setup()

        def finish(self):
            super().finish()
            clients.append("closed")

    model.RequestHandlerClass = Kept
    return clients


async def until(true):
    async with asyncio.timeout(5):
        while not true():
            await asyncio.sleep(0.005)


def test_a_connection_is_kept_and_closes_with_its_loop(make, model):
    clients, policy = keep_open(model), make()

    async def twice():
        return [await policy.answer(ASK, [TOOL]) for _ in range(2)]

    asyncio.run(twice())
    gc.collect()  # what is left open would warn
    asyncio.run(until(lambda: "closed" in clients))
    assert len(clients) == 2, "one connection for both requests, and its end"


def test_what_is_open_can_be_closed_and_opens_again(make, model):
    clients, policy = keep_open(model), make()

    async def twice():
        await policy.aclose()
        await policy.answer(ASK, [TOOL])
        await policy.aclose()
        await until(lambda: "closed" in clients)
        return await policy.answer(ASK, [TOOL])

    assert asyncio.run(twice())["content"] == "Hi."


def test_a_batch_can_be_answered_while_a_loop_is_running(make):
    policy = make()

    async def as_in_a_notebook():
        return policy.act([ASK, ASK], [[TOOL], [TOOL]], [1, 2])

    assert [one["content"] for one in asyncio.run(as_in_a_notebook())] == ["Hi."] * 2


def test_a_batch_fails_with_the_first_error_in_its_order(make, model):
    def answer(sent):
        said = sent["messages"][0]["content"]
        return {"late": fails(401, "late"), "long": TOO_LONG[0]}.get(said, says())

    model.answer = answer
    chats = [[{"role": "user", "content": said}] for said in ("fine", "long", "late")]
    with pytest.raises(ContextOverflow):
        make().act(chats, [[TOOL]] * 3)
    assert len(model.seen) == 3


def test_copies_answer_alike_in_other_workers(make):
    policy = ChatPolicy("small", make()._client.url.removesuffix("/chat/completions"), api_key=KEY)

    async def answered():
        await policy.answer(ASK, [TOOL])
        return pickle.loads(pickle.dumps(policy))

    twin = asyncio.run(answered())
    assert ask(twin, seed=3) == ask(policy, seed=3)
    assert twin.settings == policy.settings


# Facts -------------------------------------------------------------------------------------------


def test_settings_say_what_is_asked_and_where():
    policy = ChatPolicy("a/b", "http://ana:pw@host:8000/v1/?key=k", temperature=1, max_tokens=64,
                        context_length=4096, extra={"top_p": 0.9}, api_key=KEY)  # fmt: skip
    assert policy.settings == {
        "model": "a/b",
        "url": "http://host:8000/v1",
        "temperature": 1,
        "max_tokens": 64,
        "context_length": 4096,
        "top_p": 0.9,
    }
    assert policy.harness == {"call_form": "native"}
    assert (policy.context_length, policy.max_tokens) == (4096, 64)
    json.dumps([policy.settings, policy.harness])
    with pytest.raises(TaskError, match="context_length 64 must exceed max_tokens 64"):
        ChatPolicy("small", "http://host", context_length=64, max_tokens=64)


def test_tokens_are_estimated_by_the_bytes_of_the_request(make, model):
    policy = make()
    chat = [{"role": "user", "content": "Grüße, 你好"}]
    ask(policy, chat)
    sent = {name: value for name, value in model.seen[0].items() if name != "seed"}
    size = len(json.dumps(sent, ensure_ascii=False, separators=(",", ":")).encode())
    assert policy.count_tokens(chat, [TOOL]) == math.ceil(size / 3)
    assert policy.count_tokens(chat, []) < policy.count_tokens(chat, [TOOL])


def test_the_import_stays_light():
    code = "import sys, coworkgym.policies; print({'httpx', 'asyncio', 'torch'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
