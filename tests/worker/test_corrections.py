"""Corrections: of 200 pairs of messages, which earlier statements a later one replaces, by rules, and which still hold.

``plain.jsonl`` are short messages; ``free.jsonl`` were written as people type, by somebody who had not seen the rules.
Of the latter the rules take few: those that they take are listed, and none that still holds may be replaced.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from tests.live_api import Api
from tests.worker.dreaming import dream, say

Json = dict[str, Any]

PAIRS = Path(__file__).parent / "corrections"
MISSED = {"r29", "r33", "r34", "r36"}
"""Plain corrections that no rule takes."""
TAKEN = {"r01", "r02", "r12", "r18", "r22", "r23", "r25", "r31", "r33", "r36", "r39", "r41", "r44", "r50"}
"""Free corrections that are taken."""


async def outcomes(api: Api, pairs: list[Json]) -> dict[str, tuple[set[str], set[str], set[str]]]:
    """What the earlier message of each pair says still, what it said, and what the later says, each pair of a user."""
    ids: dict[str, str] = {}
    for part, day in (("earlier", 1), ("later", 8)):
        for pair in pairs:
            at = f"2026-03-{day:02}T10:00:00Z"
            (told,) = await say(api, pair[part], session=f"{part}-{pair['id']}", user=pair["id"], created_at=at)
            ids[told["id"]] = f"{pair['id']}/{part}"
        await dream(api.runtime)
    found: dict[str, tuple[set[str], set[str], set[str]]] = {pair["id"]: (set(), set(), set()) for pair in pairs}
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        rows = await connection.raw.fetch(
            "SELECT m.content, m.superseded_by IS NULL AS holds, s.message_id FROM memories m"
            " JOIN memory_sources s ON s.workspace_id = m.workspace_id AND s.memory_id = m.id"
        )
    for row in rows:
        pair, _, part = ids[str(row["message_id"])].partition("/")
        current, said, later = found[pair]
        if part == "earlier":
            said.add(row["content"].lower())
            current |= {row["content"].lower()} if row["holds"] else set()
        elif row["holds"]:
            later.add(row["content"].lower())
    return found


def is_taken(pair: Json, current: set[str], later: set[str]) -> bool:
    told = not pair["new"] or any(all(word in one for word in pair["new"].split()) for one in later)
    return told and not any(pair["old"] in one for one in current)


@pytest.mark.parametrize("kind", ["plain", "free"])
async def test_a_correction_replaces_what_it_corrects_and_nothing_else(static_api: Api, kind: str) -> None:
    pairs = [json.loads(line) for line in (PAIRS / f"{kind}.jsonl").read_text("utf-8").splitlines()]
    found = await outcomes(static_api, pairs)
    beside = {pair["id"] for pair in pairs if not pair["replace"]}
    assert {one for one in beside if found[one][0] != found[one][1]} == set()
    replaced = {pair["id"] for pair in pairs if pair["replace"]}
    taken = {
        pair["id"] for pair in pairs if pair["replace"] and is_taken(pair, found[pair["id"]][0], found[pair["id"]][2])
    }
    assert taken >= (replaced - MISSED if kind == "plain" else TAKEN), replaced - taken
