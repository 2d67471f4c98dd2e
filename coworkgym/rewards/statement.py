"""Statements: claims about an episode, as data. Checks and gates are made of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)

from coworkgym.errors import TaskError, nearest, unknown
from coworkgym.frozen import Json
from coworkgym.rewards.evidence import Evidence
from coworkgym.services import table, tool


class Verdict(NamedTuple):
    """How far a statement holds, in [0, 1], and why: one sentence that is true of the episode."""

    value: float
    why: str


class Statement(BaseModel, ABC):
    """Base of every kind of statement. A subclass names its kind and gives a verdict.

    Subclasses register themselves: `class Cheered(Statement, kind="cheered")`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    kind: ClassVar[str] = ""

    @classmethod
    def __init_subclass__(cls, kind: str = "", **kwargs: Any) -> None:
        """Registers the kind.

        Raises:
            ValueError: When the kind is taken.
        """
        super().__init_subclass__(**kwargs)
        if not kind:
            return
        if kind in KINDS:
            raise ValueError(f"statement kind {kind!r} is registered twice")
        cls.kind = kind
        KINDS[kind] = cls

    @abstractmethod
    def verdict(self, evidence: Evidence) -> Verdict:
        """Returns how far the statement holds of the episode.

        Raises:
            GraderError: When the evidence cannot answer.
        """

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields (noun, name) of every tool, argument, table and field it relies on."""
        return ()

    def literals(self) -> Iterable[str]:
        """Yields the texts the statement wants the agent to produce."""
        return ()

    def data(self) -> dict[str, Json]:
        """Returns the statement as JSON, with its kind; fields at their default are left out."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @model_serializer(mode="wrap")
    def _with_kind(self, fields: SerializerFunctionWrapHandler) -> dict[str, Json]:
        return {"kind": self.kind, **fields(self)}


KINDS: dict[str, type[Statement]] = {}
"""Every kind of statement by name: open to installed code, closed for task files."""


def load_statement(data: object) -> Statement:
    """Returns the statement of `Statement.data`.

    Raises:
        TaskError: For an unknown kind, field, tool or table, or an empty expectation.
    """
    if isinstance(data, Statement):
        return data
    if not isinstance(data, Mapping) or "kind" not in data:
        raise TaskError(f"a statement needs a 'kind', got {data!r:.200}")
    kind = data["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise unknown("statement kind", kind, KINDS)
    fields = {name: value for name, value in data.items() if name != "kind"}
    try:
        statement = KINDS[kind].model_validate(fields)
    except ValidationError as error:
        raise TaskError(f"statement {kind!r}: {first_problem(error, KINDS[kind])}") from error
    return statement


def first_problem(error: ValidationError, model: type[BaseModel]) -> str:
    """Returns the first complaint of a validation error with the value and the nearest field.

    Misspelt fields come first: a misspelt field is a missing one, too.
    """
    details = error.errors(include_url=False)
    misspelt = (detail for detail in details if detail["type"] == "extra_forbidden")
    detail = next(misspelt, details[0])
    place = ".".join(map(str, detail["loc"])) or "value"
    close = ""
    if detail["type"] == "extra_forbidden":
        close = nearest(str(detail["loc"][-1]), _fields_at(model, detail["loc"][:-1]))
    return f"{place}: {detail['msg']} (got {detail['input']!r:.200}).{close}"


def _fields_at(model: type[BaseModel], path: Iterable[int | str]) -> Iterable[str]:
    """The fields of the model that stands at a path inside of another."""
    for part in path:
        if isinstance(part, str) and part in model.model_fields:
            annotation = model.model_fields[part].annotation
            for inner in (annotation, *get_args(annotation)):
                if isinstance(inner, type) and issubclass(inner, BaseModel):
                    model = inner
    return model.model_fields


@lru_cache(maxsize=4096)
def check_name(noun: str, name: str) -> None:
    """Raises UnknownNameError when no service has that tool, table, field or argument."""
    owner, _, part = name.rpartition(".")
    if noun == "tool" and name != "reply":
        tool(name)
    elif noun == "table":
        table(name)
    elif noun == "field" and part not in table(owner).fields:
        raise unknown(f"field of {owner}", part, table(owner).fields)
    elif noun == "argument" and owner != "reply" and part not in tool(owner).parameters:
        raise unknown(f"argument of {owner}", part, tool(owner).parameters)


def check_names(statement: Statement, check: Callable[[str, str], None] = check_name) -> None:
    """Raises UnknownNameError when a tool, table or field the statement relies on is unknown.

    Args:
        statement: Any.
        check: Refuses a name of a kind; by default what no service has.
    """
    for noun, name in statement.names():
        check(noun, name)


AnyStatement = Annotated[SerializeAsAny[Statement], BeforeValidator(load_statement)]
"""A field that holds a statement of any kind."""
