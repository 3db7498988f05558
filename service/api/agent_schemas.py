"""Bodies and answers of the routes about agents, their bulletins, dreams and tasks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

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


class CalibrationRow(BaseModel):
    """Quality of the verdicts from a threshold on."""

    setting: Literal["merge_at", "replace_at", "distinct_at"] = Field(
        description="Setting of the threshold: `merge_at`, `replace_at` or `distinct_at`."
    )
    threshold: float = Field(description="Minimum probability of the verdicts.")
    said: int = Field(description="Number of pairs with such a verdict.")
    precision: float | None = Field(description="Share of these verdicts that are right; null without one.")
    recall: float | None = Field(description="Share of the pairs so labelled with such a verdict; null without one.")
    contradictions: int = Field(description="Number of contradictions among the merges; 0 for other settings.")


class Calibration(BaseModel):
    """Thresholds of the decision model, found on pairs labelled by what people decided."""

    by: str = Field(description="Judge of the pairs: the decision model, or the embedder without one.")
    pairs: int = Field(description="Number of labelled pairs.")
    kinds: dict[Literal["stood", "undone", "reverted", "accepted", "edited", "rejected"], int] = Field(
        description="Number of pairs by what people decided: `stood`, `undone` and `reverted` changes of dreams; "
        "`accepted`, `edited` and `rejected` proposals."
    )
    by_guards: int = Field(description="Number of pairs settled by rules and not judged.")
    unusable: int = Field(description="Number of judged pairs without a usable verdict.")
    rows: list[CalibrationRow] = Field(description="Precision and recall by setting and threshold.")
    recommended: dict[str, float] = Field(
        description="Recommended thresholds by setting; settings without one are missing."
    )
    too_few: list[str] = Field(
        description="Settings with fewer than 30 judged pairs labelled so, for which nothing is recommended."
    )
    written: bool = Field(description="Storage of the recommended thresholds in the settings of the agent.")


class RequestDream(StrictModel):
    """Options of a dream."""

    dry_run: bool = Field(False, description="Preview without changes. Default false.")
    wait: bool = Field(False, description="Response after the end of the dream instead of at once. Default false.")
