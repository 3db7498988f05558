"""Places that docs/reading.md names, decisions in their index, and links of all pages are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs/decisions"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
ROWS = re.findall(r"^\| (.+\?) \| (.+) \|$", (ROOT / "docs/reading.md").read_text(), re.MULTILINE)


def test_twenty_questions_are_answered() -> None:
    assert len(dict(ROWS)) == 20


@pytest.mark.parametrize(("question", "answer"), ROWS)
def test_each_answer_is_where_the_page_says(question: str, answer: str) -> None:
    paths = re.findall(r"`([\w/]+\.(?:py|sql))`", answer)
    assert paths
    for path in paths:
        assert (ROOT / path).is_file(), path
    for names, path in re.findall(r"((?:`\w+`(?: and )?)+) in `([\w/.]+)`", answer):
        text = (ROOT / path).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"(def|class|name:) {name}\b", text), (name, path)


def test_each_decision_is_in_the_index_under_its_title() -> None:
    index = dict(
        re.findall(r"\]\((\d{4}-[\w-]+\.md)\) \| (.+) \|$", (DECISIONS / "README.md").read_text(), re.MULTILINE)
    )
    titles = {path.name: path.read_text().splitlines()[0] for path in DECISIONS.glob("[0-9]*.md")}
    assert titles == {name: f"# {int(name[:4])}. {title}" for name, title in index.items()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for path, heading in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)", text):
        target = page.parent / path if path else page
        assert target.exists(), path
        if heading and target.suffix == ".md":
            assert heading in _anchors(target), f"{path}#{heading}"


def _anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}
