"""Facts that change: the cases, what counts as shown, and what contexts of Reverie show of them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from reverie.evaluation.conflict import cases
from reverie.evaluation.conflict_run import holds, stale, statements
from tests.cli.conftest import Command
from tests.live_api import Api, Json
from tests.worker.dreaming import dream

CASE = replace(cases(1)[0], user="person7", subject="", values=("Oslo", "Rome"))


def test_cases_are_the_same_again_and_of_all_kinds() -> None:
    found = cases(1_000)
    assert found == cases(1_000)
    assert found != cases(1_000, seed=2)
    assert set(Counter(one.language for one in found)) == {"en", "de", "fr", "es", "zh"}
    assert len({(one.language, one.kind) for one in found}) == 16
    for one in found:
        assert len(one.values) == len(set(one.values)) == len(one.since) in (2, 3)
        assert any(one.current in said.text for said in one.said), one
        assert one.since[-2] < one.between < one.since[-1]


def test_what_counts_as_shown() -> None:
    text = (
        "People: Person7 lives in Oslo. Person8 lives in Oslo.\n"
        "- [2 March 2026, user said; superseded since] I live in Oslo\n- person7 moved from Oslo to Rome.\n"
        "- person7 no longer lives in Oslo.\n- person9 lives in Rome. (about person9)"
    )
    shown = statements(text, CASE)
    assert [one for one in shown if stale(one, CASE)] == ["People: Person7 lives in Oslo."]
    assert [one for one in shown if holds(one, "Rome")] == ["- person7 moved from Oslo to Rome."]


def test_a_date_counts_in_either_order() -> None:
    case = replace(CASE, subject="Saturn", values=("May 5", "June 12"))
    assert stale("- Saturn is due on 5 May 2026.", case)
    assert not stale("- Saturn is due on 15 May 2026.", case)
    assert holds("- The Saturn deadline is now on 12 June 2026.", "June 12")
    assert holds("- [2026年3月9日，用户说] 我现在在Tyrell工作。", "Tyrell")


async def test_a_message_whose_memories_are_superseded_says_so_in_a_context(own_static_api: Api) -> None:
    api = own_static_api

    async def say(session: str, text: str, day: int) -> None:
        message = {"role": "user", "content": text, "created_at": f"2026-03-{day:02}T09:00:00Z"}
        await api.post(f"/v1/sessions/{session}/messages", {"agent": "a", "user": "kim", "messages": [message]})
        await dream(api.runtime, "a")

    async def shown() -> list[str]:
        body: Json = {"agent": "a", "user": "kim", "message": "Where do I live, and who leads Saturn?"}
        context = await api.post("/v1/context", body)
        return [line for one in context["sections"] for line in one["text"].splitlines() if "said" in line]

    await say("s1", "I live in Oslo.", 2)
    await say("s2", "The lead of Saturn is Ines. I have a dog named Rex.", 3)
    await say("s3", "I live in Bergen now.", 9)
    assert "- [2 March 2026, user said; superseded since] I live in Oslo." in await shown()
    assert not [line for line in await shown() if "Ines" in line and "superseded" in line]
    await say("s4", "Bo now leads Saturn.", 10)
    assert [line for line in await shown() if "partly superseded since" in line and "Ines" in line]


def test_the_command_measures_generated_sets_and_goes_on_after_a_kill(command: Command, tmp_path: Path) -> None:
    done = command("eval", "conflict", "--cases", "30", "--out", "conflict")
    assert done.returncode == 0, done.stderr
    records = [
        json.loads(line) for line in (tmp_path / "conflict/asked.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(records) == 30
    assert sum(one["current_shown"] for one in records) >= 29
    assert sum(bool(one["superseded_shown"]) for one in records) <= 1
    before = (tmp_path / "conflict/report.md").read_bytes()
    kept = (tmp_path / "conflict/asked.jsonl").read_bytes()
    (tmp_path / "conflict/asked.jsonl").write_bytes(kept[: len(kept) // 2])
    assert command("eval", "conflict", "--cases", "30", "--out", "conflict").returncode == 0
    assert (tmp_path / "conflict/report.md").read_bytes() == before
    done = command("eval", "generated", "--cases", "10", "--out", "lives")
    assert done.returncode == 0, done.stderr
    assert "superseded values shown as current: 0" in done.stdout
    refused = command("eval", "conflict", "--data", "x", "--out", "other")
    assert (refused.returncode, "takes no --data" in refused.stderr) == (2, True)
