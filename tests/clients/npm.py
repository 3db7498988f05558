"""npm in the folder of the TypeScript client."""

from __future__ import annotations

import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.processes import ROOT

FOLDER = ROOT / "clients" / "typescript"
SKIPPED = 77


def npm(*command: str, **environment: str) -> str:
    """What npm says in the folder of the client; AssertionError where it fails, skipped where it cannot be run."""
    done = run(ROOT, str(ROOT / "scripts" / "typescript.sh"), *command, **environment)
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = os.environ | environment
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=given)


def packed(folder: Path) -> Path:
    """The archive of the client, as it is published, in that folder."""
    npm("pack", "--silent", "--pack-destination", str(folder))
    [archive] = folder.glob("*.tgz")
    return archive


def unpack(archive: Path, folder: Path) -> None:
    """Install the client into a folder without npm."""
    place = folder / "node_modules" / "@reverie" / "client"
    folder.mkdir(exist_ok=True)
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    place.parent.mkdir(parents=True)
    (folder / "package").rename(place)
