"""Every Python snippet of the pages runs, against a real server, and prints what the page says it prints.

The ``python`` blocks of a page run in order, in one namespace; a ``text`` block right after one is its output. A page
finds ``url`` and ``api_key`` of a server of its own, in the environment too; the model it speaks to is scripted here.
Pages of ``docs/integrations`` but its index need a framework each: ``tests/integrations/python`` runs them.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from tests.fakes.openai_server import Reply
from tests.fakes.wire_formats import FakeModels
from tests.fenced_blocks import BLOCKS, Block, name_of, placed
from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess
from tests.webhook_receiver import Receiver

PAGES = [
    page
    for page, blocks in BLOCKS.items()
    if any(block.language == "python" for block in blocks)
    and (page.parent.name != "integrations" or page.stem == "index")
]


def calls(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


SCRIPTS: dict[str, list[Reply]] = {
    "openai.md": ["Black tea, as you like it.", "Green tea, as you like it.", "A scone."],
    "proxy.md": ["Green tea, as you like it."],
    "openai-agents.md": [
        calls("remember", statement="Ana is allergic to nuts"),
        "I will remember that.",
        calls("recall", question="What must Ana not eat?"),
        lambda body: "No nuts." if "Ana is allergic to nuts" in str(body["messages"][-1]) else "I do not know.",
        lambda body: "The nut cake." if "allergic to nuts" in str(body["messages"][0]) else "I do not know.",
        calls("memory_search", query="allergic"),
        lambda body: "You are allergic to nuts." if "allergic to nuts" in str(body["messages"][-1]) else "Nothing.",
    ],
}
"""What the model says on a page, in order."""


def programs(page: Path) -> list[tuple[Block, str | None]]:
    """Return the Python blocks of a page, each with the output that the page shows, if any."""
    blocks = BLOCKS[page]
    outputs = {one.line: after.text for one, after in pairwise(blocks) if after.language == "text"}
    return [(one, outputs.get(one.line)) for one in blocks if one.language == "python"]


@pytest.fixture
def model() -> Iterator[FakeModels]:
    with FakeModels() as server:
        yield server


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """What takes the webhooks of a page."""
    async with Receiver() as opened:
        opened.always = 204
        yield opened


@pytest.fixture
async def reverie(
    service_url: str, tmp_path: Path, model: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ServerProcess]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    given = {"LLM_API_BASE": model.base_url, "LLM_API_KEY": "any", "REVERIE_ALLOW_PRIVATE": "true"}
    process = ServerProcess(service_url, tmp_path / "log", EMBEDDING_MODEL="static", **given)
    try:
        await process.start()
        yield process
    finally:
        await process.close()


def langchain_model() -> GenericFakeChatModel:
    """The chat model of the page on LangGraph: it remembers, and recalls in the next conversation."""

    def answers() -> Iterator[AIMessage]:
        def call(name: str, **arguments: str) -> AIMessage:
            return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": name}])

        yield call("remember", statement="Sam lives in Bergen")
        yield AIMessage("Noted.")
        yield call("recall", question="Where does Sam live?")
        yield AIMessage("You live in Bergen.")

    return GenericFakeChatModel(messages=answers())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
async def test_every_snippet_runs(
    page: Path, reverie: ServerProcess, model: FakeModels, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://127.0.0.1:{reverie.port}"
    monkeypatch.setenv("REVERIE_URL", url)
    monkeypatch.setenv("REVERIE_API_KEY", ADMIN_KEY)
    names: dict[str, Any] = {"__name__": page.stem, "url": url, "api_key": ADMIN_KEY, "model": langchain_model()}
    script = SCRIPTS.get(page.name, [])
    model.say(*script)
    for block, output in programs(page):
        source = placed([block]).replace("http://localhost:8000", url).replace("https://example.org/hook", receiver.url)
        compiled = compile(source, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            done = await asyncio.to_thread(eval, compiled, names)
            if inspect.iscoroutine(done):
                await done
        if output is not None:
            assert printed.getvalue() == output, str(block)
    assert model.calls["chat"] + model.calls["responses"] == len(script)
