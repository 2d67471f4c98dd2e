"""Testing: tests for free for whoever writes a task package or a check.

It needs the extra `[test]` (hypothesis and pytest); nothing else in coworkgym imports it.
"""

from coworkgym.testing.checks import checks, statements
from coworkgym.testing.machine import EpisodeMachine, episode_machine
from coworkgym.testing.properties import PROPERTIES, Property, tasks_of
from coworkgym.testing.strategies import (
    episodes,
    items,
    odd_texts,
    tasks,
    tool_calls,
    worlds,
    writing_calls,
)
from coworkgym.testing.suite import (
    assert_package,
    golden_digests,
    package_test,
    released_as,
    variants,
)

__all__ = [
    "PROPERTIES",
    "EpisodeMachine",
    "Property",
    "assert_package",
    "checks",
    "episode_machine",
    "episodes",
    "golden_digests",
    "items",
    "odd_texts",
    "package_test",
    "released_as",
    "statements",
    "tasks",
    "tasks_of",
    "tool_calls",
    "variants",
    "worlds",
    "writing_calls",
]
