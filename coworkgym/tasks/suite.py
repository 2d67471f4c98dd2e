"""The suite: all task packages, found by name, tag, profession or service."""

import importlib
import os
import pkgutil
from collections.abc import Iterator
from functools import cache

import coworkgym.tasks as folder
from coworkgym.errors import unknown
from coworkgym.tasks.folder import folder_package
from coworkgym.tasks.package import TaskPackage, registered


@cache
def _import_all() -> None:
    """Imports every module in the profession folders; each registers its package."""
    for profession in pkgutil.iter_modules(folder.__path__, f"{folder.__name__}."):
        if profession.ispkg:
            found = importlib.import_module(profession.name)
            for module in pkgutil.iter_modules(found.__path__, f"{found.__name__}."):
                importlib.import_module(module.name)


def packages(*, tag: str | None = None, profession: str | None = None) -> Iterator[TaskPackage]:
    """Yields the packages in order of their names, all or those with a tag or of a profession."""
    _import_all()
    for _, package in sorted(registered().items()):
        if tag in (None, *package.tags) and profession in (None, package.profession):
            yield package


def get_package(name: str) -> TaskPackage:
    """Returns a package by its name, Gymnasium id or folder.

    Args:
        name: Such as payment_change, cowork/payment-change-v0, or the folder of a package made of
            task files, which is read unless it is registered.

    Raises:
        UnknownNameError: With the nearest match.
    """
    _import_all()
    known = registered()
    for package in known.values():
        if package.source == name and name:
            return package
    if os.path.isabs(name):
        return folder_package(name)
    plain, _, version = name.removeprefix("cowork/").partition("-v")
    found = known.get(plain.replace("-", "_"))
    if found is None:
        raise unknown("task package", name, known)
    if version and version != str(found.version):
        raise unknown("task package", name, [package.env_id for package in known.values()])
    return found
