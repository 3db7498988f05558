"""The wheel holds everything that the checkout has for running, and nothing beside it."""

from __future__ import annotations

import re
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from service import __version__
from tests.processes import ROOT

pytestmark = pytest.mark.xdist_group("packaging")

SHIPPED = ("sql", "alembic")
"""Folders outside the packages that the code reads."""
TOP = {"service": ROOT, "worker": ROOT, "reverie": ROOT, "reverie_client": ROOT / "clients" / "python"}
"""The packages, and the folder that each is in."""


def names(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_every_file_that_is_read_is_in_it(wheel: Path) -> None:
    there = names(wheel)
    for folder in SHIPPED:
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert files
        assert {f"service/_files/{path.relative_to(ROOT)}" for path in files} <= there
    assert {"service/_files/alembic.ini", "service/_files/studio/index.html"} <= there
    for package, parent in TOP.items():
        files = [path for path in (parent / package).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert {str(path.relative_to(parent)) for path in files} <= there
        assert f"{package}/py.typed" in there


def test_it_takes_no_other_name_in_site_packages(wheel: Path) -> None:
    assert {name.split("/")[0] for name in names(wheel) if ".dist-info" not in name} == TOP.keys()


def test_the_version_is_in_one_place(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        [metadata] = [name for name in archive.namelist() if name.endswith("dist-info/METADATA")]
        assert Parser().parsestr(archive.read(metadata).decode())["Version"] == __version__
    for file in ("pyproject.toml", "clients/python/pyproject.toml", "compose.yaml", "Dockerfile", "service/app.py"):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert not re.search(rf"[^0-9.]{re.escape(__version__)}[^0-9.]", text), file
