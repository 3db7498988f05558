"""A backup while others write, the loss of everything, and what a restore brings back."""

from __future__ import annotations

import json
import shutil
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.db import embedded
from tests.supervised_process import Supervised

WRITERS = 3
BEFORE = 60
"""Memories of each writer before the backup begins."""


class Writer(threading.Thread):
    """Saves one memory after the other; ``acknowledged`` are those the server has answered for."""

    def __init__(self, run: Supervised, name: str, stop: threading.Event) -> None:
        super().__init__(name=name)
        self._run, self._stop_event = run, stop
        self.acknowledged: list[str] = []
        self.enough = threading.Event()

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self._run.admin_key()}"}
        with httpx.Client(base_url=self._run.base_url, headers=headers, timeout=600) as http:
            while not self._stop_event.is_set():
                content = f"{self.name} wrote note {len(self.acknowledged)}: café ☕ at {len(self.acknowledged) % 24} h"
                body = {"agent": self.name, "type": "event", "content": content}
                http.post("/v1/memories", json=body).raise_for_status()
                self.acknowledged.append(content)
                if len(self.acknowledged) >= BEFORE:
                    self.enough.set()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Supervised]:
    process = Supervised(tmp_path)
    yield process
    process.close()


def test_everything_acknowledged_before_a_backup_under_load_comes_back(run: Supervised, tmp_path: Path) -> None:
    run.start()
    archive, stop = tmp_path / "all.backup", threading.Event()
    writers = [Writer(run, f"w{number}", stop) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        assert all(writer.enough.wait(120) for writer in writers)
        before = {content for writer in writers for content in writer.acknowledged}
        made = run.second("reverie", "backup", str(archive), "--json")
        assert made.returncode == 0, made.stderr
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    written = {content for writer in writers for content in writer.acknowledged}
    assert written > before, "the load went on"
    key = run.admin_key()
    assert run.stop() == 0
    shutil.rmtree(run.data_dir)
    restored = run.second("reverie", "restore", str(archive), "--json")
    assert restored.returncode == 0, restored.stderr
    assert json.loads(restored.stdout)["rows"] == json.loads(made.stdout)["rows"]
    assert run.admin_key() == key
    run.start()
    there = contents(run)
    assert before <= there
    assert there <= written
    found = call(run, "POST", "/v1/memories/search", json={"agent": "w0", "query": "note 7"})
    assert found["results"]
    again = run.second("reverie", "restore", str(archive))
    assert (again.returncode, "not empty" in again.stderr) == (2, True)


def test_a_damaged_archive_is_refused_whole(run: Supervised, tmp_path: Path) -> None:
    archive, cut, other = tmp_path / "all.backup", tmp_path / "cut.backup", tmp_path / "other.backup"
    assert run.second("reverie", "migrate").returncode == 0
    assert run.second("reverie", "backup", str(archive)).returncode == 0
    assert archive.stat().st_mode & 0o777 == 0o600
    assert run.second("reverie", "backup", str(archive)).returncode == 2, "never written over"
    embedded.stop(run.postgres)
    shutil.rmtree(run.data_dir)
    cut.write_bytes(archive.read_bytes()[:-60_000])
    with tarfile.open(archive) as whole, tarfile.open(other, "w") as changed:
        whole.extractall(tmp_path / "parts")
        manifest = tmp_path / "parts" / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"rows": 1,', '"rows": 2,', 1))
        for name in whole.getnames():
            changed.add(tmp_path / "parts" / name, name)
    for wrong in (cut, other):
        done = run.second("reverie", "restore", str(wrong))
        assert done.returncode in (1, 2), done.stdout
        assert len(done.stderr.strip().splitlines()[-1]) > 20
        assert "Traceback" not in done.stderr
        shutil.rmtree(run.data_dir, ignore_errors=True)


def contents(run: Supervised) -> set[str]:
    found: set[str] = set()
    for number in range(WRITERS):
        cursor: str | None = None
        while True:
            query = {"agent": f"w{number}", "limit": 100} | ({"cursor": cursor} if cursor else {})
            page = call(run, "GET", "/v1/memories", params=query)
            found |= {memory["content"] for memory in page["items"]}
            cursor = page["next_cursor"]
            if cursor is None:
                break
    return found


def call(run: Supervised, method: str, path: str, **options: object) -> dict:  # type: ignore[type-arg]
    headers = {"Authorization": f"Bearer {run.admin_key()}"}
    answer = httpx.request(method, f"{run.base_url}{path}", headers=headers, timeout=600, **options)  # type: ignore[arg-type]
    return dict(answer.raise_for_status().json())
