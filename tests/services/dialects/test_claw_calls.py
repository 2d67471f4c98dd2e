"""What holds for all calls: answers of known status, forks, replays."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from coworkgym.frozen import freeze
from coworkgym.services.dialects.claw_eval.server import ROUTES
from coworkgym.transcript import ToolCall

# What holds for all calls ------------------------------------------------------------------------

TEXTS = st.text(max_size=4) | st.sampled_from([
    "m1", "evt_001", "evt_004", "todo_001", "todo_003", "k1", "JOB-003", "a1", "pending", "inf",
    "2026-05-05", "2026-05-05T10:00:00Z", "http://x.test/up",
])  # fmt: skip
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 40), st.just(10**7), st.floats(), TEXTS,
    st.lists(st.text(max_size=2) | st.integers(), max_size=2),
)  # fmt: skip


@st.composite
def bodies(draw, path):
    """Bodies for a route: often whole, sometimes of wrong values, sometimes no object."""
    route = ROUTES[path]
    names = [name for name in route.parameters if draw(st.integers(0, 9))]
    body = {name: draw(VALUES) for name in [*names, *draw(st.lists(st.just("odd"), max_size=1))]}
    for name in names:
        if route.parameters[name].annotation is str and draw(st.integers(0, 5)):
            body[name] = draw(TEXTS)
    return draw(st.sampled_from([body] * 9 + [[body]]))


CALLS = st.lists(
    st.sampled_from(sorted(ROUTES)).flatmap(lambda path: st.tuples(st.just(path), bodies(path))),
    max_size=6,
)


@settings(max_examples=150)
@given(calls=CALLS)
def test_every_answer_is_json_of_a_known_status_and_a_refused_call_changes_nothing(
    make_claw, calls
):
    claw = make_claw()
    for path, body in calls:
        before = claw.state()
        status, told = claw.send(path, freeze(body))
        assert status in (200, 400, 404, 422, 500)
        json.loads(json.dumps(told, allow_nan=False))
        assert status == 200 or claw.state() == before


@given(CALLS, CALLS)
def test_the_same_calls_have_the_same_answers_and_forks_do_not_see_each_other(
    make_claw, calls, more
):
    claw, twin = make_claw(), make_claw()
    assert answers(claw, calls) == answers(twin, calls)
    fork = make_claw()
    fork.office = claw.office.fork()
    assert answers(fork, more) == answers(twin, more)
    kept = make_claw()
    answers(kept, calls)
    assert claw.state() == kept.state()


def answers(claw, calls):
    """The answers to some calls."""
    return [claw.office.call(ToolCall(path, freeze(body))) for path, body in calls]
