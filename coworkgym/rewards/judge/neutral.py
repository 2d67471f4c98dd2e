"""Neutral text: what a candidate wrote, with nothing in it that a judge could take for its own."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from coworkgym.frozen import clean_text
from coworkgym.services.patterns import lazy_pattern

_SIGNS = str.maketrans("<>{}ː꞉∶։", "‹›❴❵::::")
_FORMAL = frozenset("<>{}[]|:=`~/#")  # what markup is made of
_UNUSUAL = lazy_pattern(r"[^\n\t\x20-\x7e]")
_UNSEEN = lazy_pattern("[\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_FENCES = lazy_pattern(r"`{3,}|~{3,}")
_TAGS = lazy_pattern(r"\[([\s/|]*[a-z_]+[\s|]*)\]", re.IGNORECASE)  # [INST], [/INST], [|user|]
_SPEAKERS = (
    r"grade|verdict|score|rating|judge?ment|评分|裁决|判定"
    r"|system|assistant|user|human|developer|tool|instructions?|response"
)
_SPEAKING = lazy_pattern(rf"({_SPEAKERS})[^\w\n]*[:=][^\w\n]*", re.IGNORECASE)
_COLONS = str.maketrans(":=", "--")

_WORD = lazy_pattern(r"\w+")
_LATIN = lazy_pattern("[A-Za-z]")
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝкмтгпвнѵӏАВЕКМНОРСТУХІЈЅԌԚԜѴӀ" + "αεικνορτυχγηωϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ",
    "aeopcyxijsdhqwkmtrnbhvlABEKMHOPCTYXIJSGQWVI" + "aeikvoptuxynwcABEZHIKMNOPTYXC",
)  # Cyrillic, then Greek

_BETWEEN = r"(?:\(U\+[0-9A-F]{4,6}\)|\\[nrt]|[\W_])*"  # \n is how JSON writes a line's end
_GAP = lazy_pattern(_BETWEEN)
_LINE_END = lazy_pattern(r"\n|\\[nr]")
_HARMLESS = frozenset(" \t\n\\\"'“”‘’()[]❴❵,.;!?*#_，。、；！？…")  # beside letters and numbers
_DOT = "·"


def neutralise(text: str, words: Iterable[str]) -> str:
    """Returns text in which nothing is markup, a role, or a verdict, to whoever reads it.

    Angle brackets and braces become ‹ › ❴ ❵, so there is no tag, no special token and no JSON
    object; code fences become quotation marks, `[INST]` becomes `(INST)`; the colon after a word
    such as grade, verdict or system becomes a dash; invisible characters (zero-width, bidi,
    controls) stand as `(U+200B)`; look-alikes of Latin letters and of markup, such as full-width
    ones, or Cyrillic ones in a word with Latin letters, count as what they look like. Every sign
    between a verdict and the word before it, such as a colon, a dash or an arrow, becomes ·, and
    a verdict alone on its line stands in “ ”.

    Args:
        text: What a candidate wrote.
        words: The verdicts.
    """
    text = clean_text(text).replace("\r\n", "\n")
    text = _UNUSUAL.sub(lambda found: _shown(found[0]), text)
    if not text.isascii():
        text = _WORD.sub(lambda found: _in_one_script(found[0]), text)
    text = _TAGS.sub(r"(\1)", _FENCES.sub("'''", text.translate(_SIGNS)))
    text = _SPEAKING.sub(lambda found: found[0].translate(_COLONS), text)
    return _without_verdicts(text, tuple(words))


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    """The number of a character that cannot be seen; the ASCII letter or sign it looks like.

    Digits stay, because 5² is not 52.
    """
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cf", "Zl", "Zp") or _UNSEEN.search(character):
        return f"(U+{ord(character):04X})"
    plain = unicodedata.normalize("NFKC", character)
    is_letter = len(plain) == 1 and plain.isascii() and plain.isalpha()
    return plain if is_letter or plain in _FORMAL else character


def _in_one_script(word: str) -> str:
    """A word that mixes Latin letters with look-alikes, in Latin letters; others as they are."""
    mixes = not word.isascii() and _LATIN.search(word)
    return word.translate(_LOOKALIKES) if mixes else word


def _without_verdicts(text: str, words: tuple[str, ...]) -> str:
    verdict, token = _patterns(words)
    if verdict.search(text) is None:  # most texts, and quickly found
        return text
    return token.sub(_unsaid, text)


@lru_cache(maxsize=64)
def _patterns(words: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Finds a verdict; finds every word, a verdict under its own name, and what is before it."""
    one = "|".join(re.escape(word.strip()) for word in sorted(words, key=len, reverse=True))
    one = rf"(?P<verdict>{one})(?![^\W_])"
    token = rf"(?P<gap>{_BETWEEN})(?:{one}|[^\W_]*)"
    return re.compile(one, re.IGNORECASE), re.compile(token, re.IGNORECASE)


def _unsaid(found: re.Match[str]) -> str:
    gap, verdict = found["gap"], found["verdict"]
    if verdict is None:
        return found[0]
    alone = _begins_line(found) and _ends_line(found) and not gap.endswith("“")
    numbered = re.split(r"(\(U\+[0-9A-F]{4,6}\))", gap)  # at odd places, to stay
    numbered[::2] = ["".join(map(_without_sign, part)) for part in numbered[::2]]
    return "".join(numbered) + (f"“{verdict}”" if alone else verdict)


def _begins_line(found: re.Match[str]) -> bool:
    return found.start() == 0 or _LINE_END.search(found["gap"]) is not None


def _ends_line(found: re.Match[str]) -> bool:
    """Whether no other word follows in the line, or in the JSON string."""
    after = _GAP.match(found.string, found.end())
    if after is None or after.end() == len(found.string):
        return True
    return after[0].startswith('"') or _LINE_END.search(after[0]) is not None


def _without_sign(character: str) -> str:
    is_sign = unicodedata.category(character)[0] in "PS" and character not in _HARMLESS
    return _DOT if is_sign else character
