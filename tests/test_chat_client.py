"""ChatClient against a server on loopback: answers, retries, refusals, and never the key."""

import asyncio
import builtins
import copy
import json
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from coworkgym import Episode
from coworkgym.chat import ChatClient, ChatError, Completion
from coworkgym.errors import CoworkError, InfrastructureError

KEY = "sk-very-secret"
ASK = [{"role": "user", "content": "Hello?"}]
TOOL = {"name": "mail_send", "description": "Sends.", "parameters": {"type": "object"}}
CALLED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "call_1", "name": "mail_send", "arguments": {"to": "ana"}}],
}


def body(content="Hi.", calls=None, reason="stop", **more):
    message = {"role": "assistant", "content": content, "refusal": None, "tool_calls": calls}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return {"choices": [{"message": message, "finish_reason": reason}], "usage": usage, **more}


def call(arguments, **more):
    return {"type": "function", "function": {"name": "mail_send", "arguments": arguments}, **more}


@pytest.fixture
def server(model):
    """A chat server; `answers` are given in turn, the last one for ever."""
    model.answers = [body()]
    return model


def test_an_answer_is_a_message_with_its_counts(chat_client, server):
    assert chat_client(api_key=KEY, temperature=0, seed=5, extra={"top_p": 1}).complete(ASK) == (
        Completion({"role": "assistant", "content": "Hi."}, "stop", 7, 3)
    )
    assert server.addressed == [("/v1/chat/completions", f"Bearer {KEY}")]
    assert server.seen == [
        {"model": "small", "messages": ASK, "temperature": 0, "seed": 5, "top_p": 1}
    ]


