"""JSON values: read-only containers equal to dict and list, and their compact text."""

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from pydantic_core import to_json

Json = Any
"""A JSON value: None, bool, int, float, str, and lists and string-keyed dicts of them."""


def _refuse(self: object, *_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError(f"{type(self).__name__} is read-only; copy it with dict() or list() first")


class FrozenDict(dict[str, Any]):
    """A dict that refuses mutation. Build it with `freeze`, which freezes the values too."""

    __slots__ = ()
    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __copy__(self) -> "FrozenDict":
        """Returns itself: nothing can change it."""
        return self

    def __deepcopy__(self, memo: object) -> "FrozenDict":
        """Returns itself: nothing can change it."""
        return self

    def __reduce__(self) -> tuple[type["FrozenDict"], tuple[dict[str, Any]]]:
        """Pickles as a plain dict that is frozen again."""
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A list that refuses mutation. Build it with `freeze`, which freezes the items too."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse

    def __copy__(self) -> "FrozenList":
        """Returns itself: nothing can change it."""
        return self

    def __deepcopy__(self, memo: object) -> "FrozenList":
        """Returns itself: nothing can change it."""
        return self

    def __reduce__(self) -> tuple[type["FrozenList"], tuple[list[Any]]]:
        """Pickles as a plain list that is frozen again."""
        return FrozenList, (list(self),)


_SCALARS = frozenset({str, int, float, bool, type(None)})
_FROZEN = frozenset({FrozenDict, FrozenList})


def freeze(value: Json) -> Json:
    """Returns `value` deeply read-only; what is frozen already is shared, not copied.

    Raises:
        TypeError: For anything that is not JSON (a numpy scalar, a datetime, a set, a key
            that is not a string), naming its type.
    """
    kind = type(value)
    if kind in _SCALARS or kind in _FROZEN:
        return value
    if isinstance(value, Mapping):
        for key in value:
            if type(key) is not str:
                raise TypeError(f"keys must be strings, got {key!r} ({type(key).__name__})")
        return FrozenDict({key: freeze(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return FrozenList([freeze(item) for item in value])
    raise TypeError(f"not a JSON value: {value!r} ({kind.__name__})")


def thaw(value: Json) -> Json:
    """Returns a plain, mutable deep copy: dicts and lists all the way down."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thaw(item) for item in value]
    return value


_SURROGATES = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Returns text that any encoder takes: surrogate pairs joined, lone halves replaced."""
    if text.isascii() or _SURROGATES.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_DEEPEST = 100  # levels of lists and objects that are let in
_LONGEST = 10_000  # bits of an integer that every reader of JSON takes


def admit(value: object) -> Json:
    """Returns whatever an agent sent as read-only JSON with clean text; never raises.

    numpy values become numbers and lists; what is no JSON at all becomes text.
    """
    try:
        return _admit(value, _DEEPEST)
    except Exception:  # an agent's object can raise anything when it is looked at
        return f"unreadable {type(value).__name__}"


def _admit(value: Any, room: int) -> Json:
    kind = type(value)
    if kind is str:
        return clean_text(value)
    if kind is int and value.bit_length() > _LONGEST:
        return f"an integer of {value.bit_length()} bits"
    if kind in _SCALARS:
        return value
    if not room:
        raise ValueError("nested too deeply")
    if kind is dict or isinstance(value, Mapping):
        return _admit_mapping(value, room)
    if isinstance(value, list | tuple):
        return FrozenList([_admit(item, room - 1) for item in value])
    if isinstance(value, set | frozenset):  # in an order that is the same in every process
        return FrozenList(sorted((_admit(item, room - 1) for item in value), key=json_text))
    return _admit_other(value, room)


def _admit_mapping(value: Mapping[Any, Any], room: int) -> FrozenDict:
    admitted = {}
    for key, item in value.items():
        if type(item) is not str or not item.isascii():  # most arguments are plain text
            item = _admit(item, room - 1)
        admitted[key if type(key) is str and key.isascii() else clean_text(str(key))] = item
    return FrozenDict(admitted)


def _admit_other(value: Any, room: int) -> Json:
    plain = getattr(value, "tolist", None)  # numpy scalars and arrays
    if callable(plain):
        return _admit(plain(), room - 1)
    text = str(value)
    nameless = " at 0x" in text  # an address, which is another one in every process
    return clean_text(type(value).__name__ if nameless else text)


class JsonText:
    """A JSON value that has been rendered already; `json_text` passes its text on."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        """The text."""
        return self.text


def json_text(value: Json) -> str:
    """Returns `value` as compact JSON, characters beyond ASCII kept, keys in their own order."""
    if type(value) is JsonText:
        return value.text
    return to_json(value, inf_nan_mode="constants").decode()
