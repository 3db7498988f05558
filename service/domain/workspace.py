"""The settings of a workspace: what its admin may change while everything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import cache
from typing import Annotated, Literal, get_args

import structlog
from pydantic import Field, StringConstraints, ValidationError, model_validator

from service.domain.context import ContextSettings, Placement
from service.domain.dream_settings import DreamChoices, DreamSettings
from service.domain.field_types import Amount, BoundedObject, CostUsd, Days, Name, Text, TokenBudget, UnitInterval
from service.domain.json import JsonObject, JsonValue
from service.domain.languages import Configuration
from service.domain.llm_settings import LLMSettings
from service.domain.origin import OriginSettings
from service.domain.own_types import EntityKinds, MemoryTypes
from service.domain.owners import UsersMode
from service.domain.search import Fusion, Strategy
from service.domain.setting import setting
from service.domain.strict import FrozenModel
from service.domain.times import ZoneName, tzinfo_of

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
    "proxy.capture_timeout_ms", "embedding.cache_size", "embedding.cache_ttl_s", "embedding.storage",
})  # fmt: skip
"""Dotted names, or whole sections; ``service.domain.ranking.Ranking`` has the measurements of those of ranking."""

log = structlog.get_logger(__name__)


class PiiSettings(FrozenModel):
    """Treatment of personal data in what is written. `PERSON` and `LOCATION` need a spaCy model."""

    mode: Literal["off", "redact", "reject"] = setting(
        "off",
        "Treatment of personal data in what is written: `off` (none), `redact` (placeholders), `reject` (422).",
        section="privacy",
        change="To keep personal data out of memory; what is stored already stays as it is.",
    )
    entities: tuple[PiiEntity, ...] = setting(
        ALL_PII,
        "Kinds of personal data: `EMAIL_ADDRESS`, `IBAN_CODE`, `CREDIT_CARD`, `US_SSN`, `IP_ADDRESS`, `PHONE_NUMBER`, "
        "and `PERSON` and `LOCATION` with a spaCy model.",
        section="privacy",
        change="Where some kinds are what memory is for, as phone numbers in a directory.",
        shown="all kinds",
        min_length=1,
        max_length=len(ALL_PII),
    )


SecretMode = Literal["off", "redact", "reject", "quarantine"]
ALL_SECRET_MODES: tuple[SecretMode, ...] = get_args(SecretMode)


class SecretSettings(FrozenModel):
    """Treatment of API keys, tokens, passwords, cookies and private keys in what is written."""

    mode: SecretMode = setting(
        "redact",
        "Treatment of secrets in what is written: `off` (none), `redact` (placeholders such as "
        "`[SECRET:github_token]`), `reject` (422) or `quarantine` (placeholders, and what a dream makes of such a "
        "message waits in the inbox).",
        section="privacy",
        change="To have callers told (`reject`), or a person look at what came with a secret (`quarantine`).",
    )


@dataclass(frozen=True, slots=True)
class Masking:
    """What a workspace does with personal data and with secrets in what is written."""

    pii: PiiSettings = field(default_factory=PiiSettings)
    secrets: SecretSettings = field(default_factory=SecretSettings)

    @property
    def off(self) -> bool:
        """Return whether nothing is masked."""
        return self.pii.mode == self.secrets.mode == "off"


class RateLimitSettings(FrozenModel):
    """Request limits per key, over all processes."""

    requests_per_minute: int | None = setting(
        None,
        "Maximum requests per key and minute, over all processes. Null: no limit.",
        section="limits",
        change="Where one key could take the service from the others.",
        ge=1,
        le=1_000_000,
    )
    burst: int | None = setting(
        None,
        "Maximum requests at once. Null: `requests_per_minute`.",
        section="limits",
        change="To have requests spread over the minute (less) or come together (more).",
        advanced=True,
        ge=1,
        le=1_000_000,
    )


class KeySettings(FrozenModel):
    """Lifetime of API keys made in a sign-in."""

    days_max: int = setting(
        90,
        "Maximum time until an API key expires that somebody makes who has signed in at a provider. Only a key that "
        "does not expire may raise it.",
        section="limits",
        unit="days",
        change="Where a rule of your organisation says how long a key may live.",
        advanced=True,
        ge=1,
        le=36_500,
    )


class WindowSettings(FrozenModel):
    """Bounds of the session window."""

    messages_max: int = setting(
        20,
        "Length at which the session window is compacted.",
        section="context",
        unit="messages",
        change="Raise it where a model should read more of a conversation word by word; that costs tokens.",
        ge=2,
        le=1000,
    )
    trim_to: int = setting(
        10,
        "What a compaction leaves of the session window; less than `messages_max`.",
        section="context",
        unit="messages",
        change="Together with `window.messages_max`, of which it is half.",
        advanced=True,
        ge=1,
        le=999,
    )
    idle_s: int = setting(
        1800,
        "Idle time before the session window is closed.",
        section="context",
        unit="seconds",
        change="Raise it where conversations go on after long pauses.",
        ge=1,
        le=31_536_000,
    )
    tokens_max: int = setting(
        8_000,
        "Size at which the session window is compacted.",
        section="context",
        unit="tokens",
        change="Lower it for a model of small context, raise it for very long messages.",
        advanced=True,
        ge=100,
        le=1_000_000,
    )

    @model_validator(mode="after")
    def _trims(self) -> WindowSettings:
        if self.trim_to >= self.messages_max:
            raise ValueError("trim_to must be less than messages_max")
        return self


class RetrievalSettings(FrozenModel):
    """Ranking, language and visibility of search results."""

    fusion: Fusion = setting(
        "relative",
        "Fusion of the hybrid candidates: `relative` (scaled scores) or `rrf` (Reciprocal Rank Fusion).",
        section="search",
        change="To compare with a system that fuses by ranks.",
        advanced=True,
    )
    rrf_k: int = setting(
        60,
        "Constant k of Reciprocal Rank Fusion (Cormack, Clarke, Büttcher 2009).",
        section="search",
        change="With `retrieval.fusion: rrf` alone: lower it to have the first ranks count more.",
        advanced=True,
        ge=1,
        le=1000,
    )
    importance_boost: UnitInterval = setting(
        0.1,
        "Boost of a memory of effective importance 1, in proportion for less.",
        section="search",
        change="Raise it where callers set `importance` with care; 0 ranks by the query alone.",
        advanced=True,
    )
    min_relevance: UnitInterval | None = setting(
        None,
        "Minimum relevance of a result, from 0 (no limit) to 1. Null: the noise level of the embedder.",
        section="search",
        change="Raise it where results that have little to do with a query do harm.",
    )
    language: Configuration | Literal["auto"] = setting(
        "auto",
        "Postgres text search configuration of new texts, or `auto` (detected per text).",
        section="memory",
        change="Where all texts are of one language, or too short to tell theirs.",
    )
    rerank: bool = setting(
        False,
        "Reranking by RERANK_MODEL of searches without `rerank`.",
        section="search",
        change="Where the first results matter more than the time and cost of one call for each search.",
    )
    faded_below: float = setting(
        0.1,
        "Effective importance below which a memory is left out of searches, from 0 to 1.",
        section="search",
        change="0 keeps all that was ever said in searches, more lets what is not used fade sooner.",
        advanced=True,
        ge=0,
        le=1,
    )
    days_max: Days | None = setting(
        None,
        "Days since its creation after which a text is found by no search, context, question or proxy. Null: no limit.",
        section="search",
        change="Where what is old does harm, and still has to be kept.",
        advanced=True,
    )

    def created_since(self, now: datetime) -> datetime | None:
        """Return the earliest time of creation of what is found; None: any."""
        return None if self.days_max is None else now - timedelta(days=self.days_max)


class RetrievalDefaults(RetrievalSettings):
    """Search and ranking settings, with the defaults of requests."""

    strategy: Strategy = setting(
        "hybrid",
        "Strategy of searches, contexts and answers without `strategy`: `hybrid`, `semantic`, `keyword` or `recent`.",
        section="search",
        change="Where queries are exact terms (`keyword`), or only the newest counts (`recent`).",
    )
    context_max_tokens: TokenBudget = setting(
        2_000,
        "Budget of contexts, of the proxy's memory block, and of the memories behind answers, without `max_tokens`.",
        section="context",
        unit="tokens",
        change="Raise it where memory should tell a model more on each turn; each turn costs as much more.",
    )


class BudgetSettings(FrozenModel):
    """Daily budget of all model calls (dreams, questions, summaries, reranking, remote embedding, proxy), over
    all processes."""

    day_tokens_max: Amount | None = setting(
        100_000_000,
        "Budget per day (UTC) of all model calls, prompts and completions together. Null: no limit.",
        section="limits",
        unit="tokens",
        change="As soon as a model that costs money is set: to what a day may cost at most.",
    )
    day_cost_max_usd: CostUsd | None = setting(
        100.0,
        "Cost per day (UTC) of all model calls; models without a price count 0. Null: no limit.",
        section="limits",
        unit="US dollars",
        change="As soon as a model that costs money is set: to what a day may cost at most.",
    )


class RetentionSettings(FrozenModel):
    """Retention periods of deleted memories, and half-life of unused memories."""

    deleted_days: int = setting(
        30,
        "Retention of deleted memories, which can be restored until then.",
        section="memory",
        unit="days",
        change="Where a rule says how soon what is deleted must be gone; 0 is at once.",
        ge=0,
        le=36_500,
    )
    decay_days: Days = setting(
        30,
        "Half-life of the importance of unused events and observations.",
        section="memory",
        unit="days",
        change="Raise it where what happened months ago still matters.",
    )
    unused_days: Days | None = setting(
        None,
        "Days after which a memory that was neither found, said again nor changed is deleted, restorably; never "
        "identity, open todos, what has a key or is `decay_exempt`. Null: never.",
        section="memory",
        change="Where memory must not grow for ever.",
    )
    model_calls_days: int | None = setting(
        None,
        "Retention in days of calls of language models with input, output and cost (`GET /v1/model-calls`). Null: none "
        "are kept.",
        section="privacy",
        change="To look into what models were asked and answered; they hold what users said.",
        ge=1,
        le=90,
    )


class ProxySettings(FrozenModel):
    """Proxy in front of models: availability, models, and place of the memory block."""

    enabled: bool = setting(
        False,
        "Availability of the proxy (`POST /v1/chat/completions`, `/v1/responses`, `/v1/messages`).",
        section="proxy",
        change="To give memory to a program by its base URL alone.",
    )
    models: Annotated[list[Name], Field(max_length=100)] = setting(
        [],
        "Allowed models as file-name patterns; empty: LLM_MODEL only.",
        section="proxy",
        change="To name the models that programs may ask for, at your cost.",
    )
    caller_keys: bool = setting(
        False,
        "Permission of requests with a key of the caller's own for the model (header X-Reverie-Model-Key).",
        section="proxy",
        change="Where callers pay for their models themselves.",
        advanced=True,
    )
    placement: Placement = setting(
        "system",
        "Role of the memory block: `system` message or `user` message.",
        section="proxy",
        change="Where a model follows its system message less well with memory in it.",
    )
    no_system_models: Annotated[list[Name], Field(max_length=100)] = setting(
        [
            *("o1", "*/o1", "o1-mini*", "*/o1-mini*", "o1-preview*", "*/o1-preview*"),
            *("glm*", "*/glm*", "zai*", "qianfan*", "gemma*", "*/gemma*"),
        ],
        "Models without a system role as file-name patterns; their memory block goes into a user message.",
        section="proxy",
        change="For a model that refuses a system message, or under a name of your own.",
        shown="o1, GLM, Z.ai, Qianfan and Gemma models",
        advanced=True,
    )
    recall_timeout_ms: int = setting(
        1_500,
        "Time limit of the recall, after which the model is called without memory, and of storing the turn, after "
        "which the response goes out with a notice.",
        section="proxy",
        unit="milliseconds",
        change="Lower it where answers must begin fast, raise it where they come without memory too often.",
        advanced=True,
        ge=10,
        le=60_000,
    )


class MemorySettings(FrozenModel):
    """Switch of the memory."""

    enabled: bool = setting(
        True,
        "Memory in use. False: messages are not stored, no dream runs, and contexts hold only what the caller sends; "
        "what is saved stays, and searches find it.",
        section="memory",
        change="To stop remembering for a while without losing what is known.",
    )


class AgentSettings(FrozenModel):
    """Settings of one agent. Those given override the workspace's."""

    instructions: Annotated[Text, StringConstraints(max_length=INSTRUCTIONS_MAX)] = setting(
        "",
        "Instructions, the first section of every context; at most 8,000 characters.",
        section="context",
        change="For what a model should be told on every turn.",
    )
    time_zone: ZoneName = setting(
        "UTC",
        "IANA time zone of users whose messages and searches name none, and of `dream.quiet_hours`.",
        section="memory",
        change='For users of one region: "yesterday" is counted in it.',
    )
    memory: MemorySettings = Field(MemorySettings(), description="Switch of the memory.")
    users: UsersMode = setting(
        "separate",
        "Separation of users: `separate` (each sees what is nobody's or its own), `shared` (one team behind one agent: "
        "all see all) or `strict` (a request without a user sees what is nobody's, everywhere).",
        section="users",
        change="Before the first user: `shared` for one team, `strict` where no request may read for all.",
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

    memory_types: MemoryTypes = setting(
        {},
        "Memory types of the workspace's own by name, at most 20; those given replace all former ones. A type in use "
        "keeps its place and its `like`.",
        section="memory",
        change="Where facts, preferences, events and the others do not say what your memories are.",
    )
    entity_kinds: EntityKinds = setting(
        {},
        "Entity kinds of the workspace's own by name, at most 20; those given replace all former ones.",
        section="memory",
        change="Where persons, projects, companies, products and places do not say what your memories are about.",
        advanced=True,
    )
    profile_schema: BoundedObject | None = setting(
        None,
        "JSON Schema (draft 2020-12) whose properties are the fields of users' profiles, at most 8,000 bytes and 50 "
        "properties: texts, numbers, booleans, or lists of these; `x-reverie-slot` names the built-in field or "
        "attribute that fills one. Null: the built-in fields.",
        section="users",
        change="Where a program reads fields of its own from the profile of a user.",
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
        """Return what is done with personal data and with secrets."""
        return Masking(self.pii, self.secrets)

    def over(self, changes: Mapping[str, JsonValue]) -> WorkspaceSettings:
        """Return these settings with ``changes``, sections of fields, laid over them. Raises ValueError where they do
        not fit together."""
        return WorkspaceSettings.model_validate(_merged(self.model_dump(), changes))

    def shown(self) -> WorkspaceSettings:
        """As they are shown: without keys."""
        return self.model_copy(update={"llm": self.llm.shown()} if "llm" in self.model_fields_set else None)

    def next_dream(self, now: datetime) -> datetime:
        """Return when an agent that dreams now is due again: after its interval, in its quiet hours."""
        return self.next_quiet_time(now + timedelta(hours=self.dream.interval_h))

    def next_quiet_time(self, moment: datetime) -> datetime:
        """Return the moment itself in the quiet hours or where none are set, else when they next begin."""
        if self.dream.quiet_hours is None:
            return moment
        local = moment.astimezone(tzinfo_of(self.time_zone))
        begin, end = map(time.fromisoformat, self.dream.quiet_hours.split("-"))
        at = local.time()
        if begin <= at < end if begin < end else at >= begin or at < end:
            return moment
        start = datetime.combine(local.date() + timedelta(days=at >= begin), begin, local.tzinfo)
        return start.astimezone(moment.tzinfo)

    def of_agent(self, stored: Mapping[str, JsonValue] | None) -> WorkspaceSettings:
        """Return the settings of an agent: its own, as stored, over the workspace's.

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
