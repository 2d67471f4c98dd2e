"""Adapters: a folder that holds an adapter alone is a model, too."""

import pytest

peft = pytest.importorskip("peft", reason="peft comes with the extra [train]")

from coworkgym.policies import policy_from  # noqa: E402
from coworkgym.policies.local import ModelError, TransformersPolicy  # noqa: E402

# peft asks transformers by a name that is about to change
pytestmark = pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")


@pytest.fixture(scope="module")
def folders(model, tokenizer, tmp_path_factory):
    """A base model, and an adapter that changes it, with a tokenizer of its own."""
    import copy

    import torch

    root = tmp_path_factory.mktemp("models")
    model.save_pretrained(root / "base")
    tokenizer.save_pretrained(root / "base")
    base = copy.deepcopy(model)
    base.name_or_path = str(root / "base")
    config = peft.LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM")
    adapted = peft.get_peft_model(base, config)
    torch.manual_seed(0)
    for name, weights in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weights, std=0.5)
    adapted.save_pretrained(root / "adapter")
    return root / "base", root / "adapter"


def said(policy, worked):
    (message,) = policy.act([worked[0][:2]], [worked[1]], [7])
    return message["tokens"].completion_ids


def test_an_adapter_folder_stands_for_its_base_with_the_adapter(folders, worked):
    base, adapter = folders
    alone = TransformersPolicy(adapter, max_tokens=12)
    named = TransformersPolicy(base, adapter=adapter, max_tokens=12)
    assert said(alone, worked) == said(named, worked)
    assert said(alone, worked) != said(TransformersPolicy(base, max_tokens=12), worked)


def test_an_adapter_folder_is_a_policy_of_the_command_line(folders, worked):
    policy = policy_from(f"transformers:{folders[1]}", max_tokens=12)
    assert said(policy, worked) == said(TransformersPolicy(folders[1], max_tokens=12), worked)


def test_the_tokenizer_saved_with_an_adapter_goes_before_that_of_the_base(
    folders, tokenizer, worked, tmp_path
):
    import shutil

    shutil.copytree(folders[1], tmp_path / "adapter")
    tokenizer.save_pretrained(tmp_path / "adapter")
    shutil.copytree(folders[0], tmp_path / "base")
    (tmp_path / "base" / "tokenizer.json").unlink()
    both = TransformersPolicy(tmp_path / "base", adapter=tmp_path / "adapter", max_tokens=12)
    assert said(both, worked) == said(TransformersPolicy(folders[1], max_tokens=12), worked)


def test_an_adapter_whose_base_is_gone_says_which(folders, tmp_path):
    import json
    import shutil

    shutil.copytree(folders[1], tmp_path / "adapter")
    path = tmp_path / "adapter" / "adapter_config.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(told | {"base_model_name_or_path": str(tmp_path / "gone")}))
    with pytest.raises(ModelError, match="gone"):
        TransformersPolicy(tmp_path / "adapter")
