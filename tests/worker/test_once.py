"""``python -m worker once``: what it says, and its exit status."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.processes import ROOT
from tests.worker.dreaming import asked_for, note_everything, say, turns_of


async def once(settings: Settings, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "DATABASE_URL": settings.database_url, "EMBEDDING_MODEL": "none", "REVERIE_DATA_DIR": str(settings.data_dir),
        "REVERIE_TUNING": '{"health_probe_interval_s": 0}', "COLUMNS": "200", **environment,
    }  # fmt: skip
    command = [sys.executable, "-m", "worker", "once"]
    return await asyncio.to_thread(
        subprocess.run, command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )


async def test_all_went_well(api: Api, settings: Settings) -> None:
    await say(api, "I like tea.")
    done = await once(settings)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Dreamed for 1 agent.\n"


async def test_failed_dreams_are_named_and_change_the_exit_status(api: Api, settings: Settings) -> None:
    def choke(body: dict) -> str:  # type: ignore[type-arg]
        is_read = asked_for(body) == "Notes" and "tea" not in str(turns_of(body))
        return "no notes" if is_read else note_everything(body)

    for agent, said in (("support", "I live in Oslo."), ("sales", "I like tea."), ("ops", "I live in Bergen.")):
        await say(api, said, agent=agent)
    with FakeOpenAI() as server:
        server.default_reply = choke
        done = await once(settings, LLM_MODEL="hosted_vllm/fake", LLM_API_BASE=server.base_url, LLM_API_KEY="k")
    assert done.returncode == 1
    assert done.stdout == "Dreamed for 1 agent.\n"
    assert "The dreams of 2 agents failed" in done.stderr
    for agent in ("support", "ops"):
        assert f"default/{agent}: hosted_vllm/fake gave no valid Notes twice (" in done.stderr
    assert "default/sales" not in done.stderr
    queue = (await api.get("/v1/engine"))["dreams"]
    assert (queue["due"], queue["running"]) == (0, 0)
