"""Behaviour: how agents go about their work, from the audit log and the transcript.

Calls are those of the agent; `reply`, calls of tools that do not exist and empty messages reach no
service and count only among errors and malformed calls. Functions give None for an episode that
their question does not apply to, and such episodes are left out of the means.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from coworkgym.frozen import Json, json_text, thaw
from coworkgym.rewards import combine
from coworkgym.rollouts import Deed, Rollout
from coworkgym.services import MALFORMED


class OfficeCall(NamedTuple):
    """One call of a service: its line in the audit log, and the arguments as they were sent."""

    deed: Deed
    arguments: str

    @property
    def service(self) -> str:
        """The service, by the beginning of the tool's name."""
        return self.deed.name.partition("_")[0]

    @property
    def changed(self) -> bool:
        """Whether it changed a record; an accepted time-out does."""
        return self.deed.changes != "[]"

    @property
    def read(self) -> bool:
        """Whether it was answered and changed nothing."""
        return self.deed.error is None and not self.changed

    @property
    def request(self) -> tuple[str, str]:
        """Tool and arguments; equal for calls that ask the same."""
        return self.deed.name, self.arguments


def office_calls(rollout: Rollout) -> list[OfficeCall]:
    """Returns the calls of services in their order.

    Raises:
        ValueError: For a rollout whose audit log does not fit its transcript.
    """
    own = [deed for deed in rollout.deeds if deed.actor == "agent"]
    arguments = list(_arguments(rollout))
    if len(own) != len(arguments):
        raise ValueError(
            f"{rollout.id}: {len(own)} calls in the audit log, {len(arguments)} in the transcript"
        )
    offered = set(rollout.task.tools) - {"reply"}
    pairs = zip(own, arguments, strict=True)
    return [OfficeCall(deed, text) for deed, text in pairs if deed.name in offered]


def interface_switches(rollout: Rollout) -> float | None:
    """Returns the share of consecutive calls that change the interface; None below two calls."""
    return _switches([call.deed.interface for call in office_calls(rollout)])


def service_switches(rollout: Rollout) -> float | None:
    """Returns the share of consecutive calls that change the service; None below two calls."""
    return _switches([call.service for call in office_calls(rollout)])


def returns(rollout: Rollout) -> int:
    """Returns how often the agent came back to a service it had left (revisits, WildAWM 2026)."""
    services = [call.service for call in office_calls(rollout)]
    visits = services[:1] + [after for before, after in pairwise(services) if after != before]
    return len(visits) - len(set(visits))


def repeated_reads(rollout: Rollout) -> int:
    """Returns the number of reads that ask what was answered before: same tool, same arguments.

    Reading again on a later day, or after a change, counts too.
    """
    answered: set[tuple[str, str]] = set()
    repeated = 0
    for call in office_calls(rollout):
        repeated += call.request in answered and not call.changed
        if call.read:
            answered.add(call.request)
    return repeated


def reads_before_acting(rollout: Rollout) -> int | None:
    """Returns the number of different reads before the first change; None without a change."""
    calls = office_calls(rollout)
    for place, call in enumerate(calls):
        if call.changed:
            return len({before.request for before in calls[:place] if before.read})
    return None


def acted(rollout: Rollout) -> bool:
    """Whether the agent changed anything."""
    return any(call.changed for call in office_calls(rollout))


def acted_unread(rollout: Rollout) -> bool | None:
    """Whether the agent changed something before any read; None where it changed nothing."""
    reads = reads_before_acting(rollout)
    return None if reads is None else reads == 0


def errors(rollout: Rollout) -> float | None:
    """Returns the share of the agent's calls that failed, for whatever cause; None without any."""
    failed = [deed.error is not None for deed in rollout.deeds if deed.actor == "agent"]
    return sum(failed) / len(failed) if failed else None


def malformed(rollout: Rollout) -> float | None:
    """Returns the share of the agent's calls that never reached a tool; None without calls."""
    bad = [deed.error in MALFORMED for deed in rollout.deeds if deed.actor == "agent"]
    return sum(bad) / len(bad) if bad else None


def recovery(rollout: Rollout) -> float | None:
    """Returns the share of the tools with a failed call that succeeded after the last such call.

    None where no call of a service failed.
    """
    deeds = [call.deed for call in office_calls(rollout)]
    failed = {deed.name: place for place, deed in enumerate(deeds) if deed.error}
    if not failed:
        return None
    later = {
        deed.name
        for place, deed in enumerate(deeds)
        if not deed.error and place > failed.get(deed.name, place)
    }
    return len(later) / len(failed)


def value_within(rollout: Rollout, calls: int, formula: str = "score") -> float:
    """Returns the value of an episode that ended within so many calls, else 0."""
    return combine(formula, rollout.score) if rollout.steps <= calls else 0.0


def _switches(places: Sequence[str]) -> float | None:
    pairs = list(pairwise(places))
    return sum(before != after for before, after in pairs) / len(pairs) if pairs else None


def _arguments(rollout: Rollout) -> Iterator[str]:
    """The arguments of every call that was run, in order; as JSON with sorted keys."""
    not_run = {
        message["tool_call_id"]
        for message in rollout.transcript
        if message["role"] == "tool" and message["content"].startswith('{"error":"not_run"')
    }
    for message in rollout.transcript:
        if message["role"] != "assistant":
            continue
        if not message.get("tool_calls"):
            yield json_text(message["content"])  # a reply as text, or an empty message
        for call in message.get("tool_calls", ()):
            if call["id"] not in not_run:
                yield call.get("raw") or _sorted(call["arguments"])


def _sorted(arguments: Json) -> str:
    return json.dumps(thaw(arguments), sort_keys=True, ensure_ascii=False)
