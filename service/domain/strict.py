"""Bases of what callers give: fields that are not known are refused."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """A request, or a part of one. Unknown fields are refused, so that a misspelt one is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class FrozenModel(BaseModel):
    """Settings, which nobody changes in place."""

    model_config = ConfigDict(extra="forbid", frozen=True)
