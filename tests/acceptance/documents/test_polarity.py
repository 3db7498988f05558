"""The README's tour: "which programming languages does Sam like?" ranks "loves Go" before "does not like Python"."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant

SAID = (
    "Sam does not like Python", "Sam loves Go", "Sam moved to Bergen last week", "Sam dislikes Perl", "Sam enjoys Rust",
)  # fmt: skip


async def found(tenant: Tenant, query: str, **fields: object) -> list[str]:
    for text in SAID:
        await tenant.save(text, type="preference", user="Sam")
    return [memory["content"] for memory in await tenant.search(query, **fields)]


@pytest.mark.parametrize(
    ("query", "liked"),
    [
        ("which programming languages does Sam like?", True),
        ("what does Sam love to program in?", True),
        ("which programming languages does Sam not like?", False),
        ("which programming languages does Sam dislike?", False),
    ],
)
async def test_what_answers_comes_before_what_says_the_opposite(static_tenant: Tenant, query: str, liked: bool) -> None:
    results = await found(static_tenant, query)
    places = {text: results.index(text) if text in results else len(SAID) for text in SAID}
    likes, dislikes = (SAID[1], SAID[4]), (SAID[0], SAID[3])
    answers, opposites = (likes, dislikes) if liked else (dislikes, likes)
    assert max(places[text] for text in answers) < min(places[text] for text in opposites)
    for limit in (1, 2, 3):
        assert await found(static_tenant, query, limit=limit) == results[:limit]


async def test_a_question_for_yes_or_no_is_answered_by_what_says_no(static_tenant: Tenant) -> None:
    assert (await found(static_tenant, "Does Sam like Python?"))[0] == SAID[0]
