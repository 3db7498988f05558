"""The settings of a workspace: what its admin may change while everything runs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from service.domain.context import TOKENS_MAX, Placement, Shares
from service.domain.documents import DocumentSettings
from service.domain.field_types import Name
from service.domain.languages import Configuration
from service.domain.search import Ranking

PiiEntity = Literal[
    "EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "US_SSN", "IP_ADDRESS", "PHONE_NUMBER", "PERSON", "LOCATION"
]
ALL_PII: tuple[PiiEntity, ...] = (
    "EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "US_SSN", "IP_ADDRESS", "PHONE_NUMBER", "PERSON", "LOCATION"
)  # fmt: skip


class PiiSettings(BaseModel):
    """What is done with personal data in what is written, and which kinds of it.

    ``PERSON`` and ``LOCATION`` are found only where a spaCy model is installed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["off", "redact", "reject"] = "off"
    entities: tuple[PiiEntity, ...] = Field(ALL_PII, min_length=1, max_length=len(ALL_PII))


class RateLimitSettings(BaseModel):
    """How many requests one key may make, counted over all processes. Without a number there is no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    requests_per_minute: int | None = Field(None, ge=1, le=1_000_000)
    burst: int | None = Field(None, ge=1, le=1_000_000, description="at once; unset: as many as in a minute")


class WindowSettings(BaseModel):
    """Bounds of the rolling window of a session."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    messages_max: int = Field(20, ge=2, le=1000)
    trim_to: int = Field(10, ge=1, le=999)
    idle_s: int = Field(1800, ge=1, le=31_536_000)
    tokens_max: int = Field(8_000, ge=100, le=1_000_000)

    @model_validator(mode="after")
    def _trims(self) -> WindowSettings:
        if self.trim_to >= self.messages_max:
            raise ValueError("trim_to must be less than messages_max")
        return self


class RetrievalSettings(Ranking):
    """The ranking, how words are read, and below which importance a faded memory no longer surfaces."""

    language: Configuration | Literal["auto"] = Field(
        "auto", description="Postgres text-search configuration of what is written from now on; auto: by the text"
    )
    rerank: bool = Field(False, description="through RERANK_MODEL, where a search does not say")
    faded_below: float = Field(0.1, ge=0, le=1)


class BudgetSettings(BaseModel):
    """What all calls of models together may use: dreams, questions, summaries, reranking, remote embedding
    and the proxy, over all processes. Null is no bound."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    day_tokens_max: int | None = Field(100_000_000, ge=0, description="per day (UTC), prompts and answers together")
    day_cost_max_usd: float | None = Field(100.0, ge=0, description="per day (UTC); a model without a price is free")


class DreamSettings(BaseModel):
    """What a dream may read and spend, and how long a bulletin may be. None is no bound."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    interval_h: float = Field(6.0, gt=0, le=8_760, description="at most this long from one dream to the next")
    tokens_max: int | None = Field(500_000, ge=0, description="of the language model, per dream")
    cost_max_usd: float | None = Field(5.0, ge=0, description="per dream")
    day_tokens_max: int | None = Field(5_000_000, ge=0, description="per day (UTC), all dreams and bulletins")
    day_cost_max_usd: float | None = Field(50.0, ge=0, description="per day (UTC), all dreams and bulletins")
    bulletin_tokens_max: int = Field(500, ge=50, le=8_000)


class RetentionSettings(BaseModel):
    """How long a deleted memory can be restored, after how long without use an event fades, and how long
    what happened can be asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    deleted_days: int = Field(30, ge=0, le=36_500)
    decay_days: int = Field(30, ge=1, le=36_500)
    events_days: int = Field(7, ge=1, le=365)


class ProxySettings(BaseModel):
    """Whether there is an OpenAI-compatible proxy, which models it serves, what it adds to a request and keeps of
    it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(False, description="off: there is no such endpoint, and no model is called")
    models: Annotated[list[Name], Field(max_length=100)] = Field(
        [], description="models that may be called, as file-name patterns; empty: LLM_MODEL alone"
    )
    agent: Name = Field("default", description="who acts when neither key nor header names an agent")
    max_tokens: int = Field(2_000, ge=0, le=TOKENS_MAX, description="of the memory block")
    placement: Placement = "system"
    no_system_models: Annotated[list[Name], Field(max_length=100)] = Field(
        [
            *("o1", "*/o1", "o1-mini*", "*/o1-mini*", "o1-preview*", "*/o1-preview*"),
            *("glm*", "*/glm*", "zai*", "qianfan*", "gemma*", "*/gemma*"),
        ],
        description="models without a system role, as file-name patterns: memory goes into a user message",
    )
    recall_timeout_ms: int = Field(1_500, ge=10, le=60_000, description="then the model is asked without memory")
    capture_timeout_ms: int = Field(2_000, ge=10, le=60_000, description="then the answer goes out, saying so")


class WorkspaceSettings(BaseModel):
    """All of a workspace's settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pii: PiiSettings = PiiSettings()
    window: WindowSettings = WindowSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    budget: BudgetSettings = BudgetSettings()
    dream: DreamSettings = DreamSettings()
    context: Shares = Shares()
    rate_limit: RateLimitSettings = RateLimitSettings()
    retention: RetentionSettings = RetentionSettings()
    documents: DocumentSettings = DocumentSettings()
    proxy: ProxySettings = ProxySettings()
