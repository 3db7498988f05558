"""The settings of dreams: when they run, what they keep, and how it is written."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from service.domain.field_types import Amount, CostUsd, Identifies, Name, Text
from service.domain.own_types import TYPES_MAX, TypeName
from service.domain.strict import FrozenModel

DREAM_INSTRUCTIONS_MAX = 4_000
AS_SAID = "as_said"
LANGUAGE_NAME = re.compile(r"[^\W\d_]{2,30}(?:[ -][^\W\d_]{1,30}){0,3}")
HOURS = re.compile(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d")


def _hours(hours: str) -> str:
    if not HOURS.fullmatch(hours) or hours[:5] == hours[6:]:
        raise ValueError("must be two different times, as in 22:00-06:00")
    return hours


def _language(name: str) -> str:
    if name != AS_SAID and not LANGUAGE_NAME.fullmatch(name):
        raise ValueError("must be `as_said` or the name of a language, as in German")
    return name


def _word_pattern(pattern: str) -> str:
    words = pattern.strip("*")
    if not words.strip() or "*" in words:
        raise ValueError("must be words, with `*` at their start or end alone, as in diabet*")
    return pattern


Hours = Annotated[str, StringConstraints(max_length=11), AfterValidator(_hours)]
LanguageName = Annotated[str, StringConstraints(max_length=100), AfterValidator(_language)]
WordPattern = Annotated[
    Text, StringConstraints(min_length=2, max_length=100), AfterValidator(_word_pattern), Identifies()
]


Threshold = Annotated[float, Field(ge=0.5, le=1)]
"""A probability from which the decision model decides."""
ExtractedRole = Literal["user", "assistant", "tool"]


class DreamChoices(FrozenModel):
    """Schedule of dreams and what they make."""

    interval_h: float = Field(
        6.0, gt=0, le=8_760, description="Interval between scheduled dreams of an agent in hours. Default 6."
    )
    quiet_hours: Hours | None = Field(
        None,
        description="Off-peak hours as `22:00-06:00`, in `time_zone`: scheduled dreams run in them alone. Null: at any "
        "time. Default null.",
    )
    types: Annotated[list[TypeName], Field(min_length=1, max_length=TYPES_MAX)] | None = Field(
        None,
        description="Types of the memories that dreams make, own ones too. Null: all. Default null.",
    )
    ignore_types: Annotated[list[TypeName], Field(max_length=TYPES_MAX)] = Field(
        [], description="Types of memories that dreams do not make, `types` among them. Default empty."
    )
    keep_entities: Annotated[list[Name], Field(max_length=100)] = Field(
        [],
        description="Names: only statements that are about one of them, name one, or match `keep_patterns` are kept. "
        "Default empty: all.",
    )
    keep_patterns: Annotated[list[WordPattern], Field(max_length=100)] = Field(
        [],
        description="Words, with `*` for the rest of a word (`invoice*`): only statements with one of them, or that "
        "match `keep_entities`, are kept. Default empty: all.",
    )
    ignore_entities: Annotated[list[Name], Field(max_length=100)] = Field(
        [], description="Names: statements that are about one of them or name one are left out. Default empty."
    )
    ignore_patterns: Annotated[list[WordPattern], Field(max_length=100)] = Field(
        [],
        description="Words, with `*` for the rest of a word (`diabet*`): statements with one of them are left out. "
        "Default empty.",
    )
    extract_from: Annotated[list[ExtractedRole], Field(min_length=1, max_length=3)] = Field(
        ["user", "assistant"],
        description="Roles of the messages that dreams make memories of: `user`, `assistant`, `tool`. What a tool "
        "returned may come from anybody. Default `user` and `assistant`.",
    )
    propose_below: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Confidence below which a dream's statement waits as a proposal in the inbox instead of becoming a "
        "memory, from 0 to 1. Null: none waits. Default null.",
    )
    instructions: Annotated[Text, StringConstraints(max_length=DREAM_INSTRUCTIONS_MAX)] = Field(
        "",
        description="Instructions to the language model of dreams, bulletins and summaries: what the agent is for, "
        "what to keep, what to ignore; at most 4,000 characters. Rules do not read them. Default empty.",
    )
    language: LanguageName = Field(
        AS_SAID,
        description="Language in which the language model writes memories, bulletins and summaries, as in `German`; "
        "`as_said`: that of the conversation. Rules write as said. Default `as_said`.",
    )
    reflect: Literal["off", "rules", "model"] = Field(
        "rules",
        description="What dreams conclude from several memories, as memories of type `insight`: `rules` (habits, "
        "changes over time, preferences across things, open questions), `model` (a language model concludes as well), "
        "or `off` (nothing). Default `rules`.",
    )
    merge_at: Threshold = Field(
        0.97,
        description="Probability from which the decision model (`llm.decide`) has two statements taken as the same, "
        "from 0.5 to 1. Default 0.97.",
    )
    replace_at: Threshold = Field(
        0.9,
        description="Probability from which the decision model has a statement replace an older one (an update or a "
        "contradiction), from 0.5 to 1. Default 0.9.",
    )
    distinct_at: Threshold = Field(
        0.9,
        description="Probability from which the decision model has two statements kept apart, from 0.5 to 1; below the "
        "three, `llm.reconcile` decides. Default 0.9.",
    )
    bulletin_tokens_max: int = Field(
        500, ge=50, le=8_000, description="Maximum length of a bulletin in tokens. Default 500."
    )


class DreamSettings(DreamChoices):
    """Schedule and budget of dreams, and what they make."""

    tokens_max: Amount | None = Field(
        500_000, description="Language model tokens per dream. Null: no limit. Default 500,000."
    )
    cost_max_usd: CostUsd | None = Field(5.0, description="Cost per dream in US dollars. Null: no limit. Default 5.")
    day_tokens_max: Amount | None = Field(
        5_000_000, description="Tokens per day (UTC) of all dreams and bulletins. Null: no limit. Default 5,000,000."
    )
    day_cost_max_usd: CostUsd | None = Field(
        50.0, description="Cost per day (UTC) of all dreams and bulletins in US dollars. Null: no limit. Default 50."
    )
