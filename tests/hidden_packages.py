"""Processes for which packages are not installed."""

from __future__ import annotations

import os
from pathlib import Path

from tests.processes import ROOT


def python_path(folder: Path, at_start: str) -> str:
    """PYTHONPATH of processes that have the project's sources, and run these lines before anything else."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(at_start, encoding="utf-8")
    return os.pathsep.join([str(folder), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


def without(folder: Path, *packages: str) -> str:
    """PYTHONPATH of processes that cannot import these packages."""
    return python_path(folder, f"import sys\nsys.modules.update(dict.fromkeys({packages!r}))\n")
