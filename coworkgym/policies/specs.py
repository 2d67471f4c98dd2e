"""Specs: policies by one text, such as `reference` or `chat:MODEL@URL`."""

import os
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from inspect import signature
from typing import Any

from coworkgym.errors import TaskError, UnknownNameError, unknown
from coworkgym.frozen import Json
from coworkgym.policies.chat import ChatPolicy
from coworkgym.policies.policy import Policy, get_policy, policy_names

MODEL_FORMS = {
    "chat": "chat:MODEL@URL",
    "transformers": "transformers:PATH",
    "smollm2": "smollm2",
}
"""How the policies are written that ask a model, by what they begin with."""


def policy_from(spec: str, seed: int = 0, **options: Json) -> Policy:
    """Returns a new policy.

    Args:
        spec: One of `policy_names()`; `chat:MODEL@URL`, or `chat:MODEL` where the environment
            variable OPENAI_BASE_URL has the URL; `transformers:PATH`, a folder with a model;
            `smollm2`, the one that comes as a package.
        seed: What the guesses of a policy in `GUESSERS` depend on. Models draw by the seeds of
            their episodes.
        options: Of a policy that asks a model, such as temperature.

    Raises:
        UnknownNameError: For a policy or an option that does not exist, with the nearest match.
        TaskError: For a spec that lacks the model, its URL or its path.
    """
    head, _, rest = spec.partition(":")
    if spec in policy_names():
        _check(spec, options, ())
        return get_policy(spec, seed)
    if head == "chat":
        return _chat(rest, options)
    if head == "transformers":
        return _local(_given(rest, head), head, options)
    if spec == "smollm2":
        return _local(None, head, {"name": spec, **options})
    named = spec if head in (*policy_names(), *MODEL_FORMS) else head
    error = unknown("policy", named, [*policy_names(), *MODEL_FORMS])
    raise UnknownNameError(f"{error} Models: {', '.join(MODEL_FORMS.values())}.")


def chat_options(spec: str, base_url: str | None = None) -> dict[str, Any]:
    """Returns `model` and `base_url` of a chat model.

    Args:
        spec: `MODEL@URL`, or MODEL alone; `chat:` may stand before it.
        base_url: Where a MODEL alone is; by default the environment variable OPENAI_BASE_URL.

    Raises:
        TaskError: Where the model or its URL is missing, or there are two URLs.
    """
    spec = spec.removeprefix("chat:")
    found = re.fullmatch("(?s)(.*)@(https?://.*)", spec)
    model, url = found.groups() if found else (spec, None)
    if url and base_url:
        raise TaskError(f"two URLs for the model {model!r}: one in the spec, and base_url")
    url = url or base_url or os.environ.get("OPENAI_BASE_URL", "").strip()
    if not url:
        raise TaskError(
            f"no URL for the model {model!r}: write {MODEL_FORMS['chat']}, with an URL that begins "
            "with http:// or https://, or set OPENAI_BASE_URL"
        )
    return {"model": _given(model, "chat"), "base_url": url}


def _chat(spec: str, options: dict[str, Json]) -> ChatPolicy:
    where = chat_options(spec, options.pop("base_url", None))
    _check("chat", options, _parameters(ChatPolicy, "model", "sleep"))
    return ChatPolicy(**where, **options)


def _local(path: str | None, head: str, options: dict[str, Json]) -> Policy:
    local = import_module("coworkgym.policies.local")  # only here is torch needed
    allowed = _parameters(local.TransformersPolicy, "path_or_id")
    _check(head, options, allowed)
    made: Policy = local.TransformersPolicy(path or local.load_smollm2(), **options)
    return made


def _given(name: str, head: str) -> str:
    if not name:
        raise TaskError(f"{head}: nothing is named; write {MODEL_FORMS[head]}")
    return name


def _parameters(made: Callable[..., Any], *without: str) -> list[str]:
    return [name for name in signature(made).parameters if name not in without]


def _check(policy: str, options: dict[str, Json], allowed: Iterable[str]) -> None:
    for name in options:
        if name not in allowed:
            raise unknown(f"option of the policy {policy}", name, allowed)
