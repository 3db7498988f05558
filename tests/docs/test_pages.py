"""Every Python snippet of the pages runs, against a real server, and prints what the page says it prints.

The ``python`` blocks of a page run in order, in one namespace; a ``text`` block right after one is its output. A page
finds ``url`` and ``api_key`` of a server of its own, in the environment too; the model it speaks to is scripted here.
Pages of ``docs/integrations`` but its index need a framework each: ``tests/integrations/python`` runs them.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from tests.fakes.openai_server import Reply
from tests.fakes.wire_formats import FakeModels
from tests.live_api import ADMIN_KEY
from tests.processes import ROOT, ServerProcess

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "clients").glob("*/*.md")])
    if "```python" in page.read_text(encoding="utf-8") and (page.parent.name != "integrations" or page.stem == "index")
]


def calls(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


SCRIPTS: dict[str, list[Reply]] = {
    "openai.md": ["Green tea, as you like it.", "A scone."],
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


def blocks(page: Path) -> list[tuple[int, str, str | None]]:
    """The Python blocks of a page: line, code, and the output the page shows, if any."""
    text = page.read_text(encoding="utf-8")
    found: list[tuple[int, str, str | None]] = []
    for fence in FENCE.finditer(text):
        language, body = fence.groups()
        if language == "python":
            found.append((text.count("\n", 0, fence.start()) + 2, body, None))
        elif language == "text" and found:
            found[-1] = (*found[-1][:2], body)
    return found


@pytest.fixture
def model() -> Iterator[FakeModels]:
    with FakeModels() as server:
        yield server


@pytest.fixture
async def reverie(
    service_url: str, tmp_path: Path, model: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ServerProcess]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    process = ServerProcess(
        service_url, tmp_path / "log", EMBEDDING_MODEL="static", LLM_API_BASE=model.base_url, LLM_API_KEY="any"
    )
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


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
async def test_every_snippet_runs(
    page: Path, reverie: ServerProcess, model: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://127.0.0.1:{reverie.port}"
    monkeypatch.setenv("REVERIE_URL", url)
    monkeypatch.setenv("REVERIE_API_KEY", ADMIN_KEY)
    names: dict[str, Any] = {"__name__": page.stem, "url": url, "api_key": ADMIN_KEY, "model": langchain_model()}
    script = SCRIPTS.get(page.name, [])
    model.say(*script)
    for line, code, output in blocks(page):
        source = "\n" * (line - 1) + code.replace("http://localhost:8000", url)
        compiled = compile(source, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            done = eval(compiled, names)
            if inspect.iscoroutine(done):
                await done
        if output is not None:
            assert printed.getvalue() == output, f"{page.name}:{line}"
    assert model.calls["chat"] + model.calls["responses"] == len(script)
