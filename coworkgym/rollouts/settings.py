"""Settings: how a run's episodes are played; two runs compare where these agree."""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

from coworkgym.errors import SettingsError, unknown
from coworkgym.frozen import FrozenDict, Json, freeze, json_text
from coworkgym.rewards import FORMULAS
from coworkgym.tasks import Item


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the episodes of a run are played; plain data, kept with them.

    Attributes:
        policy: What `policies.policy_from` reads, or the name of a policy given as an object.
        options: Of that policy, such as temperature.
        harness: How the policy is asked: its call form, its template, its own system text.
        seed: What draws of the policy depend on, beside the item and the sample.
        interface: How the office is reached.
        user: `scripted`, or the chat model that speaks for users with a script.
        judge: The chat model that answers what no program can check; None for none.
        faults: Share of calls that fail, in [0, 1].
        formula: One of `rewards.FORMULAS`, for the figures made of the scores.
        max_steps: Calls at which an episode is cut off, if before the task's own limit.
        max_context: Tokens of a transcript that the policy is shown; see rollouts.context.
        timeout: Seconds that an episode may take before it is void.

    Raises:
        SettingsError: For a number out of its range.
        UnknownNameError: For an unknown formula.
    """

    policy: str
    options: Mapping[str, Json] = field(default_factory=FrozenDict)
    harness: Mapping[str, Json] = field(default_factory=FrozenDict)
    seed: int = 0
    interface: str = "function"
    user: str = "scripted"
    judge: str | None = None
    faults: float | None = None
    formula: str = "score"
    max_steps: int | None = None
    max_context: int | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        """Checks the values."""
        if self.formula not in FORMULAS:
            raise unknown("reward formula", self.formula, FORMULAS)
        for name in ("max_steps", "max_context", "timeout"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise SettingsError(f"{name} must be above 0, got {value!r}")
        if self.faults is not None and not 0 <= self.faults <= 1:
            raise SettingsError(f"faults must be in [0, 1], got {self.faults!r}")
        for name in ("options", "harness"):
            object.__setattr__(self, name, freeze(getattr(self, name)))

    @cached_property
    def fingerprint(self) -> str:
        """Hash over all settings."""
        return hashlib.blake2b(json_text(self.as_dict()).encode(), digest_size=6).hexdigest()

    def as_dict(self) -> dict[str, Json]:
        """Returns the settings as JSON; `from_dict` undoes it."""
        return {**asdict(self), "options": dict(self.options), "harness": dict(self.harness)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Settings":
        """Returns settings of their JSON.

        Raises:
            UnknownNameError: For a setting that does not exist, with the nearest.
        """
        names = [one.name for one in fields(cls)]
        for name in data:
            if name not in names:
                raise unknown("setting", name, names)
        return cls(**data)

    def differences(self, other: "Settings") -> dict[str, tuple[Json, Json]]:
        """Returns the settings that differ, with both values."""
        mine, yours = self.as_dict(), other.as_dict()
        return {name: (mine[name], yours[name]) for name in mine if mine[name] != yours[name]}

    def episode_seed(self, item: Item, sample: int) -> int:
        """Returns what draws of the policy in one episode depend on, in [0, 2^32)."""
        return zlib.crc32(json_text([self.seed, list(item), sample]).encode())
