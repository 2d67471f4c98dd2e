"""Provenance: what a published number was measured on."""

import platform
import subprocess
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import coworkgym


def provenance(packages: Iterable[str]) -> dict[str, Any]:
    """Returns commit (empty outside a checkout), versions and machine.

    Args:
        packages: Whose versions matter.
    """
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    return {
        "commit": asked.stdout.strip(),
        "coworkgym": coworkgym.__version__,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in packages},
        "machine": f"{platform.machine()}, {platform.system()}",
    }
