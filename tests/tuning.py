"""Changes of what REVERIE_TUNING says, for settings and for the environment of processes."""

from __future__ import annotations

import json
from typing import Any

from service.settings import Settings


def tuned(settings: Settings, **changes: Any) -> Settings:
    """Settings whose tuning is changed."""
    return settings.model_copy(update={"tuning": settings.tuning.model_copy(update=changes)})


def tuning(**changes: Any) -> str:
    """The variable for a process that takes the embedding model it is given, and probes none."""
    return json.dumps({"embedding_change": "allow", "health_probe_interval_s": 0, **changes})
