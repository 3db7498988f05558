"""A virtual environment for each framework, with the releases of ``frameworks.toml`` and what the client needs.

It is kept until the releases change. The client is not installed there but used from its sources.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.integrations.environments import ENVIRONMENTS, IS_INSTALLING
from tests.processes import ROOT

CLIENT = ROOT / "clients" / "python"
PROJECT = tomllib.loads((CLIENT / "pyproject.toml").read_text("utf-8"))["project"]
PINNED: dict[str, list[str]] = {
    name: table["packages"]
    for name, table in tomllib.loads(Path(__file__).with_name("frameworks.toml").read_text("utf-8")).items()
}


def python_of(framework: str) -> Path:
    """The interpreter of a framework's environment. Without one the test is skipped, unless what is missing is to be
    installed."""
    folder = (ENVIRONMENTS / "python" / framework).resolve()
    python, noted = folder / "bin" / "python", folder / "packages"
    wanted = [*PINNED[framework], *PROJECT["dependencies"]]
    if noted.exists() and noted.read_text("utf-8").splitlines() == wanted:
        return python
    if not IS_INSTALLING:
        pytest.skip(f"*** THE INTEGRATION WITH {framework.upper()} IS NOT TESTED: run make test-integrations.")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, *wanted], check=True)
    noted.write_text("\n".join(wanted), encoding="utf-8")
    return python
