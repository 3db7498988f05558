"""Agents and tasks as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from service.domain.field_types import AgentName, CreatedAt
from service.domain.json import JsonObject


@dataclass(frozen=True, slots=True)
class Agent:
    """Agent with its teams and settings."""

    agent: AgentName
    name: Annotated[str | None, Field(description="Display name of the agent.")]
    prime: Annotated[bool, Field(description="Access to prime-scoped memories.")]
    teams: Annotated[list[str], Field(description="Teams of the agent.")]
    settings: Annotated[JsonObject, Field(description="Settings of the agent over those of the workspace.")]
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class Task:
    """Task with its declared members."""

    task: Annotated[str, Field(description="Name of the task.")]
    members: Annotated[list[str] | None, Field(description="Names of the member agents; null for an open task.")]
