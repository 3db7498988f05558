"""What cannot be done is one line on standard error, without a traceback, and a documented exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

NOWHERE = "postgresql://nobody:s3cret@127.0.0.1:1/none"


@pytest.mark.parametrize(
    ("arguments", "environment", "status", "names"),
    [
        (["import", "nowhere.ndjson"], {}, 2, "nowhere.ndjson"),
        (["import", "."], {}, 2, "."),
        (["export", "/nowhere/all.ndjson"], {}, 2, "/nowhere"),
        (["import", "-", "--format", "zep"], {}, 2, "format"),
        (["migrate"], {"REVERIE_DATA_DIR": "/etc/passwd"}, 2, "/etc/passwd"),
        (["up"], {"REVERIE_DATA_DIR": "/etc/passwd/data"}, 2, "/etc/passwd"),
        (["up"], {"REVERIE_DREAM_CRON": "0 * * * *"}, 2, "set `dream.interval_h`"),
        (["worker"], {"REVERIE_TUNING": '{"poll_s": 0}'}, 2, "REVERIE_TUNING.poll_s: must be more than 0"),
        (["serve"], {"REVERIE_OIDC": "{}"}, 2, "REVERIE_OIDC.client_id: is required"),
        (["serve"], {"REVERIE_PORT": "http"}, 2, "REVERIE_PORT: must be an integer"),
        (["models", "get", "nosuch"], {}, 2, "neither a folder nor a model"),
        (["serve"], {}, 1, "`reverie up`"),
        (["migrate"], {"DATABASE_URL": NOWHERE}, 1, "127.0.0.1:1"),
        (["keys", "owner"], {}, 2, "role is admin"),
        (["search", "tea"], {}, 2, "--key"),
        (["search", "tea"], {"REVERIE_API_KEY": "k", "REVERIE_URL": "http://127.0.0.1:1"}, 1, "`reverie up`"),
        (["backup", "/nowhere/file"], {}, 2, "/nowhere"),
        (["restore", "nowhere.backup"], {}, 2, "nowhere.backup"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_one_line(command: Command, arguments: list[str], environment: dict[str, str], status: int, names: str) -> None:
    done = command(*arguments, **environment)
    assert done.returncode == status, done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert names in line
    assert "s3cret" not in line


@pytest.mark.parametrize(
    "arguments", [["dance"], ["migrate", "-1"], ["search"], ["search", "--limits", "3"], ["keys", "admin", "--mame"]]
)
def test_a_wrong_command_line_is_two(command: Command, arguments: list[str]) -> None:
    done = command(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("REVERIE_POTR=9000", "REVERIE_POTR is no setting; is REVERIE_PORT meant?"),
        ("EMBEDING_MODEL=static", "EMBEDDING_MODEL"),
        ("DATABSE_URL=postgresql://x", "DATABASE_URL"),
    ],
)
def test_a_misspelt_name_in_the_env_file_is_refused(command: Command, tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY=sk\n{line}\n")
    done = command("search", "tea")
    assert done.returncode == 2
    assert said in done.stderr


def test_other_programs_names_in_the_env_file_are_no_matter(command: Command, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk\nPGPASSWORD=x\nREVERIE_URL=http://127.0.0.1:1\nHF_HOME=/x\n")
    assert ".env" not in command("search", "tea").stderr
