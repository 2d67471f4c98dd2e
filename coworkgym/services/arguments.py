"""Arguments of tool calls: converted where nothing is lost, refused precisely otherwise."""

import json
import re
from collections.abc import Mapping
from datetime import date
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails

from coworkgym.errors import ToolError, nearest
from coworkgym.frozen import FrozenDict, Json, admit
from coworkgym.services.addresses import split_recipients

_AMOUNT = re.compile(r"([A-Z]{3} ?)?-?[0-9]+(\.[0-9]+)?( ?[A-Z]{3})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def _plain_text(value: object) -> object:
    if type(value) is not str or value.isprintable():
        return value
    if _CONTROL.search(value):
        raise ValueError(f"must not contain a control character, got {value[:80]!r}")
    return value


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError(f"must be a number, got {json.dumps(value)}")
    return value


def _true_or_false(value: object) -> object:
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, got {_shown(value)}")
    return value


def _list_or_json(value: object) -> object:
    return _or_json(value, "[", "a list")


def _or_json(value: object, opening: str, expected: str) -> object:
    """The value, or what it says in JSON if it is text that begins like that."""
    if isinstance(value, str) and value.lstrip().startswith(opening):
        try:
            return admit(json.loads(value, strict=False))
        except (ValueError, RecursionError):
            raise ValueError(
                f"must be {expected}, got text that is no JSON: {value[:80]!r}"
            ) from None
    return value


def _text_or_number(value: object) -> object:
    if value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
        return _plain_text(value)
    raise ValueError(f"must be text or a number, got {_shown(value)}")


def _values(value: object) -> object:
    value = _or_json(value, "{", "an object")
    if not isinstance(value, Mapping):
        raise ValueError(f"must be an object of values by name, got {_shown(value)}")
    for name, item in value.items():
        try:
            _plain_text(name)
            _text_or_number(item)
        except ValueError as error:
            raise ValueError(f"{error} under {_shown(name)}") from None
    return value


def _recipients(value: object) -> object:
    if isinstance(value, str) or (isinstance(value, list) and all(type(v) is str for v in value)):
        entries = split_recipients(value)
        if not entries:
            raise ValueError("must name at least one recipient, got none")
        return entries
    raise ValueError(f"must be addresses as text or a list of texts, got {_shown(value)}")


def _real_day(value: str) -> str:
    try:
        if _DAY.fullmatch(value) and date.fromisoformat(value):
            return value
    except ValueError:
        pass  # the thirtieth of February
    raise ValueError(f"must be a day such as 2026-03-25, got {value!r}")


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def _amount(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = repr(int(value) if value == value // 1 else value)
    if isinstance(value, str) and _AMOUNT.fullmatch(value.strip()):
        return value.strip()
    raise ValueError(f"must be an amount such as 1250.00, got {_shown(value)}")


Amount = Annotated[
    str,
    BeforeValidator(_amount),
    WithJsonSchema({"type": "string", "format": "decimal"}),
]
"""Money as the agent writes it, a number or its text; `money.to_minor` reads it exactly."""
Day = Annotated[
    str, AfterValidator(_real_day), WithJsonSchema({"type": "string", "format": "date"})
]
"""A calendar day, YYYY-MM-DD."""
Filled = Annotated[str, AfterValidator(_not_blank)]
"""Text that says something."""
Recipients = Annotated[list[str], BeforeValidator(_recipients), WithJsonSchema({"type": "string"})]
"""Mail recipients: text with commas or semicolons between them, or a list; the same set."""
Value = Annotated[Any, BeforeValidator(_text_or_number), WithJsonSchema({"type": "string"})]
"""What stands in one field: text, or a number; the type of the field decides."""
Values = Annotated[dict[str, Any], BeforeValidator(_values), WithJsonSchema({"type": "object"})]
"""Values by the name of their field, an object or its JSON text."""

_STRICTER = {str: _plain_text, int: _no_bool, float: _no_bool, bool: _true_or_false}


def strict(annotation: Any) -> Any:
    """Returns the annotation with coworkgym's rules for text, numbers and booleans added."""
    if annotation in _STRICTER:
        return Annotated[annotation, BeforeValidator(_STRICTER[annotation])]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated and inner[0] is str:
        return Annotated[(str, *inner[1:], BeforeValidator(_plain_text))]
    if origin is list:
        return Annotated[list[strict(inner[0])], BeforeValidator(_list_or_json)]  # type: ignore[misc]
    if origin in (Union, UnionType):
        return Union[tuple(strict(part) for part in inner)]  # noqa: UP007
    return annotation


def parse_arguments(name: str, raw: Json) -> Mapping[str, Json]:
    """Returns the arguments as a mapping, whatever form they were sent in.

    Missing arguments, null, empty text and {} are the same: no arguments.

    Raises:
        ToolError: `incomplete_json` for text that was cut off, `invalid_json` for other text
            that does not parse, `invalid_argument` for anything that is not an object.
    """
    if type(raw) is FrozenDict or isinstance(raw, Mapping):
        return raw
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}
    name = name or "the call"
    parsed = _loads(name, raw) if isinstance(raw, str) else raw
    if isinstance(parsed, Mapping):
        return parsed
    if parsed is None or parsed == "":
        return {}
    raise ToolError(
        "invalid_argument", f"The arguments of {name} must be an object, got {_shown(parsed)}."
    )


def _loads(name: str, text: str) -> Json:
    try:
        return admit(json.loads(text))
    except json.JSONDecodeError as error:
        if _cut_off(text, error):
            raise ToolError(
                "incomplete_json",
                f"The arguments of {name} end too early, after {text[-40:]!r}; nothing was run.",
            ) from None
        raise ToolError(
            "invalid_json",
            f"The arguments of {name} are not JSON: {error.msg} at character {error.pos}.",
        ) from None
    except (ValueError, RecursionError):
        raise ToolError(
            "invalid_json", f"The arguments of {name} are nested too deeply or hold a huge number."
        ) from None


_UNFINISHED = re.compile(
    r"t(r(ue?)?)?|f(a(l(se?)?)?)?|n(u(ll?)?)?|-|\.[0-9]*|\.?[0-9]*[eE][-+]?|u[0-9a-fA-F]{0,3}|"
)


def _cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text is the beginning of something valid rather than wrong somewhere inside."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return False
    if error.msg.startswith("Unterminated string"):
        return True
    return _UNFINISHED.fullmatch(text[error.pos :].strip().removeprefix("\\")) is not None


def explain(name: str, error: ValidationError, model: type[BaseModel]) -> ToolError:
    """Returns the ToolError that tells the agent what is wrong with its arguments."""
    details = error.errors(include_url=False)
    missing = [str(detail["loc"][0]) for detail in details if detail["type"] == "missing"]
    if missing:
        return ToolError("missing_argument", f"{name} needs {_listed(missing)}.")
    first = details[0]
    argument = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        fields = list(model.model_fields)
        takes = f"It takes {_listed(fields)}." if fields else "It takes no arguments."
        return ToolError(
            "unknown_argument",
            f"{name} has no argument {argument!r}.{nearest(argument, fields)} {takes}",
        )
    place = argument + "".join(f"[{part}]" for part in first["loc"][1:] if isinstance(part, int))
    return ToolError("invalid_argument", f"{name}: {place!r} {_complaint(first)}")


_EXPECTED = {
    "string_type": "text",
    "int_type": "an integer",
    "int_parsing": "an integer",
    "int_from_float": "an integer",
    "int_parsing_size": "an integer of at most 4300 digits",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "list_type": "a list",
}


def _complaint(detail: ErrorDetails) -> str:
    if detail["type"] == "value_error":
        return f"{detail['ctx']['error']}."
    value = detail["input"]
    if detail["type"] == "literal_error":
        allowed = re.findall(r"'([^']*)'", detail["ctx"]["expected"])
        close = nearest(value, allowed) if isinstance(value, str) else ""
        return f"must be one of {_listed(allowed)}, got {_shown(value)}.{close}"
    expected = _EXPECTED.get(detail["type"], detail["msg"])
    return f"must be {expected}, got {_shown(value)}."


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _shown(value: object) -> str:
    """The value as the agent wrote it, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 80 else text[:77] + "..."
