"""Settings: what makes two runs comparable."""

import json
import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import SettingsError, UnknownNameError
from coworkgym.frozen import json_text
from coworkgym.rollouts import Settings
from coworkgym.tasks import Item

FULL = Settings(
    policy="chat:m", options={"temperature": 0.5, "stop": ["a"]}, harness={"call_form": "text"},
    seed=3, user="m", judge="j", faults=0.1, formula="claw_eval", max_steps=9, max_context=99,
    timeout=1.5,
)  # fmt: skip


@pytest.mark.parametrize("one", [FULL, Settings(policy="null")])
def test_settings_are_read_back(one):
    again = Settings.from_dict(json.loads(json_text(one.as_dict())))
    assert (again, again.fingerprint) == (one, one.fingerprint)
    assert one.differences(again) == {}
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize(
    ("name", "value"),
    [("policy", "x"), ("options", {}), ("harness", {}), ("seed", 4), ("interface", "mcp"),
     ("user", "scripted"), ("judge", None), ("faults", None), ("formula", "score"),
     ("max_steps", 8), ("max_context", None), ("timeout", 2.0)],
)  # fmt: skip
def test_each_setting_makes_a_difference(name, value):
    _ = FULL.fingerprint
    other = replace(FULL, **{name: value})
    assert set(FULL.differences(other)) == {name}
    assert other.fingerprint != FULL.fingerprint


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [({"formula": "scor"}, UnknownNameError, "Did you mean 'score'"),
     ({"max_steps": 0}, SettingsError, "max_steps must be above 0, got 0"),
     ({"timeout": float("nan")}, SettingsError, "timeout must be above 0"),
     ({"faults": 1.5}, SettingsError, "faults must be in"),
     ({"faults": -0.1}, SettingsError, "faults must be in")],
)  # fmt: skip
def test_settings_that_cannot_be_are_refused(given, error, said):
    with pytest.raises(error, match=said):
        Settings(policy="x", **given)


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5))
def test_the_seed_of_an_episode_depends_on_run_item_and_sample(seed, item, sample):
    """A-seed-zero"""
    one = Settings(policy="x", seed=seed).episode_seed(Item("a", seed=item), sample)
    assert 0 <= one < 2**32
    for others in ((seed + 1, item, sample), (seed, item + 1, sample), (seed, item, sample + 1)):
        other = Settings(policy="x", seed=others[0])
        assert other.episode_seed(Item("a", seed=others[1]), others[2]) != one
