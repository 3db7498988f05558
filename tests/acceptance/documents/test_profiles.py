"""Profiles of users, by what dreams made of what they said."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant
from tests.worker.dreaming import dream, say


async def shown(api: Tenant, **query: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in (await api.get("/v1/users/u1/profile", agent="a", **query))["fields"]:
        found.setdefault(one["name"], []).append(one["value"])
    return found


async def test_an_undone_dream_takes_back_what_a_profile_shows(static_tenant: Tenant) -> None:
    await say(static_tenant, "I live in Oslo.", "I have a dog named Rex.")
    await dream(static_tenant)
    before = await static_tenant.get("/v1/users/u1/profile", agent="a")
    assert await shown(static_tenant) == {"home": ["Oslo"], "pets": ["Rex"]}
    await say(static_tenant, "I moved to Bergen.", "My sister is called Maria.", session="later")
    moved = await dream(static_tenant)
    assert await shown(static_tenant) == {"home": ["Bergen"], "family": ["Maria"], "pets": ["Rex"]}
    await static_tenant.post(f"/v1/dreams/{moved['id']}/undo")
    after = await static_tenant.get("/v1/users/u1/profile", agent="a")
    assert (after["fields"], after["version"]) == (before["fields"], before["version"])


@pytest.mark.parametrize("users", ["separate", "shared"])
async def test_what_others_say_of_a_user_is_in_no_profile(static_tenant: Tenant, users: str) -> None:
    await static_tenant.put("/v1/settings", {"users": users})
    await say(static_tenant, "I live in Oslo.")
    await dream(static_tenant)
    await say(static_tenant, "u1 lives in Rome.", session="other", user="mallory")
    await dream(static_tenant)
    assert await shown(static_tenant) == {"home": ["Oslo"]}
