"""The virtual environment of peers, made once in a folder."""

from __future__ import annotations

import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path

PACKAGES = (
    "mem0ai==2.2.1",
    "langgraph-checkpoint-postgres==3.2.0",
    "langgraph==1.2.22",
    "psycopg[binary,pool]",
    "wordllama",
)
PROGRAMS = Path(__file__).parent / "programs"
"""For PYTHONPATH of whatever runs in the environment: what programs of peers share."""


class NotInstalled(Exception):
    """The peers cannot be installed here; the message says why."""


def environment(folder: Path, packages: Sequence[str] = PACKAGES) -> Path:
    """Return the Python of an environment with these packages, made in the folder. Raises NotInstalled."""
    python = folder / "bin" / "python"
    marker = folder / "installed"
    if marker.exists() and marker.read_text(encoding="utf-8") == "\n".join(packages):
        return python
    venv.create(folder, with_pip=True)
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", *packages], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["pip failed"]
        raise NotInstalled(f"the peers cannot be installed: {reason[0]}")
    marker.write_text("\n".join(packages), encoding="utf-8")
    return python
