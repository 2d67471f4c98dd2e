"""The errors of coworkgym: what was given, what is allowed, the nearest match."""

from collections.abc import Iterable
from difflib import get_close_matches


class CoworkError(Exception):
    """Base of every error that coworkgym raises on purpose."""


class TaskError(CoworkError, ValueError):
    """A task, task file or task package that cannot be used as it is."""


class SettingsError(CoworkError, ValueError):
    """A setting, or a number of things, that cannot be."""


class UnknownNameError(CoworkError, ValueError):
    """A name (task, service, level, check kind ...) that nothing is registered under."""


class GraderError(CoworkError, ValueError):
    """A check or gate that asks for something the office does not have."""


class EpisodeError(CoworkError, RuntimeError):
    """A step outside an episode: before `reset`, or after its end."""


class InfrastructureError(CoworkError, RuntimeError):
    """A failure that is not the agent's: a server, a time-out, a lost worker. The episode is void.

    Args:
        message: What failed, and where.
        hopeless: Whether trying again cannot help (no access, no such model): the run stops.
    """

    def __init__(self, message: str, *, hopeless: bool = False) -> None:
        super().__init__(message)
        self.hopeless = hopeless


class ContextOverflow(CoworkError, RuntimeError):
    """A transcript longer than a model reads. The agent's: the episode is cut off and scored."""


class ToolError(CoworkError):
    """The office saying no; the agent reads code and message, and nothing has changed.

    Args:
        code: Short machine-readable kind, such as `not_found`.
        message: One sentence for the agent.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type["ToolError"], tuple[str, str]]:
        """Pickles with both arguments."""
        return ToolError, (self.code, self.message)


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Returns ` Did you mean 'x'?`, or an empty string when nothing is close."""
    close = get_close_matches(name, list(allowed), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def unknown(noun: str, name: object, allowed: Iterable[str]) -> UnknownNameError:
    """Returns the error for a name that does not exist: value, nearest match, what is allowed."""
    names = sorted(allowed)
    listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return UnknownNameError(
        f"Unknown {noun} {name!r}.{nearest(str(name), names)} Allowed: {listed or 'none'}."
    )
