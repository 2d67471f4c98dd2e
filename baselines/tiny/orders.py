"""Orders: what is answered by further calls."""

import json
import re
from typing import Any

from baselines.tiny.listings import Action
from baselines.tiny.scene import Refused, Scene
from baselines.tiny.wording import Exchange, any_row, described, peek, shown

_INSIDE = {
    "account": re.compile(r"\b[A-Z]{2}\d{2}[A-Z0-9]{8,}\b"),
    "day": re.compile(r"\b\d{4}-\d\d-\d\d\b"),
    "customer": re.compile(r"\bCUS-\d+\b"),
    "amount for meals": re.compile(r"meals (\d+\.\d\d)"),
    "amount for lodging": re.compile(r"lodging (\d+\.\d\d)"),
    "amount for taxi": re.compile(r"taxi (\d+\.\d\d)"),
}
_BODIES = (
    "Please have a look at {}.", "{} is yours now.", "We are waiting for {}.", "{} came in today.",
    "Nothing is open on {}.", "I need your answer on {}.",
)  # fmt: skip


def opening(scene: Scene) -> Exchange:
    """Reads one record in full and tells a field that the list does not show."""
    listing = scene.listing
    row, which = described(scene)
    name = which if scene.rng.random() < 0.5 else str(row[listing.id])
    field = scene.rng.choice([*listing.more])
    named = name if name == row[listing.id] else f"the {listing.noun} with {name}"

    def play() -> None:
        result = scene.call(listing.get, **{listing.id: row[listing.id]})
        scene.reply(shown(result.get(field) or "none"))

    return Exchange(f"Open {named} and tell me its {listing.more[field]}.", play)


def looking_inside(scene: Scene) -> Exchange:
    """Reads one record in full and picks a value out of its text."""
    listing, row = scene.listing, any_row(scene)
    result = peek(scene, listing.get, {listing.id: row[listing.id]})
    text = str(result.get("body") or result.get("notes") or result.get("content") or "")
    hits = {word: found for word, pattern in _INSIDE.items() if (found := pattern.search(text))}
    if not hits:
        raise Refused("nothing to pick out")
    word = scene.rng.choice([*hits])
    value = hits[word][hits[word].re.groups]

    def play() -> None:
        scene.call(listing.get, **{listing.id: row[listing.id]})
        scene.reply(value)

    return Exchange(f"Open {row[listing.id]}. Which {word} does it name?", play)


def acting(scene: Scene) -> Exchange:
    """Does something with one record, named by its id or described, or with two."""
    action = _action(scene)
    rows = scene.rng.sample(
        scene.rows, 2 if len(scene.rows) > 2 and scene.rng.random() < 0.3 else 1
    )
    ids = [str(row[scene.listing.id]) for row in rows]
    value = scene.rng.choice(action.values)
    named = " and ".join(ids)
    if len(rows) == 1 and scene.rng.random() < 0.5:
        row, which = described(scene)
        ids, named = [str(row[scene.listing.id])], f"the {scene.listing.noun} with {which}"

    def play() -> None:
        for one in ids:
            scene.call(action.tool, **_filled(action.arguments, one, value))
        scene.reply(", ".join(ids))

    return Exchange(action.asked.format(id=named, value=value), play)


def writing(scene: Scene) -> Exchange:
    """Sends or saves a mail to an address of a record."""
    if not scene.can("gmail_send_message"):
        raise Refused("no mail here")
    row, which = described(scene)
    field = next((f for f in ("email", "from") if row.get(f)), None)
    if field is None:
        raise Refused("the list shows no address")
    tool = scene.rng.choice(["gmail_send_message", "gmail_save_draft"])
    to, subject = shown(row[field]), shown(any_row(scene)[scene.listing.id])
    body = scene.rng.choice(_BODIES).format(subject)
    verb = "Mail" if tool == "gmail_send_message" else "Draft a mail to"
    whom = to if scene.rng.random() < 0.3 else f"the {scene.listing.noun} with {which}"

    def play() -> None:
        scene.call(tool, to=to, subject=f"About {subject}", body=body)
        scene.reply(to)

    return Exchange(f"{verb} {whom} about {subject}: {body}", play)


def walking(scene: Scene) -> Exchange:
    """Follows ids from record to record: ticket, customer, account manager; payment, payee."""
    row, which = described(scene)
    key = next((k for k in ("customer_id", "payee_id") if k in scene.listing.fields), None)
    if key is None or not row.get(key):
        raise Refused("leads nowhere")
    get = {"customer_id": "crm_get_customer", "payee_id": "finance_get_payee"}[key]
    further = key == "customer_id" and scene.rng.random() < 0.5
    fields = {"customer_id": ("name", "phone", "email", "tier"), "payee_id": ("name", "email")}[key]
    field = scene.rng.choice(("name", "email", "phone") if further else fields)
    whose = "account manager" if further else key.removesuffix("_id")

    def play() -> None:
        result = scene.call(get, **{key: row[key]})
        if further:
            result = scene.call("contacts_get", contact_id=result["account_manager"])
        scene.reply(str(result[field]))

    text = f"What is the {field} of the {whose} of the {scene.listing.noun} with {which}?"
    return Exchange(text, play)


def searching(scene: Scene) -> Exchange:
    """Searches by a name or an address, and tells the id."""
    row = any_row(scene)
    if scene.listing.tool == "contacts_search":
        name, argument = str(row[scene.rng.choice(("name", "email"))]), "query"
    elif scene.listing.tool == "finance_list_payees":
        name, argument = str(row["name"]), "name"
    else:
        raise Refused("lists are not searched here")
    found = peek(scene, scene.listing.tool, {argument: name})[scene.listing.key]
    if [one[scene.listing.id] for one in found] != [row[scene.listing.id]]:
        raise Refused("more than one fits")

    def play() -> None:
        scene.call(scene.listing.tool, **{argument: name})
        scene.reply(str(row[scene.listing.id]))

    return Exchange(f"Search for {name} and tell me the id.", play)


def _action(scene: Scene) -> Action:
    actions = [action for action in scene.listing.actions if scene.can(action.tool)]
    if not actions:
        raise Refused("nothing to do here")
    return scene.rng.choice(actions)


def _filled(arguments: dict[str, Any], record: str, value: str) -> dict[str, Any]:
    text = json.dumps(arguments).replace("{id}", record).replace("{value}", value)
    filled: dict[str, Any] = json.loads(text)
    return filled


def visiting(scene: Scene) -> Exchange:
    """Reads some records one after the other, in the order asked, and tells a field of each."""
    listing = scene.listing
    ids = [str(row[listing.id]) for row in scene.rows][:4]
    if len(ids) < 2:
        raise Refused("one is opened elsewhere")
    asked = ids if scene.rng.random() < 0.5 else scene.rng.sample(ids, 2)
    field = scene.rng.choice([*listing.more])
    if field in ("body", "content", "description"):
        raise Refused("too long to tell")

    def play() -> None:
        found = [scene.call(listing.get, **{listing.id: one}) for one in asked]
        scene.reply("; ".join(shown(result.get(field) or "none") for result in found))

    named = " and ".join(asked) if asked != ids else f"all {listing.noun}s"
    return Exchange(f"Open {named} and tell me each {listing.more[field]}.", play)
