"""What a workspace used of models, requests and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.domain.limits import LimitHolder, Limits

By = Literal["day", "key", "agent"]


@dataclass(frozen=True, slots=True)
class UsageItem:
    """Usage of one purpose by one day, key or agent."""

    day: Annotated[date | None, Field(description="Day (UTC); null unless grouped by day.")]
    key_id: Annotated[
        UUID | None, Field(description="Id of the key; null unless grouped by key, and for calls without a request.")
    ]
    agent: Annotated[
        str | None,
        Field(description="Name of the agent; null unless grouped by agent, and for calls without an agent."),
    ]
    purpose: Annotated[
        str,
        Field(
            description="Purpose of the calls: `extract`, `reconcile`, `decide`, `reflect`, `bulletin`, `summary`, "
            "`ask`, `rerank`, `embed`, `proxy` or `probe`."
        ),
    ]
    calls: Annotated[int, Field(description="Number of calls.")]
    failed_calls: Annotated[int, Field(description="Number of failed calls.")]
    prompt_tokens: Annotated[int, Field(description="Number of prompt tokens.")]
    completion_tokens: Annotated[int, Field(description="Number of completion tokens.")]
    cost_usd: Annotated[float, Field(description="Cost in US dollars.")]


@dataclass(frozen=True, slots=True)
class BudgetToday:
    """Use of today's budget (UTC), and its limits."""

    tokens: Annotated[int, Field(description="Tokens used today (UTC), running calls counted at their maximum.")]
    cost_usd: Annotated[
        float, Field(description="Cost of today (UTC) in US dollars, running calls counted at their maximum.")
    ]
    dream_tokens: Annotated[int, Field(description="Tokens used today (UTC) by dreams and bulletins.")]
    dream_cost_usd: Annotated[float, Field(description="Cost of today's (UTC) dreams and bulletins in US dollars.")]
    tokens_max: Annotated[int | None, Field(description="Limit of tokens per day; null for no limit.")]
    cost_max_usd: Annotated[float | None, Field(description="Limit of cost per day in US dollars; null for no limit.")]
    dream_tokens_max: Annotated[
        int | None, Field(description="Limit of tokens per day for dreams and bulletins; null for no limit.")
    ]
    dream_cost_max_usd: Annotated[
        float | None,
        Field(description="Limit of cost per day for dreams and bulletins in US dollars; null for no limit."),
    ]


@dataclass(frozen=True, slots=True)
class RequestsItem:
    """Requests of one day or key."""

    day: Annotated[date | None, Field(description="Day (UTC); null unless grouped by day.")]
    key_id: Annotated[UUID | None, Field(description="Id of the key; null unless grouped by key.")]
    requests: Annotated[int, Field(description="Number of authenticated requests.")]


@dataclass(frozen=True, slots=True)
class StoredItem:
    """Memories and messages stored on one day, or by one key."""

    day: Annotated[date | None, Field(description="Day (UTC) of the count; null unless grouped by day.")]
    key_id: Annotated[UUID | None, Field(description="Id of the key that stored them; null unless grouped by key.")]
    rows: Annotated[int, Field(description="Number of memories and messages at the last count.")]
    bytes: Annotated[int, Field(description="Bytes (UTF-8) of their content and metadata.")]


@dataclass(frozen=True, slots=True)
class DreamsItem:
    """Dreams of one day, key or agent."""

    day: Annotated[date | None, Field(description="Day (UTC); null unless grouped by day.")]
    key_id: Annotated[UUID | None, Field(description="Id of the key that asked for them; null unless grouped by key.")]
    agent: Annotated[str | None, Field(description="Name of the agent; null unless grouped by agent.")]
    dreams: Annotated[int, Field(description="Number of dreams.")]


@dataclass(frozen=True, slots=True)
class LimitsUsed:
    """Present use of limits."""

    requests_this_minute: Annotated[
        int | None, Field(description="Requests of this minute; null without such a limit.")
    ]
    requests_today: Annotated[int | None, Field(description="Requests of this day (UTC); null without such a limit.")]
    rows: Annotated[int | None, Field(description="Stored memories and messages; null before the first count.")]
    bytes: Annotated[
        int | None, Field(description="Bytes (UTF-8) of their content and metadata; null before the first count.")
    ]
    day_cost_usd: Annotated[
        float,
        Field(
            description="Cost of models of this day (UTC) in US dollars, running calls counted at their maximum; of a "
            "key with such a limit only."
        ),
    ]
    month_cost_usd: Annotated[float, Field(description="Cost of models of this month (UTC) in US dollars, likewise.")]
    dreams: Annotated[int, Field(description="Dreams that wait or run.")]


@dataclass(frozen=True, slots=True)
class LimitUse:
    """Limits of the workspace or of a key, and their present use."""

    of: Annotated[LimitHolder, Field(description="Holder of the limits: `workspace` or `key`.")]
    key_id: Annotated[UUID | None, Field(description="Id of the key; null for the workspace.")]
    name: Annotated[str | None, Field(description="Display name of the key; null for the workspace.")]
    limits: Annotated[Limits, Field(description="Limits in force.")]
    used: Annotated[LimitsUsed, Field(description="Present use.")]


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Usage of models, and requests."""

    since: Annotated[date, Field(description="First day (UTC).")]
    until: Annotated[date, Field(description="Last day (UTC), inclusive.")]
    by: Annotated[By, Field(description="Grouping: `day`, `key` or `agent`.")]
    items: Annotated[list[UsageItem], Field(description="Usage by group and purpose.")]
    requests: Annotated[list[RequestsItem], Field(description="Requests by group; empty when grouped by agent.")]
    stored: Annotated[
        list[StoredItem],
        Field(
            description="Stored memories and messages by group, as the worker counted them; empty when grouped by "
            "agent."
        ),
    ]
    dreams: Annotated[list[DreamsItem], Field(description="Dreams by group.")]
    limits: Annotated[
        list[LimitUse],
        Field(description="Limits and their use: of the workspace, then of each key that has any, at most 1,000."),
    ]
    today: Annotated[BudgetToday, Field(description="Use of today's budget (UTC).")]
