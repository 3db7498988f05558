"""What a module logs, whatever level the tests log at."""

from __future__ import annotations

import pytest
import structlog
from structlog.testing import LogCapture


def captured(module: str, monkeypatch: pytest.MonkeyPatch) -> LogCapture:
    """Catch what the module's ``log`` gets from now on, as ``entries``."""
    capture = LogCapture()
    level = structlog.make_filtering_bound_logger(0)
    logger = structlog.wrap_logger(structlog.PrintLogger(), processors=[capture], wrapper_class=level)
    monkeypatch.setattr(f"{module}.log", logger)
    return capture
