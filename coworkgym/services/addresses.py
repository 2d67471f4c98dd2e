"""Mail addresses: one canonical form, and recipient lists in the shapes that agents write."""

import json
import re
from collections.abc import Sequence

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # and what else breaks lines
_QUOTED = r'"(?:[^"\\]|\\(?:.|\Z))*+(?:"|\Z)'  # an open quote runs to the end of the text
_ATOM = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_SPEC = re.compile(rf"{_ATOM}(?:\.{_ATOM})*@(?:{_LABEL}\.)+{_LABEL}")
_NAMED = re.compile(rf'(?:{_QUOTED}|[^"<>,;])*+<([^<>]*)>', re.DOTALL)
_ENTRY = re.compile(rf'(?:{_QUOTED}|[^",;])++', re.DOTALL)


def canonical(address: str) -> str:
    """Returns the bare address in lower case: `bo@orga.test` for `Bo Lind <BO@Orga.test>`.

    Two addresses are the same mailbox when their canonical forms are equal; `bo+hr@orga.test` is
    another one than `bo@orga.test`. Addresses are ASCII with a dot in the domain.

    Raises:
        ValueError: For what is no single address, naming it.
    """
    named = _NAMED.fullmatch(address.strip())
    spec = (named[1] if named else address).strip().lower()
    if _CONTROL.search(address) or not _SPEC.fullmatch(spec):
        raise ValueError(f"{address!r} is no mail address; write it like 'bo@orga.test'.")
    return spec


def domain(address: str) -> str:
    """Returns the canonical domain: `orga.test` for `BO@Orga.test`.

    Raises:
        ValueError: For what is no single address, naming it.
    """
    return canonical(address).rpartition("@")[2]


def split_recipients(value: str | Sequence[str]) -> list[str]:
    """Returns the entries of a recipient list as written, stripped, in order, each one once.

    Takes a list, a JSON array as text, and text separated by commas or semicolons; a quoted
    display name may hold either. Entries are not validated: what is no address stays as it is.
    """
    values = _json_array(value) if isinstance(value, str) else value
    unique: dict[str, str] = {}
    for entry in (entry.strip() for text in values for entry in _ENTRY.findall(text)):
        unique.setdefault(_identity(entry), entry)
    return [entry for entry in unique.values() if entry]


def recipients(value: str | Sequence[str]) -> frozenset[str]:
    """Returns the canonical addresses of a recipient list in any shape of `split_recipients`.

    Raises:
        ValueError: For an entry that is no address, naming it.
    """
    return frozenset(canonical(entry) for entry in split_recipients(value))


def _identity(entry: str) -> str:
    try:
        return canonical(entry)
    except ValueError:
        return entry


def _json_array(text: str) -> Sequence[str]:
    """Returns the strings of a JSON array, or the text itself when it is none."""
    if not text.lstrip().startswith("["):
        return [text]
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return [text]
    strings = isinstance(parsed, list) and all(isinstance(item, str) for item in parsed)
    return parsed if strings else [text]
