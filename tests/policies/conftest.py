"""Tasks that the tests of policies play."""

import pytest

from coworkgym import get_package


@pytest.fixture(scope="session")
def task_of():
    """Builds a task of a package, each only once."""
    built = {}

    def build(name, level="easy", language="en", seed=0):
        key = (name, level, language, seed)
        if key not in built:
            package = get_package(name)
            built[key] = package.build(package.item(seed=seed, level=level, language=language))
        return built[key]

    return build
