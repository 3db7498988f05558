"""Every regular expression of the service and the worker: those compiled when their modules are imported, wherever
they are kept, and those written out in a call of ``re``.

Run as a program it imports everything and prints what was compiled, as JSON.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("service", "worker", "reverie_client")
MATCHING = ("compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")


INTEGRATIONS = "reverie_client.integrations."


class Compiled(NamedTuple):
    """A pattern, and where it is written."""

    pattern: str
    flags: int
    file: str
    line: int


class Call(NamedTuple):
    """A call of ``re`` in the source; ``pattern`` is None where it is not written out."""

    name: str
    pattern: str | None
    file: str
    line: int


def modules() -> Iterator[ModuleType]:
    """Every module, imported, but those of a framework that is not installed."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            if found.name.startswith(INTEGRATIONS):
                with suppress(ImportError):
                    yield importlib.import_module(found.name)
            elif not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


@cache
def compiled() -> list[Compiled]:
    """What importing every module compiles, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.patterns.compiled"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [Compiled(*each) for each in json.loads(done.stdout)]


@cache
def calls() -> list[Call]:
    """Every call of a function of ``re`` that takes a pattern, in every module's source."""
    return [call for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py")) for call in _calls(path)]


def imported_otherwise() -> list[str]:
    """Modules that import ``re``, or another engine, in a way that ``calls`` does not see."""
    found = []
    for name in PACKAGES:
        for path in sorted((ROOT / name).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names if alias.asname or alias.name == "regex"]
                    hidden = {"re", "regex"} & set(names)
                else:
                    hidden = isinstance(node, ast.ImportFrom) and node.module in ("re", "regex")
                if hidden:
                    found.append(str(path.relative_to(ROOT)))
    return found


def _calls(path: Path) -> Iterator[Call]:
    file = str(path.relative_to(ROOT))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in MATCHING:
            given = node.args[0]
            text = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else None
            yield Call(node.func.attr, text, file, node.lineno)


def _record() -> list[Compiled]:
    found: list[Compiled] = []
    compile_ = re.compile

    def recorded(pattern: str | bytes | re.Pattern[str], flags: int = 0) -> re.Pattern[str]:
        made = compile_(pattern, flags)
        frame = sys._getframe(1)
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES:
            text = made.pattern.decode("latin-1") if isinstance(made.pattern, bytes) else made.pattern
            flags = made.flags | (re.UNICODE if isinstance(made.pattern, bytes) else 0)
            found.append(Compiled(text, flags, str(path.relative_to(ROOT)), frame.f_lineno))
        return made

    re.compile = recorded  # type: ignore[assignment]
    list(modules())
    return list({(each.pattern, each.flags): each for each in found}.values())


if __name__ == "__main__":
    json.dump(_record(), sys.stdout)
