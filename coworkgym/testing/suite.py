"""Suite: all properties of a package at once, as one call or as pytest cases."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pytest

from coworkgym.tasks import Language, Level, TaskPackage, get_package
from coworkgym.testing.properties import PROPERTIES, SEEDS, Property


class Variant(NamedTuple):
    """One level and language of a package; prints as `escalation-warmup-en`."""

    package: TaskPackage
    level: Level
    language: Language

    def __str__(self) -> str:
        """Returns the parts with hyphens between."""
        return f"{self.package.name}-{self.level}-{self.language}"


def variants(
    *packages: str | TaskPackage,
    levels: Sequence[Level] | None = None,
    languages: Sequence[Language] | None = None,
) -> Iterator[Variant]:
    """Yields every level and language of some packages.

    Args:
        packages: Packages or their names.
        levels: By default all of each package.
        languages: By default all of each package.
    """
    for one in packages:
        package = get_package(one) if isinstance(one, str) else one
        for level in levels or tuple(package.tools):
            for language in languages or package.languages:
                yield Variant(package, level, language)


def assert_package(
    package: str | TaskPackage,
    *,
    levels: Sequence[Level] | None = None,
    languages: Sequence[Language] | None = None,
    seeds: int = SEEDS,
    properties: Sequence[Property] = PROPERTIES,
) -> None:
    """Runs all properties of a package.

    Args:
        package: A package or its name.
        levels: As in `variants`.
        languages: As in `variants`.
        seeds: Tasks of each level and language, about.
        properties: What to run.

    Raises:
        AssertionError: Naming each property that fails, where, and why.
    """
    failures: list[str] = []
    for variant in variants(package, levels=levels, languages=languages):
        for holds in properties:
            try:
                holds(*variant, seeds)
            except AssertionError as error:
                failures.append(f"{variant}-{holds.__name__}: {error}")
    if failures:
        raise AssertionError("\n".join(failures))


def package_test(
    *packages: str | TaskPackage,
    levels: Sequence[Level] | None = None,
    languages: Sequence[Language] | None = None,
    seeds: int = SEEDS,
    properties: Sequence[Property] = PROPERTIES,
) -> Callable[[Variant, Property], None]:
    """Returns a pytest function with one case for each variant and property.

    `test_my_package = package_test("my_package")` has cases such as
    `test_my_package[my_package-warmup-en-gates_trip]`.

    Args:
        packages: Packages or their names.
        levels: As in `variants`.
        languages: As in `variants`.
        seeds: Tasks of each level and language, about.
        properties: What to run.
    """
    cases = list(variants(*packages, levels=levels, languages=languages))

    @pytest.mark.parametrize("holds", properties, ids=lambda holds: holds.__name__)
    @pytest.mark.parametrize("variant", cases, ids=str)
    def test(variant: Variant, holds: Property) -> None:
        holds(*variant, seeds)

    return test


def golden_digests(*packages: str | TaskPackage) -> dict[str, str]:
    """Returns the digest of one task of each variant, to be kept beside the tests.

    A digest that changes is a change of reward or records: raise the package's version.
    """
    return {
        f"{package.env_id} {level} {language}": package.build(
            package.item(seed=1, level=level, language=language)
        ).digest
        for package, level, language in variants(*packages)
    }


def released_as(golden: Mapping[str, str]) -> Property:
    """Returns the property that tasks are what they were released as.

    Args:
        golden: What `golden_digests` returned at the release.
    """

    def is_as_released(
        package: TaskPackage, level: Level, language: Language, seeds: int = SEEDS
    ) -> None:
        name = f"{package.env_id} {level} {language}"
        task = package.write(package.item(seed=1, level=level, language=language))
        if golden.get(name) != task.digest:
            raise AssertionError(
                f"{name} is {task.digest}, released as {golden.get(name)}: "
                "raise the version of the package"
            )

    return is_as_released
