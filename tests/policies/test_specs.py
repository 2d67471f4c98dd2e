"""Policies by one text: names, chat models with and without a URL, local models."""

import sys
from types import ModuleType

import pytest

from coworkgym.errors import TaskError, UnknownNameError
from coworkgym.policies import ChatPolicy, policy_from, policy_names
from coworkgym.policies.specs import chat_options


class Local(ModuleType):
    """Stands in for coworkgym.policies.local, which needs torch."""

    class TransformersPolicy:
        def __init__(self, path_or_id, *, temperature=1.0, max_tokens=256, name=None):
            self.made, self.name = (path_or_id, temperature, max_tokens), name

    @staticmethod
    def load_smollm2():
        return "/models/smollm2"


@pytest.fixture
def local(monkeypatch):
    monkeypatch.setitem(sys.modules, "coworkgym.policies.local", Local("local"))


@pytest.fixture(autouse=True)
def _no_url(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def where(policy):
    return policy.settings["model"], policy.settings["url"]


def test_policies_come_by_their_names():
    assert [policy_from(name).name for name in policy_names()] == policy_names()
    assert policy_from("random", 7).seed == 7


@pytest.mark.parametrize(("spec", "model", "url"), [
    ("chat:small@http://localhost:8000/v1", "small", "http://localhost:8000/v1"),
    ("chat:org/big:free@https://host/v1/", "org/big:free", "https://host/v1"),
    ("chat:@cf/org/small@https://host/v1", "@cf/org/small", "https://host/v1"),
    ("chat:small@v2@http://ana:pw@host", "small@v2", "http://host"),
    ("chat:a@http://b@http://host", "a@http://b", "http://host"),
    ("chat:small@http://ana:pw@httpd.test/v1", "small", "http://httpd.test/v1"),
])  # fmt: skip
def test_a_chat_model_is_named_with_its_url(spec, model, url):
    policy = policy_from(spec, temperature=0, max_tokens=9)
    assert isinstance(policy, ChatPolicy)
    assert where(policy) == (model, url)
    assert (policy.settings["temperature"], policy.settings["max_tokens"]) == (0, 9)


def test_the_url_may_come_from_the_options_or_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://env/v1")
    assert where(policy_from("chat:small")) == ("small", "http://env/v1")
    assert where(policy_from("chat:small", base_url="http://own")) == ("small", "http://own")
    assert where(policy_from("chat:small@http://spec")) == ("small", "http://spec")
    with pytest.raises(TaskError, match="two URLs for the model 'small'"):
        policy_from("chat:small@http://spec", base_url="http://own")


@pytest.mark.parametrize("spec", ["chat:small", "chat:small@localhost:8000", "chat:small@"])
def test_a_chat_model_without_a_url_says_how_to_give_one(spec):
    with pytest.raises(TaskError, match=r"no URL .*chat:MODEL@URL.*http://.*OPENAI_BASE_URL"):
        policy_from(spec)


@pytest.mark.parametrize("spec", ["chat:@http://host", "transformers:", "transformers"])
def test_a_model_without_a_name_says_how_to_write_it(spec):
    with pytest.raises(TaskError, match=r"write (chat:MODEL@URL|transformers:PATH)"):
        policy_from(spec)


def test_judges_and_users_are_named_alike():
    expected = {"model": "small", "base_url": "http://host/v1"}
    assert chat_options("chat:small@http://host/v1") == expected
    assert chat_options("small@http://host/v1") == expected


@pytest.mark.usefixtures("local")
def test_local_models_are_made_where_they_lie():
    assert policy_from("transformers:org/small", 3).made == ("org/small", 1.0, 256)
    assert policy_from("transformers:C:/models/a", max_tokens=5).made == ("C:/models/a", 1.0, 5)
    shipped = policy_from("smollm2", temperature=0.5)
    assert (shipped.made, shipped.name) == (("/models/smollm2", 0.5, 256), "smollm2")


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize(("spec", "says"), [
    ("chat:small@http://host", r"policy chat 'temprature'.*'temperature'\?.*max_tokens.*retries"),
    ("transformers:a", r"policy transformers 'temprature'.*'temperature'\?.*max_tokens"),
    ("smollm2", r"policy smollm2 'temprature'.*'temperature'\?"),
    ("reference", r"policy reference 'temprature'.*Allowed: none"),
])  # fmt: skip
def test_an_option_that_a_policy_does_not_take_is_refused(spec, says):
    with pytest.raises(UnknownNameError, match=says):
        policy_from(spec, temprature=0)


@pytest.mark.parametrize("option", ["model", "sleep"])
def test_what_is_no_setting_is_no_option(option):
    with pytest.raises(UnknownNameError, match="Unknown option"):
        policy_from("chat:small@http://host", **{option: "x"})


@pytest.mark.parametrize(("spec", "says"), [
    ("referense", "'referense'. Did you mean 'reference'?"),
    ("chta:small@http://host", "'chta'. Did you mean 'chat'?"),
    ("transformer:a", "'transformer'. Did you mean 'transformers'?"),
    ("smollm", "'smollm'. Did you mean 'smollm2'?"),
    ("smollm2:135m", "'smollm2:135m'."),
    ("reference:a", "'reference:a'. Did you mean 'reference'?"),
    ("", "''."),
])  # fmt: skip
def test_an_unknown_policy_is_refused_with_the_nearest_and_all_forms(spec, says):
    with pytest.raises(UnknownNameError) as caught:
        policy_from(spec)
    assert says in str(caught.value)
    assert "chat:MODEL@URL, transformers:PATH, smollm2." in str(caught.value)
