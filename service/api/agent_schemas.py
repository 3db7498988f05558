"""Bodies of the routes about agents, their dreams and tasks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.domain.field_types import ActingAgent, Name
from service.domain.strict import StrictModel
from service.domain.workspace import AgentSettings


class PutAgent(StrictModel):
    """Changes to an agent; only the fields given change."""

    name: Name | None = Field(None, description="Display name of the agent.")
    prime: bool | None = Field(None, description="Access to prime-scoped memories. Admin keys only.")
    teams: Annotated[list[Name], Field(max_length=100)] | None = Field(
        None, description="Teams of the agent, replacing all former ones; at most 100. Admin keys only."
    )
    settings: AgentSettings | None = Field(
        None, description="Settings of the agent over those of the workspace, replacing all of the former."
    )


class PutTask(StrictModel):
    """Members of a task."""

    members: list[Name] | None = Field(
        max_length=1_000,
        description="Names of the member agents, at most 1,000; null opens the task to every agent naming it.",
    )


class Summarize(StrictModel):
    """Selection of facts, events and observations of low importance to summarize, by age or by a token budget."""

    agent: ActingAgent = None
    older_than_days: Annotated[float, Field(ge=0, le=36_500, allow_inf_nan=False)] | None = Field(
        None, description="Minimum age of the memories in days. Default 30; with `tokens_max` 0."
    )
    tokens_max: int | None = Field(
        None,
        ge=0,
        le=2**31 - 1,
        description="Length in tokens that all memories of the agent are to fit into: the oldest are summarized until "
        "they do. Null: by age alone. Default null.",
    )
    dry_run: bool = Field(True, description="Preview without changes. Default true.")


class RequestCalibration(StrictModel):
    """Options of a calibration."""

    stood_days: Annotated[float, Field(ge=0, le=3_650, allow_inf_nan=False)] = Field(
        7, description="Age in days from which a merge or replacement that nobody took back counts as right. Default 7."
    )
    write: bool = Field(
        False, description="Storage of the recommended thresholds in the settings of the agent. Default false."
    )


class RequestDream(StrictModel):
    """Options of a dream."""

    dry_run: bool = Field(False, description="Preview without changes. Default false.")
    wait: bool = Field(False, description="Response after the end of the dream instead of at once. Default false.")
