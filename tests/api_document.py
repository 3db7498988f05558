"""The OpenAPI document of the code at hand, made once for all tests that are collected by it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import fasteners

from scripts.clients.document import document
from tests.run_folder import RUN, run_folder


def _of_run(folder: Path) -> dict[str, Any]:
    """What the first process of a test run has made; in the folder that all of them share."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "openapi.json"
    with fasteners.InterProcessLock(folder / "openapi.lock"):
        if not kept.exists():
            kept.write_text(json.dumps(document()), encoding="utf-8")
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return found


DOCUMENT: dict[str, Any] = _of_run(run_folder()) if RUN in os.environ else document()
