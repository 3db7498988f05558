"""The ranges of pyproject.toml at their newest. It asks the package index, so it runs by ``make newest`` alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.processes import ROOT

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


@pytest.mark.skipif(os.environ.get("NEWEST") != "1", reason="asks the package index for a minute: make newest")
def test_everything_can_be_installed_at_its_newest(wheel: Path, tmp_path: Path) -> None:
    if subprocess.run([*PIP, "index", "versions", "pip"], capture_output=True, check=False).returncode:
        pytest.skip("THE NEWEST RELEASES WERE NOT TRIED: there is no package index here")
    report = tmp_path / "report.json"
    done = subprocess.run(
        [*PIP, "install", "--dry-run", "--ignore-installed", "--quiet", "--report", str(report), f"{wheel}[all]"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    installs = [one["metadata"] for one in json.loads(report.read_text(encoding="utf-8"))["install"]]
    versions = {canonicalize_name(one["name"]): one["version"] for one in installs}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for requirement in map(
        Requirement, [*project["dependencies"], *extras["local"], *extras["langgraph"], *extras["eval"]]
    ):
        if requirement.marker is None or requirement.marker.evaluate():
            assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement
    print(*sorted(f"{name}=={version}" for name, version in versions.items()), sep="\n")
