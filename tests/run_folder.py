"""The folder that all processes of a test run share."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from uuid import uuid4

RUN = "REVERIE_TEST_RUN"


def run_folder() -> Path:
    """Named by the first process, which those that it starts ask by the environment; removed by the controller."""
    run = os.environ.setdefault(RUN, uuid4().hex[:12])
    return Path(tempfile.gettempdir()) / f"reverie-test-{run}"
