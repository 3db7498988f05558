"""Every program of ``examples`` prints what it is expected to, on Reverie in this process and with a scripted model."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie import Reverie
from tests.fakes.openai_server import Body, FakeOpenAI
from tests.processes import ROOT

PROGRAMS = sorted((ROOT / "examples").glob("*/main.py"))
CRON = ROOT / "examples" / "cron" / "crontab"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        server.default_reply = lambda body: f"Order {number[0]} is on its way." if (number := order(body)) else "Which?"
        yield server


def order(body: Body) -> list[str]:
    """The numbers of orders that a request knows of."""
    return re.findall(r"\b\d{4}\b", str([one["content"] for one in body["messages"]]))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.parent.name)
async def test_an_example_prints_what_is_expected(program: Path, database_url: str, model: FakeOpenAI) -> None:
    spec = importlib.util.spec_from_file_location(f"example_{program.parent.name}", program)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def work() -> str:
        printed = io.StringIO()
        with (
            Reverie.local(database_url=database_url, dreams=False, embedding_model="static") as reverie,
            contextlib.redirect_stdout(printed),
        ):
            module.main(reverie)
        return printed.getvalue()

    assert await asyncio.to_thread(work) == (program.parent / "expected.txt").read_text("utf-8")


def test_the_page_names_every_example() -> None:
    page = (ROOT / "examples" / "README.md").read_text("utf-8")
    assert set(re.findall(r"\]\((\w+)/", page)) == {
        path.name for path in (ROOT / "examples").iterdir() if path.is_dir()
    }


def test_the_crontab_names_a_command_that_there_is() -> None:
    [line] = [line for line in CRON.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert re.fullmatch(r"(?:[\d*]+ ){5}REVERIE_DATA_DIR=\S+ \S+/reverie worker --once", line)
