"""Reverie in the process of an application: the clients, the threads behind them, and what the application keeps."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from reverie import AsyncReverie, Reverie
from reverie_client import ChatMemory, ConnectionFailed, NotAuthenticated, UserMessage
from tests.processes import ROOT

OPENED = """
import json, logging, sys
import structlog
from reverie import Reverie
early = sorted({"service.app", "litellm", "asyncpg"} & sys.modules.keys())
if sys.argv[2] == "configured":
    structlog.configure(processors=[structlog.processors.JSONRenderer()])
before = structlog.get_config()["processors"], list(logging.root.handlers), logging.root.level
lines = []
class Kept(logging.Handler):
    def emit(self, record):
        lines.append(record.name)
logging.getLogger("reverie").addHandler(Kept())
logging.getLogger("reverie").setLevel("INFO")
with Reverie.local(database_url=sys.argv[1], agent="ada", embedding_model="none") as reverie:
    reverie.save_memory("fact", "Ada has a boat")
    names = sorted({"litellm", "presidio_analyzer", "spacy", "mcp", "uvicorn"} & sys.modules.keys())
after = structlog.get_config()["processors"], list(logging.root.handlers), logging.root.level
print(json.dumps({"early": early, "late": names, "logging": before[1:] == after[1:], "structlog": before[0] == after[0],
                  "lines": sorted(set(lines))}))
"""


@pytest.fixture
def local(database_url: str) -> Iterator[Reverie]:
    with Reverie.local(database_url=database_url, agent="ada", dreams=False, embedding_model="none") as reverie:
        yield reverie


def threads() -> set[str]:
    return {one.name for one in threading.enumerate() if one.name.startswith("reverie")}


@pytest.mark.first_tier
async def test_it_answers_where_an_event_loop_runs_already(database_url: str) -> None:
    with Reverie.local(database_url=database_url, agent="ada", user="ana", dreams=False) as reverie:
        saved = reverie.save_memory("fact", "Ana has a boat").memory
        assert [one.memory and one.memory.id for one in reverie.search_memories("a boat").results] == [saved.id]
        async with AsyncReverie.local(database_url=database_url, agent="ada", dreams=False) as awaited:
            assert [one.id async for one in awaited.list_memories(user="ana")] == [saved.id]
            assert threads() == {"reverie-api"}
    assert threads() == set()


def test_clients_of_one_database_share_what_is_open_and_other_settings_are_named(
    local: Reverie, database_url: str
) -> None:
    with Reverie.local(database_url=database_url, agent="bob", dreams=False, embedding_model="none") as other:
        other.save_memory("fact", "Bob has a car")
    assert [one.content for one in local.list_memories(agent="bob")] == ["Bob has a car"]
    with pytest.raises(ValueError, match="embedding_model"):
        Reverie.local(database_url=database_url, embedding_model="static")
    with pytest.raises(TypeError, match="embeding_model"):
        Reverie.local(database_url=database_url, embeding_model="static")


def test_a_database_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(ConnectionFailed, match="nowhere") as failed:
        Reverie.local(database_url="postgresql://ada:secret@nowhere.invalid/d")
    assert "secret" not in str(failed.value)
    assert threads() == set()


def test_streams_come_as_they_go_and_one_call_may_feed_another(local: Reverie) -> None:
    local.save_memory("fact", "Ada has a boat")
    events = local.stream_events(after=0)
    assert next(events)["type"] == "memory.created"
    events.close()
    lines = (json.dumps(one).encode() + b"\n" for one in local.export_records())
    assert local.import_records(lines).created == 0


async def test_awaited_streams_do_so_too(database_url: str) -> None:
    async with AsyncReverie.local(database_url=database_url, agent="ada", dreams=False) as reverie:
        await reverie.save_memory("fact", "Ada has a boat")
        async for event in reverie.stream_events(after=0):
            assert event["type"] == "memory.created"
            break

        async def lines() -> object:
            async for one in reverie.export_records():
                yield json.dumps(one).encode() + b"\n"

        assert (await reverie.import_records(lines())).created == 0  # type: ignore[arg-type]


def test_a_dream_has_a_worker_for_as_long_as_it_takes(local: Reverie) -> None:
    local.append_messages("s", [{"role": "user", "content": "I love green tea."}], user="ana")
    [dream] = local.dream()
    assert (dream.status, [one["after"]["content"] for one in dream.changes or () if one["op"] == "created"]) == (
        "succeeded",
        ["ana loves green tea."],
    )
    assert threads() == {"reverie-api"}


async def test_dreams_are_awaited_for_every_agent(database_url: str) -> None:
    async with AsyncReverie.local(database_url=database_url, dreams=False, embedding_model="none") as reverie:
        for agent in ("ada", "bob"):
            await reverie.append_messages("s", [{"role": "user", "content": "I love tea."}], agent=agent, user="ana")
        assert [(one.agent, one.status) for one in await reverie.dream()] == [
            ("ada", "succeeded"),
            ("bob", "succeeded"),
        ]


def test_its_key_opens_nothing_elsewhere_and_may_be_revoked(local: Reverie, database_url: str) -> None:
    [key] = [one for one in local.list_keys() if one.name == "in process"]
    local.revoke_key(key.id)
    with pytest.raises(NotAuthenticated):
        local.get_caller()
    local.close()
    with Reverie.local(database_url=database_url, dreams=False, embedding_model="none") as again:
        assert again.get_caller().role == "admin"


@pytest.mark.parametrize("structlog", ["as it is", "configured"])
def test_the_application_keeps_its_logs_and_imports_little(database_url: str, structlog: str) -> None:
    command = [sys.executable, "-c", OPENED, database_url, structlog]
    said = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.splitlines()[-1])
    assert (said["early"], said["late"], said["logging"]) == ([], [], True)
    assert said["structlog"] is (structlog == "configured")
    assert said["lines"] == ([] if structlog == "configured" else ["reverie.service.api.middleware"])


def test_other_classes_run_on_the_address_of_a_postgres(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_API_KEY", "of another server")
    memory = ChatMemory("ana", db_url=database_url)
    assert memory.add_memory(UserMessage(content="I have a boat"))
    assert memory.retrieve_short_memory(1) == [UserMessage(content="I have a boat")]
    memory.close()
    assert asyncio.run(_caller(database_url)) == "admin"


async def _caller(database_url: str) -> str:
    from reverie_client import AsyncReverie as Light

    async with Light(database_url) as reverie:
        return (await reverie.get_caller()).role
