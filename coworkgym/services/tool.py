"""Tools: typed, documented functions; the signature and the docstring are the schema."""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.services.arguments import explain, strict

if TYPE_CHECKING:
    pass

Function = Callable[..., Json]


class Tool:
    """One thing an agent can do. Made by `Service.tool` from a function.

    Args:
        function: Takes the Office first, then the arguments; returns a JSON value or raises
            ToolError. Its docstring is read by the agent: a summary, then `Args:` with a line
            for each argument.
        writes: Whether a successful call changes records.
    """

    def __init__(self, function: Function, *, writes: bool = False) -> None:
        self.name = function.__name__
        self.__module__ = function.__module__
        self.function = function
        self.writes = writes

    def __repr__(self) -> str:
        """Returns `Tool('helpdesk_get_ticket')`."""
        return f"Tool({self.name!r})"

    def __reduce__(self) -> str:
        """Pickles by name, as the decorated function of its module."""
        return self.name

    @cached_property
    def description(self) -> str:
        """What the tool does, for the agent."""
        return _parse_docstring(self.function)[0]

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The arguments an agent can give, by name."""
        signature = inspect.signature(self.function)
        return dict(list(signature.parameters.items())[1:])

    @cached_property
    def schema(self) -> FrozenDict:
        """`{name, description, parameters}` with `parameters` in JSON Schema."""
        described = _parse_docstring(self.function)[1]
        raw = self._model.model_json_schema()
        properties = {
            name: _property(field, described.get(name, ""))
            for name, field in raw.get("properties", {}).items()
        }
        required = [n for n, p in self.parameters.items() if p.default is inspect.Parameter.empty]
        frozen: FrozenDict = freeze(
            {
                "name": self.name,
                "description": self.description,
                "parameters": {"type": "object", "properties": properties, "required": required},
            }
        )
        return frozen

    @cached_property
    def _model(self) -> type[BaseModel]:
        hints = get_type_hints(self.function, include_extras=True)
        fields: dict[str, Any] = {
            name: (strict(hints[name]), ... if p.default is inspect.Parameter.empty else p.default)
            for name, p in self.parameters.items()
        }
        config = ConfigDict(extra="forbid", allow_inf_nan=False)
        return create_model(self.name, __config__=config, **fields)

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        given = ((n, p.default) for n, p in self.parameters.items())
        return {name: value for name, value in given if value is not inspect.Parameter.empty}

    @cached_property
    def _texts(self) -> frozenset[str]:
        """Arguments that take any text as it is."""
        hints = get_type_hints(self.function, include_extras=True)
        return frozenset(n for n in self.parameters if hints[n] in (str, str | None))

    @cached_property
    def _required(self) -> frozenset[str]:
        return frozenset(self.parameters) - set(self._defaults)

    def validate(self, arguments: Mapping[str, Json]) -> Mapping[str, Any]:
        """Returns the converted arguments with defaults filled in; null means "not given".

        Raises:
            ToolError: `missing_argument`, `unknown_argument` or `invalid_argument`.
        """
        if self._is_plain(arguments):  # what nearly every reading call is: spares the validator
            return FrozenDict({**self._defaults, **arguments}) if self._defaults else arguments
        if None in arguments.values():
            arguments = {
                name: value
                for name, value in arguments.items()
                if value is not None or name not in self.parameters
            }
        try:
            model: BaseModel = self._model.__pydantic_validator__.validate_python(arguments)
        except ValidationError as error:
            raise explain(self.name, error, self._model) from None
        return model.__dict__

    def _is_plain(self, arguments: Mapping[str, Json]) -> bool:
        """Whether there is nothing to convert or refuse: all needed, and printable texts only."""
        texts = self._texts
        for name, value in arguments.items():
            if name not in texts or type(value) is not str or not value.isprintable():
                return False
        return self._required <= arguments.keys()


_ARGUMENT = re.compile(r"^(\w+): (.*)$")


def _parse_docstring(function: Function) -> tuple[str, dict[str, str]]:
    """The text before `Args:`, and the line of each argument (Google style)."""
    text = inspect.getdoc(function) or ""
    summary, _, rest = text.partition("\nArgs:\n")
    described: dict[str, str] = {}
    name = ""
    for line in rest.splitlines():
        if match := _ARGUMENT.match(line.strip()):
            name = match[1]
            described[name] = match[2]
        elif name and line.strip():
            described[name] += " " + line.strip()
    return " ".join(summary.split()), described


def _property(field: dict[str, Any], description: str) -> dict[str, Any]:
    """One argument's JSON Schema without what only costs tokens: titles and null branches."""
    default = field.get("default")
    kept = next((f for f in field.get("anyOf", ()) if f.get("type") != "null"), field)
    plain = {key: value for key, value in kept.items() if key not in ("title", "default")}
    if description:
        plain["description"] = description
    if default is not None:
        plain["default"] = default
    return plain
