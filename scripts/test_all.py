"""Runs every test; those that fail are run once more, by themselves, when all others have finished.

    python scripts/test_all.py [arguments of pytest]

A test that passes the second time depends on how busy the machine is: it is printed as flaky. The exit status is not 0
when one fails twice, or when more than FLAKY_MAX are flaky.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LAST_FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
FLAKY_MAX = 3
AGAIN_MAX = 20
"""More failures than these are no matter of chance, and not tried again."""
TESTS_FAILED = 1
"""Exit status of pytest when tests ran and some failed."""


def pytest(*arguments: str) -> int:
    """Run pytest; its exit status."""
    command = [sys.executable, "-m", "pytest", "--cache-clear", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def failures() -> list[str]:
    """The tests that failed in the last run, without the name of the group that pytest-xdist appends to theirs."""
    if not LAST_FAILED.exists():
        return []
    return sorted(re.sub(r"@\w+$", "", test) for test in json.loads(LAST_FAILED.read_text(encoding="utf-8")))


def main() -> int:
    status = pytest(*sys.argv[1:])
    failed = failures()
    if status != TESTS_FAILED or not 0 < len(failed) <= AGAIN_MAX:
        return status
    print(f"{len(failed)} tests failed and are run once more by themselves.", flush=True)
    status = pytest("-n", "0", *failed)
    flaky = sorted(set(failed) - set(failures()))
    for test in flaky:
        print(f"FLAKY: {test}")
    if len(flaky) > FLAKY_MAX:
        print(f"{len(flaky)} tests are flaky; {FLAKY_MAX} at most are let through.")
    return status or int(len(flaky) > FLAKY_MAX)


if __name__ == "__main__":
    sys.exit(main())
