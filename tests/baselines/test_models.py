"""Models to train: loading, adapters, what is trained of a chat, what it takes."""

from importlib.util import find_spec

import pytest

if not all(map(find_spec, ("torch", "transformers", "peft", "trl"))):
    pytest.skip("needs coworkgym[train]", allow_module_level=True)

import families
import torch
from peft import PeftModel, get_peft_model

from baselines.models import (
    load,
    load_tokenizer,
    lora_config,
    memory_estimate,
    new_model,
    require_trainable,
    resolve,
)
from coworkgym.policies.local import ModelError

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def test_a_folder_loads_ready_to_train(tmp_path):
    loaded = load(families.save_model(tmp_path / "m", "qwen3"), device="cpu")
    require_trainable(loaded.tokenizer)
    assert loaded.model.dtype == torch.float32
    assert loaded.name == str(tmp_path / "m")


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"neither config\.json nor adapter_config"):
        load(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot load the tokenizer"):
        load(str(tmp_path), device="cpu")


def test_an_adapter_is_trained_on_and_stands_for_its_model(tmp_path):
    base = load(families.save_model(tmp_path / "m"), device="cpu")
    adapted = get_peft_model(base.model, lora_config(base.model, 4))
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.fill_(0.1)
    adapted.save_pretrained(tmp_path / "a")
    base.tokenizer.save_pretrained(tmp_path / "a")
    assert resolve(str(tmp_path / "a")) == (str(tmp_path / "m"), tmp_path / "a")
    ids = torch.arange(9)[None]
    expected = adapted(input_ids=ids).logits
    for again in (load(str(tmp_path / "a")), load(base.name, adapter=tmp_path / "a")):
        assert isinstance(again.model, PeftModel)
        assert torch.equal(again.model(input_ids=ids).logits, expected)
        assert any(weight.requires_grad for weight in again.model.parameters())
    with pytest.raises(ModelError, match="holds no adapter"):
        load(base.name, adapter=tmp_path / "m")


def test_a_model_that_sees_gets_its_adapter_in_the_language_model_only(tmp_path):
    families.words("qwen3_vl").save_pretrained(tmp_path)
    new_model(families.seeing(600)).save_pretrained(tmp_path)
    model = load(str(tmp_path), device="cpu").model
    assert type(model).__name__ == "Qwen3VLForConditionalGeneration"
    adapted = get_peft_model(model, lora_config(model))
    names = {name for name, module in adapted.named_modules() if hasattr(module, "lora_A")}
    assert len(names) == 2 * 7
    assert all(".language_model.layers." in name for name in names)


def test_the_output_layer_gets_no_adapter():
    model = new_model(families.config(300))
    adapted = get_peft_model(model, lora_config(model))
    names = [name for name, module in adapted.named_modules() if hasattr(module, "lora_A")]
    assert len(names) == 2 * 7 and not any("lm_head" in name for name in names)


@pytest.mark.parametrize("rank", [0, 8])
def test_memory_is_about_what_a_forward_pass_keeps(rank):
    config = families.config(500, hidden=128, layers=4)
    model = new_model(config)
    model = get_peft_model(model, lora_config(model, rank)) if rank else model
    weights = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = (storage.nbytes(), tensor)
        return tensor

    decoder = (model.get_base_model() if rank else model).model
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        output = decoder(input_ids=torch.ones(2, 256, dtype=torch.long), use_cache=False)
    measured = sum(size for size, _ in kept.values())
    estimate = memory_estimate(config, rank=rank, batch=2, length=256)
    assert output is not None
    assert 0.7 < measured / estimate.activations < 1.4
    trained = sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
    assert estimate.trained == trained
    assert estimate.optimizer == 8 * trained
    saved = memory_estimate(config, rank=rank, batch=2, length=256, gradient_checkpointing=True)
    assert saved.total < estimate.total
    assert "activations" in str(estimate)


def test_the_committed_model_is_trainable():
    require_trainable(load_tokenizer("tiny"))
