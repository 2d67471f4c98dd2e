"""What the packages export is sorted, exists, and is documented."""

import importlib
import inspect

import pytest

PACKAGES = ["", ".services", ".company", ".rewards", ".users", ".tasks", ".envs", ".policies",
            ".rollouts", ".quality", ".testing"]  # fmt: skip


@pytest.mark.parametrize("name", PACKAGES)
def test_exports_are_sorted_exist_and_have_a_docstring(name):
    module = importlib.import_module(f"coworkgym{name}")
    exported = module.__all__
    assert exported == sorted(exported, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    for attribute in exported:
        thing = getattr(module, attribute)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), attribute
