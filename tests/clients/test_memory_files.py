"""The files of Anthropic's memory tool, as memories: versions, undo, purge, and paths that lead nowhere.

That commands answer in the words of Anthropic's own store is tested with its package (``tests/integrations/python``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from reverie_client.integrations import AgentMemory
from reverie_client.integrations.memory_files import FileProblem, MemoryFiles
from tests.live_api import Tenant

NOTES = "/memories/notes.md"


def files_of(api: Tenant, user: str | None = "ana") -> MemoryFiles:
    return MemoryFiles(AgentMemory("helper", user=user, url=str(api.http.base_url), api_key=api.key))


async def beside(work: Callable[..., str], *arguments: Any) -> str:
    return await asyncio.to_thread(work, *arguments)


async def stored(api: Tenant, **filters: Any) -> list[dict[str, Any]]:
    answer = await api.get("/v1/memories", agent="helper", source="memory_tool", **filters)
    items: list[dict[str, Any]] = answer["items"]
    return items


async def test_a_file_is_a_memory_with_a_history_that_is_found_and_restored(static_tenant: Tenant) -> None:
    files = files_of(static_tenant)
    await beside(files.create, NOTES, "Ana likes green tea\n")
    await beside(files.str_replace, NOTES, "green", "black")
    [memory] = await stored(static_tenant)
    assert (memory["content"], memory["user"]) == ("Ana likes black tea\n", "ana")
    history = await static_tenant.get(f"/v1/memories/{memory['id']}/history")
    texts = [one["metadata"]["memory_tool"]["text"] for one in history["items"]]
    assert texts == ["Ana likes green tea\n", "Ana likes black tea\n"]
    assert memory["id"] in {one["id"] for one in await static_tenant.search("black tea", agent="helper")}
    await beside(files.delete, NOTES)
    with pytest.raises(FileProblem, match="does not exist"):
        await beside(files.view, NOTES)
    await static_tenant.post(f"/v1/memories/{memory['id']}/restore")
    assert "black tea" in await beside(files.view, NOTES)


async def test_a_purge_of_the_user_takes_their_files_and_leaves_those_of_others(static_tenant: Tenant) -> None:
    for user in ("ana", "bob", None):
        await beside(files_of(static_tenant, user).create, NOTES, f"of {user}")
    await static_tenant.post("/v1/users/ana/purge")
    with pytest.raises(FileProblem):
        await beside(files_of(static_tenant).view, NOTES)
    for user in ("bob", None):
        assert f"of {user}" in await beside(files_of(static_tenant, user).view, NOTES)
    assert len(await stored(static_tenant, include="deleted,superseded,expired")) == 2


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../etc/passwd", "/memories/%2e%2e/x", "/memories/..\\x", "/memories/a/../../x", "/etc/passwd",
        "memories/x", "/memoriesx", "", "/memories/%2e%2e%2fx", "/memories/a\nb",
    ],
)  # fmt: skip
async def test_a_path_out_of_the_root_is_refused(static_tenant: Tenant, path: str) -> None:
    files = files_of(static_tenant)
    for command in (files.view, files.delete, lambda at: files.create(at, "x"), lambda at: files.rename(NOTES, at)):
        with pytest.raises(FileProblem):
            await beside(command, path)
    assert await stored(static_tenant) == []


async def test_empty_long_and_equal_files_come_back_as_they_are(static_tenant: Tenant) -> None:
    files = files_of(static_tenant)
    texts = {"empty": "", "blank": " \n\n", "long": "word " * 5_000, "one": "same\r\n", "two": "same\r\n"}
    for name, text in texts.items():
        await beside(files.create, f"/memories/{name}", text)
    kept = {
        one["metadata"]["memory_tool"]["path"]: one["metadata"]["memory_tool"]["text"]
        for one in await stored(static_tenant)
    }
    assert kept == {f"/memories/{name}": text for name, text in texts.items()}


async def test_a_directory_is_renamed_and_deleted_with_what_is_in_it(static_tenant: Tenant) -> None:
    files = files_of(static_tenant)
    for path in ("/memories/a/b/c", "/memories/a/d", "/memories/ab"):
        await beside(files.create, path, path)
    await beside(files.rename, "/memories/a", "/memories/z")
    assert "c" in await beside(files.view, "/memories/z/b/c")
    with pytest.raises(FileProblem, match="into itself"):
        await beside(files.rename, "/memories/z", "/memories/z/y")
    with pytest.raises(FileProblem, match="not a directory"):
        await beside(files.create, "/memories/ab/c", "x")
    await beside(files.delete, "/memories/z")
    assert [one["metadata"]["memory_tool"]["path"] for one in await stored(static_tenant)] == ["/memories/ab"]
    assert await beside(files.clear) == "All memory cleared"
    assert await stored(static_tenant) == []


async def test_of_two_who_change_a_file_at_once_one_is_told_to_look_again(static_tenant: Tenant) -> None:
    await beside(files_of(static_tenant).create, NOTES, "a\n")
    lines = [f"line {number}" for number in range(6)]
    done = await asyncio.gather(
        *(beside(files_of(static_tenant).insert, NOTES, 0, line) for line in lines), return_exceptions=True
    )
    written = [line for line, answer in zip(lines, done, strict=True) if isinstance(answer, str)]
    assert all(isinstance(one, str) or "View it again" in str(one) for one in done)
    text = (await stored(static_tenant))[0]["metadata"]["memory_tool"]["text"]
    assert sorted(text.split()) == sorted(" ".join([*written, "a"]).split())


async def test_masked_paths_are_opened_by_the_name_given_and_the_name_shown(static_tenant: Tenant) -> None:
    await static_tenant.put("/v1/settings", {"pii": {"mode": "redact"}})
    files = files_of(static_tenant)
    await beside(files.create, "/memories/bob@example.com.md", "likes tea")
    shown = (await stored(static_tenant))[0]["metadata"]["memory_tool"]["path"]
    assert "bob@" not in shown
    for path in ("/memories/bob@example.com.md", shown):
        assert "likes tea" in await beside(files.view, path)
