"""Calls of the API from a command line: what a person reads, and what a program reads with --json."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from subprocess import CompletedProcess
from uuid import uuid4

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from tests.cli.conftest import Command
from tests.live_api import Api
from tests.promises.tenants import waiting

Run = Callable[..., Awaitable[CompletedProcess[str]]]


@pytest.fixture
def run(static_api: Api, command: Command) -> Run:
    """Runs ``reverie`` as ada against a service, and sees it succeed."""
    here = {"REVERIE_URL": str(static_api.http.base_url), "REVERIE_API_KEY": static_api.key, "REVERIE_AGENT": "ada"}

    async def run(*arguments: str, said: str = "") -> CompletedProcess[str]:
        done = await asyncio.to_thread(command, *arguments, said=said, **here)
        assert done.returncode == 0, done.stderr
        return done

    return run


async def test_a_memory_is_saved_found_shown_and_forgotten(static_api: Api, command: Command, run: Run) -> None:
    here = {"REVERIE_URL": str(static_api.http.base_url), "REVERIE_API_KEY": static_api.key}
    saved = await run("add", "Sam lives in [bold] Bergen", "--user", "Sam")
    assert saved.stdout.startswith("Saved: ")
    assert "Sam lives in [bold] Bergen" in saved.stdout
    assert (await run("add", "-", "--user", "Sam", said="Sam lives in [bold] Bergen")).stdout.startswith(
        "Known already"
    )
    found = json.loads((await run("search", "where does Sam live?", "--json")).stdout)
    assert found["results"][0]["memory"]["content"] == "Sam lives in [bold] Bergen"
    assert "Bergen" in (await run("search", "where does Sam live?")).stdout
    bees = await static_api.save("Sam keeps bees", user="Sam", agent="ada")
    assert "Bergen" in (await run("search", "where does Sam live?", "--where", '{"user": {"in": ["Sam"]}}')).stdout
    assert "Nothing" in (await run("search", "where does Sam live?", "--where", '{"not": {"user": "Sam"}}')).stdout
    for wrong in ("{", "[]", '{"mood": 1}'):
        assert (await asyncio.to_thread(command, "search", "Sam", "--where", wrong, **here)).returncode == 2
    why = await run("search", "where does Sam live?", "--limit", "1", "--why", bees["id"])
    assert re.search(r"Not found: (limit|min_relevance)", why.stdout)
    assert re.search(r"It would need: (limit=2|min_relevance=)", why.stdout)
    proposals = [
        await waiting(static_api.runtime, f"Sam may like {what}", DEFAULT_WORKSPACE, "ada", uuid4(), "Sam", [])
        for what in ("tea", "[red] wine")
    ]
    assert "Sam may like [red] wine" in (await run("inbox")).stdout
    decided = json.loads((await run("inbox", *("--accept", str(proposals[0])), "--json")).stdout)["decided"]
    assert decided[0]["memory"]["content"] == "Sam may like tea"
    assert (await run("inbox", "--reject", str(proposals[1]))).stdout.startswith("rejected")
    assert (await run("inbox")).stdout.strip() == "Nothing waits."
    assert "Bergen" in (await run("context", "where does Sam live?", "--user", "Sam")).stdout
    assert json.loads((await run("ask", "where does Sam live?", "--user", "Sam", "--json")).stdout)["memories"]
    refused = await asyncio.to_thread(command, "purge", "--user", "Sam", said="n\n", **here)
    assert refused.returncode == 1
    forgotten = (await run("purge", "--user", "Sam", "--yes")).stdout
    assert re.match(r"Sam is forgotten. Receipt [0-9a-f-]{36}\n", forgotten)
    assert "  memories: 3\n" in forgotten
    assert "Bergen" not in (await run("search", "where does Sam live?")).stdout
    unknown = await asyncio.to_thread(command, "undo", "00000000-0000-0000-0000-000000000000", **here)
    assert (unknown.returncode, len(unknown.stderr.splitlines())) == (1, 1)


async def test_any_operation_is_called(static_api: Api, command: Command, run: Run, tmp_path: Path) -> None:
    fields = ("agent=ada", "type=todo", "content=The ferry leaves at nine", "importance=0.9", 'tags=["sea"]')
    given = [part for field in fields for part in ("-f", field)]
    saved = json.loads((await run("api", "post", "/v1/memories", *given)).stdout)["memory"]
    assert (saved["importance"], saved["tags"], saved["type"]) == (0.9, ["sea"], "todo")
    body = json.dumps({"version": saved["version"], "status": "done"})
    (tmp_path / "change.json").write_text(body)
    done = await run("api", "PATCH", f"/v1/memories/{saved['id']}", "--data", "@change.json")
    assert json.loads(done.stdout)["status"] == "done"
    search = json.dumps({"agent": "ada", "query": "ferry"})
    found = json.loads((await run("api", "POST", "/v1/memories/search", "--data", "-", said=search)).stdout)
    assert found["results"][0]["memory"]["id"] == saved["id"]
    listed = json.loads((await run("api", "GET", "/v1/memories?limit=5", "-f", "agent=ada", "-f", "tag=sea")).stdout)
    assert [one["id"] for one in listed["items"]] == [saved["id"]]
    for query in ("agent=ben", "tag=land"):
        assert json.loads((await run("api", "GET", "/v1/memories", "-f", query)).stdout)["items"] == []
        assert json.loads((await run("api", "GET", f"/v1/memories?{query}")).stdout)["items"] == []
    exported = (await run("api", "GET", "/v1/export")).stdout.splitlines()
    assert len(exported) > 1
    assert all(json.loads(line) for line in exported)
    assert (await run("api", "DELETE", f"/v1/memories/{saved['id']}")).stdout == ""
    here = {"REVERIE_URL": str(static_api.http.base_url), "REVERIE_API_KEY": static_api.key}
    for arguments, status, said in (
        (("GET", f"/v1/memories/{saved['id']}"), 1, "404"),
        (("POST", "/v1/memories", "-f", "type=rumour"), 2, "content"),
        (("POST", "/v1/memories", "--data", "{}", "-f", "type=fact"), 2, "not both"),
        (("POST", "/v1/memories", "--data", "@nowhere.json"), 2, "nowhere.json"),
        (("GET", "/v1/memories", "-f", "agent"), 2, "name=value"),
    ):
        refused = await asyncio.to_thread(command, "api", *arguments, **here)
        assert (refused.returncode, len(refused.stderr.splitlines())) == (status, 1), refused.stderr
        assert said in refused.stderr


async def test_a_shell_completes_the_paths_of_a_method(static_api: Api, command: Command) -> None:
    def completed(line: str, url: str) -> list[str]:
        asked = {"_PYTHON _M REVERIE_COMPLETE": "complete_bash"}
        words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "REVERIE_URL": url}
        return command(**asked, **words).stdout.split()

    url = str(static_api.http.base_url).rstrip("/")
    await static_api.get("/openapi.json")  # made once, in more time than a shell waits on a busy machine
    posted = await asyncio.to_thread(completed, "reverie api POST /v1/memories/s", url)
    assert posted == ["/v1/memories/search", "/v1/memories/search/preview"]
    assert await asyncio.to_thread(completed, "reverie api DELETE /v1/memories/s", url) == []
    assert await asyncio.to_thread(completed, "reverie api GET /v1/", "http://127.0.0.1:1") == []


def test_ten_commands_are_in_sight(command: Command) -> None:
    def listed(*arguments: str) -> list[str]:
        done = command(*arguments)
        said = (done.stdout + done.stderr).partition("Commands:\n")[2]
        return re.findall(r"^  ([a-z]+)  ", said, re.MULTILINE)

    usual = ["up", "add", "search", "ask", "context", "dream", "inbox", "keys", "api", "doctor"]
    assert listed() == listed("--help") == usual
    every = listed("--help", "--all")
    assert every == listed("--all")
    assert {*usual, "serve", "worker", "migrate", "undo", "export", "import", "backup", "restore", "purge"} < {*every}


def test_a_dream_is_of_one_agent(command: Command) -> None:
    for arguments in ((), ("ada", "--agent", "ben")):
        refused = command("dream", *arguments)
        assert (refused.returncode, "name one agent" in refused.stderr) == (2, True)
