"""Each promise of ARCHITECTURE.md names a test, which `make test` runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.conftest import SECOND_TIER
from tests.processes import ROOT

ROW = re.compile(r"^\| (?P<promise>.+?) \| .+ \| `(?P<path>[\w/]+\.py)::(?P<name>\w+)` \|$")

EXHAUSTIVE = "pytest.mark.exhaustive"


def _test(path: Path, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The test of that name, unless it is marked for the second tier."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            assert EXHAUSTIVE not in ast.unparse(node.value), path
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return None if EXHAUSTIVE in map(ast.unparse, node.decorator_list) else node
    return None


def test_each_promise_has_a_test_of_the_first_tier() -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("## Promises")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 40
    for row in rows:
        named = ROW.match(row)
        assert named, f"no test is named: {row}"
        path = Path(named["path"])
        assert path.parts[0] not in SECOND_TIER, row
        assert _test(ROOT / "tests" / path, named["name"]), f"no test of the first tier: {row}"
