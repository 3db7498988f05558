"""Resources and prompts: the bulletin, profiles and pages of the caller, and what a user starts a conversation with."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.live_api import Tenant
from tests.mcp_client import Connect, over_http, over_stdio
from tests.worker.dreaming import dream

both = pytest.mark.parametrize(
    ("connect", "mode"),
    [(over_http, "auto"), (over_http, "legacy"), (over_stdio, "auto")],
    ids=["http", "http-older-protocol", "stdio"],
)
ODD_NAME = "../sam o'hara & söhne/2"


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


async def prepared(api: Tenant) -> Tenant:
    """A bulletin, a page and two people of ada's, and of ben's one each."""
    for agent, user, drink in (("ada", "Sam", "tea"), ("ben", "Kim", "coffee")):
        await api.save(f"{user} likes {drink}", agent=agent, user=user, owners=[], type="preference")
        await api.post("/v1/pages", {"agent": agent, "question": f"What does {user} drink?"})
        await api.post(f"/v1/agents/{agent}/bulletin")
    await api.save("My name is Sam", agent="ada", user=ODD_NAME, owners=[], type="identity")
    await dream(api, "ada")
    return await api.as_role("agent", "ada")


async def text_of(client: Client, uri: str) -> str:
    """The one text of a resource."""
    (content,) = (await client.read_resource(uri)).contents
    assert content.uri == uri
    assert content.mime_type == "text/markdown"
    return str(getattr(content, "text"))  # noqa: B009 - of the two kinds of contents one has it


@both
async def test_what_is_listed_is_read_and_nothing_else_is(static_api: Tenant, connect: Connect, mode: str) -> None:
    ada = await prepared(static_api)
    async with connect(static_api, ada.key, mode=mode) as client:
        listed = {one.uri: one for one in (await client.list_resources()).resources}
        titles = {one.title for one in listed.values()}
        assert titles == {
            "Bulletin", "What does Sam drink?", "Profile of Sam", f"Profile of {ODD_NAME}"
        }  # fmt: skip
        texts = {one.title: await text_of(client, uri) for uri, one in listed.items()}
        assert "tea" in texts["Bulletin"]
        assert texts["What does Sam drink?"].startswith("# What does Sam drink?\n\n")
        assert "Sam likes tea" in texts["What does Sam drink?"]
        assert "likes: tea" in texts["Profile of Sam"]
        assert texts[f"Profile of {ODD_NAME}"].startswith(f"# {ODD_NAME}")
        assert "coffee" not in str(texts)
        templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
        assert templates == {
            "reverie://bulletin{?version}",
            "reverie://users/{user}/profile",
            "reverie://pages/{page_id}",
        }


async def test_what_is_not_there_is_said(static_api: Tenant) -> None:
    ada = await prepared(static_api)
    (of_ben,) = (await static_api.get("/v1/pages", agent="ben"))["items"]
    async with over_http(static_api, ada.key) as client:
        for uri in (
            f"reverie://pages/{of_ben['id']}", "reverie://pages/nonsense", "reverie://pages/..", "reverie://keys",
            "reverie://bulletin?version=999", "reverie://bulletin?version=x", "file:///etc/passwd",
        ):  # fmt: skip
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.error.code == -32602, uri


async def test_an_admin_key_names_the_agent(static_api: Tenant) -> None:
    await prepared(static_api)
    async with over_http(static_api, static_api.key) as client:
        assert (await client.list_resources()).resources == []
        with pytest.raises(MCPError, match="Name the acting agent"):
            await client.read_resource("reverie://bulletin")
    async with over_http(static_api, static_api.key, agent="ben") as client:
        assert "coffee" in await text_of(client, "reverie://bulletin")


async def rendered(client: Client, prompt: str, **arguments: str) -> str:
    """The one message of a prompt."""
    (message,) = (await client.get_prompt(prompt, arguments)).messages
    assert message.role == "user"
    content: Any = message.content
    return str(content.text)


async def test_prompts_are_listed_and_rendered(static_api: Tenant) -> None:
    ada = await prepared(static_api)
    async with over_http(static_api, ada.key, tools="all") as client:
        prompts = {one.name: one for one in (await client.list_prompts()).prompts}
        assert set(prompts) == {"recall", "remember", "review_inbox", "about_user"}
        assert all(one.title and one.description for one in prompts.values())
        assert [one.name for one in prompts["recall"].arguments or ()] == ["topic"]
        recalled = await rendered(client, "recall", topic="what Sam drinks")
        assert "Sam likes tea" in recalled
        assert "coffee" not in recalled
        assert "memory_save" in await rendered(client, "remember", statement="Sam moved to Bergen")
        assert "no statement waits" in await rendered(client, "review_inbox")
        assert "likes: tea" in await rendered(client, "about_user", user="Sam")
        for prompt, arguments in (("recall", {}), ("unknown", {}), ("about_user", {"user": "x" * 300})):
            with pytest.raises(MCPError):
                await client.get_prompt(prompt, arguments)
