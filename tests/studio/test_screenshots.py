"""Every page, light and dark, at a desk and on a phone; `make screenshots` updates the images of the docs."""

from __future__ import annotations

import os

import pytest
from PIL import Image

from tests.processes import ROOT
from tests.studio.app_page import SCREENS, AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

VIEWS: dict[str, tuple[str, str, dict[str, str]]] = {
    "overview": ("/", "Overview", {}),
    "memories": ("/memories", "Memories", {"agent": "ada"}),
    "search": ("/search", "Search", {"agent": "ada", "q": "where does Maya live?"}),
    "context": ("/context", "Context", {"agent": "ada"}),
    "dreams": ("/dreams", "Dreams", {"agent": "ada"}),
    "inbox": ("/inbox", "Inbox", {}),
    "people": ("/people", "People", {"agent": "ada"}),
    "graph": ("/graph", "Graph", {"agent": "ada"}),
    "sessions": ("/sessions", "Sessions", {"agent": "ada"}),
    "bulletins": ("/bulletins", "Pages & bulletins", {"agent": "ada"}),
    "documents": ("/documents", "Documents", {"agent": "ada"}),
    "deletions": ("/deletions", "Deletions", {}),
    "engine": ("/engine", "Engine", {}),
    "how-it-works": ("/how-it-works", "How it works", {}),
}
IN_DOCS = ("overview", "memories", "search", "dreams", "graph")
QUALITY = 82


@pytest.mark.parametrize("name", VIEWS)
async def test_a_page_fits_its_screens(visitor: AppPage, name: str) -> None:
    path, title, query = VIEWS[name]
    await visitor.open(path, **query)
    await visitor.shows(title)
    await visitor.settle()
    await visitor.check_screens(f"page-{name}")
    if os.environ.get("SCREENSHOTS") and name in IN_DOCS:
        with Image.open(SCREENS / f"page-{name}-wide-light.png") as picture:
            picture.save(ROOT / "docs" / "images" / f"studio-{name}.webp", quality=QUALITY, method=6)
