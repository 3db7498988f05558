"""The settings of a workspace: what its admin may change while everything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import cache
from typing import Annotated, Literal, get_args
from zoneinfo import ZoneInfo

import structlog
from pydantic import AfterValidator, Field, StringConstraints, ValidationError, model_validator

from service.domain.context import ContextSettings, PlacementField
from service.domain.dream_settings import DreamChoices, DreamSettings
from service.domain.field_types import Amount, BoundedObject, CostUsd, Days, Name, Text, TokenBudget, UnitInterval
from service.domain.json import JsonObject, JsonValue
from service.domain.languages import Configuration
from service.domain.llm_settings import LLMSettings
from service.domain.origin import OriginSettings
from service.domain.own_types import EntityKinds, MemoryTypes
from service.domain.owners import UsersMode
from service.domain.search import FusionField, Strategy
from service.domain.strict import FrozenModel

PiiEntity = Literal[
    "EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "US_SSN", "IP_ADDRESS", "PHONE_NUMBER", "PERSON", "LOCATION"
]
ALL_PII: tuple[PiiEntity, ...] = get_args(PiiEntity)

INSTRUCTIONS_MAX = 8_000
REPLACED = frozenset({"memory_types", "entity_kinds", "profile_schema"})
"""Settings that are given as a whole."""
FORMER_SETTINGS = frozenset({
    *(f"retrieval.{name}" for name in (
        "candidates", "k1", "b", "length_floor", "length_reference", "key_weight", "tag_weight", "summary_weight",
        "words_saturation", "statement_saturation", "vector_weight", "previous_share", "next_share", "reply_share",
        "fade_after", "fade_over", "question_penalty", "session_boost", "dialogue_boost", "time_boost", "near_days",
        "near_share", "early_factor", "user_boost",
    )),
    "retrieval.max_tokens", "documents", "dream.reflect_interval_h", "dream.reflect_tokens_max",
    "retention.events_days", "retention.proposals_days", "proxy.agent", "proxy.max_tokens",
    "proxy.capture_timeout_ms", "embedding.cache_size", "embedding.cache_ttl_s",
})  # fmt: skip
"""Dotted names, or whole sections; ``service.domain.ranking.Ranking`` has the measurements of those of ranking."""

log = structlog.get_logger(__name__)


def _time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("must be an IANA time zone, as in Europe/Berlin") from None
    return name


TimeZone = Annotated[str, StringConstraints(max_length=100), AfterValidator(_time_zone)]


class PiiSettings(FrozenModel):
    """Treatment of personal data in what is written. `PERSON` and `LOCATION` need a spaCy model."""

    mode: Literal["off", "redact", "reject"] = Field(
        "off",
        description="Treatment of personal data in what is written: `off` (none), `redact` (placeholders), `reject` "
        "(422). Default `off`.",
    )
    entities: tuple[PiiEntity, ...] = Field(
        ALL_PII,
        min_length=1,
        max_length=len(ALL_PII),
        description="Kinds of personal data: `EMAIL_ADDRESS`, `IBAN_CODE`, `CREDIT_CARD`, `US_SSN`, `IP_ADDRESS`, "
        "`PHONE_NUMBER`, and `PERSON` and `LOCATION` with a spaCy model. Default: all kinds.",
    )


SecretMode = Literal["off", "redact", "reject", "quarantine"]
ALL_SECRET_MODES: tuple[SecretMode, ...] = get_args(SecretMode)


class SecretSettings(FrozenModel):
    """Treatment of API keys, tokens, passwords, cookies and private keys in what is written."""

    mode: SecretMode = Field(
        "redact",
        description="Treatment of secrets in what is written: `off` (none), `redact` (placeholders such as "
        "`[SECRET:github_token]`), `reject` (422) or `quarantine` (placeholders, and what a dream makes of such a "
        "message waits in the inbox). Default `redact`.",
    )


@dataclass(frozen=True, slots=True)
class Masking:
    """What a workspace does with personal data and with secrets in what is written."""

    pii: PiiSettings = field(default_factory=PiiSettings)
    secrets: SecretSettings = field(default_factory=SecretSettings)

    @property
    def off(self) -> bool:
        """Whether nothing is masked."""
        return self.pii.mode == self.secrets.mode == "off"


class RateLimitSettings(FrozenModel):
    """Request limits per key, over all processes."""

    requests_per_minute: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Maximum requests per key and minute, over all processes. Default: no limit.",
    )
    burst: int | None = Field(
        None, ge=1, le=1_000_000, description="Maximum requests at once. Default: `requests_per_minute`."
    )


class KeySettings(FrozenModel):
    """Lifetime of API keys made in a sign-in."""

    days_max: int = Field(
        90,
        ge=1,
        le=36_500,
        description="Maximum days until an API key expires that somebody makes who has signed in at a provider. Only a "
        "key that does not expire may raise it. Default 90.",
    )


class WindowSettings(FrozenModel):
    """Bounds of the session window."""

    messages_max: int = Field(
        20, ge=2, le=1000, description="Number of messages at which the window is compacted. Default 20."
    )
    trim_to: int = Field(
        10,
        ge=1,
        le=999,
        description="Number of messages left after a compaction; less than `messages_max`. Default 10.",
    )
    idle_s: int = Field(
        1800, ge=1, le=31_536_000, description="Idle time in seconds before the window is closed. Default 1,800."
    )
    tokens_max: int = Field(
        8_000, ge=100, le=1_000_000, description="Number of tokens at which the window is compacted. Default 8,000."
    )

    @model_validator(mode="after")
    def _trims(self) -> WindowSettings:
        if self.trim_to >= self.messages_max:
            raise ValueError("trim_to must be less than messages_max")
        return self


class RetrievalSettings(FrozenModel):
    """Ranking, language and visibility of search results."""

    fusion: FusionField = "relative"
    rrf_k: int = Field(
        60,
        ge=1,
        le=1000,
        description="Constant k of Reciprocal Rank Fusion. Default 60 (Cormack, Clarke, Büttcher 2009).",
    )
    importance_boost: UnitInterval = Field(
        0.1, description="Boost of a memory of effective importance 1, in proportion for less. Default 0.1."
    )
    min_relevance: UnitInterval | None = Field(
        None,
        description="Minimum relevance of a result, from 0 (no limit) to 1. Null: the noise level of the embedder. "
        "Default null.",
    )
    language: Configuration | Literal["auto"] = Field(
        "auto",
        description="Postgres text search configuration of new texts, or `auto` (detected per text). Default `auto`.",
    )
    rerank: bool = Field(False, description="Reranking by RERANK_MODEL of searches without `rerank`. Default false.")
    faded_below: float = Field(
        0.1,
        ge=0,
        le=1,
        description="Effective importance below which a memory is left out of searches, from 0 to 1. Default 0.1.",
    )


class RetrievalDefaults(RetrievalSettings):
    """Search and ranking settings, with the defaults of requests."""

    strategy: Strategy = Field(
        "hybrid",
        description="Strategy of searches, contexts and answers without `strategy`: `hybrid`, `semantic`, `keyword` or "
        "`recent`. Default `hybrid`.",
    )
    context_max_tokens: TokenBudget = Field(
        2_000,
        description="Token budget of contexts, of the proxy's memory block, and of the memories behind answers, "
        "without `max_tokens`. Default 2,000.",
    )


class BudgetSettings(FrozenModel):
    """Daily budget of all model calls (dreams, questions, summaries, reranking, remote embedding, proxy), over
    all processes."""

    day_tokens_max: Amount | None = Field(
        100_000_000,
        description="Tokens per day (UTC), prompts and completions together. Null: no limit. Default 100,000,000.",
    )
    day_cost_max_usd: CostUsd | None = Field(
        100.0,
        description="Cost per day (UTC) in US dollars; models without a price count 0. Null: no limit. Default 100.",
    )


class RetentionSettings(FrozenModel):
    """Retention periods of deleted memories and events, and half-life of unused memories."""

    deleted_days: int = Field(30, ge=0, le=36_500, description="Retention of deleted memories in days. Default 30.")
    decay_days: Days = Field(
        30, description="Half-life of the importance of unused events and observations in days. Default 30."
    )
    unused_days: Days | None = Field(
        None,
        description="Days after which a memory that was neither found, said again nor changed is deleted, restorably; "
        "never identity, open todos, what has a key or is `decay_exempt`. Null: never. Default null.",
    )
    model_calls_days: int | None = Field(
        None,
        ge=1,
        le=90,
        description="Retention in days of calls of language models with input, output and cost "
        "(`GET /v1/model-calls`). Null: none are kept. Default null.",
    )


class ProxySettings(FrozenModel):
    """Proxy in front of models: availability, models, and place of the memory block."""

    enabled: bool = Field(
        False,
        description="Availability of the proxy (`POST /v1/chat/completions`, `/v1/responses`, `/v1/messages`). "
        "Default false.",
    )
    models: Annotated[list[Name], Field(max_length=100)] = Field(
        [], description="Allowed models as file-name patterns; empty: LLM_MODEL only. Default empty."
    )
    caller_keys: bool = Field(
        False,
        description="Permission of requests with a key of the caller's own for the model (header X-Reverie-Model-Key). "
        "Default false.",
    )
    placement: PlacementField = "system"
    no_system_models: Annotated[list[Name], Field(max_length=100)] = Field(
        [
            *("o1", "*/o1", "o1-mini*", "*/o1-mini*", "o1-preview*", "*/o1-preview*"),
            *("glm*", "*/glm*", "zai*", "qianfan*", "gemma*", "*/gemma*"),
        ],
        description="Models without a system role as file-name patterns; their memory block goes into a user message. "
        "Default: o1, GLM, Z.ai, Qianfan and Gemma models.",
    )
    recall_timeout_ms: int = Field(
        1_500,
        ge=10,
        le=60_000,
        description="Time limit of the recall in milliseconds, after which the model is called without memory, and of "
        "storing the turn, after which the response goes out with a notice. Default 1,500.",
    )


class MemorySettings(FrozenModel):
    """Switch of the memory."""

    enabled: bool = Field(
        True,
        description="Memory in use. False: messages are not stored, no dream runs, and contexts hold only what the "
        "caller sends; what is saved stays, and searches find it. Default true.",
    )


class AgentSettings(FrozenModel):
    """Settings of one agent. Those given override the workspace's."""

    instructions: Annotated[Text, StringConstraints(max_length=INSTRUCTIONS_MAX)] = Field(
        "", description="Instructions, the first section of every context; at most 8,000 characters. Default empty."
    )
    time_zone: TimeZone = Field("UTC", description="IANA time zone of `dream.quiet_hours`. Default `UTC`.")
    memory: MemorySettings = Field(MemorySettings(), description="Switch of the memory.")
    users: UsersMode = Field(
        "separate",
        description="Separation of users: `separate` (each sees what is nobody's or its own), `shared` (one team "
        "behind one agent: all see all) or `strict` (a request without a user sees what is nobody's, everywhere). "
        "Default `separate`.",
    )
    window: WindowSettings = Field(WindowSettings(), description="Session window settings.")
    retrieval: RetrievalSettings = Field(RetrievalSettings(), description="Search and ranking settings.")
    dream: DreamChoices = Field(DreamChoices(), description="Dream and bulletin settings.")
    origins: OriginSettings = Field(OriginSettings(), description="Treatment of memories by origin.")
    context: ContextSettings = Field(
        ContextSettings(), description="Shares of the token budget of a context by section, and search of messages."
    )


