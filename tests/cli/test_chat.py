"""``reverie chat``: with a model, and without one, on a server and in process."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="reverie-chat-"))
    made.chmod(0o777)
    yield made
    shutil.rmtree(made)


async def test_without_a_model_it_shows_what_is_recalled_and_why(static_api: Api, command: Command) -> None:
    await static_api.save("Sam likes green tea", agent="ada", user="sam", type="preference")
    said = "What tea does Sam like?\n/why\n/forget 1\n/why\n/forget 7\n/nothing\n"
    options = ("--agent", "ada", "--user", "sam", "--url", str(static_api.http.base_url), "--key", static_api.key)
    done = await asyncio.to_thread(command, "chat", *options, said=said)
    assert done.returncode == 0, done.stderr
    recalled, found, forgotten, *rest = [line for line in done.stdout.splitlines() if "green tea" in line]
    assert (recalled.startswith("- "), found.startswith("1. Sam likes green tea")) == (True, True)
    assert (forgotten, rest) == ("Forgotten: Sam likes green tea", [])
    assert "/forget takes the number" in done.stdout
    assert "there is no /nothing" in done.stdout


def test_with_a_model_it_answers_and_dreams_in_process(folder: Path, command: Command) -> None:
    with FakeOpenAI() as model:
        model.say("Noted.", "Green tea.")
        said = "I love green tea.\nWhat do I love to drink?\n/dream\n/context\n"
        done = command(
            "chat", "--folder", str(folder), "--user", "sam", "--model", "openai/m", said=said,
            LLM_API_BASE=model.base_url, LLM_API_KEY="any",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert ["Noted." in done.stdout, "Green tea." in done.stdout] == [True, True]
        assert "I love green tea." in str(model.requests("chat")[1]["messages"])
