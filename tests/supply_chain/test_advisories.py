"""Published advisories: no locked version is one that the list in the repository calls vulnerable."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from tests.processes import ROOT
from tests.test_lock import LOCKS

Json = dict[str, Any]

LIST: dict[str, Json] = json.loads((ROOT / "security" / "advisories.json").read_text(encoding="utf-8"))
NPM_LOCKS = [
    path.relative_to(ROOT) for folder in ("*", "clients/*") for path in sorted(ROOT.glob(f"{folder}/package-lock.json"))
]
ACCEPTED: dict[str, str] = {}
"""Advisories that do not concern us, and why, by id."""


def version_of(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")


def is_affected(entry: Json, version: Version) -> bool:
    """Whether an advisory names a version, by the rules of the OSV schema: the last event before it counts."""
    if str(version) in entry["versions"]:
        return True
    for events in entry["ranges"]:
        inside = False
        for event in events:
            ((kind, at),) = event.items()
            bound = version_of(at)
            if kind == "introduced" and version >= bound:
                inside = True
            elif (kind == "fixed" and version >= bound) or (kind == "last_affected" and version > bound):
                inside = False
        if inside:
            return True
    return False


def found_in(packages: Json, name: str, version: str) -> list[str]:
    entries = packages.get(name, [])
    return [one["id"] for one in entries if one["id"] not in ACCEPTED and is_affected(one, Version(version))]


def npm_locked(file: Path) -> Iterator[tuple[str, str, Json]]:
    """Every package of a lock of npm but the project itself: name, version, what is said of it."""
    for path, one in json.loads((ROOT / file).read_text(encoding="utf-8"))["packages"].items():
        if path and not one.get("link"):
            yield path.rpartition("node_modules/")[2], one["version"], one


@pytest.mark.parametrize("file", LOCKS)
def test_no_locked_python_package_is_known_to_be_vulnerable(file: str) -> None:
    packages = LIST["PyPI"]["packages"]
    known = {one.name: found_in(packages, one.name, str(one.version)) for one in LOCKS[file]}
    assert {name: ids for name, ids in known.items() if ids} == {}


@pytest.mark.parametrize("file", NPM_LOCKS, ids=str)
def test_every_npm_package_is_locked_by_its_hash_and_none_is_known_to_be_vulnerable(file: Path) -> None:
    packages = LIST.get("npm", {}).get("packages", {})
    locked = list(npm_locked(file))
    assert locked
    assert [name for name, _, one in locked if not one.get("integrity", "").startswith("sha512-")] == []
    assert {name: ids for name, version, _ in locked if (ids := found_in(packages, name.lower(), version))} == {}


def test_the_list_has_a_date_and_knows_releases_that_were_vulnerable() -> None:
    listed = LIST["PyPI"]
    assert date.fromisoformat(listed["as_of"]) >= date(2024, 10, 10)
    assert listed["source"]
    for name, version in (("requests", "2.5.0"), ("jinja2", "2.10"), ("urllib3", "1.24.1"), ("pyyaml", "5.1")):
        assert found_in(listed["packages"], canonicalize_name(name), version), name
        assert not found_in(listed["packages"], name, "9999"), name


@pytest.mark.parametrize(
    ("version", "affected"),
    [
        ("0.9", False), ("1.0", True), ("1.4rc1", True), ("1.4", False), ("2.0", True), ("2.3", True), ("2.3.1", False),
        ("7.7", True),
    ],
)  # fmt: skip
def test_ranges_are_read_as_the_schema_says(version: str, affected: bool) -> None:
    entry = {
        "ranges": [[{"introduced": "1.0"}, {"fixed": "1.4"}, {"introduced": "2.0"}, {"last_affected": "2.3"}]],
        "versions": ["7.7"],
    }
    assert is_affected(entry, Version(version)) is affected


def test_the_script_reads_an_archive_of_records(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "advisories.py"
    script.parent.mkdir()
    script.write_text((ROOT / "scripts" / "advisories.py").read_text(encoding="utf-8"), encoding="utf-8")
    everything = {"type": "SEMVER", "events": [{"introduced": "0"}]}
    affected = {"package": {"ecosystem": "npm", "name": "Left_Pad"}, "ranges": [everything]}
    other = {"package": {"ecosystem": "PyPI", "name": "left-pad"}, "versions": ["1.0"]}
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("A-1.json", json.dumps({"id": "A-1", "affected": [affected, other]}))
        archive.writestr(
            "A-2.json", json.dumps({"id": "A-2", "affected": [affected], "withdrawn": "2026-01-01T00:00:00Z"})
        )
    command = [sys.executable, str(script), str(tmp_path / "all.zip"), "--ecosystem", "npm", "--as-of", "2026-11-25"]
    subprocess.run(command, check=True, capture_output=True)
    made = json.loads((tmp_path / "security" / "advisories.json").read_text(encoding="utf-8"))
    assert made["npm"]["as_of"] == "2026-11-25"
    assert made["npm"]["packages"] == {
        "left-pad": [{"id": "A-1", "ranges": [[{"introduced": "0"}]], "versions": []}]
    }  # fmt: skip
