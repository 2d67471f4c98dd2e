"""Offers: the tools as an agent reads them, taken apart by name and schema."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from coworkgym.frozen import Json

_READING = frozenset("list get search find read show view query".split())


class Offer(NamedTuple):
    """One tool.

    Attributes:
        name: Such as helpdesk_close_ticket.
        service: The first part of the name.
        verb: The second part.
        noun: The rest, or the service where there is none.
        properties: The schemas of the parameters.
        required: The names of those that must be given.
    """

    name: str
    service: str
    verb: str
    noun: str
    properties: dict[str, Any]
    required: tuple[str, ...]

    @property
    def reads(self) -> bool:
        """Whether the name is that of a tool that only looks."""
        return self.verb in _READING

    @property
    def subject(self) -> str | None:
        """The required parameter that says which record is meant, if there is one."""
        return next((n for n in self.required if n.endswith("_id") or n in ("id", "path")), None)


def read_offers(tools: Sequence[Json]) -> list[Offer]:
    """Returns the tools of a list of schemas, but for `reply`."""
    return [_read(schema) for schema in tools if schema["name"] != "reply"]


def _read(schema: Json) -> Offer:
    service, *rest = schema["name"].split("_")
    verb, *noun = rest or [service]
    parameters = schema["parameters"]
    return Offer(
        name=schema["name"],
        service=service,
        verb=verb,
        noun=" ".join(noun) or service,
        properties=parameters["properties"],
        required=tuple(parameters["required"]),
    )
