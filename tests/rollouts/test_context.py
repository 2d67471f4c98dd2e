"""Context: what is left out is old, and never more than has to be."""

import copy

from hypothesis import given
from hypothesis import strategies as st

from coworkgym.frozen import FrozenDict
from coworkgym.rollouts.context import estimate_tokens, fit

CONTENTS = st.text(max_size=12) | st.integers(0, 400).map("x".__mul__) | st.just("界" * 60)


@st.composite
def transcripts(draw):
    """Chats as episodes make them: calls are followed by their results."""
    messages = [FrozenDict(role="system", content=draw(CONTENTS))]
    messages.append(FrozenDict(role="user", content=draw(CONTENTS)))
    for turn in range(draw(st.integers(0, 6))):
        messages.append(FrozenDict(role="assistant", content=draw(CONTENTS)))
        for call in range(draw(st.integers(0, 3))):
            result = FrozenDict(
                role="tool", tool_call_id=f"call_{turn}{call}", content=draw(CONTENTS)
            )
            messages.append(result)
        if draw(st.booleans()):
            messages.append(FrozenDict(role="user", content=draw(CONTENTS)))
    return messages


def left_out(shown, transcript):
    return [n for n, (a, b) in enumerate(zip(shown, transcript, strict=True)) if a != b]


@given(transcripts(), st.integers(1, 900))
def test_what_is_shown_fits_and_only_old_results_are_left_out(transcript, limit):
    before = copy.deepcopy(transcript)
    shown = fit(transcript, [], limit)
    assert transcript == before
    whole = estimate_tokens(transcript, [])
    if whole <= limit:
        assert shown is transcript
    if shown is None:
        return
    assert estimate_tokens(shown, []) <= limit
    last = max((n for n, m in enumerate(transcript) if m["role"] == "assistant"), default=0)
    for place in left_out(shown, transcript):
        assert (transcript[place]["role"], place < last) == ("tool", True)
        assert shown[place] == {**transcript[place], "content": shown[place]["content"]}
        assert f"{len(transcript[place]['content'])} characters" in shown[place]["content"]
        assert len(shown[place]["content"]) < len(transcript[place]["content"])


@given(transcripts(), st.integers(1, 900), st.integers(0, 300))
def test_with_more_room_no_more_is_left_out(transcript, limit, more):
    tight, wide = fit(transcript, [], limit), fit(transcript, [], limit + more)
    if tight is not None:
        assert wide is not None
        assert set(left_out(wide, transcript)) <= set(left_out(tight, transcript))


@given(transcripts(), st.integers(1, 900))
def test_the_oldest_go_first_and_no_more_than_needed(transcript, limit):
    shown = fit(transcript, [], limit)
    if shown is None or shown is transcript:
        return
    places = left_out(shown, transcript)
    results = [n for n, m in enumerate(transcript[: places[-1]]) if m["role"] == "tool"]
    for place in results:  # whatever is older and still stands is shorter than its note
        assert place in places or len(transcript[place]["content"]) <= 52
    back = list(shown)
    back[places[-1]] = transcript[places[-1]]
    assert estimate_tokens(back, []) > limit


@given(transcripts(), st.integers(1, 900))
def test_nothing_is_shown_only_where_nothing_fits(transcript, limit):
    if fit(transcript, [], limit) is None:
        assert fit(transcript, [], 10**9) is not None
        last = max((n for n, m in enumerate(transcript) if m["role"] == "assistant"), default=0)
        bare = [
            {**message, "content": message["content"][:20]}
            if message["role"] == "tool" and n < last
            else message
            for n, message in enumerate(transcript)
        ]
        everything_out = estimate_tokens(bare, [])
        assert everything_out + 40 * len(transcript) > limit


def test_tools_take_room_too():
    transcript = [FrozenDict(role="system", content="short")]
    assert fit(transcript, [], 40) is transcript
    assert fit(transcript, [{"name": "x" * 200}], 40) is None


def test_another_counter_is_used():
    transcript = [FrozenDict(role="system", content="short")]
    assert fit(transcript, [], 5, lambda messages, tools: 6) is None
    assert fit(transcript, [], 6, lambda messages, tools: 6) is transcript


def test_an_estimate_counts_bytes():
    one, other = ([FrozenDict(role="user", content=text * 30)] for text in ("x", "界"))
    assert estimate_tokens(other, []) > 1.5 * estimate_tokens(one, [])


def test_a_result_that_is_shorter_than_its_note_stays():
    roles = ["system", "user", "assistant", "tool", "tool", "assistant", "tool"]
    contents = ["", "", "", "short", "x" * 300, "", "new"]
    transcript = [FrozenDict(role=r, content=c) for r, c in zip(roles, contents, strict=True)]
    shown = fit(transcript, [], estimate_tokens(transcript, []) - 50)
    assert left_out(shown, transcript) == [4]
