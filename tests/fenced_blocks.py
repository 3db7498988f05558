"""The fenced code blocks of the documents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.processes import ROOT

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = {"sh", "bash", "console"}


@dataclass(frozen=True, slots=True)
class Block:
    """A block: its page, the line of the page where its text begins, and its language."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: Path) -> str:
    """Return the path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()


def _blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(page, text.count("\n", 0, fence.start()) + 2, fence[1], fence[2]) for fence in _FENCE.finditer(text)]


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "clients").glob("*/*.md")])
BLOCKS = {page: found for page in PAGES if (found := _blocks(page))}
"""The blocks of each page that has some, in order."""


def placed(blocks: list[Block]) -> str:
    """Return the texts of blocks of one page as one text, each on the lines where it stands on the page."""
    text = ""
    for block in blocks:
        text += "\n" * (block.line - 1 - text.count("\n")) + block.text
    return text
