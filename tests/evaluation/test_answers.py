"""Questions answered and judged by models over real HTTP: what the scores say of models that are known to be good, bad
or silent, and that nothing is asked twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reverie.evaluation.report import TIMES
from tests.cli.conftest import Command
from tests.evaluation.published import write
from tests.fakes.openai_server import FakeOpenAI
from tests.processes import ROOT

Json = dict[str, Any]
COPIES, WRONG, REFUSES, SILENT = "copies", "answers-wrong", "refuses", "silent"
JUDGE, GULLIBLE, MUMBLING = "judge", "gullible-judge", "mumbling-judge"
NAMES = ("Ada", "Bea", "Cem", "Dov", "Eda", "Fay", "Gil", "Hal", "Ivo", "Jan")
CITIES = ("Oslo", "Rome", "Lima", "Kyiv", "Cork", "Bonn", "Bari", "Graz", "Nice", "Brno")


def set_of_ten() -> list[Json]:
    """Ten people say where they live; each is asked for, and one who was never spoken of."""
    turns = [
        {"speaker": name, "dia_id": f"D1:{n}", "text": f"these days I live in {city}, quite near the river"}
        for n, (name, city) in enumerate(zip(NAMES, CITIES, strict=True), 1)
    ]
    qa: list[Json] = [
        {"question": f"Where does {name} live?", "answer": city, "evidence": [f"D1:{n}"], "category": 4}
        for n, (name, city) in enumerate(zip(NAMES, CITIES, strict=True), 1)
    ]
    qa.append({"question": "Where does Zoe live?", "adversarial_answer": "Oslo", "evidence": [], "category": 5})
    said = {"speaker_a": "Ada", "speaker_b": "Bea", "session_1": turns}
    said["session_1_date_time"] = "1:00 pm on 2 May, 2024"
    return [{"sample_id": "conv-1", "conversation": said, "qa": qa}]


def prompt_of(body: Json) -> str:
    prompt: str = body["messages"][-1]["content"]
    return prompt


def reply(body: Json) -> str:
    """What each model makes of its prompt."""
    prompt, model = prompt_of(body), body["model"]
    name = match[1] if (match := re.search(r"Question: Where does (\w+) live", prompt)) else ""
    right = dict(zip(NAMES, CITIES, strict=True)).get(name)
    match model:
        case "copies":
            lines = [line for line in prompt.splitlines() if f" {name}: " in line]
            return lines[0] if lines else "I don't know."
        case "answers-wrong":
            return f"{name} lives in Atlantis"
        case "refuses":
            return "The memories do not say where that person lives."
        case "silent":
            return ""
        case "judge":
            judged = prompt.partition("Answer to judge:")[2]
            return json.dumps({"correct": right is not None and right in judged})
        case "gullible-judge":
            return 'Sure! {"correct": true}'
        case _:
            return "Hard to say."


def qa(command: Command, server: FakeOpenAI, out: str, answerer: str, judge: str, *more: str) -> str:
    done = command(
        "eval", "locomo", "--data", "locomo10.json", "--out", out, "--against", "bm25", "--qa",
        "--answer-model", answerer, "--judge-model", judge, "--answer-url", server.base_url, *more,
        OPENAI_API_KEY="a-key",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def scores(folder: Path) -> Json:
    """The row of answers in the report."""
    text = (folder / "report.md").read_text(encoding="utf-8").partition("## Answers")[2]
    head, _, row = [line for line in text.splitlines() if line.startswith("|")][:3]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, row)]
    return dict(zip(*cells, strict=True))


def share(cell: str) -> float:
    return float(cell.split(" ")[0])


@pytest.mark.parametrize(
    ("answerer", "correct", "wrong", "refused"),
    [(COPIES, 11 / 11, 0, 0), (WRONG, 0, 1, 0), (REFUSES, 1 / 11, 0, 10 / 11), (SILENT, 1 / 11, 0, 10 / 11)],
)
def test_a_score_is_what_the_model_deserves(
    answerer: str, correct: float, wrong: float, refused: float, command: Command, tmp_path: Path
) -> None:
    write(tmp_path / "locomo10.json", set_of_ten())
    with FakeOpenAI(key="a-key") as server:
        server.default_reply = reply
        qa(command, server, "out", answerer, JUDGE)
    row = scores(tmp_path / "out")
    assert share(row["correct"]) == pytest.approx(correct, abs=0.001)
    assert (share(row["wrong"]), share(row["refused"])) == pytest.approx((wrong, refused), abs=0.001)
    assert share(row["judge's false accepts"]) == 0
    assert int(row["tokens per answer"].replace(",", "")) > 0


def test_a_judge_that_accepts_everything_is_seen(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", set_of_ten())
    with FakeOpenAI() as server:
        server.default_reply = reply
        qa(command, server, "out", WRONG, GULLIBLE, "--probes", "7")
        probed = [body for body in server.requests("chat") if "Answer to judge: Atlantis" not in prompt_of(body)]
    row = scores(tmp_path / "out")
    assert share(row["correct"]) > 0.9
    assert share(row["judge's false accepts"]) == 1
    wrong = [json.loads(line) for line in (tmp_path / "out/probes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(wrong) == 7
    assert all(one["wrong"] != set_of_ten()[0]["qa"][int(one["question"].split("/")[1])]["answer"] for one in wrong)
    assert probed


def test_a_verdict_that_cannot_be_read_is_counted_as_that(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", set_of_ten())
    with FakeOpenAI() as server:
        server.default_reply = reply
        qa(command, server, "out", COPIES, MUMBLING, "--probes", "0")
    row = scores(tmp_path / "out")
    assert share(row["unreadable"]) == pytest.approx(10 / 11, abs=0.001)
    assert row["judge's false accepts"] == "not probed"


def test_a_model_that_is_busy_is_asked_again_and_one_that_refuses_ends_the_run(
    command: Command, tmp_path: Path
) -> None:
    write(tmp_path / "locomo10.json", set_of_ten())
    with FakeOpenAI(key="another-key") as server:
        done = command(
            "eval", "locomo", "--data", "locomo10.json", "--out", "out", "--against", "bm25", "--qa",
            "--answer-model", COPIES, "--judge-model", JUDGE, "--answer-url", server.base_url, OPENAI_API_KEY="wrong",
        )  # fmt: skip
        assert done.returncode == 1
        assert "copies answers 401" in done.stderr
        assert len(server.requests("chat")) <= 1
    with FakeOpenAI() as server:
        server.default_reply = reply
        server.fail(status=429, times=2)
        qa(command, server, "other", COPIES, JUDGE)
    assert share(scores(tmp_path / "other")["correct"]) == 1


class Doomed:
    """Kills the process that asks, while its ``last`` request is being answered."""

    def __init__(self, last: int) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._left = last

    def reply(self, body: Json) -> str:
        self._left -= 1
        if self._left == 0:
            assert self.process is not None
            self.process.kill()
            self.process.wait()
        return reply(body)


def test_a_killed_evaluation_asks_nothing_twice_that_was_answered(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", set_of_ten())
    with FakeOpenAI() as server:
        server.default_reply = reply
        qa(command, server, "whole", COPIES, JUDGE)
        expected = Counter(map(prompt_of, server.requests("chat")))
        assert set(expected.values()) == {1}
    with FakeOpenAI() as server:
        for last in (2, 7, 5, 10):
            doomed = Doomed(last)
            server.default_reply = doomed.reply
            doomed.process = subprocess.Popen(
                [sys.executable, "-m", "reverie", "eval", "locomo", "--data", "locomo10.json", "--out", "out",
                 "--against", "bm25", "--qa", "--answer-model", COPIES, "--judge-model", JUDGE,
                 "--answer-url", server.base_url],
                cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "k"},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            assert doomed.process.wait(300) == -signal.SIGKILL
        server.default_reply = reply
        qa(command, server, "out", COPIES, JUDGE)
        asked = Counter(map(prompt_of, server.requests("chat")))
    assert asked.keys() == expected.keys()
    assert asked.total() - expected.total() == 4, "each kill repeats the request that it cut off, and no other"
    reports = [(tmp_path / name / "report.md").read_text(encoding="utf-8") for name in ("whole", "out")]
    assert reports[0].partition(TIMES)[0] == reports[1].partition(TIMES)[0]


def test_nothing_is_asked_again_when_all_is_done(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", set_of_ten())
    with FakeOpenAI() as server:
        server.default_reply = reply
        qa(command, server, "out", COPIES, JUDGE)
        before = (tmp_path / "out/report.md").read_bytes()
        calls = server.calls["chat"]
        qa(command, server, "out", COPIES, JUDGE)
        assert server.calls["chat"] == calls
    assert (tmp_path / "out/report.md").read_bytes() == before
