"""Mail domains: the reserved top-level ones, and misspellings that are easily overlooked."""

from collections.abc import Callable

from coworkgym.company.lexicon import TOP_LEVELS, pick

# Each takes the name before the last dot, and a place in its first word.
_MISSPELLINGS: tuple[Callable[[str, int], str], ...] = (
    lambda name, at: name[: at - 1] + name[at : at + 1] + name[at - 1 : at] + name[at + 1 :],
    lambda name, at: name[:at] + name[at - 1 :],
    lambda name, at: name[:at] + name[at + 1 :],
    lambda name, _: name.replace("o", "0", 1),
    lambda name, _: name.replace("m", "rn", 1),
    lambda name, _: f"{name}-billing",
)


def near_miss(random: Callable[[], float], domain: str) -> str:
    """Draws a domain that differs from `domain` in one thing.

    Two letters are swapped, one is doubled, dropped or replaced by a similar one, a word is
    added, or the top-level domain is another one.
    """
    name, _, top = domain.rpartition(".")
    first_word = name.partition("-")[0]
    at = 1 + int(random() * (len(first_word) - 1))
    misses = [f"{misspell(name, at)}.{top}" for misspell in _MISSPELLINGS]
    misses += [f"{name}.{other}" for other in TOP_LEVELS if other != top]
    return pick(random, [miss for miss in misses if miss != domain])
