"""Local models: policies that run a language model in this process, with extra [local]."""

from coworkgym.policies.local.loading import ModelError, require

require("torch", "transformers")

from coworkgym.policies.local.chat_format import ChatFormat  # noqa: E402
from coworkgym.policies.local.forms import FORMS, CallForm, parse_text, render_message  # noqa: E402
from coworkgym.policies.local.policy import TransformersPolicy  # noqa: E402
from coworkgym.policies.local.smollm2 import load_smollm2  # noqa: E402

__all__ = [
    "FORMS",
    "CallForm",
    "ChatFormat",
    "ModelError",
    "TransformersPolicy",
    "load_smollm2",
    "parse_text",
    "render_message",
]
