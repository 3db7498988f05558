"""The lock files: what pyproject.toml asks for, within its bounds, every file of it known by its hash."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.processes import ROOT

pytestmark = pytest.mark.first_tier

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MALICIOUS = {"litellm": ("1.82.7", "1.82.8")}
"""Releases that stole credentials, and may still be in a mirror or a cache."""

ENVIRONMENTS = [
    {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": system,
     "platform_system": system.capitalize(), "platform_machine": machine, "os_name": "posix"}
    for python in ("3.11", "3.12", "3.13")
    for system, machine in (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"))
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Locked:
    """One line of a lock file."""

    name: str
    version: Version
    marker: Marker | None
    hashes: list[str]


def locked(file: str) -> Iterator[Locked]:
    """What a lock file holds; AssertionError for a line that is anything else."""
    text = re.sub(r"^#.*\n", "", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
    for line in text.replace(" \\\n    ", " ").splitlines():
        pin, *hashes = line.split(" --hash=")
        requirement = Requirement(pin)
        [exact] = requirement.specifier
        assert exact.operator == "==", line
        assert requirement.url is None, line
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), line
        yield Locked(canonicalize_name(requirement.name), Version(exact.version), requirement.marker, hashes)


def wanted(file: str) -> list[Requirement]:
    """What pyproject.toml asks for: of the service with local models, or with everything to develop it."""
    extras = PROJECT["project"]["optional-dependencies"]
    wanted_extras = extras.values() if "dev" in file else [extras["local"]]
    lists = [PROJECT["project"]["dependencies"], PROJECT["dependency-groups"]["build"], *wanted_extras]
    return [one for entries in lists for one in map(Requirement, entries) if one.name != PROJECT["project"]["name"]]


LOCKS = {file: list(locked(file)) for file in ("requirements.lock", "requirements-dev.lock")}


@pytest.mark.parametrize("file", LOCKS)
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda one: "-".join(map(str, list(one.values())[::2])))
def test_every_requirement_is_locked_within_its_bounds(file: str, environment: dict[str, str]) -> None:
    known = {str(key): str(value) for key, value in default_environment().items()} | environment
    here = {one.name: one for one in LOCKS[file] if one.marker is None or one.marker.evaluate(known)}
    assert len(here) == sum(one.marker is None or one.marker.evaluate(known) for one in LOCKS[file])
    for requirement in wanted(file):
        found = here[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(found.version), requirement


@pytest.mark.parametrize("file", LOCKS)
def test_every_locked_package_is_known_by_its_hashes(file: str) -> None:
    assert len(LOCKS[file]) > 100
    for one in LOCKS[file]:
        assert one.hashes, one.name
        assert len(set(one.hashes)) == len(one.hashes), one.name


def test_the_service_is_developed_with_what_it_runs_with() -> None:
    everything = {(one.name, one.version): one.hashes for one in LOCKS["requirements-dev.lock"]}
    for one in LOCKS["requirements.lock"]:
        assert everything[one.name, one.version] == one.hashes


@pytest.mark.parametrize("file", LOCKS)
def test_no_lock_names_where_packages_come_from(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert "/" not in text
    assert not re.findall(r"--(?!hash=)\S+", text)


def test_every_requirement_has_bounds() -> None:
    for requirement in [*wanted("dev"), *map(Requirement, PROJECT["build-system"]["requires"])]:
        operators = {one.operator for one in requirement.specifier}
        assert ">=" in operators, requirement
        assert "<" in operators, requirement


@pytest.mark.parametrize(("name", "version"), [(name, one) for name, versions in MALICIOUS.items() for one in versions])
def test_no_release_known_to_be_malicious_is_let_in(name: str, version: str) -> None:
    bounds = [one.specifier for one in wanted("dev") if canonicalize_name(one.name) == name]
    assert bounds
    assert not any(one.contains(version) for one in bounds)
    assert not any(one.name == name and one.version == Version(version) for lock in LOCKS.values() for one in lock)


def test_what_is_installed_by_make_and_in_the_image_is_what_is_locked() -> None:
    makefile, dockerfile = [(ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "Dockerfile")]
    for text, lock in ((makefile, "$(1)"), (dockerfile, "requirements.lock")):
        installs = [
            line for line in text.splitlines() if " install " in line and "pip" in line and "build/uv" not in line
        ]
        assert [("--require-hashes" in line, "--no-deps" in line) for line in installs] == [
            (True, False),
            (False, True),
        ]
        assert f"--requirement {lock}" in installs[0]
    assert re.findall(r"\$\(call install,(\S+)\)", makefile) == ["requirements.lock", "requirements-dev.lock"]
