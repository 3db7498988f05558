"""What several modules of the API's tests share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.processes import ServerProcess
from tests.tuning import tuning


@pytest.fixture
async def impatient(service_url: str, tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """A server that waits three seconds for a head or body."""
    process = ServerProcess(service_url, tmp_path / "server.log", REVERIE_TUNING=tuning(body_timeout_s=3))
    try:
        await process.start()
        yield process
    finally:
        await process.close()
