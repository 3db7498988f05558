"""``python -m worker dream``: what a person sees of a dream made by hand."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

from service.settings import Settings
from tests.live_api import Api
from tests.processes import ROOT
from tests.worker.dreaming import contents, dream, say


async def by_hand(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "DATABASE_URL": settings.database_url, "EMBEDDING_MODEL": "none", "REVERIE_DATA_DIR": str(settings.data_dir),
        "COLUMNS": "200",
    }  # fmt: skip
    command = [sys.executable, "-m", "worker", "dream", *arguments]
    return await asyncio.to_thread(
        subprocess.run, command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )


async def test_it_says_what_it_did_line_by_line(api: Api, settings: Settings) -> None:
    await say(api, "I like tea.")
    await dream(api.runtime)
    await say(api, "I quit tea.", "I like tea [the green one].", "I live in Oslo.")
    shown = await by_hand(settings, "--agent", "a", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "Nothing was written. Read 3 messages of 1 session by rules" in shown.stdout
    assert await contents(api) == {"u1 likes tea."}
    done = await by_hand(settings, "--agent", "a")
    assert done.returncode == 0, done.stderr
    assert "succeeded" in done.stdout
    lines = done.stdout.splitlines()
    assert "  + fact: u1 lives in Oslo." in lines
    assert "  ~ u1 likes tea. → u1 quit tea." in lines
    assert any("[the green one]" in line for line in lines)


async def test_an_agent_nobody_has_heard_of_is_one_line(settings: Settings) -> None:
    done = await by_hand(settings, "--agent", "stranger")
    assert done.returncode == 1
    assert "There is no agent 'stranger'" in done.stderr
    assert "Traceback" not in done.stderr


async def test_the_api_tells_the_same_words(api: Api) -> None:
    await say(api, "I like tea.", "I work at Acme with Maria.")
    made = await dream(api.runtime)
    shown = await api.get(f"/v1/dreams/{made['id']}")
    assert shown["summary"] == made["summary"]
    assert shown["summary"].startswith("Read 2 messages of 1 session by rules in ")
    assert "+ preference: u1 likes tea." in {change["text"] for change in shown["changes"]}
    assert [step["step"] for step in shown["report"]["steps"]] == [
        "gather",
        "extract",
        "reconcile",
        "reflect",
        "bulletin",
    ]
    (listed,) = (await api.get("/v1/dreams"))["items"]
    assert listed["summary"] == shown["summary"]


async def test_it_dreams_for_each_user_and_names_them(api: Api, settings: Settings) -> None:
    await say(api, "I like tea.", user="anna", session="one")
    await say(api, "I live in Tartu.", user="boris", session="two")
    done = await by_hand(settings, "--agent", "a")
    assert done.returncode == 0, done.stderr
    heads = [line for line in done.stdout.splitlines() if line.startswith("Dream ")]
    assert [" for anna:" in heads[0], " for boris:" in heads[1]] == [True, True]
    assert "  + fact: boris lives in Tartu." in done.stdout.splitlines()
