"""What CONTRIBUTING.md says is written by hand for an endpoint is all there is, by the example of one."""

from __future__ import annotations

import re

from tests.processes import ROOT

SECTION = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## An endpoint")[1].split("\n## ")[0]
LINES = re.findall(r"^\d+\. (.+)$", SECTION, re.MULTILINE)
FILES = {path for line in LINES for path in re.findall(r"^`([\w./]+)`", line)}
[OPERATION] = re.findall(r"as it is for `(\w+)`", SECTION)
FOLDERS = ("clients", "reverie", "scripts", "service", "sql", "worker")
"""Of tests there may be more than one needs."""
KINDS = {".json", ".py", ".sql", ".toml", ".ts"}
INSTALLED = {"node_modules", "dist"}
MADE = "Made by scripts/clients"
TYPES = "This file was auto-generated"
HEAD = 500


def test_there_are_at_most_eight() -> None:
    assert 0 < len(LINES) <= 8
    assert len(FILES) == len(LINES) - 1, "the last is documentation"


def test_each_is_there_and_has_its_part_of_the_endpoint() -> None:
    noun = OPERATION.partition("_")[2]
    part = re.compile(rf"\b{OPERATION}\b|GET /v1/{noun}\b|class {noun.removesuffix('s').title()}[(:]")
    assert [path for path in FILES if not part.search((ROOT / path).read_text("utf-8"))] == []


def test_no_other_file_that_is_written_by_hand_names_the_operation() -> None:
    name = re.compile(rf"\b{OPERATION}\b")
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    texts = {path: path.read_text("utf-8") for path in files if not INSTALLED & {*path.parts}}
    naming = {path: text for path, text in texts.items() if name.search(text)}
    by_hand = {
        path.relative_to(ROOT).as_posix()
        for path, text in naming.items()
        if MADE not in text[:HEAD] and TYPES not in text[:HEAD]
    }
    assert by_hand <= FILES
    assert len(naming) > len(by_hand), "the clients have it"
