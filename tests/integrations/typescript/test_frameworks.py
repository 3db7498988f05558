"""Examples and adapters of the TypeScript client under the real packages of frameworks, with models that are scripted.

``make test-integrations`` installs the packages; without them these tests are skipped, saying so.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.clients.npm import FOLDER, packed
from tests.integrations.environments import IS_INSTALLING
from tests.integrations.typescript.frameworks import FRAMEWORKS, MISSING, Framework, is_installed, node, project
from tests.live_api import SharedServer

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("typescript")]

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("archive"))


def tried(framework: Framework) -> object:
    """A framework, skipped before anything is made for it where its packages are neither here nor to be installed."""
    is_skipped = not (IS_INSTALLING or is_installed(framework))
    marks = pytest.mark.skipif(is_skipped, reason=MISSING.format(framework.locked))
    return pytest.param(framework, id=framework.locked, marks=marks)


@pytest.fixture(scope="module", params=map(tried, FRAMEWORKS))
def framework(request: pytest.FixtureRequest) -> Framework:
    chosen: Framework = request.param
    return chosen


@pytest.fixture(scope="module")
def compiled(framework: Framework, archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp(framework.locked), framework, archive)


@pytest.mark.parametrize("shown", FRAMEWORKS, ids=lambda one: one.locked)
def test_its_page_shows_the_example(shown: Framework) -> None:
    assert shown.example()[0] == (FOLDER / "examples" / f"{shown.entry}.ts").read_text("utf-8")


async def test_the_second_session_of_the_example_knows_the_first(
    framework: Framework, compiled: Path, served: SharedServer
) -> None:
    async with served.tenant() as tenant:
        given = {"REVERIE_URL": served.base_url, "REVERIE_API_KEY": tenant.key}
        done = await asyncio.to_thread(node, compiled / "examples" / f"{framework.entry}.js", **given)
    assert done.stdout == framework.example()[1]
    assert done.stderr == ""


def test_without_a_server_the_example_goes_on_and_says_so(framework: Framework, compiled: Path) -> None:
    done = node(compiled / "examples" / f"{framework.entry}.js", REVERIE_URL=NOWHERE, REVERIE_API_KEY="any")
    assert done.stdout.startswith(framework.example()[1].splitlines()[0])
    assert "the agent goes on" in done.stderr


async def test_what_else_the_adapter_promises(framework: Framework, compiled: Path, served: SharedServer) -> None:
    async with served.tenant() as tenant:
        given = {"REVERIE_URL": served.base_url, "REVERIE_API_KEY": tenant.key}
        done = await asyncio.to_thread(
            node, compiled / "test" / "frameworks" / f"{framework.entry}.js", "--test", **given
        )
    assert "\n# fail 0\n" in done.stdout, done.stdout
