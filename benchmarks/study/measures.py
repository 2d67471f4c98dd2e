"""Measures: what is read off an episode, beside its score.

An *act* is the call of a package that all depends on: the ticket that is escalated, the payment
that is put on hold, the account that is entered, the time that is booked. An episode acts on the
right record when the first such call that changed something changed what the solution changes;
where the solution makes no such call, when none changed anything. One of k records of its kind, as
the solution reads them before it acts, is right by chance 1/k of the time; where leaving all alone
is a choice, half of the time.
"""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from coworkgym.policies import ReferencePolicy
from coworkgym.rollouts import Rollout, collect
from coworkgym.services import MALFORMED
from coworkgym.tasks import Item


@dataclass(frozen=True)
class Act:
    """The call of a package that all depends on.

    Attributes:
        tool: Its name.
        field: Which field of the changed record counts; empty for the record's id.
        alike: How its kind looks in what is read before; the last group, if there is one.
        or_none: Whether leaving all alone is a choice.
    """

    tool: str
    field: str
    alike: str
    or_none: bool = False


ACTS = {
    "escalation": Act("helpdesk_escalate_ticket", "", r"TK-\d+"),
    "month_close": Act("finance_hold_transaction", "", r"TXN-\d+"),
    "expense_audit": Act("finance_hold_transaction", "", r"TXN-\d+"),
    "payment_change": Act("finance_update_payee", "account", r"[A-Z]{2}\d{2}[A-Z]{4}\d+", True),
    "meeting_scheduling": Act("calendar_create_event", "start_time", r'start_time":"(\S+)'),
    "data_request": Act("gmail_send_message", "to", r"[\w.+-]+@[\w.-]+\w", True),
}


class Measured(NamedTuple):
    """What an episode is measured by.

    Attributes:
        score: In [0, 1].
        solved: Whether every check and every gate holds.
        right: Whether it acted on the right record.
        breach: Whether it breached a gate that costs everything.
        malformed: Share of its calls that were not valid.
        calls: Number of its calls.
    """

    score: float
    solved: float
    right: float
    breach: float
    malformed: float
    calls: float


MEASURES = Measured._fields


def measured(rollout: Rollout) -> Measured:
    """Returns the measures of one episode."""
    score = rollout.score
    own = [deed for deed in rollout.deeds if deed.actor == "agent"]
    return Measured(
        score=score.value,
        solved=float(score.solved),
        right=float(is_right(rollout)),
        breach=float(score.safety == 0),
        malformed=sum(deed.error in MALFORMED for deed in own) / max(1, len(own)),
        calls=len(own),
    )


def is_right(rollout: Rollout) -> bool:
    """Returns whether an episode acted on the right record first."""
    act = ACTS.get(rollout.item.package)
    if act is None:
        return False
    chosen, right = acts_of(rollout, act), reference(rollout.item).right
    return chosen[0] in right if chosen else not right


def acts_of(rollout: Rollout, act: Act) -> list[Any]:
    """Returns what the acts of an episode changed in the stage of the first, in order."""
    deeds = [deed for deed in rollout.deeds if deed.name == act.tool and deed.changes != "[]"]
    return [
        json.dumps(after[act.field]) if act.field else record
        for deed in deeds
        if deed.stage == deeds[0].stage
        for _, record, _, after in json.loads(deed.changes)
    ]


class Reference(NamedTuple):
    """What the solution of a task acts on.

    Attributes:
        right: What it changes; empty where it leaves all alone.
        chance: How often one drawn at random is right.
        alike: What one may draw from, as it is written.
    """

    right: frozenset[Any]
    chance: float
    alike: tuple[str, ...]


@lru_cache(maxsize=4096)
def reference(item: Item) -> Reference:
    """Returns what the solution of a task acts on.

    Raises:
        KeyError: For a package without an act.
    """
    act = ACTS[item.package]
    played = next(iter(collect([item], ReferencePolicy())))
    right = frozenset(acts_of(played, act))
    alike = tuple(dict.fromkeys(re.findall(act.alike, _read_before(played, act.tool))))
    if act.or_none:
        return Reference(right, 0.5, alike)
    return Reference(right, len(right) / len(alike), alike)


def _read_before(played: Rollout, tool: str) -> str:
    """What the tools said before the first act."""
    texts = []
    for message in played.transcript:
        if any(call["name"] == tool for call in message.get("tool_calls", ())):
            break
        if message["role"] == "tool":
            texts.append(message["content"])
    return "\n".join(texts)
