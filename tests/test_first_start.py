"""The admin key of the operator's own: taken in once, and never again after it was rotated or revoked."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.errors import InvalidInput
from service.first_start import first_start
from service.memory.access.keys import make_key
from service.settings import Settings
from tests.live_api import ADMIN_KEY, Api, serving
from tests.processes import ROOT

OWN = "a-key-of-the-operators-own"
NOT_VALID = "rotated or revoked and is not valid"


def with_key(settings: Settings, key: str | None) -> Settings:
    """The settings of a start with this REVERIE_ADMIN_KEY."""
    return Settings(**(settings.model_dump(by_alias=True) | {"REVERIE_ADMIN_KEY": key}), _env_file=None)


def migrated(settings: Settings, key: str) -> subprocess.CompletedProcess[str]:
    """What ``python -m service migrate`` says with this REVERIE_ADMIN_KEY."""
    environment = os.environ | {"DATABASE_URL": str(settings.database_url), "REVERIE_ADMIN_KEY": key}
    command = [sys.executable, "-m", "service", "migrate"]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=600)


async def opens(api: Api, key: str) -> bool:
    """Whether a key may administer."""
    return await Api(api.http, api.runtime, key).status("GET", "/v1/keys") == 200


async def id_of(api: Api, key: str) -> str:
    """The id of a live key."""
    return str((await Api(api.http, api.runtime, key).get("/v1/whoami"))["key_id"])


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[Api]:
    """A service that has started once with REVERIE_ADMIN_KEY, spoken to with another admin key."""
    assert "is the one in REVERIE_ADMIN_KEY" in (await first_start(with_key(settings, OWN))).where
    async with serving(settings) as opened:
        assert await opens(opened, OWN)
        yield opened


async def test_a_restart_takes_the_same_key_again(api: Api, settings: Settings) -> None:
    for _ in range(2):
        assert "is the one in REVERIE_ADMIN_KEY" in (await first_start(with_key(settings, OWN))).where
    assert await opens(api, OWN)
    assert len((await api.get("/v1/keys"))["items"]) == 2


async def test_a_rotated_key_stays_rotated(api: Api, settings: Settings) -> None:
    own = await id_of(api, OWN)
    keys = [OWN]
    for _ in range(3):
        keys.append((await api.post(f"/v1/keys/{own}/rotate"))["key"])
        for former in keys[:-1]:
            assert NOT_VALID in (await first_start(with_key(settings, former))).where
            assert not await opens(api, former)
        assert await opens(api, keys[-1])
    assert len((await api.get("/v1/keys"))["items"]) == 2


async def test_a_revoked_key_stays_revoked(api: Api, settings: Settings) -> None:
    own = await id_of(api, OWN)
    fresh = (await api.post(f"/v1/keys/{own}/rotate"))["key"]
    await api.delete(f"/v1/keys/{own}")
    for former in (OWN, fresh):
        assert NOT_VALID in (await first_start(with_key(settings, former))).where
        assert not await opens(api, former)


async def test_another_key_is_taken_beside_a_rotated_one(api: Api, settings: Settings) -> None:
    await api.post(f"/v1/keys/{await id_of(api, OWN)}/rotate")
    assert (
        "is the one in REVERIE_ADMIN_KEY" in (await first_start(with_key(settings, "another-key-of-their-own"))).where
    )
    assert await opens(api, "another-key-of-their-own")
    assert not await opens(api, OWN)


async def test_the_text_of_an_agents_key_does_not_become_an_admins(api: Api, settings: Settings) -> None:
    agent = await api.as_role("agent", "a")
    assert "role agent" in (await first_start(with_key(settings, agent.key))).where
    assert not await opens(api, agent.key)


@pytest.mark.parametrize("workspace", [UUID(int=0), UUID(int=2**128 - 1)])
async def test_a_key_that_names_another_workspace_is_refused(settings: Settings, workspace: UUID) -> None:
    for key in (make_key(workspace), f"rv_{base64.urlsafe_b64encode(workspace.bytes).decode()}", "rv_" + "A" * 80):
        with pytest.raises(InvalidInput, match="REVERIE_ADMIN_KEY: a key that begins with rv_") as refused:
            await first_start(with_key(settings, key))
        assert key not in refused.value.message


async def test_a_key_that_begins_so_and_names_this_workspace_works(settings: Settings) -> None:
    keys = ["rv_short-of-an-id", make_key(DEFAULT_WORKSPACE)]
    for key in keys:
        await first_start(with_key(settings, key))
    async with serving(settings) as api:
        assert [await opens(api, key) for key in keys] == [True, True]


@pytest.mark.parametrize("rotated", [False, True])
async def test_the_command_says_in_one_line_what_became_of_the_key(api: Api, settings: Settings, rotated: bool) -> None:
    if rotated:
        await api.post(f"/v1/keys/{await id_of(api, OWN)}/rotate")
    done = await asyncio.to_thread(migrated, settings, OWN)
    assert done.returncode == 0, done.stderr
    said = re.sub(r"\s+", " ", done.stdout)
    assert (NOT_VALID in said) is rotated
    assert ("is the one in REVERIE_ADMIN_KEY" in said) is not rotated
    assert OWN not in said


def test_the_command_refuses_a_key_of_another_workspace(settings: Settings) -> None:
    key = make_key(uuid4())
    done = migrated(settings, key)
    assert done.returncode == 2
    assert "begins with rv_" in done.stderr
    assert key not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


async def test_a_made_key_that_was_rotated_is_not_taken_in_again(settings: Settings) -> None:
    async with serving(settings) as api:
        made = await api.as_role("admin")
        await api.post(f"/v1/keys/{await id_of(api, made.key)}/rotate")
        assert NOT_VALID in (await first_start(with_key(settings, made.key))).where
        assert not await opens(api, made.key)
        assert await opens(api, ADMIN_KEY)
