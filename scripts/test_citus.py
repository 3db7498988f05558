"""Runs tests on a Citus cluster of its own, on the loopback.

    python scripts/test_citus.py [--part] [arguments of pytest]

Citus is no part of the project: a program that starts a cluster is looked for in the folder that REVERIE_SHARED names
(by default ``../shared``). Where there is none, or for another platform, nothing is run, which is said loudly.
``--part``: every statement, each promise of ARCHITECTURE.md, and the drills; otherwise all that touches the database. A
whole run that passes is noted in ``tests/citus_run.json``.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAM = Path(os.environ.get("REVERIE_SHARED", ROOT.parent / "shared")) / "citus" / "cluster.py"
NOTED = ROOT / "tests" / "citus_run.json"
PORT = "9700"
STATEMENTS = ["tests/db/test_citus.py", "tests/db/test_citus_drills.py"]
PROMISE = re.compile(r"\| `((?:api|db|memory|promises|transfer|worker)/[\w/]+\.py::\w+)` \|$", re.MULTILINE)
OWN_POSTGRES = ("test_replica.py", "test_take_over.py", "test_pgbouncer.py", "db/embedded")
"""What starts a Postgres of its own, or is about one, and says nothing of Citus."""
WHOLE = ["db", "store", "memory", "promises", "transfer", "worker", "api", "mcp", "proxy", "acceptance"]


def selected(part: bool) -> list[str]:
    """The tests to run, as pytest takes them."""
    if not part:
        left_out = [f"--ignore-glob=*{name}*" for name in OWN_POSTGRES]
        return [f"tests/{folder}" for folder in WHOLE] + left_out
    named = PROMISE.findall((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    promises = [f"tests/{one}" for one in named if not any(name in one for name in OWN_POSTGRES)]
    return [*STATEMENTS, *sorted(set(promises))]


def note(minutes: float) -> None:
    """Write down of which commit all tests have passed, and when."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    at = datetime.now(UTC).isoformat(timespec="minutes")
    noted = {"commit": commit.strip(), "at": at, "minutes": round(minutes), "tests": "whole"}
    NOTED.write_text(json.dumps(noted, indent=2) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Start a cluster, run the tests on it, and stop it; their exit status."""
    if not PROGRAM.is_file() or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        print(f"*** NOTHING IS TRIED ON CITUS: there is no {PROGRAM}, or not for this platform.")
        return 0
    part = "--part" in arguments
    folder = Path(tempfile.mkdtemp(prefix="reverie-citus-"))
    folder.chmod(0o755)  # as root, the nodes run as another user
    began = time.monotonic()
    try:
        started = subprocess.run(
            [sys.executable, PROGRAM, "start", folder, "--venv", sys.prefix, "--port", PORT],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        variable, _, url = started.stdout.strip().partition("=")
        options = [argument for argument in arguments if argument != "--part"]
        command = [sys.executable, "-m", "pytest", *selected(part), *options]
        status = subprocess.run(command, cwd=ROOT, env=os.environ | {variable: url}, check=False).returncode
    finally:
        subprocess.run([sys.executable, PROGRAM, "stop", folder], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    if status == 0 and not part:
        note((time.monotonic() - began) / 60)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
