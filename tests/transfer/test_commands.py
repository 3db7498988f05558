"""``reverie export`` and ``import``, as processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest


@pytest.fixture
def command(service_url: str, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Runs ``reverie`` on the test's database."""
    environment = os.environ | {
        "DATABASE_URL": service_url,
        "REVERIE_DATA_DIR": str(tmp_path),
        "EMBEDDING_MODEL": "none",
    }

    def run(*arguments: str, stderr: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "reverie", *arguments],
            env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=600,
        )  # fmt: skip

    return run


def test_out_and_in_again(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    given, written = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    lines = [{"agent": "a", "type": "fact", "content": f"fact {n}"} for n in range(1_200)]
    given.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = command("import", str(given))
    assert (done.returncode, "1200 created" in done.stdout) == (0, True), done.stderr
    done = command("export", str(written))
    assert done.returncode == 0, done.stderr
    assert not written.with_name("out.ndjson.part").exists()
    whole = written.read_text().splitlines()
    assert json.loads(whole[-1])["counts"] == {"agent": 1, "memory": 1_200}
    assert "1201 unchanged" in command("import", str(written)).stdout


def test_a_terminal_sees_a_bar(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "all.ndjson"
    file.write_text("".join(json.dumps({"agent": "a", "type": "fact", "content": f"{n}"}) + "\n" for n in range(1_200)))
    for verb, shown in (("import", "writing"), ("export", "exporting")):
        screen, terminal = pty.openpty()
        with ThreadPoolExecutor() as threads:  # a terminal that nobody reads takes a few kB
            reading = threads.submit(everything_on, screen)
            done = command(verb, str(file), stderr=terminal)
            os.close(terminal)
            seen = reading.result()
        os.close(screen)
        assert done.returncode == 0
        assert shown in seen
        assert re.search(r"(\d{4})/\1", seen), "the bar is full at the end"


def everything_on(screen: int) -> str:
    """What is written to a terminal until it is closed."""
    seen = b""
    with contextlib.suppress(OSError):  # the end of what was written to a terminal that is closed
        while chunk := os.read(screen, 65_536):
            seen += chunk
    return seen.decode()


def test_an_export_goes_on_where_it_broke_off(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    given, written = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    given.write_text("".join(json.dumps({"agent": "a", "type": "fact", "content": f"{n}"}) + "\n" for n in range(20)))
    command("import", str(given))
    command("export", str(written))
    whole = written.read_bytes()
    part = written.with_name("out.ndjson.part")
    part.write_bytes(whole[: len(whole) // 2])
    written.unlink()
    done = command("export", str(written), "--resume")
    assert done.returncode == 0, done.stderr
    resumed = [json.loads(line) for line in written.read_text().splitlines()]
    assert {line["content"] for line in resumed if line["record"] == "memory"} == {str(n) for n in range(20)}
    assert " 0 updated, 22 unchanged" in command("import", str(written)).stdout


def test_a_broken_line_is_one_line_of_error(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    given = tmp_path / "in.ndjson"
    given.write_text('{"agent": "a", "type": "fact", "content": "x"}\n' * 6 + "{")
    done = command("import", str(given))
    assert done.returncode == 2
    assert "line 7" in done.stderr
    assert "Traceback" not in done.stderr
    assert command("export", str(tmp_path / "out"), "--workspace", "nowhere").returncode == 1


def test_a_workspace_that_is_not_there_is_made(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    given, written = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    given.write_text(json.dumps({"agent": "a", "type": "fact", "content": "x"}) + "\n")
    for counts in ("1 created", "1 unchanged"):
        done = command("import", str(given), "--workspace", "copy")
        assert (done.returncode, counts in done.stdout) == (0, True), done.stdout + done.stderr
    assert command("export", str(written), "--workspace", "copy", "--json").returncode == 0
    assert '"content":"x"' in written.read_text().replace(": ", ":")
    other = command("export", str(tmp_path / "default"), "--json").stdout
    assert other.endswith('"lines":2}\n'), "nothing is in the default one"


def test_the_format_of_a_file_is_recognised(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    mem0, csv = tmp_path / "mem0.json", tmp_path / "turns.csv"
    mem0.write_text(json.dumps({"results": [{"id": "1", "memory": "Loves tea", "user_id": "ana"}]}))
    csv.write_text("user_id,session_id,role,message\nana,s1,user,I live in Oslo\n")
    for file, form in ((mem0, "mem0"), (csv, "arkos")):
        done = json.loads(command("import", str(file), "--agent", "a", "--json").stdout)
        assert (done["format"], done["created"] > 0) == (form, True)
