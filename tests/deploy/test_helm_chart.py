"""The Helm chart: rendered for each of its shapes, every manifest valid for Kubernetes and for what Reverie needs."""

from __future__ import annotations

from typing import Any

import kubernetes_validate
import pytest
import yaml

import service
from service.settings import Settings
from tests.deploy.helm import render, render_text
from tests.processes import ROOT

CHART = ROOT / "deploy" / "helm" / "reverie"
KUBERNETES = "1.31"
SHAPES: dict[str, dict[str, Any]] = {
    "as shipped": {},
    "bundled Postgres": {"postgres": {"bundled": True}},
    "dreams by cron": {"worker": {"mode": "cron"}},
    "autoscaling": {"api": {"autoscaling": {"enabled": True}}},
    "bare": {"networkPolicy": {"enabled": False}, "podDisruptionBudget": {"enabled": False}, "env": {}},
}

Json = dict[str, Any]


def manifests(shape: str) -> list[Json]:
    return render(CHART, "memory", SHAPES[shape])


def pods(shape: str) -> dict[str, Json]:
    """The pod specifications by the name of what makes the pods."""
    found: dict[str, Json] = {}
    for one in manifests(shape):
        spec = one["spec"].get("jobTemplate", one).get("spec", {}).get("template")
        if spec is not None:
            found[one["metadata"]["name"]] = spec
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_every_manifest_is_valid(shape: str) -> None:
    found = manifests(shape)
    assert found
    for one in found:
        kubernetes_validate.validate(one, KUBERNETES, strict=True)


def test_each_shape_has_what_it_is_for() -> None:
    kinds = {shape: {(one["kind"], one["metadata"]["name"]) for one in manifests(shape)} for shape in SHAPES}
    standing = {("Deployment", "memory-api"), ("Deployment", "memory-worker"), ("Job", "memory-migrate")}
    assert standing <= kinds["as shipped"]
    assert ("PodDisruptionBudget", "memory-api") in kinds["as shipped"]
    assert ("NetworkPolicy", "memory-worker") in kinds["as shipped"]
    assert ("StatefulSet", "memory-postgres") not in kinds["as shipped"]
    assert ("StatefulSet", "memory-postgres") in kinds["bundled Postgres"]
    assert ("NetworkPolicy", "memory-postgres") in kinds["bundled Postgres"]
    assert ("CronJob", "memory-dreams") in kinds["dreams by cron"]
    assert ("Deployment", "memory-worker") not in kinds["dreams by cron"]
    assert ("HorizontalPodAutoscaler", "memory-api") in kinds["autoscaling"]
    assert not {"NetworkPolicy", "PodDisruptionBudget"} & {kind for kind, _ in kinds["bare"]}


@pytest.mark.parametrize("shape", SHAPES)
def test_selectors_find_the_pods_they_are_for(shape: str) -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(shape).items()}
    for one in manifests(shape):
        selector = one["spec"].get("selector") or one["spec"].get("podSelector")
        if selector is None:
            continue
        wanted = selector.get("matchLabels", selector)
        chosen = [name for name, own in labels.items() if wanted.items() <= own.items()]
        by_cron = shape == "dreams by cron" and one["metadata"]["name"] == "memory-worker"
        assert chosen == (["memory-dreams"] if by_cron else [one["metadata"]["name"]])


@pytest.mark.parametrize("shape", SHAPES)
def test_containers_run_without_privileges_and_within_limits(shape: str) -> None:
    for name, pod in pods(shape).items():
        (container,) = pod["spec"]["containers"]
        assert container["resources"]["limits"]["memory"]
        assert pod["spec"]["automountServiceAccountToken"] is False
        if name != "memory-postgres":
            assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
            assert container["securityContext"]["allowPrivilegeEscalation"] is False


@pytest.mark.parametrize("shape", SHAPES)
def test_every_variable_is_a_setting(shape: str) -> None:
    known = {alias.upper() for field in Settings.model_fields.values() for alias in [str(field.validation_alias)]}
    known |= {f"REVERIE_{name}".upper() for name in Settings.model_fields} | {
        name.upper() for name in Settings.model_fields
    }
    for name, pod in pods(shape).items():
        if name != "memory-postgres":
            (container,) = pod["spec"]["containers"]
            given = {one["name"] for one in container["env"]} - {"POSTGRES_PASSWORD"}
            assert given <= known, (name, given - known)


def test_the_database_is_the_bundled_one_only_where_it_is_bundled() -> None:
    def variables(shape: str) -> dict[str, str]:
        (container,) = pods(shape)["memory-api"]["spec"]["containers"]
        return {one["name"]: one.get("value", "") for one in container["env"]}

    assert "DATABASE_URL" not in variables("as shipped")
    assert variables("bundled Postgres")["DATABASE_URL"].endswith("@memory-postgres:5432/reverie")


def test_the_chart_has_the_version_of_the_release() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    assert chart["appVersion"] == values["image"]["tag"] == service.__version__


def test_every_value_is_used() -> None:
    templates = "".join(one.read_text(encoding="utf-8") for one in (CHART / "templates").iterdir())
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))

    def paths(at: Json, prefix: str) -> list[str]:
        whole = prefix in (".Values.env",) or prefix.endswith(".resources")
        nested = [(f"{prefix}.{name}", one) for name, one in at.items()]
        return (
            [prefix]
            if whole
            else [p for path, one in nested for p in (paths(one, path) if isinstance(one, dict) else [path])]
        )

    unused = [path for path in paths(values, ".Values") if path not in templates]
    assert not unused


@pytest.mark.parametrize(
    "template", ["{{ include .Values.env }}", "{{ .Values.env | upper }}", "{{ end }}", "{{ name }}"]
)
def test_what_is_not_rendered_here_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"not among|without its|is no value"):
        render_text(template, {"Values": {"env": {}}})
