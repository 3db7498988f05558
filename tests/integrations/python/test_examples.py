"""The example of each page of docs/integrations, run with its framework: two conversations, the second knows the first.

Each is a script in the framework's environment (``make test-integrations`` makes them); where there is none, it is
skipped, saying so. Its model is a server that answers from what the request says.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import Body, Reply
from tests.fakes.wire_formats import FakeModels
from tests.integrations.python.environments import CLIENT, PINNED, python_of
from tests.live_api import SharedServer
from tests.processes import ROOT

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("integrations")]

PAGES = ROOT / "docs" / "integrations"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
ALLERGY = "allergic to nuts"
QUESTION = "must I not eat"
NOTED = "I will remember that."
NOWHERE = "http://127.0.0.1:9"


def answer(body: Body) -> str:
    """What the model says: it knows what the request says."""
    return what_is_known(body) if QUESTION in json.dumps(body) else NOTED


def what_is_known(body: Body) -> str:
    """What the model says to the question."""
    return "Nuts." if ALLERGY in json.dumps(body) else "I do not know."


def calls(name: str, **arguments: Any) -> Body:
    return {"name": name, "arguments": arguments}


SCRIPTS: dict[str, list[Reply]] = {
    "anthropic": [
        calls("memory", command="create", path="/memories/ana.md", file_text=f"Ana is {ALLERGY}."),
        NOTED,
        calls("memory", command="view", path="/memories/ana.md"),
        what_is_known,
    ],
    "pydantic-ai": [
        calls("save_memory", statement=f"Ana is {ALLERGY}."),
        NOTED,
        calls("search_memory", question="What is Ana allergic to?"),
        what_is_known,
    ],
}
"""What the model says in order, where it calls tools."""


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModels]:
    with FakeModels() as server:
        server.default_reply = answer
        yield server


@pytest.fixture(params=list(PINNED))
def framework(request: pytest.FixtureRequest, model: FakeModels) -> str:
    """A framework whose environment is there, and a model with nothing to say yet."""
    name: str = request.param
    python_of(name)
    model.reset()
    return name


def run(
    framework: str, script: Path, model: FakeModels, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a script in a framework's environment, with a model and nothing of this process's settings."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("REVERIE_", "PYTHON"))}
    given = {
        "PYTHONPATH": str(CLIENT), "HOME": str(script.parent), "OPENAI_API_KEY": "any", "ANTHROPIC_API_KEY": "any",
        "OPENAI_BASE_URL": model.base_url, "OPENAI_API_BASE": model.base_url,
        "ANTHROPIC_BASE_URL": model.base_url.removesuffix("/v1"), "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "HAYSTACK_TELEMETRY_ENABLED": "False", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }  # fmt: skip
    command = [str(python_of(framework)), str(script), *arguments]
    return subprocess.run(
        command, cwd=script.parent, env=plain | given | environment, capture_output=True, text=True, check=False
    )


def example(framework: str, folder: Path) -> tuple[Path, str]:
    """The script of a page, and what the page says it prints."""
    [(code, output)] = EXAMPLE.findall((PAGES / f"{framework}.md").read_text("utf-8"))
    path = folder / "example.py"
    path.write_text(code, encoding="utf-8")
    return path, output


async def test_the_second_conversation_knows_the_first(
    framework: str, served: SharedServer, model: FakeModels, tmp_path: Path
) -> None:
    script, output = example(framework, tmp_path)
    model.say(*SCRIPTS.get(framework, []))
    async with served.tenant() as tenant:
        given = {"REVERIE_URL": served.base_url, "REVERIE_API_KEY": tenant.key}
        done = await asyncio.to_thread(run, framework, script, model, **given)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output, done.stderr


def test_an_agent_goes_on_where_reverie_is_absent_and_says_so(
    framework: str, model: FakeModels, tmp_path: Path
) -> None:
    script, _ = example(framework, tmp_path)
    model.say(*SCRIPTS.get(framework, []))
    done = run(framework, script, model, REVERIE_URL=NOWHERE, REVERIE_API_KEY="any")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == [NOTED, "I do not know."], done.stderr
    assert "the agent goes on" in done.stderr


async def test_the_memory_tool_answers_in_the_words_of_the_one_that_anthropic_ships(
    served: SharedServer, model: FakeModels, tmp_path: Path
) -> None:
    script = Path(shutil.copy(Path(__file__).with_name("memory_tool_commands.py"), tmp_path))
    async with served.tenant() as tenant:
        given = {"REVERIE_URL": served.base_url, "REVERIE_API_KEY": tenant.key}
        done = await asyncio.to_thread(run, "anthropic", script, model, **given)
    assert done.stdout == "37 commands\n", done.stderr