class WorkspaceSettings(AgentSettings):
    """Settings of a workspace."""

    memory_types: MemoryTypes = Field(
        {},
        description="Memory types of the workspace's own by name, at most 20; those given replace all former ones. A "
        "type in use keeps its place and its `like`. Default empty.",
    )
    entity_kinds: EntityKinds = Field(
        {},
        description="Entity kinds of the workspace's own by name, at most 20; those given replace all former ones. "
        "Default empty.",
    )
    profile_schema: BoundedObject | None = Field(
        None,
        description="JSON Schema (draft 2020-12) whose properties are the fields of users' profiles, at most 8,000 "
        "bytes and 50 properties: texts, numbers, booleans, or lists of these; `x-reverie-slot` names the built-in "
        "field or attribute that fills one. Null: the built-in fields. Default null.",
    )
    pii: PiiSettings = Field(PiiSettings(), description="Personal data settings.")
    secrets: SecretSettings = Field(SecretSettings(), description="Settings of secrets in what is written.")
    retrieval: RetrievalDefaults = Field(RetrievalDefaults(), description="Search and ranking settings.")
    budget: BudgetSettings = Field(BudgetSettings(), description="Daily budget of all model calls.")
    dream: DreamSettings = Field(DreamSettings(), description="Dream and bulletin settings.")
    rate_limit: RateLimitSettings = Field(RateLimitSettings(), description="Rate limit per key.")
    keys: KeySettings = Field(KeySettings(), description="Lifetime of API keys made in a sign-in.")
    retention: RetentionSettings = Field(RetentionSettings(), description="Retention periods.")
    proxy: ProxySettings = Field(ProxySettings(), description="OpenAI-compatible proxy settings.")
    llm: LLMSettings = Field(LLMSettings(), description="Language models of the workspace's own, by step.")

    @property
    def masking(self) -> Masking:
        """What is done with personal data and with secrets."""
        return Masking(self.pii, self.secrets)

    def over(self, changes: Mapping[str, JsonValue]) -> WorkspaceSettings:
        """These settings with ``changes``, sections of fields, laid over them. Raises ValueError where they do not fit
        together."""
        return WorkspaceSettings.model_validate(_merged(self.model_dump(), changes))

    def shown(self) -> WorkspaceSettings:
        """As they are shown: without keys."""
        return self.model_copy(update={"llm": self.llm.shown()} if "llm" in self.model_fields_set else None)

    def next_dream(self, now: datetime) -> datetime:
        """When an agent that dreams now is due again: after its interval, in its quiet hours."""
        return self.next_quiet_time(now + timedelta(hours=self.dream.interval_h))

    def next_quiet_time(self, moment: datetime) -> datetime:
        """The moment itself in the quiet hours or where none are set, else when they next begin."""
        if self.dream.quiet_hours is None:
            return moment
        local = moment.astimezone(ZoneInfo(self.time_zone))
        begin, end = map(time.fromisoformat, self.dream.quiet_hours.split("-"))
        at = local.time()
        if begin <= at < end if begin < end else at >= begin or at < end:
            return moment
        start = datetime.combine(local.date() + timedelta(days=at >= begin), begin, local.tzinfo)
        return start.astimezone(moment.tzinfo)

    def of_agent(self, stored: Mapping[str, JsonValue] | None) -> WorkspaceSettings:
        """The settings of an agent: its own, as stored, over the workspace's.

        What an earlier release let it store without being settings is not applied. A window that would hold no more
        than it is trimmed to, as one bound is the agent's and one the workspace's, is trimmed to half.
        """
        if not stored:
            return self
        try:
            own = AgentSettings.model_validate(without_former(stored)[0])
        except ValidationError:
            return self
        merged = _merged(self.model_dump(), own.model_dump(exclude_unset=True))
        window = merged["window"]
        if window["trim_to"] >= window["messages_max"]:
            window["trim_to"] = window["messages_max"] // 2
        return WorkspaceSettings.model_validate(merged)


def former_notice(name: str) -> str:
    """Return the sentence that says that a setting of this dotted name exists no longer."""
    return f"{name} is no longer a setting"


def without_former(settings: Mapping[str, JsonValue]) -> tuple[JsonObject, list[str]]:
    """Return settings by section without those of former releases, and the dotted names of those left out, which are
    logged once in a process."""
    kept: JsonObject = {}
    left_out: list[str] = []
    for section, given in settings.items():
        if section in FORMER_SETTINGS:
            left_out.append(section)
            continue
        former = [name for name in given if f"{section}.{name}" in FORMER_SETTINGS] if isinstance(given, dict) else []
        left_out += [f"{section}.{name}" for name in former]
        if not former:
            kept[section] = given
        elif len(former) < len(given):
            kept[section] = {name: given[name] for name in given if name not in former}
    if left_out:
        _log_former(*left_out)
    return kept, left_out


@cache
def _log_former(*names: str) -> None:
    log.warning("former_settings_left_out", settings=list(names))


def _merged(present: Mapping[str, JsonValue], changes: Mapping[str, JsonValue]) -> JsonObject:
    return {**present} | {
        name: _merged(present[name], value) if isinstance(value, dict) and name not in REPLACED else value
        for name, value in changes.items()
    }
