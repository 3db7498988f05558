"""The client's wheel, alone with what it needs in an empty folder: used and type-checked from outside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator
from email.message import Message
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from service import __version__
from tests.live_api import ADMIN_KEY
from tests.processes import ROOT, ServerProcess

pytestmark = pytest.mark.xdist_group("packaging")

PACKAGES_MAX = 12
CLIENT = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
SERVER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

BLOCKING = """
from reverie_client import Memory, NotFound, Reverie
from reverie_client.models import MemoryRecord


def contents(reverie: Reverie, query: str) -> list[str]:
    found: list[MemoryRecord | None] = [result.memory for result in reverie.search_memories(query, limit=1).results]
    return [memory.content for memory in found if memory is not None]


with Reverie(agent="ada") as reverie:
    saved = reverie.save_memory("fact", "Ana drinks green tea", user="ana", tags=["drink"])
    assert saved.memory is not None
    print(contents(reverie, "what does Ana drink?"))
    print([memory.content for memory in reverie.list_memories(user="ana")])
    reverie.delete_memory(saved.memory.id)
    try:
        reverie.get_memory(saved.memory.id)
    except NotFound as error:
        print(error.status)

with Memory() as memory:
    memory.add("Bob drinks coffee", user_id="bob")
    print([found["memory"] for found in memory.search("what does Bob drink?", user_id="bob")["results"]])
"""
AWAITED = """
import asyncio
from collections.abc import Coroutine
from typing import Any

from reverie_client import AsyncMemory, AsyncReverie
from reverie_client.models import SearchAnswer


async def main() -> None:
    async with AsyncReverie(agent="eve") as reverie:
        await reverie.save_memory("fact", "Cleo drinks mate", user="cleo")
        asked: Coroutine[Any, Any, SearchAnswer] = reverie.search_memories("what does Cleo drink?", limit=1)
        print([result.memory.content for result in (await asked).results if result.memory is not None])
        print([memory.content async for memory in reverie.list_memories(user="cleo")])
    async with AsyncMemory() as memory:
        await memory.add("Dan drinks cocoa", user_id="dan")
        print([found["memory"] for found in (await memory.search("what does Dan drink?", user_id="dan"))["results"]])


asyncio.run(main())
"""
WRONG = """
from reverie_client import AsyncReverie, Memory, Reverie

Reverie().save_memory(7, "no such type")
Reverie().search_memories("tea", limt=3)
Memory().add("tea", user="alice")
print(Reverie().get_memory("x").no_such_field)


async def main() -> None:
    print(AsyncReverie().search_memories("tea").results)
