"""``subscriptions/listen`` with the SDK's own client: notified of changes of the resources subscribed to."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import anyio
import pytest
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError

from tests.live_api import Tenant
from tests.mcp_client import OVER_STDIO, Connect, over_http
from tests.waiting import WAIT_S
from tests.worker.dreaming import dream, say

both = pytest.mark.parametrize("connect", [over_http, OVER_STDIO], ids=["http", "stdio"])
ODD_NAME = "../sam o'hara & söhne/2"


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


def profile_of(user: str) -> str:
    return f"reverie://users/{quote(user, safe='')}/profile"


async def ada_of(api: Tenant) -> Tenant:
    """Ada, who has a bulletin and a page; and ben, who has them too."""
    for agent in ("ada", "ben"):
        await api.save("Sam likes tea", agent=agent, user="Sam", owners=[], type="preference")
        await api.post("/v1/pages", {"agent": agent, "question": "What does Sam drink?"})
        await api.post(f"/v1/agents/{agent}/bulletin")
        await dream(api, agent)
    return await api.as_role("agent", "ada")


async def learn(api: Tenant, agent: str, user: str, text: str) -> None:
    """Save a preference, and dream, so that the profile knows it."""
    await api.save(text, agent=agent, user=user, owners=[], type="preference")
    await dream(api, agent)


async def named_until(subscription: Any, *uris: str) -> list[str]:
    """The resources that a subscription names, until it has named all of these."""
    named: list[str] = []
    with anyio.fail_after(WAIT_S):
        async for event in subscription:
            assert isinstance(event, ResourceUpdated)
            named.append(str(event.uri))
            if set(uris) <= set(named):
                return named
    raise AssertionError(f"ended after {named}")


@both
async def test_a_client_is_told_of_what_changes_and_of_nothing_else(static_api: Tenant, connect: Connect) -> None:
    ada = await ada_of(static_api)
    (page,) = (await static_api.get("/v1/pages", agent="ada"))["items"]
    uris = ["reverie://bulletin", profile_of("Sam"), profile_of(ODD_NAME), f"reverie://pages/{page['id']}"]
    async with connect(static_api, ada.key) as client, client.listen(resource_subscriptions=uris) as subscription:
        assert list(subscription.honored.resource_subscriptions or ()) == uris
        await learn(static_api, "ben", "Sam", "Sam likes coffee")
        await learn(static_api, "ada", "Sam", "Sam likes milk")
        named = await named_until(subscription, profile_of("Sam"), "reverie://bulletin")
        assert profile_of(ODD_NAME) not in named
        await say(static_api, "My name is Sam and I work as a nurse.", agent="ada", user=ODD_NAME)
        await dream(static_api, "ada")
        await named_until(subscription, profile_of(ODD_NAME))
    async with over_http(static_api, ada.key, path=f"/mcp?user={quote(ODD_NAME, safe='')}") as client:
        content = (await client.read_resource("reverie://bulletin")).contents[0]
        assert "nurse" in str(getattr(content, "text", ""))


async def test_a_change_of_another_agent_is_told_to_nobody_else(static_api: Tenant) -> None:
    ada = await ada_of(static_api)
    uris = [profile_of("Sam"), profile_of("Kim")]
    async with over_http(static_api, ada.key) as client, client.listen(resource_subscriptions=uris) as subscription:
        await learn(static_api, "ben", "Sam", "Sam likes coffee")
        await learn(static_api, "ada", "Lee", "Lee likes juice")
        await learn(static_api, "ada", "Kim", "Kim likes milk")
        assert set(await named_until(subscription, profile_of("Kim"))) == {profile_of("Kim")}
        await learn(static_api, "ada", "Sam", "Sam likes milk")
        assert set(await named_until(subscription, profile_of("Sam"))) <= set(uris)


async def test_a_new_page_changes_the_list(static_api: Tenant) -> None:
    ada = await ada_of(static_api)
    async with over_http(static_api, ada.key) as client, client.listen(resources_list_changed=True) as subscription:
        await static_api.post("/v1/pages", {"agent": "ada", "question": "Who is Kim?"})
        await learn(static_api, "ada", "Kim", "Kim likes milk")
        with anyio.fail_after(WAIT_S):
            async for event in subscription:
                assert isinstance(event, ResourcesListChanged)
                return


async def test_what_is_not_there_can_be_subscribed_to_and_too_much_not(static_api: Tenant) -> None:
    ada = await ada_of(static_api)
    odd = ["reverie://pages/nonsense", "file:///etc/passwd", "reverie://users//profile", profile_of("Nobody")]
    async with over_http(static_api, ada.key) as client:
        async with client.listen(resource_subscriptions=odd) as subscription:
            await learn(static_api, "ada", "Nobody", "Nobody likes milk")
            assert set(await named_until(subscription, profile_of("Nobody"))) == {profile_of("Nobody")}
        with pytest.raises(MCPError, match="at most 50"):
            async with client.listen(resource_subscriptions=[f"reverie://pages/{n}" for n in range(51)]):
                pass
