"""The cases of ``cases.jsonl``: one utterance a line, with what must come of it and what must not.

``text`` is what Sam says to the assistant, or ``turns`` a conversation, each turn a text or ``{text, role, speaker}``.
``expect`` lists the memories that must come, each with ``type`` (one, or a list of those that will do), ``has`` (texts
its content holds), ``slot``, ``value``, ``polarity`` and ``on`` (the day it happens). Nothing else may come unless
``more`` is set; ``never`` lists texts that no memory may hold.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from service.extraction.candidates import Candidate, Turn
from service.extraction.rules import extract

Case = dict[str, Any]

FILE = Path(__file__).parent / "cases.jsonl"
SAID_AT = datetime(2025, 11, 12, 10, 0, tzinfo=UTC)  # a Wednesday


@cache
def load() -> tuple[Case, ...]:
    """All cases, in the order of the file."""
    return tuple(json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines() if line.strip())


def extracted(case: Case) -> list[Candidate]:
    """What the rules make of the case."""
    said = case["turns"] if "turns" in case else [case["text"]]
    return extract([_turn(one if isinstance(one, dict) else {"text": one}, seq) for seq, one in enumerate(said)])


def problems(case: Case, found: list[Candidate]) -> list[str]:
    """What is missing and what is unexpected, in words; empty where all is as it must be."""
    left = list(found)
    told: list[str] = []
    for expected in case["expect"]:
        match = next((candidate for candidate in left if _fits(candidate, expected)), None)
        if match is None:
            told.append(f"missing: {expected}")
        else:
            left.remove(match)
    if not case.get("more"):
        told += [f"unexpected: {candidate.type.value} {candidate.content!r}" for candidate in left]
    for text in case.get("never", ()):
        told += [f"forbidden {text!r}: {candidate.content!r}" for candidate in found if text in candidate.content]
    return told


def _turn(said: dict[str, Any], seq: int) -> Turn:
    at = SAID_AT + timedelta(seconds=seq)
    return Turn(UUID(int=seq + 1), "s", seq, said.get("role", "user"), said["text"], at, said.get("speaker"), "Sam")


def _fits(candidate: Candidate, expected: dict[str, Any]) -> bool:
    types = [expected["type"]] if isinstance(expected["type"], str) else expected["type"]
    day = candidate.begins.date().isoformat() if candidate.begins else None
    return (
        candidate.type.value in types
        and all(text.lower() in candidate.content.lower() for text in expected.get("has", ()))
        and expected.get("slot", candidate.slot) == candidate.slot
        and expected.get("value", candidate.value) == candidate.value
        and expected.get("polarity", candidate.polarity) == candidate.polarity
        and expected.get("on", day) == day
    )