"""


class Outside:
    """An environment with the client and what it needs, and an empty folder."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        self.python = folder / "venv" / "bin" / "python"
        [site] = (folder / "venv" / "lib").glob("python*/site-packages")
        for name in needed(CLIENT["dependencies"]):
            copy(name, site)
        self.pip("install", "--quiet", "--no-index", str(wheel))

    def pip(self, *command: str) -> str:
        """What pip says of it; AssertionError where it fails."""
        return said(sys.executable, "-m", "pip", "--python", str(self.python), *command)

    def run(self, script: str, **environment: str) -> list[str]:
        """The lines that a script prints there."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("REVERIE_", "PYTHON"))}
        path = self.home / "script.py"
        path.write_text(script, encoding="utf-8")
        return said(str(self.python), str(path), cwd=self.home, env=plain | environment).splitlines()

    def check_types(self, script: str) -> subprocess.CompletedProcess[str]:
        """What mypy --strict says of a script there."""
        path = self.home / "checked.py"
        path.write_text(script, encoding="utf-8")
        command = [
            "--strict",
            "--python-executable",
            str(self.python),
            "--cache-dir",
            str(self.home / "cache"),
            str(path),
        ]
        return subprocess.run(
            [sys.executable, "-m", "mypy", *command], cwd=self.home, capture_output=True, text=True, check=False
        )


def said(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needed(requirements: list[str]) -> set[str]:
    """These packages and those they need here, by name."""
    found: set[str] = set()
    waiting = [Requirement(one) for one in requirements]
    while waiting:
        one = waiting.pop()
        if canonicalize_name(one.name) in found or not (one.marker is None or one.marker.evaluate({"extra": ""})):
            continue
        found.add(canonicalize_name(one.name))
        waiting += map(Requirement, distribution(one.name).requires or [])
    return found


def copy(name: str, site: Path) -> None:
    """Install a package as it is installed here."""
    for file in distribution(name).files or []:
        if ".." not in file.parts and file.suffix != ".pyc":
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), site / file)


def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def package(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name.startswith("reverie_client/")}


@pytest.fixture(scope="module")
def outside(client_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Outside:
    return Outside(client_wheel, tmp_path_factory.mktemp("outside"))


@pytest.fixture
async def server(service_url: str, tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    """What the environment says of a server that runs."""
    process = ServerProcess(service_url, tmp_path / "log", EMBEDDING_MODEL="static")
    await process.start()
    yield {"REVERIE_URL": f"http://127.0.0.1:{process.port}", "REVERIE_API_KEY": ADMIN_KEY}
    await process.close()


def test_it_needs_few_packages_and_has_them_all(outside: Outside) -> None:
    installed = outside.pip("list", "--format", "freeze").split()
    assert f"reverie-client=={__version__}" in installed
    assert len(installed) <= PACKAGES_MAX, installed
    outside.pip("check")


async def test_it_works_blocking_and_awaited_in_an_empty_folder(outside: Outside, server: dict[str, str]) -> None:
    assert outside.run(BLOCKING, **server) == [
        "['Ana drinks green tea']", "['Ana drinks green tea']", "404", "['Bob drinks coffee']",
    ]  # fmt: skip
    assert outside.run(AWAITED, **server) == ["['Cleo drinks mate']", "['Cleo drinks mate']", "['Dan drinks cocoa']"]


def test_its_types_are_checked_from_outside(outside: Outside) -> None:
    for script in (BLOCKING, AWAITED):
        checked = outside.check_types(script)
        assert checked.returncode == 0, checked.stdout + checked.stderr
    wrong = outside.check_types(WRONG).stdout
    found = [(int(line), code) for line, code in re.findall(r":(\d+): error: .*\[([a-z-]+)\]$", wrong, re.MULTILINE)]
    expected = [(4, "arg-type"), (5, "call-arg"), (6, "call-arg"), (7, "attr-defined"), (11, "attr-defined")]
    assert found == expected, wrong


@pytest.mark.parametrize("extra", list(CLIENT["optional-dependencies"]))
def test_a_missing_extra_is_said_in_one_line(outside: Outside, extra: str) -> None:
    place = "" if extra == "langgraph" else "integrations."
    module = f"reverie_client.{place}{extra.replace('-', '_')}"
    [line] = outside.run(f"try:\n    import {module}\nexcept ImportError as error:\n    print(error)")
    assert f"install the extra {extra} of reverie-client" in line


def test_both_wheels_have_the_same_client(client_wheel: Path, wheel: Path) -> None:
    assert package(client_wheel) == package(wheel)
    with ZipFile(client_wheel) as archive:
        assert {name.split("/")[0] for name in archive.namelist() if ".dist-info" not in name} == {"reverie_client"}


def test_it_says_of_itself_what_the_project_does(client_wheel: Path) -> None:
    said_of_it = metadata(client_wheel)
    assert (said_of_it["Name"], said_of_it["Version"]) == ("reverie-client", __version__)
    assert sorted(said_of_it.get_all("Provides-Extra") or []) == sorted(CLIENT["optional-dependencies"])
    assert (ROOT / "LICENSE").read_text() == (ROOT / "clients/python/LICENSE").read_text()


def test_the_server_allows_the_same_releases_of_what_the_client_needs() -> None:
    extras = SERVER["optional-dependencies"]
    assert set(CLIENT["dependencies"]) <= set(SERVER["dependencies"])
    assert CLIENT["optional-dependencies"]["langgraph"] == extras["langgraph"]
    for one in map(Requirement, [*CLIENT["dependencies"], *CLIENT["optional-dependencies"]["langgraph"]]):
        assert {">=", "<"} <= {bound.operator for bound in one.specifier}, one
