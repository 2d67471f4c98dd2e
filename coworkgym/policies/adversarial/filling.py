"""Filling: arguments for a tool from what was seen, and the calls that read."""

from collections.abc import Mapping, Sequence
from typing import Any

from coworkgym.policies.adversarial.offer import Offer
from coworkgym.policies.adversarial.sight import Sight
from coworkgym.policies.adversarial.wording import VERBS, say

READS = 8
"""Calls that look, in all, before the user is answered."""
_LISTINGS = 6  # of them, those that need nothing but the schema
_PAGE = 100  # records; the most that one page holds
_SPAN = {"days": 7, "days_back": 30}
_PEOPLE = ("to", "cc", "attendees", "assignee", "user", "email", "recipient", "recipients")
_FACTS = 200  # values in the text of a mail
_NAMED = 40  # ids in one line of text

Call = dict[str, Any]


def fill(offer: Offer, sight: Sight, given: Mapping[str, Any]) -> Call | None:
    """Returns a call with all required arguments, or None when an id that it needs is unknown.

    Args:
        offer: The tool.
        sight: Where the arguments come from.
        given: Arguments that are settled.
    """
    rest = [name for name in offer.required if name not in given]
    found = {name: _value(name, offer.properties[name], sight) for name in rest}
    if None in found.values():
        return None
    return {"name": offer.name, "arguments": found | dict(given)}


def _value(name: str, schema: Mapping[str, Any], sight: Sight) -> Any:
    if "enum" in schema:
        named = [option for option in schema["enum"] if str(option) in sight.asked]
        return (named or schema["enum"])[-1]
    kind = sight.kind_of(name)
    if schema.get("type") == "array":
        return sight.ids(kind)[:_NAMED] if kind else [_label(sight)]
    if kind:
        return next(iter(sight.ids(kind)), None)
    plain: dict[str, Any] = {"boolean": False, "integer": 30, "number": 1.0, "object": {}}
    if schema.get("type") in plain:
        return plain[schema["type"]]
    return _text(name, str(schema.get("format")), sight)


def _text(name: str, format_: str, sight: Sight) -> str:
    if name in _PEOPLE:
        return sight.addresses[0]
    if format_ == "date":
        return sight.today
    if format_ == "decimal":
        return next((v for v in sight.values if v.replace(".", "").isdecimal()), "1.00")
    if name.endswith("_time"):
        return f"{sight.today}T{'11' if name.startswith('end') else '10'}:00"
    if name in ("body", "message", "content"):
        return body(sight)
    return say(sight.language, "remark", sight.all_ids[:_NAMED])


def _label(sight: Sight) -> str:
    """The last word that the rules define with a colon: what the rest is to be called."""
    return (sight.labels or ["handled"])[-1]


def body(sight: Sight) -> str:
    """Returns the text of a mail that names every id and many facts."""
    facts = ", ".join(sight.values[:_FACTS])
    return say(sight.language, "body", sight.all_ids, facts=facts)


def is_named(offer: Offer, sight: Sight) -> bool:
    """Whether request or rules name what a tool does."""
    english, chinese = offer.verb, VERBS.get(offer.verb, ("", "?"))[1]
    return english in sight.asked.casefold() or chinese in sight.asked


def listings(sight: Sight) -> list[Call]:
    """Returns calls of the tools that list without knowing anything, what was asked for first."""
    readers = [offer for offer in sight.offers if offer.reads and offer.subject is None]
    listed = {(o.service, o.noun) for o in readers if o.verb == "list"}
    chosen = [o for o in readers if o.verb == "list" or (o.service, o.noun) not in listed]
    asked = sight.asked.casefold()
    chosen.sort(key=lambda offer: offer.noun.removesuffix("s") not in asked)
    return [_listing(offer, sight) for offer in chosen[:_LISTINGS]]


def _listing(offer: Offer, sight: Sight) -> Call:
    arguments: dict[str, Any] = {}
    for name, schema in offer.properties.items():
        option = _asked_for(schema.get("enum", ()), sight)
        if option is not None:
            arguments[name] = option
        elif name in ("limit", "max_results"):
            arguments[name] = _PAGE
        elif name in _SPAN:
            arguments[name] = _SPAN[name]
        elif name in offer.required:
            arguments[name] = sight.owner if name in _PEOPLE else ""
    return {"name": offer.name, "arguments": arguments}


def _asked_for(options: Sequence[str], sight: Sight) -> str | None:
    """Returns the option that the request names first, or else the only one that rules name."""
    requested = [option for option in options if option in sight.request]
    named = [option for option in options if option in sight.asked]
    if requested:
        return min(requested, key=sight.request.index)
    return named[0] if len(named) == 1 else None


def closer_looks(sight: Sight, room: int) -> list[Call]:
    """Returns calls that read the likeliest record of each kind in full, then the next pages."""
    looks = []
    for offer in sight.offers:
        if offer.reads and offer.subject and len(offer.required) == 1:
            ids = sight.ids(offer.subject)[:1]
            looks += [{"name": offer.name, "arguments": {offer.subject: i}} for i in ids]
    for exchange in sight.newest:
        offer, arguments, result = exchange.offer, exchange.arguments, exchange.result
        if offer.reads and isinstance(result, dict) and "cursor" in offer.properties:
            cursor = {"cursor": result["next"]} if "next" in result else None
            looks += [{"name": offer.name, "arguments": {**arguments, **cursor}}] if cursor else []
    return looks[:room]
