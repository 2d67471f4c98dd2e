"""Regular expressions that are compiled when they are first used, which keeps imports fast."""

import re
from typing import Any, cast


class _LazyPattern:
    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compiles, and from then on gives the compiled pattern's own methods."""
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Returns what behaves like `re.compile(source, flags)`."""
    return cast(re.Pattern[str], _LazyPattern(source, flags))
