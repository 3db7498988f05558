"""Calls of the API from a command line: what a person reads, and what a program reads with --json."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
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
        await waiting(static_api.engine, f"Sam may like {what}", DEFAULT_WORKSPACE, "ada", uuid4(), "Sam", [])
        for what in ("tea", "[red] wine")
    ]
    assert "Sam may like [red] wine" in (await run("inbox")).stdout
    decided = json.loads((await run("inbox", *("--accept", str(proposals[0])), "--json")).stdout)["decided"]
    assert decided[0]["memory"]["content"] == "Sam may like tea"
    assert (await run("inbox", "--reject", str(proposals[1]))).stdout.startswith("rejected")
    assert (await run("inbox")).stdout.strip() == "Nothing waits."
    assert "Bergen" in (await run("context", "where does Sam live?", "--user", "Sam")).stdout
    assert json.loads((await run("ask", "where does Sam live?", "--user", "Sam", "--json")).stdout)["memories"]
    await static_api.save("Sam is done", type="goal", user="Sam", agent="ada")
    assert "Sam is done" in (await run("profile", "Sam")).stdout
    assert json.loads((await run("profile", "Sam", "--json")).stdout)["fields"][0]["name"] == "goals"
    assert "+ goals: Sam is done" in (await run("profile", "Sam", "--changed-since", "2020-01-01T00:00:00Z")).stdout
    assert "Sam lives in Oslo." in (await run("extract", "-", "--user", "Sam", said="I live in Oslo.")).stdout
    talk = json.dumps([{"role": "user", "content": "I love tea."}])
    assert json.loads((await run("extract", "-", "--json", said=talk)).stdout)["candidates"][0]["type"] == "preference"
    assert "user\n<turns>" in (await run("extract", "-", "--prompts", said=talk)).stdout
    refused = await asyncio.to_thread(command, "purge", "--user", "Sam", said="n\n", **here)
    assert refused.returncode == 1
    await run("purge", "--user", "Sam", "--yes")
    assert "Bergen" not in (await run("search", "where does Sam live?")).stdout
    unknown = await asyncio.to_thread(command, "undo", "00000000-0000-0000-0000-000000000000", **here)
    assert (unknown.returncode, len(unknown.stderr.splitlines())) == (1, 1)


async def test_a_session_an_agent_and_a_team_are_deleted_and_brought_back(
    static_api: Api, command: Command, run: Run
) -> None:
    here = {"REVERIE_URL": str(static_api.http.base_url), "REVERIE_API_KEY": static_api.key, "REVERIE_AGENT": "ada"}
    await static_api.put("/v1/agents/ada", {"teams": ["[red] crew"]})
    await static_api.save("The ferry leaves at nine", agent="ada", session="monday")
    refused = await asyncio.to_thread(command, "deletions", "session", "monday", said="n\n", **here)
    assert refused.returncode == 1
    assert re.search(r"Delete monday with \d+ rows\?", refused.stderr)
    assert (await static_api.get("/v1/sessions/monday", agent="ada"))["session"] == "monday"
    ids = []
    for kind, name in (("session", "monday"), ("team", "[red] crew"), ("agent", "ada")):
        gone = json.loads((await run("deletions", kind, name, "--yes", "--json")).stdout)
        assert gone["counts"][f"{kind}s"] == 1
        ids.append(gone["deletion_id"])
    listed = (await run("deletions", "list")).stdout
    assert "team [red] crew" in listed
    for id_ in reversed(ids):
        assert (await run("deletions", "undo", id_)).stdout.strip().endswith("is back.")
    assert (await run("deletions", "list")).stdout.count("brought back") == 3
    assert "nine" in (await run("search", "when does the ferry leave?")).stdout
    again = await asyncio.to_thread(command, "deletions", "undo", ids[0], **here)
    assert (again.returncode, len(again.stderr.splitlines())) == (1, 1)


async def test_saved_searches_pass_or_fail_by_their_recall(static_api: Api, command: Command, run: Run) -> None:
    ferry = await static_api.save("The ferry [to Bergen] leaves at nine", agent="ada")
    tea = await static_api.save("Green tea is brewed at 80 degrees", agent="ada", tags=["x"])
    assert (await run("searches", "run", "--min-recall", "1")).stdout.strip() == "There is no saved search."
    saved = {"agent": "ada", "name": "Ferry [1]", "query": "when does the ferry leave?", "options": {"about": "nobody"}}
    search = await static_api.post("/v1/searches", saved | {"expected": [ferry["id"], tea["id"]]})
    assert (await run("searches", "list")).stdout.split() == ["–", "Ferry", "[1]", search["id"]]
    passed = (await run("searches", "run")).stdout
    assert passed.split()[:3] == ["0%", "Ferry", "[1]"]
    assert f"{tea['id']} (filters)" in passed
    here = {"REVERIE_URL": str(static_api.http.base_url), "REVERIE_API_KEY": static_api.key, "REVERIE_AGENT": "ada"}
    failed = await asyncio.to_thread(command, "searches", "run", search["id"], "--min-recall", "0.5", "--json", **here)
    assert (failed.returncode, json.loads(failed.stdout)["items"][0]["recall"]) == (1, 0.0)
    wrong = await asyncio.to_thread(command, "searches", "run", "--min-recall", "2", **here)
    assert wrong.returncode == 2


async def test_a_page_is_asked_compared_and_removed(static_api: Api, command: Command, run: Run) -> None:
    first = await static_api.save("Pricing is billed [yearly]", type="decision", agent="ada", metadata={"team": "web"})
    await static_api.save("Pricing of tea is ten", agent="ada")
    asked = await run(
        "pages", "ask", "What of pricing?", "--type", "decision", "--metadata", '{"team": "web"}', "--json"
    )
    page = json.loads(asked.stdout)
    assert [one["text"] for one in page["sentences"]] == ["Pricing is billed [yearly]"]
    assert (await run("pages", "list")).stdout.startswith("What of pricing?")
    await static_api.patch(f"/v1/memories/{first['id']}", {"version": 1, "content": "Pricing is billed monthly"})
    shown = (await run("pages", "show", page["id"])).stdout
    assert "out of date" in shown
    assert "yearly" not in shown
    assert first["id"] in (await run("pages", "refresh", page["id"])).stdout
    changed = (await run("pages", "diff", page["id"])).stdout.splitlines()
    assert changed == ["+ Pricing is billed monthly", "- Pricing is billed [yearly]"]
    begun = json.loads((await run("pages", "diff", page["id"], "--version", "1", "--since", "2", "--json")).stdout)
    assert ([one["current"] for one in begun["added"]], len(begun["removed"])) == ([False], 1)
    await run("pages", "delete", page["id"])
    assert (await run("pages", "list")).stdout.strip() == "There is no page."
    here = {"REVERIE_URL": str(static_api.http.base_url), "REVERIE_API_KEY": static_api.key, "REVERIE_AGENT": "ada"}
    gone = await asyncio.to_thread(command, "pages", "show", page["id"], **here)
    assert (gone.returncode, len(gone.stderr.splitlines())) == (1, 1)
    wrong = await asyncio.to_thread(command, "pages", "ask", "What?", "--metadata", "[1]", **here)
    assert (wrong.returncode, "metadata" in wrong.stderr) == (2, True)
