"""ARKOS' ``Memory`` as its document calls it, and its basic test as it stands there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from service.clients import AIMessage, Memory, SystemMessage, UserMessage
from tests.live_api import Tenant


async def beside(tenant: Tenant, work: Callable[[Callable[..., Memory]], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What ``work`` gives, run beside the server's event loop with the environment of the document's examples."""
    monkeypatch.setenv("DB_URL", str(tenant.http.base_url))
    monkeypatch.setenv("REVERIE_API_KEY", tenant.key)
    made: list[Memory] = []

    def make(*args: Any, **options: Any) -> Memory:
        made.append(Memory(*args, **options))
        return made[-1]

    def run() -> Any:
        try:
            return work(make)
        finally:
            for memory in made:
                memory.close()

    return await asyncio.to_thread(run)


async def test_the_basic_test_runs_as_written(static_tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(memory_of: Callable[..., Memory]) -> Any:
        test_instance = memory_of(
            user_id="alice_test", session_id="session_test", db_url=str(static_tenant.http.base_url)
        )
        added = test_instance.add_memory(SystemMessage(content="My favorite color is blue and I live in New York"))
        context = test_instance.retrieve_short_memory(turns=2)
        return added, context, test_instance.retrieve_long_memory(context)

    added, context, known = await beside(static_tenant, work, monkeypatch)
    assert added is True
    assert context == [SystemMessage(content="My favorite color is blue and I live in New York")]
    assert known == SystemMessage(
        content="retrieved memories:\n- My favorite color is blue and I live in New York (according to system)"
    )


async def test_a_note_of_the_system_is_known_in_other_sessions(
    static_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(memory_of: Callable[..., Memory]) -> Any:
        note = "My favorite color is blue and I live in New York"
        for name, long_term in (("alice", True), ("bob", False)):
            memory = memory_of(name, db_url=str(static_tenant.http.base_url), use_long_term=long_term)
            memory.add_memory(SystemMessage(content=note))
            memory.add_memory(SystemMessage(content=note + ". Answer in the tone of a sailor." * 40))
        memory = memory_of("alice", db_url=str(static_tenant.http.base_url))
        memory.add_memory(UserMessage(content="Where do I live?"))
        return memory.get_context()

    known, asked = await beside(static_tenant, work, monkeypatch)
    assert known.content.splitlines()[1:] == [
        "- My favorite color is blue and I live in New York (according to system)"
    ]
    assert asked.content == "Where do I live?"
    kept = (await static_tenant.get("/v1/memories"))["items"]
    assert [(one["agent"], one["user"], one["type"]) for one in kept] == [("alice", "alice", "observation")]


async def test_the_long_term_part_holds_what_another_session_said(
    static_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(memory_of: Callable[..., Memory]) -> Any:
        memory = memory_of("alice", session_id=None, db_url=str(static_tenant.http.base_url), use_long_term=True)
        memory.add_memory(UserMessage(content="My favorite color is blue"))
        memory.add_memory(AIMessage(content="Noted."))
        first, second = memory.session_id, memory.start_new_session()
        memory.add_memory(UserMessage(content="What is my favorite color?"))
        context = memory.retrieve_short_memory(5)
        return first != second, memory.retrieve_long_memory(context, mem0_limit=1), memory.get_context(turns=5)

    moved, known, context = await beside(static_tenant, work, monkeypatch)
    assert moved
    assert known.content == "retrieved memories:\n- user: My favorite color is blue"
    assert context[0].content.startswith("retrieved memories:\n- user: My favorite color is blue")
    assert context[1:] == [UserMessage(content="What is my favorite color?")]


async def test_what_the_window_no_longer_shows_is_in_the_long_term_part(
    static_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(memory_of: Callable[..., Memory]) -> Any:
        memory = memory_of("alice", db_url=str(static_tenant.http.base_url))
        for said in ("My favorite color is blue", "The train was late", "What is my favorite color?"):
            memory.add_memory(UserMessage(content=said))
        return memory.get_context(turns=2)

    known, *turns = await beside(static_tenant, work, monkeypatch)
    assert "- user: My favorite color is blue" in known.content
    assert [turn.content for turn in turns] == ["The train was late", "What is my favorite color?"]
    assert not any(turn.content in known.content for turn in turns)


async def test_a_memory_of_the_user_is_in_it_and_the_limit_holds(
    static_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        await static_tenant.save(f"Alice's favorite color number {number} is blue", agent="alice", user="alice")

    def work(memory_of: Callable[..., Memory]) -> Any:
        memory = memory_of("alice", db_url=str(static_tenant.http.base_url))
        context = [UserMessage(content="What is my favorite color?")]
        ways: tuple[dict[str, int], ...] = ({"mem0_limit": 2}, {"limit": 2}, {}, {"mem0_limit": 0})
        return [memory.retrieve_long_memory(context, **way).content for way in ways]

    two, also_two, all_of_them, none = await beside(static_tenant, work, monkeypatch)
    assert two == also_two
    assert two.count("\n- ") == 2
    assert all_of_them.count("\n- ") == 4
    assert none == ""


def test_it_runs_as_written_on_a_postgres(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_URL", database_url)
    monkeypatch.setenv("EMBEDDING_MODEL", "static")
    for options in ({"db_url": database_url}, {}):
        test_instance = Memory(user_id="alice_test", session_id="session_test", **options)
        assert test_instance.add_memory(SystemMessage(content="My favorite color is blue and I live in New York"))
        context = test_instance.retrieve_short_memory(turns=1)
        assert test_instance.retrieve_long_memory(context) == SystemMessage(
            content="retrieved memories:\n- My favorite color is blue and I live in New York (according to system)"
        )
        test_instance.close()


@pytest.mark.parametrize(
    "url",
    ["mysql://reverie:s3cret@localhost/db", "postgresql+psycopg2://h/db", "localhost"],
)
def test_another_address_says_what_to_pass(url: str) -> None:
    for name in ("db_url", "url"):
        with pytest.raises(ValueError, match=rf"^{name} is to be the address of the Reverie service") as refused:
            Memory("alice", **{name: url})  # type: ignore[arg-type]
        assert "http://127.0.0.1:8000" in str(refused.value)
        assert "s3cret" not in str(refused.value)


async def test_nothing_is_known_of_nothing(static_tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(memory_of: Callable[..., Memory]) -> Any:
        memory = memory_of("alice", db_url=str(static_tenant.http.base_url))
        memory.add_memory(UserMessage(content="What is my favorite color?"))
        asked = memory.retrieve_short_memory(1)
        return [memory.retrieve_long_memory(given).content for given in (None, [], asked)]

    assert await beside(static_tenant, work, monkeypatch) == ["", "", ""]
