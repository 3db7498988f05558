"""The Studio switched off."""

from __future__ import annotations

import pytest

from service.settings import Settings
from tests.live_api import serving


@pytest.mark.parametrize("path", ["", "/", "/memories", "/assets/", "/session"])
async def test_switched_off_it_is_not_there(settings: Settings, path: str) -> None:
    async with serving(settings.model_copy(update={"studio": False})) as api:
        assert (await api.http.get(f"/studio{path}")).status_code == 404
        assert (await api.http.post(f"/studio{path}", json={"key": api.key})).status_code == 404
