"""The command ``reverie`` as a process of its own, in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes import ROOT

Command = Callable[..., subprocess.CompletedProcess[str]]
OURS = ("REVERIE_", "DATABASE_", "EMBEDDING_", "LLM_", "RERANK_")


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs ``reverie`` with these arguments, and these variables in its environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]

    def run(*arguments: str, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "reverie", *arguments], cwd=tmp_path, input=said,
            env=kept | {"PYTHONPATH": os.pathsep.join(paths), "EMBEDDING_MODEL": "none"} | environment,
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip

    return run
