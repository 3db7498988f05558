"""The Dockerfile: everything in one image, as `reverie up`, not as root, with a health check that works."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml

from service.settings import Settings
from tests.live_api import Tenant
from tests.processes import ROOT, free_port

OURS = ("REVERIE_", "DATABASE_")


def instructions() -> list[tuple[str, str]]:
    """Of the last stage, in order."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.partition(" ") for line in text.splitlines() if line and not line.startswith("#")]
    first = max(index for index, (name, _, _) in enumerate(lines) if name == "FROM")
    return [(name, rest.strip()) for name, _, rest in lines[first:]]


def last(name: str) -> str:
    """What the last instruction of that name says: the one that counts."""
    return [rest for found, rest in instructions() if found == name][-1]


def variables() -> dict[str, str]:
    found = (word.partition("=") for name, rest in instructions() if name == "ENV" for word in shlex.split(rest))
    return {name: value for name, _, value in found}


def health_check() -> list[str]:
    """Its command, run by this Python."""
    [python, *rest] = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    assert python == "python"
    return [sys.executable, *rest]


def test_it_runs_everything_as_a_user_whose_data_is_in_the_volume() -> None:
    user, volume = last("USER"), last("VOLUME")
    assert user not in ("root", "0")
    made = [rest for name, rest in instructions() if name == "RUN"]
    assert any(f"useradd --create-home --uid 10001 {user}" in one and f"chown {user} {volume}" in one for one in made)
    assert json.loads(last("CMD")) == ["reverie", "up"]
    assert [name for name, _ in instructions()].index("USER") < [name for name, _ in instructions()].index("CMD")
    settings = Settings.model_validate({name: value for name, value in variables().items() if name.startswith(OURS)})
    assert settings.host == "0.0.0.0"
    assert settings.data_dir == Path(volume)
    assert last("EXPOSE") == str(settings.port)


def test_its_health_check_knows_a_server_that_answers_from_none(tenant: Tenant) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    retries = int(last("HEALTHCHECK").partition("--retries=")[2].split()[0])
    for port, status in ((tenant.http.base_url.port, 0), (free_port(), 1)):
        found = (
            subprocess.run(health_check(), env=kept | {"REVERIE_PORT": str(port)}, check=False).returncode
            for _ in range(retries)
        )
        assert status in found if status == 0 else set(found) == {status}


def test_what_it_copies_reaches_the_build() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = {word for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE) for word in line.split()[:-1]}
    let_in = set(re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE))
    assert copied == let_in
    assert {"service", "worker", "reverie", "sql", "alembic", "alembic.ini"} <= copied
    assert all((ROOT / name).exists() for name in copied)


def test_compose_runs_its_parts_from_the_same_image() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    parts = {name: one for name, one in services.items() if name != "postgres"}
    assert {one["image"] for one in parts.values()} == {"reverie"}
    assert {name: one["command"] for name, one in parts.items()} == {
        "migrate": ["reverie", "migrate"], "api": ["reverie", "serve"], "worker": ["reverie", "worker"],
    }  # fmt: skip
    healthless = {name for name, one in parts.items() if one.get("healthcheck") == {"disable": True}}
    assert healthless == {"migrate", "worker"}, "they listen nowhere, and would never be healthy"
