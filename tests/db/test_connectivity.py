"""A wrong or unreachable DATABASE_URL is a clear error that never shows the password."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.db.connectivity import check_connection, redacted_dsn
from service.db.pool import Database
from service.errors import Unavailable
from tests.processes import ROOT, free_port
from tests.urls import as_login

SECRET = "hunter2-the-secret"
WRONG = {
    "localhost/reverie": "must begin with postgresql://",
    f"postgre://u:{SECRET}@localhost/reverie": "must begin with postgresql://",
    f"sqlite:///{SECRET}": "must begin with postgresql://",
    f"postgresql://u:{SECRET}@127.0.0.1:1/reverie": "127.0.0.1:1/reverie",
    f"postgresql://u:{SECRET}@no-such-host.invalid/reverie": "no-such-host.invalid:5432/reverie",
    f"postgresql://u:{SECRET}@x:y@host/reverie": "DATABASE_URL",
    f"postgresql://u:a:{SECRET}:b/reverie": "DATABASE_URL",
    f"postgresql://u:{SECRET}@[::1/reverie": "DATABASE_URL",
}


@pytest.mark.parametrize("url", WRONG)
async def test_a_wrong_url_is_said_without_its_password(url: str) -> None:
    for attempt in (lambda: Database.open(url), lambda: check_connection(url)):
        with pytest.raises(Unavailable) as raised:
            await attempt()
        assert WRONG[url] in raised.value.message
        assert SECRET not in repr(raised.value)
        assert raised.value.__cause__ is None


async def test_a_missing_database_and_a_wrong_user_are_named(server_url: str) -> None:
    base, _, parameters = server_url.partition("?")
    url = f"{base.rsplit('/', 1)[0]}/not_there?{parameters}"
    with pytest.raises(Unavailable, match='database "not_there" does not exist'):
        await Database.open(url)
    other = as_login(url, f"nobody:{SECRET}")
    with pytest.raises(Unavailable, match="nobody") as raised:
        await Database.open(other)
    assert SECRET not in raised.value.message


def test_the_place_has_neither_user_nor_password() -> None:
    assert redacted_dsn(f"postgresql://u:{SECRET}@db.example:6432/memory?sslmode=require") == "db.example:6432/memory"
    assert redacted_dsn(f"postgresql://u:{SECRET}@/memory?host=/run/pg") == "/run/pg:5432/memory"


@pytest.mark.parametrize(
    "command", [["service", "serve"], ["service", "run"], ["service", "migrate"], ["worker", "once"]]
)
@pytest.mark.parametrize("url", ["postgres//typo", f"postgresql://u:{SECRET}@127.0.0.1:1/reverie"])
def test_every_process_ends_with_one_line_and_makes_no_database(command: list[str], url: str, tmp_path: Path) -> None:
    environment = os.environ | {
        "DATABASE_URL": url, "REVERIE_DATA_DIR": str(tmp_path / "data"), "REVERIE_PORT": str(free_port()),
        "EMBEDDING_MODEL": "none",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", *command], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "DATABASE_URL" in said
    assert "Traceback" not in said
    assert SECRET not in said
    assert not (tmp_path / "data" / "postgres").exists()


def test_a_setting_out_of_bounds_is_named_without_its_value(tmp_path: Path) -> None:
    environment = os.environ | {"REVERIE_ADMIN_KEY": "too-short-key", "DATABASE_URL": "postgresql://x/y"}
    done = subprocess.run(
        [sys.executable, "-m", "service", "serve"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 2
    assert "REVERIE_ADMIN_KEY" in done.stderr
    assert "too-short-key" not in done.stderr
    assert "Traceback" not in done.stderr
