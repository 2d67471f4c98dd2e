"""Groups: the rollouts of one item, complete when enough of them have a reward."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coworkgym.errors import SettingsError
from coworkgym.rollouts.rollout import Rollout, is_scorable
from coworkgym.tasks import Item


class Group(NamedTuple):
    """Rollouts of one item: what advantages are computed over."""

    item: Item
    rollouts: tuple[Rollout, ...]


def groups(rollouts: Iterable[Rollout], size: int) -> Iterator[Group]:
    """Yields groups as they become complete: with `size` rollouts that have a reward.

    Rollouts without one are left out, and groups that stay too small are not yielded. The
    rollouts of a group are in order of their samples; more rollouts of its item begin another.

    Args:
        rollouts: In any order.
        size: Rollouts of a group, at least 1.

    Raises:
        SettingsError: For a size below 1.
    """
    if size < 1:
        raise SettingsError(f"the size of a group must be at least 1, got {size!r}")
    open_groups: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        if not is_scorable(rollout):
            continue
        name = rollout.id.rpartition("/")[0]
        group = open_groups.setdefault(name, [])
        group.append(rollout)
        if len(group) == size:
            del open_groups[name]
            yield Group(rollout.item, tuple(sorted(group, key=lambda one: one.sample)))
