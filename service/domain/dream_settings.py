"""The settings of dreams: when they run, what they keep, and how it is written."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from service.domain.field_types import Amount, CostUsd, Identifies, Name, Text
from service.domain.own_types import TYPES_MAX, TypeName
from service.domain.setting import setting
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

    interval_h: float = setting(
        6.0,
        "Interval between scheduled dreams of an agent.",
        section="dreams",
        unit="hours",
        change="Lower it where what was said must be known sooner, raise it to make fewer calls of models.",
        gt=0,
        le=8_760,
    )
    quiet_hours: Hours | None = setting(
        None,
        "Off-peak hours as `22:00-06:00`, in `time_zone`: scheduled dreams run in them alone. Null: at any time.",
        section="dreams",
        change="Where models or the database are busy by day, or cheaper by night.",
    )
    types: Annotated[list[TypeName], Field(min_length=1, max_length=TYPES_MAX)] | None = setting(
        None,
        "Types of the memories that dreams make, own ones too. Null: all.",
        section="memory",
        change="Where an agent needs few types.",
    )
    ignore_types: Annotated[list[TypeName], Field(max_length=TYPES_MAX)] = setting(
        [],
        "Types of memories that dreams do not make, `types` among them.",
        section="memory",
        change="Where an agent needs all types but some.",
    )
    keep_entities: Annotated[list[Name], Field(max_length=100)] = setting(
        [],
        "Names: only statements that are about one of them, name one, or match `keep_patterns` are kept; empty: all.",
        section="memory",
        change="For an agent that serves few persons, products or projects.",
    )
    keep_patterns: Annotated[list[WordPattern], Field(max_length=100)] = setting(
        [],
        "Words, with `*` for the rest of a word (`invoice*`): only statements with one of them, or that match "
        "`keep_entities`, are kept; empty: all.",
        section="memory",
        change="For an agent with one subject.",
    )
    ignore_entities: Annotated[list[Name], Field(max_length=100)] = setting(
        [],
        "Names: statements that are about one of them or name one are left out.",
        section="memory",
        change="Where nothing may be remembered of somebody or something.",
    )
    ignore_patterns: Annotated[list[WordPattern], Field(max_length=100)] = setting(
        [],
        "Words, with `*` for the rest of a word (`diabet*`): statements with one of them are left out.",
        section="memory",
        change="Where a subject, such as health, must not be remembered.",
    )
    extract_from: Annotated[list[ExtractedRole], Field(min_length=1, max_length=3)] = setting(
        ["user", "assistant"],
        "Roles of the messages that dreams make memories of: `user`, `assistant`, `tool`. What a tool returned may "
        "come from anybody.",
        section="memory",
        change="To remember the words of users alone, or also what tools return.",
    )
    propose_below: float | None = setting(
        None,
        "Confidence below which a dream's statement waits as a proposal in the inbox instead of becoming a memory, "
        "from 0 to 1. Null: none waits.",
        section="memory",
        change="Where a person should decide on what a dream is not sure of.",
        ge=0,
        le=1,
    )
    instructions: Annotated[Text, StringConstraints(max_length=DREAM_INSTRUCTIONS_MAX)] = setting(
        "",
        "Instructions to the language model of dreams, bulletins and summaries: what the agent is for, what to keep, "
        "what to ignore; at most 4,000 characters. Rules do not read them.",
        section="dreams",
        change="Where a model keeps what does not matter here, or misses what does.",
    )
    language: LanguageName = setting(
        AS_SAID,
        "Language in which the language model writes memories, bulletins and summaries, as in `German`; `as_said`: "
        "that of the conversation. Rules write as said.",
        section="dreams",
        change="Where users speak several languages, and who reads the memories speaks one.",
    )
    reflect: Literal["off", "rules", "model"] = setting(
        "rules",
        "What dreams conclude from several memories, as memories of type `insight`: `rules` (habits, changes over "
        "time, preferences across things, open questions), `model` (a language model concludes as well), or `off` "
        "(nothing).",
        section="dreams",
        change="`off` where only what was said may be known, `model` for conclusions that rules do not draw.",
    )
    merge_at: Threshold = setting(
        0.97,
        "Probability from which the decision model (`llm.decide`) has two statements taken as the same, from 0.5 to 1.",
        section="dreams",
        change="With another decision model, whose probabilities mean something else.",
        advanced=True,
    )
    replace_at: Threshold = setting(
        0.9,
        "Probability from which the decision model has a statement replace an older one (an update or a "
        "contradiction), from 0.5 to 1.",
        section="dreams",
        change="With another decision model, whose probabilities mean something else.",
        advanced=True,
    )
    distinct_at: Threshold = setting(
        0.9,
        "Probability from which the decision model has two statements kept apart, from 0.5 to 1; below the three, "
        "`llm.reconcile` decides.",
        section="dreams",
        change="With another decision model, whose probabilities mean something else.",
        advanced=True,
    )
    bulletin_tokens_max: int = setting(
        500,
        "Maximum length of a bulletin.",
        section="dreams",
        unit="tokens",
        change="Raise it for an agent that must know much before the first question; each context pays for it.",
        ge=50,
        le=8_000,
    )


class DreamSettings(DreamChoices):
    """Schedule and budget of dreams, and what they make."""

    tokens_max: Amount | None = setting(
        500_000,
        "Budget of one dream for language models. Null: no limit.",
        section="limits",
        unit="tokens",
        change="Raise it where reports of dreams say that they stopped by it.",
    )
    cost_max_usd: CostUsd | None = setting(
        5.0,
        "Cost of one dream. Null: no limit.",
        section="limits",
        unit="US dollars",
        change="Raise it where reports of dreams say that they stopped by it.",
    )
    day_tokens_max: Amount | None = setting(
        5_000_000,
        "Budget per day (UTC) of all dreams and bulletins. Null: no limit.",
        section="limits",
        unit="tokens",
        change="To keep a part of `budget.day_tokens_max` for questions and the proxy.",
        advanced=True,
    )
    day_cost_max_usd: CostUsd | None = setting(
        50.0,
        "Cost per day (UTC) of all dreams and bulletins. Null: no limit.",
        section="limits",
        unit="US dollars",
        change="To keep a part of `budget.day_cost_max_usd` for questions and the proxy.",
        advanced=True,
    )
