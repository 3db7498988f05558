"""``make run`` as a newcomer meets it: real processes, an embedded Postgres, the README's tour, Ctrl-C, and again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from service.db import embedded
from tests.live_api import UNENCRYPTED
from tests.processes import free_port
from tests.tour import run_tour
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def everything(environment: dict[str, str]) -> Iterator[None]:
    """Database, API and worker, up and answering; interrupted as by Ctrl-C at the end."""
    log = Path(environment["REVERIE_DATA_DIR"]).with_name("run.log")
    with log.open("a") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "reverie", "up"], cwd=ROOT, env=environment, stdout=output, stderr=output
        )
    try:
        url = f"http://127.0.0.1:{environment['REVERIE_PORT']}/readyz"

        def ready() -> bool:
            assert process.poll() is None, log.read_text()
            with suppress(httpx.TransportError):
                return httpx.get(url, timeout=600, verify=UNENCRYPTED).is_success
            return False

        wait_until(ready, "it never becomes ready")
        yield
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(180) == 0, log.read_text()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REVERIE_", "DATABASE", "EMBED"))}
    return kept | {
        "REVERIE_DATA_DIR": str(tmp_path / "data"),
        "REVERIE_PORT": str(free_port()),
        "EMBEDDING_MODEL": "static",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


def test_the_tour_works_and_the_data_survives_a_restart(environment: dict[str, str], tmp_path: Path) -> None:
    data = tmp_path / "data"
    with everything(environment):
        key_file = data / "admin-key"
        assert key_file.stat().st_mode & 0o777 == 0o600
        words = {".reverie/admin-key": str(key_file), "reverie dream": "python -m reverie dream"}
        answers = run_tour(ROOT, environment, environment["REVERIE_PORT"], words)
        contents = {memory["content"] for memory in answers[3]["items"]}
        contents |= {item["memory"]["content"] for item in answers[6]["items"]} | {"Maria does not like tea"}
    assert not embedded.is_running(data / "postgres")
    with everything(environment):
        headers = {"Authorization": f"Bearer {key_file.read_text().strip()}"}
        base = f"http://127.0.0.1:{environment['REVERIE_PORT']}"
        again = httpx.get(f"{base}/v1/memories", headers=headers, timeout=600).json()["items"]
        assert {memory["content"] for memory in again} == contents


def test_a_wrong_database_url_is_an_error_and_never_a_fallback(environment: dict[str, str], tmp_path: Path) -> None:
    for url in ("postgresql://reverie:s3cret@127.0.0.1:1/none", "mysql://localhost/x", "postgresql:/typo"):
        done = subprocess.run(
            [sys.executable, "-m", "service", "run"], cwd=ROOT, env=environment | {"DATABASE_URL": url},
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        assert done.returncode == 1, url
        said = done.stdout + done.stderr
        assert "DATABASE_URL" in said
        assert "s3cret" not in said
        assert "Traceback" not in said
    assert not (tmp_path / "data" / "postgres").exists()
