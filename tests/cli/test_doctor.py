"""`reverie doctor` finds what is wrong, and says what to do."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from tests.cli.conftest import Command
from tests.processes import free_port


def test_a_new_folder_is_well_and_stays_empty(command: Command, tmp_path: Path) -> None:
    done = command("doctor", "--json", REVERIE_PORT=str(free_port()))
    assert done.returncode == 0, done.stdout
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    assert {"data folder", "disk", "port", "postgres", "admin key", "embedder", "texts go to"} <= {
        one["what"] for one in found
    }
    assert not list(tmp_path.iterdir())


def test_what_is_wrong_is_named_with_what_to_do(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = command(
            "doctor", "--json", REVERIE_DATA_DIR="file", REVERIE_PORT=str(taken.getsockname()[1]),
            DATABASE_URL="postgresql://nobody:s3cret@127.0.0.1:1/none", EMBEDDING_MODEL="statik",
        )  # fmt: skip
    assert done.returncode == 1
    wrong = {one["what"]: one["advice"] for one in json.loads(done.stdout)["findings"] if one["status"] == "problem"}
    assert wrong.keys() == {"data folder", "port", "postgres", "embedder"}
    assert "REVERIE_DATA_DIR" in wrong["data folder"]
    assert "REVERIE_PORT" in wrong["port"]
    assert "DATABASE_URL" in wrong["postgres"]
    assert "EMBEDDING_MODEL" in wrong["embedder"]
    assert "s3cret" not in done.stdout
