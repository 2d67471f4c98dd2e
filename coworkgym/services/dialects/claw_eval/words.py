"""Words: how servers cut texts for a search."""

import re
from functools import lru_cache

_CJK = re.compile(r"[\u4e00-\u9fff]")
_MARKS = ",.!?;:\"'()[]{}，。！？；：、“”‘’（）【】《》"


@lru_cache(maxsize=4096)
def pairs(text: str) -> frozenset[str]:
    """Returns words, all pairs of characters that are not blank, and Chinese characters."""
    low = text.lower()
    couples = {low[i : i + 2] for i in range(len(low) - 1)}
    return frozenset({*low.split(), *filter(str.strip, couples), *_CJK.findall(low)})


@lru_cache(maxsize=4096)
def terms(text: str) -> frozenset[str]:
    """Returns words without punctuation, Chinese characters and pairs of them."""
    low = text.lower()
    words = {word.strip(_MARKS) for word in low.split()} - {""}
    chinese = _CJK.findall(low)
    couples = {low[i : i + 2] for i in range(len(low) - 1)}
    return frozenset({*words, *chinese, *(c for c in couples if len(_CJK.findall(c)) == 2)})
