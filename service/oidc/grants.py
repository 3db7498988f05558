"""What somebody may do in the Studio, by the groups that the provider names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from service.domain.principal import KeyRole, KeyScope

DEFAULT_NAME = "default"
ANYBODY = "*"
"""The group of everybody whom the provider knows."""


class Grant(BaseModel):
    """What the members of a group get: a key of ``role`` in ``workspace``, for ``agent`` alone where that is named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: KeyRole
    workspace: str = Field(DEFAULT_NAME, min_length=1, max_length=200, description="Its name or id.")
    agent: str | None = Field(None, min_length=1, max_length=200)
    scopes: frozenset[KeyScope] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Grant:
        if (self.role == "agent") != (self.agent is not None) and self.role != "reader":
            raise ValueError("a grant of role `agent` names its agent, one of role `admin` none")
        return self


def grant_for(claims: Mapping[str, Any], claim: str, grants: Mapping[str, Grant]) -> Grant | None:
    """The first grant, in the order of the setting, whose group the claim names; None where none does."""
    value = claims.get(claim)
    named = value if isinstance(value, list) else [value]
    groups = {one for one in named if isinstance(one, str)}
    return next((grant for group, grant in grants.items() if group == ANYBODY or group in groups), None)
