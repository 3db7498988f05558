"""Projects in which the TypeScript client stands beside the real package of a framework."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.npm import FOLDER, run, unpack
from tests.integrations.environments import ENVIRONMENTS, IS_INSTALLING
from tests.processes import ROOT

LOCKED = ROOT / "tests" / "integrations" / "typescript"
PAGES = ROOT / "docs" / "integrations" / "typescript"
COMPILED = "out"
MISSING = "THE PACKAGES OF {} ARE NOT INSTALLED: make test-integrations does"


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework, the entry point of the client for it, and the folder with the versions that are tried."""

    locked: str
    entry: str

    @property
    def page(self) -> str:
        """The text of its page in the documentation."""
        return (PAGES / f"{self.entry}.md").read_text("utf-8")

    def example(self) -> tuple[str, str]:
        """The first program of its page, and what it prints."""
        found = re.search(r"```typescript\n(.*?)```\n\n```text\n(.*?)```", self.page, re.DOTALL)
        assert found, self.page
        return found[1], found[2]


FRAMEWORKS = [
    Framework("ai-sdk", "ai-sdk"),
    Framework("ai-sdk-6", "ai-sdk"),
    Framework("anthropic", "anthropic"),
    Framework("langgraph", "langgraph"),
    Framework("mastra", "mastra"),
    Framework("openai-agents", "openai-agents"),
]


def is_installed(framework: Framework) -> bool:
    """Whether the packages of a framework are here as locked."""
    installed = _environment(framework) / ".installed"
    return installed.exists() and installed.read_bytes() == _lock(framework)


def packages_of(framework: Framework) -> Path:
    """The packages of a framework. Skipped, saying so, where they are not here and are not to be installed."""
    folder = _environment(framework)
    if not is_installed(framework):
        if not IS_INSTALLING:
            pytest.skip(MISSING.format(framework.locked))
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(LOCKED / framework.locked / name, folder)
        done = run(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
        assert done.returncode == 0, done.stdout + done.stderr
        (folder / ".installed").write_bytes(_lock(framework))
    return folder / "node_modules"


def _environment(framework: Framework) -> Path:
    return ENVIRONMENTS / "node" / framework.locked


def _lock(framework: Framework) -> bytes:
    return (LOCKED / framework.locked / "package-lock.json").read_bytes()


def project(
    folder: Path, framework: Framework, archive: Path, programs: tuple[str, ...] = ("examples", "test/frameworks")
) -> Path:
    """An empty project with the framework and the client. In it, compiled by ``tsc --strict``, the source of its entry
    point and its programs of these folders."""
    unpack(archive, folder)
    _link(packages_of(framework), folder / "node_modules")
    _link(FOLDER / "node_modules", folder / "node_modules", only=("@types", "undici-types"))
    for name in ("src", "examples", "test"):
        shutil.copytree(FOLDER / name, folder / name)
    settings = {
        "extends": str(FOLDER / "tsconfig.json"),
        "compilerOptions": {"noEmit": False, "outDir": COMPILED, "rootDir": ".", "skipLibCheck": True},
        "exclude": [],
        "include": [],
        "files": [f"{name}/{framework.entry}.ts" for name in ("src/integrations", *programs)],
    }
    (folder / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    done = run(folder, str(FOLDER / "node_modules" / ".bin" / "tsc"), "-p", "tsconfig.json")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / COMPILED


def node(program: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a compiled program; AssertionError where it fails."""
    done = run(program.parent, "node", *options, program.name, **{"NO_COLOR": "1"} | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def _link(packages: Path, place: Path, only: tuple[str, ...] = ()) -> None:
    """Packages as links, those of a scope one by one: two folders may have some of the same scope."""
    place.mkdir(exist_ok=True)
    for one in packages.iterdir():
        if (only and one.name not in only) or one.name.startswith("."):
            continue
        if one.name.startswith("@"):
            _link(one, place / one.name)
        elif not (place / one.name).exists():
            os.symlink(one, place / one.name)
