"""`reverie eval` against Reverie itself: over HTTP, in all its ways, resumed where it was killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from reverie.evaluation.report import TIMES
from tests.cli.conftest import Command
from tests.evaluation import published
from tests.evaluation.published import write
from tests.live_api import Tenant
from tests.processes import ROOT

Json = dict[str, Any]


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def untimed(value: Any) -> Any:
    """Records without their milliseconds."""
    if isinstance(value, dict):
        return {name: untimed(one) for name, one in value.items() if name != "ms"}
    return [untimed(one) for one in value] if isinstance(value, list) else value


def test_a_service_of_its_own_in_every_way_and_twice_the_same(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", published.locomo())
    systems = "reverie,reverie-messages,reverie-dreamed,bm25,vectors,full-context"
    reports = []
    for out, seed in (("one", "1"), ("two", "2"), ("one", "3")):
        done = command(
            "eval", "locomo", "--data", ".", "--only", "locomo10.json", "--out", out, "--against", systems,
            PYTHONHASHSEED=seed,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        reports.append((tmp_path / out / "report.md").read_text(encoding="utf-8"))
    assert reports[0].partition(TIMES)[0] == reports[1].partition(TIMES)[0]
    assert reports[0] == reports[2]
    assert "not a version that is known here" in reports[0]
    assert (tmp_path / "one/service/postgres").is_dir()
    for name in systems.split(","):
        of_one, of_two = (untimed(lines(tmp_path / out / name / "questions.jsonl")) for out in ("one", "two"))
        assert of_one == of_two
        found = {one["question"]: one for one in lines(tmp_path / "one" / name / "questions.jsonl")}
        assert len(found) == 5
        dog = found["conv-7/0"]
        assert dog["contexts"]["500"]["shown"] == ["D1:1"]
        assert dog["contexts"]["500"]["tokens"] <= 500
        assert dog["ranks"] == ({} if name == "full-context" else {"D1:1": dog["retrieved"].index("D1:1") + 1})


def killed(arguments: list[str], folder: Path, ingested: Path, wanted: int) -> None:
    """Run the command, and kill it when it has taken in so many conversations."""
    process = subprocess.Popen(
        [sys.executable, "-m", "reverie", *arguments], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while process.poll() is None and (not ingested.exists() or ingested.read_bytes().count(b"\n") < wanted):
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL


async def test_a_run_killed_while_it_ingests_adds_no_turn_twice(
    static_tenant: Tenant, command: Command, tmp_path: Path
) -> None:
    chats = [published.locomo()[0] | {"sample_id": f"conv-{number}"} for number in range(12)]
    write(tmp_path / "locomo10.json", chats)
    arguments = [
        "eval", "locomo", "--data", "locomo10.json", "--out", "out", "--against", "reverie-messages",
        "--url", str(static_tenant.http.base_url), "--key", static_tenant.key,
    ]  # fmt: skip
    ingested = tmp_path / "out/reverie-messages/ingested.jsonl"
    for wanted in (1, 4, 9):
        await asyncio.to_thread(killed, arguments, tmp_path, ingested, wanted)
    done = await asyncio.to_thread(command, *arguments)
    assert done.returncode == 0, done.stderr
    assert len(lines(ingested)) == 12
    agents = (await static_tenant.get("/v1/agents", limit=200))["items"]
    assert len(agents) == 12
    for agent in agents:
        kept = [
            message["content"]
            for session in (await static_tenant.get("/v1/sessions", agent=agent["agent"]))["items"]
            for message in (
                await static_tenant.get(f"/v1/sessions/{session['session']}/messages", agent=agent["agent"])
            )["items"]
        ]
        assert len(kept) == len(set(kept)) == 7


async def test_a_session_may_come_twice(command: Command, tmp_path: Path, static_tenant: Tenant) -> None:
    (entry,) = published.longmemeval()
    entry["haystack_dates"].append("2023/05/26 (Fri) 09:00")
    entry["haystack_session_ids"].append("noise_1")
    entry["haystack_sessions"].append([{"role": "user", "content": "And how tall is Nanga Parbat?"}])
    write(tmp_path / "l.json", [entry])
    done = await asyncio.to_thread(
        command, "eval", "longmemeval", "--data", "l.json", "--against", "reverie-messages", "--out", "out",
        "--url", str(static_tenant.http.base_url), "--key", static_tenant.key,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (agent,) = (await static_tenant.get("/v1/agents"))["items"]
    kept = (await static_tenant.get("/v1/sessions/noise_1/messages", agent=agent["agent"]))["items"]
    assert [one["content"] for one in kept] == ["How tall is K2?", "And how tall is Nanga Parbat?"]


def test_another_run_in_the_same_folder_is_refused(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", published.locomo())
    same = ("eval", "locomo", "--data", "locomo10.json", "--against", "bm25", "--out", "out")
    assert command(*same).returncode == 0
    other = command(*same, "--k", "3")
    assert (other.returncode, "ks differ" in other.stderr) == (2, True)
    changed = published.locomo()
    changed[0]["qa"].pop()
    write(tmp_path / "locomo10.json", changed)
    other = command(*same)
    assert (other.returncode, "files differ" in other.stderr) == (2, True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes.txt").write_text("mine", encoding="utf-8")
    other = command(*same[:-1], "full")
    assert (other.returncode, "holds no evaluation" in other.stderr) == (2, True)
    assert [one.name for one in (tmp_path / "full").iterdir()] == ["notes.txt"]


def test_a_torn_line_is_asked_again(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", published.locomo())
    same = ("eval", "locomo", "--data", "locomo10.json", "--against", "bm25", "--out", "out")
    assert command(*same).returncode == 0
    path = tmp_path / "out/bm25/questions.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    assert command(*same).returncode == 0
    assert [one["question"] for one in lines(path)] == [f"conv-7/{n}" for n in range(5)]


def test_wrong_keys_are_left_out_on_request(command: Command, tmp_path: Path) -> None:
    chat = published.locomo()[0] | {"sample_id": "conv-26"}
    write(tmp_path / "locomo10.json", [chat])
    same = ("eval", "locomo", "--data", "locomo10.json", "--against", "bm25", "--without-wrong-keys", "--out", "out")
    done = command(*same)
    assert done.returncode == 0
    asked = [one["question"] for one in lines(tmp_path / "out/bm25/questions.jsonl")]
    assert asked == ["conv-26/0", "conv-26/1", "conv-26/3", "conv-26/4"]
    assert "their questions are left out" in done.stdout


def test_peers_that_cannot_be_installed_are_left_out_with_the_reason(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", published.locomo())
    done = command(
        "eval", "locomo", "--data", "locomo10.json", "--against", "mem0,hindsight,bm25", "--out", "out",
        PIP_INDEX_URL="http://127.0.0.1:1/simple", PIP_RETRIES="0", PIP_CONFIG_FILE=os.devnull, PIP_FIND_LINKS="",
        PIP_EXTRA_INDEX_URL="", PIP_NO_INDEX="",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "mem0 is left out: the peers cannot be installed" in done.stdout
    assert "hindsight is left out" in done.stdout
    assert not (tmp_path / "out/mem0/questions.jsonl").read_bytes()
    assert len(lines(tmp_path / "out/bm25/questions.jsonl")) == 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing", "--out", "o"), "nothing is none of"),
        (("locomo", "--out", "o"), "data"),
        (("locomo", "--out", "o", "--data", "absent"), "absent does not exist"),
        (("locomo", "--out", "o", "--data", ".", "--against", "reverie,zep"), "zep is none of"),
        (("locomo", "--out", "o", "--data", ".", "--against", " , "), "name at least one"),
        (("locomo", "--out", "o", "--data", ".", "--k", "5,ten"), "numbers from 1 to 50"),
        (("locomo", "--out", "o", "--data", ".", "--k", "0"), "numbers from 1 to 50"),
        (("locomo", "--out", "o", "--data", ".", "--tokens", "99999"), "numbers from 1 to 16,000"),
        (("locomo", "--out", "o", "--data", ".", "--qa"), "--answer-model"),
        (("locomo", "--out", "o", "--data", ".", "--qa", "--answer-model", "m"), "--judge-model"),
    ],
)
def test_invalid_input_is_named(arguments: tuple[str, ...], said: str, command: Command, tmp_path: Path) -> None:
    done = command("eval", *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert not (tmp_path / "o").exists()
