"""What the clients take from the environment, and what they say where something is missing there."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from reverie_client import AsyncReverie, ChatMemory, ConnectionFailed, Memory, NotAuthenticated, Reverie
from reverie_client.langgraph import ReverieStore
from tests.live_api import ADMIN_KEY, Api


async def test_url_and_key_come_from_the_environment(static_api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_URL", str(static_api.http.base_url))
    monkeypatch.setenv("REVERIE_API_KEY", ADMIN_KEY)

    def work() -> str:
        with Reverie() as reverie, Memory() as memory, ReverieStore(agent="a") as store:
            memory.add("Ana likes tea", user_id="ana")
            store.put(("a",), "b", {"text": "c"})
            return reverie.get_caller().role

    assert await asyncio.to_thread(work) == "admin"
    async with AsyncReverie() as reverie:
        assert (await reverie.get_caller()).role == "admin"
    async with AsyncReverie(api_key="another") as reverie:
        with pytest.raises(NotAuthenticated):
            await reverie.get_caller()


async def test_a_missing_key_is_named(static_api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_API_KEY", "")
    async with AsyncReverie(str(static_api.http.base_url)) as reverie:
        assert (await reverie.check_liveness())["status"] == "ok"
        with pytest.raises(NotAuthenticated, match="REVERIE_API_KEY"):
            await reverie.get_caller()
        with pytest.raises(NotAuthenticated, match="REVERIE_API_KEY"):
            await anext(reverie.export_records())
    async with AsyncReverie(str(static_api.http.base_url), "a wrong key") as reverie:
        with pytest.raises(NotAuthenticated) as refused:
            await reverie.get_caller()
        assert "REVERIE_API_KEY" not in str(refused.value)


def test_without_an_address_it_is_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REVERIE_URL", raising=False)
    with Reverie() as reverie:
        assert str(reverie.http.base_url) == "http://127.0.0.1:8000"


@pytest.mark.parametrize("wrong", ["localhost:8000", "mysql://u:secret@h/d", "ftp://h"])
def test_what_is_no_address_of_a_service_is_named_and_not_shown(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_URL", wrong)
    for make in (Reverie, AsyncReverie, Memory, lambda: ChatMemory("ana")):
        with pytest.raises(ValueError, match="REVERIE_URL") as refused:
            make()
        assert "secret" not in str(refused.value)
    with pytest.raises(ValueError, match=r"^url "):
        Reverie(wrong)


def test_no_answer_says_where_it_was_expected() -> None:
    with Reverie("http://user:secret@127.0.0.1:9", "key", retries=0) as reverie:
        with pytest.raises(ConnectionFailed, match=r"http://127\.0\.0\.1:9") as failed:
            reverie.check_liveness()
        assert "secret" not in str(failed.value)


def test_with_connections_of_its_own_the_environment_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_API_KEY", "the server's own")
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={})

    with Reverie(http=httpx.Client(base_url="http://reverie", transport=httpx.MockTransport(answer))) as reverie:
        reverie.check_liveness()
    assert "authorization" not in sent[0].headers
