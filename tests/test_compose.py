"""compose.yaml passes every setting on, and only what is one."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from service.settings import variables
from tests.processes import ROOT

pytestmark = pytest.mark.first_tier

FIXED = {"DATABASE_URL", "REVERIE_HOST", "REVERIE_PORT", "REVERIE_DATA_DIR"}
"""What compose itself decides; REVERIE_PORT is where the host listens."""
OF_OTHERS = {"OPENAI_API_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT"}
"""Read by litellm and OpenTelemetry."""


def passed_on() -> dict[str, Any]:
    file = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    environment: dict[str, Any] = file["x-reverie"]["environment"]
    assert all(file["services"][name]["environment"] == environment for name in ("migrate", "api", "worker"))
    return environment


def test_every_setting_is_passed_on() -> None:
    assert {*variables()} - FIXED | OF_OTHERS == passed_on().keys() - FIXED


def test_what_nobody_has_set_is_not_there() -> None:
    assert {name for name, value in passed_on().items() if value is not None} == FIXED - {"REVERIE_PORT"}
