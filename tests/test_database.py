"""Which database a process opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.database import open_database
from service.db.embedded import tuning
from service.errors import Unavailable
from service.settings import Settings


def test_without_a_database_and_without_the_embedded_one_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("service.db.embedded_platforms.find_spec", lambda _: None)
    settings = Settings(REVERIE_DATA_DIR=tmp_path / "data", DATABASE_URL=None, _env_file=None)
    with pytest.raises(Unavailable, match="DATABASE_URL is not set"), open_database(settings):
        pass
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("machine_mb", "container", "wanted_mb"),
    [(8_192, None, 512), (8_192, "max", 512), (8_192, str(4 * 2**30), 256), (512, None, 128), (10**6, None, 2_048)],
)
def test_the_embedded_postgres_takes_a_part_of_the_memory_there_is(
    machine_mb: int, container: str | None, wanted_mb: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    limit = tmp_path / "memory.max"
    if container is not None:
        limit.write_text(f"{container}\n")
    sizes = {"SC_PHYS_PAGES": machine_mb * 256, "SC_PAGE_SIZE": 4_096}
    monkeypatch.setattr(tuning.os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(tuning, "_CGROUP_LIMIT", limit)
    assert tuning.shared_buffers_mb() == wanted_mb
