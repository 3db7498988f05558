"""A registered app at an API of the test's own, and a user's browser."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.live_api import Api
from tests.oauth_flow import Flow, register, visitor


@pytest_asyncio.fixture
async def flow(own_api: Api) -> AsyncIterator[Flow]:
    """One app and one user."""
    async with visitor(own_api.http.base_url) as http:
        yield Flow(http, await register(http))
