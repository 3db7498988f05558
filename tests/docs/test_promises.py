"""Each promise of ARCHITECTURE.md names a test, which `make test` runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.conftest import in_first_tier
from tests.processes import ROOT

ROW = re.compile(r"^\| (?P<promise>.+?) \| .+ \| `(?P<path>[\w/]+\.py)::(?P<name>\w+)` \|$")


def _marks(path: Path, name: str) -> set[str] | None:
    """The marks without arguments of a test, its own and its module's; None where there is no such test."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    marks: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            marks |= set(map(ast.unparse, node.value.elts if isinstance(node.value, ast.List) else [node.value]))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return {mark.removeprefix("pytest.mark.") for mark in {*marks, *map(ast.unparse, node.decorator_list)}}
    return None


def test_each_promise_has_a_test_of_the_first_tier() -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("## Promises")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 40
    for row in rows:
        named = ROW.match(row)
        assert named, f"no test is named: {row}"
        path = ROOT / "tests" / named["path"]
        marks = _marks(path, named["name"])
        assert marks is not None, f"no such test: {row}"
        assert "exhaustive" not in marks, f"no test of the first tier: {row}"
        assert in_first_tier(path) or "first_tier" in marks, f"no test of the first tier: {row}"
