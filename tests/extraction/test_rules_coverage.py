"""How much of real conversations the rules notice, and how little of the small talk."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from service.extraction.candidates import Turn
from service.extraction.rules import extract


def conversations(data: Path) -> Iterator[tuple[list[Turn], dict[UUID, str], set[str]]]:
    conversations: list[dict[str, Any]] = json.loads(gzip.decompress((data / "locomo_dev.json.gz").read_bytes()))
    for conversation in conversations:
        turns: list[Turn] = []
        names: dict[UUID, str] = {}
        for session in conversation["sessions"]:
            at = datetime.strptime(session["date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for seq, line in enumerate(session["turns"]):
                id_ = uuid5(NAMESPACE_URL, conversation["id"] + line["id"])
                names[id_] = line["id"]
                turns.append(
                    Turn(
                        id_,
                        str(session["session"]),
                        seq,
                        "user",
                        line["text"],
                        at + timedelta(seconds=30 * seq),
                        line["speaker"],
                    )
                )
        yield (
            turns,
            names,
            {id_ for note in conversation["observations"] for id_ in note["evidence"]} & set(names.values()),
        )


def test_covers_annotated_turns_and_spares_the_others(shared: Path) -> None:
    covered = annotated = spoken_of = others = 0
    for turns, names, noted in conversations(shared / "bench"):
        hit = {names[id_] for candidate in extract(turns) for id_ in candidate.evidence}
        covered, annotated = covered + len(hit & noted), annotated + len(noted)
        spoken_of, others = spoken_of + len(hit - noted), others + len(turns) - len(noted)
    assert covered / annotated > 0.58
    assert spoken_of / others < 0.22
