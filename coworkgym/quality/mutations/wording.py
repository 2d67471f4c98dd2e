"""Wording: other ways to say the same, which state the same values."""

import re
from collections.abc import Callable, Iterator, Mapping

_ITEM = r"[\w@-]*\d(?:[\w@.-]*\w)?"
_LIST = re.compile(rf"{_ITEM}(?:(?:, |、){_ITEM})+", re.ASCII)
_BREAK = re.compile(r"(?<=[.:]) (?=\S)|(?<=[。：])(?=\S)")
_PHONE = r"\+\d[\d ]*\d"
_VALUE = re.compile(
    rf"{_PHONE}|(?<![\w.+-])[\w.+@-]*\d(?:[\w.@:-]*\w)?|[\w.+-]+@[\w.-]+\w", re.ASCII
)

Form = Callable[[str], str]


def _lines(before: Callable[[int], str], after: str = "") -> Form:
    """A list in the text becomes lines with marks; what stands after it, a line of its own."""

    def form(text: str) -> str:
        match = _LIST.search(text)
        if match is None:
            return text
        items = re.split(", |、", match[0])
        lines = [f"{before(number)} {item}{after}" for number, item in enumerate(items, start=1)]
        rest = re.sub(r"^[.。]\s*", "", text[match.end() :])
        return "\n".join([text[: match.start()].rstrip(), *lines, rest]).strip()

    return form


def _joined(word: str) -> Form:
    """The last comma of each list becomes a word."""

    def form(text: str) -> str:
        return _LIST.sub(lambda m: re.sub(r"(?:, |、)(?=[^,、]*$)", word, m[0]), text)

    return form


def _enumerated(text: str) -> str:
    """The Chinese mark of enumeration stands between the items of lists."""
    return _LIST.sub(lambda match: match[0].replace(", ", "、"), text)


def _reversed(text: str) -> str:
    """Each list runs backwards."""

    def turned(match: re.Match[str]) -> str:
        return ", ".join(reversed(re.split(", |、", match[0])))

    return _LIST.sub(turned, text)


def _around(before: str, after: str) -> Form:
    return lambda text: f"{before}{text}{after}"


def _values_in(before: str, after: str) -> Form:
    return lambda text: _VALUE.sub(lambda m: f"{before}{m[0]}{after}", text)


def _broken(text: str) -> str:
    return _BREAK.sub("\n", text)


_ANY: dict[str, Form] = {
    "bullets": _lines(lambda number: "-"),
    "table": _lines(lambda number: "|", " |"),
    "numbers": _lines(lambda number: f"{number}."),
    "backwards": _reversed,
    "line breaks": _broken,
    "bold": _values_in("**", "**"),
}
FORMS: Mapping[str, Mapping[str, Form]] = {
    "en": {
        "greeting": _around("Hello,\n\n", ""),
        "closing": _around("", "\n\nBest regards"),
        "summary": _around("To sum up: ", ""),
        "heading": _around("## Result\n\n", ""),
        "and": _joined(" and "),
        "quotes": _values_in('"', '"'),
        **_ANY,
    },
    "zh": {
        "greeting": _around("您好！\n\n", ""),
        "closing": _around("", "\n\n祝工作顺利！"),
        "summary": _around("总结如下：", ""),
        "heading": _around("## 结果\n\n", ""),
        "and": _joined("和"),
        "enumeration": _enumerated,
        "quotes": _values_in("“", "”"),
        **_ANY,
    },
}
"""Ways to say a text otherwise, by language and name; none adds a question."""

REASONS: Mapping[str, tuple[str, ...]] = {
    "en": ("Looked into with care.", "Handled as the house rules ask."),
    "zh": ("已仔细核实。", "按内部规定办理。"),
}
"""Wording that fits any act and states no value, by language."""


def reworded(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yields the name of each form, and the text in it, where it is another text."""
    for name, form in FORMS[language].items():
        other = form(text)
        if other != text:
            yield name, other