def test_tools_and_calls_go_both_ways_in_the_form_of_the_api(chat_client, server):
    server.answers = [body(None, [call('{"to": "ana"}', id="call_1")], "tool_calls")]
    result = {"role": "tool", "tool_call_id": "call_1", "content": "{}"}
    answer = chat_client().complete([*ASK, CALLED, result], [TOOL])
    assert answer.message == CALLED
    assert answer.finish_reason == "tool_calls"
    sent = server.seen[0]
    assert sent["tools"] == [{"type": "function", "function": TOOL}]
    assert sent["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"to": "ana"}'
    assert server.addressed[0][1] is None


def test_the_key_comes_from_the_environment(chat_client, server, monkeypatch):
    one = chat_client()
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    one.complete(ASK)
    assert server.addressed[0][1] == f"Bearer {KEY}"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_or_failing_server_is_asked_again(status, chat_client, server):
    server.answers = [(status, {}, {})] * 3 + [body()]
    one = chat_client()
    assert one.complete(ASK).message["content"] == "Hi."
    assert one.waits == [0.5, 1, 2]


@pytest.mark.parametrize(
    ("wanted", "waited"), [("7", 7), ("0.25", 0.25), ("3600", 60), ("soon", 0.5), ("nan", 0.5)]
)
def test_retry_after_is_honoured_up_to_a_minute(wanted, waited, chat_client, server):
    server.answers = [(429, {}, {"Retry-After": wanted}), body()]
    one = chat_client()
    one.complete(ASK)
    assert one.waits == [waited]


def test_a_server_that_stays_busy_is_given_up(chat_client, server):
    server.answers = [(503, {"error": "overloaded"}, {})]
    one = chat_client(retries=2)
    with pytest.raises(ChatError, match=r"/v1/chat/completions: .*503.*overloaded") as caught:
        one.complete(ASK)
    assert caught.value.status == 503
    assert len(server.seen) == 3
    assert len(one.waits) == 2


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_final_and_never_shows_the_key(status, chat_client, server):
    server.answers = [(status, {"error": f"bad key {KEY} " + "x" * 2000}, {})]
    one = chat_client(api_key=KEY)
    with pytest.raises(CoworkError, match=rf"status {status}.*bad key \*\*\*") as caught:
        one.complete(ASK)
    assert KEY not in str(caught.value) + repr(one)
    assert len(str(caught.value)) <= 500
    assert one.waits == []
    assert pickle.loads(pickle.dumps(caught.value)).status == status


@pytest.mark.parametrize("key", ["sk-\nsecret", "sk-秘密"])
def test_a_key_that_no_header_takes_is_an_error_that_does_not_show_it(key, chat_client):
    with pytest.raises(ChatError, match="no response") as caught:
        chat_client(api_key=key).complete(ASK)
    assert "secret" not in str(caught.value)
    assert "秘密" not in str(caught.value)


@pytest.mark.parametrize("bad", [b"<html>", {}, {"choices": []}, [1], body([{"type": "text"}]),
                                 b"[" * 100_000, body("", [{"id": "1"}])])  # fmt: skip
def test_an_answer_of_another_form_is_asked_for_again_and_then_an_error(bad, chat_client, server):
    server.answers = [bad, body()]
    assert chat_client().complete(ASK).retries == 1
    server.answers = [bad]
    one = chat_client(retries=2)
    with pytest.raises(ChatError, match="no chat completion") as caught:
        one.complete(ASK)
    assert (one.waits, caught.value.retries, caught.value.hopeless) == ([0.5, 1], 2, False)


def test_a_server_that_cannot_be_reached_is_tried_again(chat_client, server):
    one = chat_client(retries=1)
    one.url = one.url.replace(str(server.server_port), "1")
    with pytest.raises(ChatError, match="no response: ConnectError") as caught:
        one.complete(ASK)
    assert caught.value.status is None
    assert one.waits == [0.5]


def test_a_slow_server_is_tried_again(chat_client, server):
    server.answers = []
    quick, release = [False, True], threading.Event()

    def answer(sent):
        if not quick.pop(0):
            release.wait(5)
        return body()

    server.answer = answer
    one = chat_client(timeout=0.2)
    assert one.complete(ASK).message["content"] == "Hi."
    release.set()
    assert one.waits == [0.5]


def test_a_dropped_connection_is_tried_again(chat_client, server):
    def drop(sent):
        raise ConnectionResetError

    met = [drop, lambda sent: body()]
    server.answer = lambda sent: met.pop(0)(sent)
    one = chat_client()
    assert one.complete(ASK).retries == 1
    assert one.waits == [0.5]


def test_a_refusal_says_what_was_refused_and_stays_one_error(chat_client, server):
    """Judges and users read no transcript of an agent: for them a chat too long is a ChatError."""
    said = {"error": {"message": "too long", "code": "context_length_exceeded"}}
    server.answers = [(400, said, {})]
    with pytest.raises(ChatError, match="too long") as caught:
        chat_client().complete(ASK)
    assert isinstance(caught.value, InfrastructureError)
    assert (caught.value.refusal, caught.value.hopeless) == ("context", False)
    twin = pickle.loads(pickle.dumps(caught.value))
    assert (twin.refusal, twin.status, str(twin)) == ("context", 400, str(caught.value))


def test_a_url_may_have_a_query_and_a_password(chat_client, server):
    place = f"127.0.0.1:{server.server_port}/v1"
    one = ChatClient("small", base_url=f"http://ana:pw-secret@{place}/?version=2&key=q-secret")
    one.complete(ASK)
    assert server.addressed[0][0] == "/v1/chat/completions?version=2&key=q-secret"
    assert one.shown_url == f"http://{place}/chat/completions"
    assert "secret" not in repr(one)


def test_what_a_model_thought_is_kept_apart(chat_client, server):
    """A-call-in-think"""
    server.answers = [body("Hi.")]
    server.answers[0]["choices"][0]["message"]["reasoning_content"] = "<tool_call>\ud83d"
    assert chat_client().complete(ASK, [TOOL]) == (
        {"role": "assistant", "content": "Hi."}, "stop", 7, 3, "<tool_call>\ufffd", 0
    )  # fmt: skip


def test_what_is_kept_beside_a_message_and_broken_arguments_are_not_sent(chat_client, server):
    broken = {"id": "c", "name": "mail_send", "arguments": {}, "raw": '{"to": "an'}
    said = CALLED | {"tool_calls": [broken], "usage": {}, "reasoning": "Hm.", "tokens": [1]}
    chat_client().complete([*ASK, said], [TOOL])
    [sent] = server.seen[0]["messages"][1:]
    assert set(sent) == {"role", "content", "tool_calls"}
    assert sent["tool_calls"][0]["function"] == {"name": "mail_send", "arguments": "{}"}


def test_the_asynchronous_way_gives_the_same(chat_client, server):
    one = chat_client()
    assert asyncio.run(one.complete_async(ASK, [TOOL])) == one.complete(ASK, [TOOL])
    assert server.seen[0] == server.seen[1]


def test_a_url_that_is_none_is_an_error_at_once():
    one = ChatClient("small", base_url="no-scheme", sleep=lambda seconds: pytest.fail("waited"))
    with pytest.raises(ChatError, match="no-scheme/chat/completions: no response") as caught:
        one.complete(ASK)
    assert caught.value.hopeless


def test_cut_off_arguments_stay_as_they_are(chat_client, server):
    """A-truncated-args"""
    server.answers = [body("", [call('{"to": "an', id="c")], "length")]
    [made] = chat_client().complete(ASK, [TOOL]).message["tool_calls"]
    assert made == {"id": "c", "name": "mail_send", "arguments": {}, "raw": '{"to": "an'}


def test_cut_off_arguments_are_a_cut_off_call_of_an_episode(chat_client, server, task):
    """A-truncated-args"""
    listing = {
        "id": "c",
        "function": {"name": "helpdesk_list_tickets", "arguments": '{"status": "op'},
    }
    server.answers = [body("", [listing], "length")]
    episode = Episode(task)
    [result] = episode.say(chat_client().complete(ASK).message)
    assert result.error == "incomplete_json"


@pytest.mark.parametrize("empty", [None, "", {}, "{}"])
def test_missing_arguments_and_ids_are_no_arguments(empty, chat_client, server):
    """A-empty-args"""
    server.answers = [body("", [call(empty)])]
    assert chat_client().complete(ASK, [TOOL]).message["tool_calls"] == [
        {"id": "", "name": "mail_send", "arguments": {}}
    ]


def test_counts_may_be_missing_and_surrogates_are_replaced(chat_client, server):
    """A-surrogates"""
    server.answers = [json.dumps(body("a\ud83d", usage=None)).encode()]
    assert chat_client().complete(ASK) == (
        {"role": "assistant", "content": "a\ufffd"},
        "stop",
        0,
        0,
        "",
        0,
    )


def test_many_chats_are_answered_in_their_order(chat_client, server):
    def answer(sent):
        number = int(sent["messages"][0]["content"])
        time.sleep(0.02 * (5 - number))
        return body(str(number))

    server.answer = answer
    chats = [([{"role": "user", "content": str(n)}], ()) for n in range(5)]
    answers = chat_client().complete_many(chats, concurrency=5)
    assert [one.message["content"] for one in answers] == list("01234")
    assert chat_client().complete_many([]) == []


def test_many_chats_are_asked_side_by_side_and_no_more_than_told(chat_client, server):
    barrier = threading.Barrier(2)
    server.answer = lambda sent: barrier.wait(5) >= 0 and body()
    assert len(chat_client().complete_many([(ASK, ())] * 4, concurrency=2)) == 4


def test_copies_work_alike_and_threads_may_share_one(chat_client):
    one = chat_client(api_key=KEY)
    one._sleep = time.sleep
    for twin in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert twin.complete(ASK) == one.complete(ASK)
    with ThreadPoolExecutor(4) as pool:
        assert len(set(map(str, pool.map(one.complete, [ASK] * 8)))) == 1


def test_without_httpx_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **keywords):
        if name == "httpx":
            raise ImportError(name)
        return real(name, *args, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ChatError, match=r"pip install 'coworkgym\[chat\]'"):
        ChatClient("small", base_url="http://127.0.0.1")
