"""``mypy --strict`` of each integration against its framework's own types, and of what a caller may get wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.python.environments import CLIENT, PINNED, python_of
from tests.processes import ROOT

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("integrations")]


@pytest.mark.parametrize("framework", list(PINNED))
def test_the_module_is_what_the_framework_declares(framework: str, tmp_path: Path) -> None:
    module = framework.replace("-", "_")
    source = CLIENT / "reverie_client" / "integrations" / f"{module}.py"
    mistaken = tmp_path / "mistaken.py"
    mistaken.write_text(f"from reverie_client.integrations import {module}\n{module}.no_such_name\n", encoding="utf-8")
    python = python_of(framework)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python)]
    done = subprocess.run(
        [*command, "--cache-dir", str(python.parents[1] / "mypy"), str(source), str(mistaken)],
        cwd=ROOT, env=os.environ | {"MYPYPATH": str(CLIENT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    problems = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(problems) == 1, done.stdout
    assert 'has no attribute "no_such_name"' in problems[0]
