"""Settings of former releases: constants today. What is stored or imported with one is taken without it."""

from __future__ import annotations

from collections.abc import Mapping

from service.domain.json import JsonObject, JsonValue

FORMER_SETTINGS = frozenset({
    *(f"retrieval.{name}" for name in (
        "candidates", "k1", "b", "length_floor", "length_reference", "key_weight", "tag_weight", "summary_weight",
        "words_saturation", "statement_saturation", "vector_weight", "previous_share", "next_share", "reply_share",
        "fade_after", "fade_over", "question_penalty", "session_boost", "dialogue_boost", "time_boost", "near_days",
        "near_share", "early_factor", "user_boost",
    )),
    "documents.overlap_tokens", "dream.reflect_interval_h", "dream.reflect_tokens_max", "retention.events_days",
})  # fmt: skip
"""Dotted names; ``service.domain.ranking.Ranking`` has the values and measurements of those of ``retrieval``."""


def without_former(settings: Mapping[str, JsonValue]) -> tuple[JsonObject, list[str]]:
    """Return settings by section without those of former releases, and the dotted names of those left out."""
    kept: JsonObject = {}
    left_out: list[str] = []
    for section, given in settings.items():
        if not isinstance(given, dict):
            kept[section] = given
            continue
        former = [name for name in given if f"{section}.{name}" in FORMER_SETTINGS]
        left_out += [f"{section}.{name}" for name in former]
        kept[section] = {name: value for name, value in given.items() if name not in former} if former else given
    return kept, left_out
