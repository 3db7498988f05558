"""Whether everything works, what costs money, and how it all works, as the Studio says it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import expect

from service.studio.formatting import constant_in_words
from service.studio.pages.costs import cost_sentences, limit_sentence
from tests.processes import ServerProcess
from tests.studio.browser import StudioPage

browsing = pytest.mark.asyncio(loop_scope="package")


@browsing
async def test_the_first_page_says_whether_everything_works(visitor: StudioPage) -> None:
    dot = visitor.page.get_by_role("link", name="Everything works")
    await expect(dot).to_have_class(re.compile("good"))
    await dot.click()
    await expect(visitor.page.get_by_role("heading", name="Engine", exact=True, level=1)).to_be_visible()
    tile = visitor.page.locator(".tiles .card").filter(has=visitor.page.get_by_role("heading", name="Reranker"))
    await expect(tile).to_contain_text("off")
    await expect(tile).to_contain_text("RERANK_MODEL")


@browsing
async def test_how_it_works_leads_to_every_page_that_it_names(visitor: StudioPage) -> None:
    await visitor.go("How it works")
    page = visitor.page
    await expect(page.get_by_role("heading", level=2)).to_have_count(7)
    await visitor.photograph("how-it-works")
    for place in ("Sessions", "Dreams", "Playground", "Bulletins", "Memories"):
        await page.get_by_role("link", name=f"Open {place}", exact=True).click()
        await expect(page.get_by_role("heading", name=place, exact=True, level=1)).to_be_visible()
        await page.go_back()
        await expect(page.get_by_role("heading", name="How it works", exact=True, level=1)).to_be_visible()


@browsing
async def test_settings_that_cost_tokens_say_so(visitor: StudioPage, service: ServerProcess) -> None:
    costs = visitor.page.get_by_role("note", name="Costs")
    await visitor.go("Engine")
    await visitor.page.get_by_role("tab", name="Settings").click()
    await expect(visitor.page.get_by_role("button", name="Save")).to_be_visible()
    await visitor.page.get_by_role("button", name='Expand "General"').click()
    await expect(visitor.page.get_by_label("Instructions").first).to_be_visible()
    await expect(costs).to_have_count(0)
    settings: dict[str, Any] = {"enabled": True, "models": ["openai/gpt-5"], "max_tokens": 3_000}
    assert (await service.call("PUT", "/v1/settings", json={"proxy": settings})).is_success
    await visitor.page.reload()
    await visitor.page.get_by_role("tab", name="Settings").click()
    await expect(costs).to_contain_text("The proxy adds up to 3,000 tokens of memory to each request")
    await expect(costs).to_contain_text("100.00 US dollars or 100,000,000 tokens a day")
    await visitor.photograph("settings-costs")
    settings |= {"enabled": False, "models": [], "max_tokens": 2_000}
    assert (await service.call("PUT", "/v1/settings", json={"proxy": settings})).is_success


def engine(llm: str | None = None, source: str = "static", model: str = "m", rerank: str | None = None) -> Any:
    """What the engine says of its models."""
    return {"llm": {"model": llm}, "embedder": {"source": source, "model": model}, "reranker": {"model": rerank}}


def test_each_model_that_is_paid_for_is_named() -> None:
    settings = {"proxy": {"enabled": False, "max_tokens": 2_000}}
    assert cost_sentences(settings, engine()) == []
    models = ("openai/gpt-5", "text-embedding-3-small", "cohere/rerank")
    named = cost_sentences(settings, engine(models[0], "remote", models[1], models[2]))
    assert all(model in sentence for model, sentence in zip(models, named, strict=True))


@pytest.mark.parametrize(
    ("tokens", "cost", "said"),
    [
        (None, None, "Nothing limits that: set a budget below."),
        (None, 2.5, "All calls of models together stop at 2.50 US dollars a day (Budget)."),
        (1, None, "All calls of models together stop at 1 token a day (Budget)."),
    ],
)
def test_the_limit_is_said(tokens: int | None, cost: float | None, said: str) -> None:
    assert limit_sentence({"day_tokens_max": tokens, "day_cost_max_usd": cost}) == said


@pytest.mark.parametrize(
    ("constant", "words"),
    [
        ("US_SSN", "US SSN"),
        ("IBAN_CODE", "IBAN code"),
        ("IP_ADDRESS", "IP address"),
        ("EMAIL_ADDRESS", "Email address"),
        ("PERSON", "Person"),
    ],
)
def test_kinds_of_personal_data_keep_their_abbreviations(constant: str, words: str) -> None:
    assert constant_in_words(constant) == words
