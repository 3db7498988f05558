"""The Grafana dashboard and the alert rules name metrics and labels that are there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.api.test_usage import spend
from tests.live_api import Api
from tests.processes import ROOT

FOLDER = ROOT / "deploy" / "grafana"
_METRIC = re.compile(r"\b(reverie_[a-z_]+)(?:\{([^}]*)\})?")
_LABEL = re.compile(r"\b([a-z_]+)\s*(?:=~|!~|!=|=)")
_GROUPED = re.compile(r"\bby \(([^)]*)\)")
SERIES = ("_bucket", "_count", "_sum")
ADDED = {"job", "le"}
"""Labels of Prometheus itself."""


def dashboard() -> Any:
    return json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))


def rules() -> Any:
    (group,) = yaml.safe_load((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
    return group["rules"]


def expressions() -> Iterator[str]:
    for panel in dashboard()["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    yield from (rule["expr"] for rule in rules())


async def test_every_metric_and_label_is_on_the_metrics_page(static_api: Api) -> None:
    api = static_api
    await api.save("The ferry leaves at nine")
    await api.search("ferry")
    await spend(api, "ask")
    shown = (await api.call("GET", "/metrics")).text
    labels: dict[str, set[str]] = {}
    for name, own in re.findall(r"^(reverie_[a-z_]+)(?:\{([^}]*)\})? ", shown, re.MULTILINE):
        labels.setdefault(name, set()).update(re.findall(r'(\w+)="', own))
    found = list(expressions())
    assert len(found) > 20
    for expression in found:
        for name, selector in _METRIC.findall(expression):
            assert name in labels, (expression, name)
            grouped = {one.strip() for group in _GROUPED.findall(expression) for one in group.split(",")}
            assert set(_LABEL.findall(selector)) | grouped <= labels[name] | ADDED, expression


def test_panels_have_a_place_of_their_own() -> None:
    places = [(one["gridPos"]["x"], one["gridPos"]["y"]) for one in dashboard()["panels"]]
    assert len(set(places)) == len(places)
    assert len({one["id"] for one in dashboard()["panels"]}) == len(places)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_every_alert_says_what_to_do(rule: Any) -> None:
    """In itself, and in the runbook, which names a test that is there."""
    runbook = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
    named = re.search(rf"^\| {rule['alert']} \|.*\| `([\w/]+\.py)::(\w+)` \|$", runbook, re.MULTILINE)
    assert named
    assert f"def {named[2]}(" in (ROOT / "tests" / named[1]).read_text(encoding="utf-8")
    assert rule["labels"]["severity"] in ("warning", "critical")
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["description"]
