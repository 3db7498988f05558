"""Items of the LangGraph store whose labels hold personal data, where the workspace masks that."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from reverie_client.langgraph import ReverieStore
from tests.clients.langgraph_stores import store_of
from tests.live_api import Api
from tests.pg_dump import dump

BOB, AMY = ("users", "bob@intranet"), ("users", "amy@intranet")


@pytest.fixture
async def masking(api: Api) -> AsyncIterator[ReverieStore]:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    async with store_of(api) as store:
        yield store


async def test_two_users_stay_two_where_their_names_are_masked(masking: ReverieStore, database_url: str) -> None:
    await masking.aput(BOB, "profile", {"text": "Bob likes tea"})
    await masking.aput(AMY, "profile", {"text": "Amy likes coffee"})
    await masking.aput(("keys",), "bob@ex.com", {"text": "Bob's key"})
    await masking.aput(("keys",), "amy@ex.com", {"text": "Amy's key"})
    for namespace, key, text in (
        (BOB, "profile", "Bob likes tea"), (AMY, "profile", "Amy likes coffee"),
        (("keys",), "bob@ex.com", "Bob's key"), (("keys",), "amy@ex.com", "Amy's key"),
    ):  # fmt: skip
        item = await masking.aget(namespace, key)
        assert item is not None
        assert (item.namespace, item.key, item.value) == (namespace, key, {"text": text})
    assert [item.value["text"] for item in await masking.asearch(BOB)] == ["Bob likes tea"]
    assert [item.namespace for item in await masking.asearch(BOB, query="likes")] == [BOB]
    assert await masking.alist_namespaces(prefix=AMY) == [AMY]
    assert [name for name in ("bob@", "amy@") if name in dump(database_url)] == []


async def test_what_is_listed_masked_leads_back_to_its_item(masking: ReverieStore) -> None:
    for namespace, text in ((BOB, "Bob likes tea"), (AMY, "Amy likes tea")):
        for number in range(3):
            await masking.aput(namespace, f"{number}@ex.com", {"text": f"{text} {number}"})
    listed = await masking.alist_namespaces(prefix=("users",))
    assert len(listed) == 2
    assert all(re.fullmatch("<EMAIL_ADDRESS:[0-9a-f]{24}>", label) for _, label in listed)
    for namespace in listed:
        items = await masking.asearch(namespace)
        assert len(items) == len(await masking.asearch(namespace, query="likes tea")) == 3
        assert {item.namespace for item in items} == {namespace}
        assert await masking.alist_namespaces(prefix=namespace) == [namespace]
        for item in items:
            assert await masking.aget(item.namespace, item.key) is not None
            await masking.aput(item.namespace, item.key, {"text": "changed"})
        first = items[0]
        await masking.adelete(first.namespace, first.key)
        assert await masking.aget(first.namespace, first.key) is None
    left = [await masking.aget(one, f"{n}@ex.com") for one in (BOB, AMY) for n in range(3)]
    assert [item.value for item in left if item] == [{"text": "changed"}] * 4
    assert len(await masking.asearch(("users",))) == 4


async def test_what_was_stored_before_names_were_masked_is_found(api: Api) -> None:
    async with store_of(api) as store:
        await store.aput(BOB, "profile", {"text": "Bob likes tea"})
        await api.put("/v1/settings", {"pii": {"mode": "redact"}})
        assert (await store.aget(BOB, "profile")).value == {"text": "Bob likes tea"}  # type: ignore[union-attr]
        await store.aput(BOB, "profile", {"text": "Bob likes coffee"})
        assert [item.value["text"] for item in await store.asearch(("users",))] == ["Bob likes coffee"]
