"""``make run`` as a newcomer meets it: real processes, an embedded Postgres, the README's tour, Ctrl-C, and again."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.db import embedded

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


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
        for _ in range(600):
            assert process.poll() is None, log.read_text()
            try:
                if httpx.get(url, timeout=2).status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        else:
            pytest.fail(f"it never became ready: {log.read_text()}")
        yield
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0, log.read_text()


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
        out = run_tour(environment, data)
        assert out[0]["created"] is True
        assert out[1]["results"][0]["memory"]["type"] == "decision"
        assert [message["seq"] for message in out[2]["messages"]] == [1, 2]
        contents = {memory["content"] for memory in out[3]["items"]}
        assert any("Bergen" in content for content in contents)
        assert "Go" in out[4]["content"]
        assert any(r["memory"]["content"] == "Sam loves Go." for r in out[5]["results"])
        assert ["blue" in result["memory"]["content"] for result in out[7]["results"]] == [True, False]
        assert out[8]["results"] == []
        assert [memory["content"] for memory in out[10]["items"]] == ["Maria does not like tea"]
        contents |= {item["memory"]["content"] for item in out[6]["items"]} | {"Maria does not like tea"}
    assert not embedded.is_running(data / "postgres")
    with everything(environment):
        headers = {"Authorization": f"Bearer {key_file.read_text().strip()}"}
        base = f"http://127.0.0.1:{environment['REVERIE_PORT']}"
        again = httpx.get(f"{base}/v1/memories", headers=headers).json()["items"]
        assert {memory["content"] for memory in again} == contents


def run_tour(environment: dict[str, str], data: Path) -> list[dict[str, Any]]:
    """The shell lines of the README's tour, pasted into one shell; the JSON answers they print."""
    tour = (ROOT / "README.md").read_text(encoding="utf-8").split("## A tour in five minutes")[1].split("\n## ")[0]
    script = "\n".join(re.findall(r"```sh\n(.*?)```", tour, re.DOTALL))
    script = script.replace("localhost:8000", f"127.0.0.1:{environment['REVERIE_PORT']}")
    script = script.replace(".reverie/admin-key", str(data / "admin-key"))
    script = script.replace("reverie dream", "python -m reverie dream")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def test_a_wrong_database_url_is_an_error_and_never_a_fallback(environment: dict[str, str], tmp_path: Path) -> None:
    for url in ("postgresql://reverie:s3cret@127.0.0.1:1/none", "mysql://localhost/x", "postgresql:/typo"):
        done = subprocess.run(
            [sys.executable, "-m", "service", "run"], cwd=ROOT, env=environment | {"DATABASE_URL": url},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == 1, url
        said = done.stdout + done.stderr
        assert "DATABASE_URL" in said
        assert "s3cret" not in said
        assert "Traceback" not in said
    assert not (tmp_path / "data" / "postgres").exists()
