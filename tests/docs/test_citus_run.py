"""Whether tests have been run on Citus lately."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.processes import ROOT

COMMITS_MAX = 60
NOTED = ROOT / "tests" / "citus_run.json"


def test_the_last_run_on_citus_is_of_late() -> None:
    noted = json.loads(NOTED.read_text(encoding="utf-8"))
    since = ["git", "rev-list", "--count", f"{noted['commit']}..HEAD"]
    counted = subprocess.run(since, cwd=ROOT, capture_output=True, text=True, check=False)
    if counted.returncode:
        pytest.skip("no history here, or one without that commit")
    assert int(counted.stdout) <= COMMITS_MAX, "run `make test-citus`, which notes its commit in tests/citus_run.json"
