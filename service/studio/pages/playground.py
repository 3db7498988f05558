"""The Playground: what a search finds, and why in this order. Nothing is counted as recalled."""

from __future__ import annotations

from functools import partial
from typing import Any, get_args

from markupsafe import Markup
from nicegui import ui

from reverie_client.models import SearchAnswer, SearchResult
from reverie_client.options import Strategy
from service.studio.components import bars, box, button, empty, html, joined, kind, notify_errors, tag, text
from service.studio.formatting import count
from service.studio.layout import Layout, PageContext, choose_agent, heading
from service.studio.pages.memory_panel import open_memory

TYPING_MS = 300
FUSIONS = {"": "As set", "relative": "Relative scores", "rrf": "Reciprocal ranks"}
STRATEGIES = {
    "hybrid": "Words and meaning",
    "semantic": "Meaning only",
    "keyword": "Words only",
    "recent": "Newest first",
}
INCLUDES = {"memories": "Memories", "messages": "Messages", "documents": "Documents"}
BUDGET_MAX = 16_000


def add(frame: Layout) -> None:
    """The page at ``/playground``."""

    @frame.page("/playground", "Playground")
    async def page(desk: PageContext) -> None:
        with heading("Playground", "Ask as an agent would, and see why each answer stands where it stands."):
            pass
        if choose_agent(
            desk, "/playground", "A search is always made as one agent: it finds what that agent may read."
        ):
            _Playground(desk).build()


class _Playground:
    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._asked = 0
        self._shown: SearchAnswer | None = None

    def build(self) -> None:
        with box("card"):
            self._query = ui.input("What would you like to know?").props(f"outlined autofocus debounce={TYPING_MS}")
            with box("fields"):
                self._strategy = ui.select(STRATEGIES, label="Strategy", value="hybrid")
                self._fusion = ui.select(FUSIONS, label="Fusion", value="")
                self._budget = ui.number("Token budget", value=2000, min=0, max=BUDGET_MAX, step=100, precision=0)
                self._limit = ui.number("At most", value=10, min=1, max=100, precision=0)
                self._types = ui.select(self._desk.types, label="Types", multiple=True)
                self._include = ui.select(INCLUDES, label="Look in", multiple=True, value=["memories"])
            self._faded = ui.checkbox("Faded memories too")
            for number in (self._budget, self._limit):
                number.props(f"debounce={TYPING_MS}")
            choices = (self._strategy, self._fusion, self._budget, self._limit, self._types, self._include)
            for choice in choices:
                choice.props("outlined dense options-dense")
            for field in (self._query, *choices, self._faded):
                field.on_value_change(notify_errors(self._ask_again))
        self._answer = box("column-of")
        self._invite()

    def _invite(self) -> None:
        self._shown = None
        self._answer.clear()
        with self._answer, box("card"):
            empty(
                "manage_search",
                "Type a question",
                "Results come with their place in each list, every score and every boost. Nothing you try here counts "
                "as recalled.",
            )

    async def _ask_again(self, _: object) -> None:
        self._asked += 1
        asked = self._asked
        query = (self._query.value or "").strip()
        if not query and self._strategy.value != "recent":
            self._invite()
            return
        if self._budget.value is None or self._limit.value is None or not self._include.value:
            return
        [strategy] = [one for one in get_args(Strategy) if one == self._strategy.value]
        options: dict[str, Any] = {
            "types": self._types.value or None,
            "fusion": self._fusion.value or None,
            "max_tokens": int(self._budget.value),
            "limit": int(self._limit.value),
            "include": self._include.value,
            "include_faded": self._faded.value,
        }
        answer = await self._desk.reverie.preview(
            query,
            agent=str(self._desk.agent),
            strategy=strategy,
            explain=True,
            **{name: value for name, value in options.items() if value is not None},
        )
        if asked == self._asked and answer != self._shown:
            self._show(answer)

    def _show(self, answer: SearchAnswer) -> None:
        self._shown = answer
        self._answer.clear()
        with self._answer:
            if answer.degraded:
                did = answer.degraded.fallback or "nothing else"
                text(f"Less than you asked for: {answer.degraded.reason}. Done instead: {did}.", "note warn")
            budget = int(self._budget.value or 0)
            spent = count(answer.tokens, "token")
            html(
                Markup('<div class="row-of"><b>{}</b><span class="faint">{} of {:,}</span></div>').format(
                    count(len(answer.results), "result"), spent, budget
                )
            ).props('role="status"')
            html(_how(answer))
            with box("card flush"):
                top = _tops(answer.results)
                for result in answer.results:
                    self._result(result, top)
                if not answer.results:
                    empty("search_off", "Nothing found", "Try other words, another strategy, or a larger budget.")

    def _result(self, result: SearchResult, top: dict[str, float]) -> None:
        with box("result"):
            with box("column-of"):
                html(_what(result))
                if result.memory:
                    button("Open", partial(open_memory, self._desk, result.memory.id), "quiet", "open_in_new")
            html(_why(result, top))


def _how(answer: SearchAnswer) -> Markup:
    """How candidates were found, by which embedder, in which store, and whether the query's vector was cached."""
    parts = [answer.tier and f"tier: {answer.tier}", answer.embedder and f"embedder: {answer.embedder}",
             answer.store and f"store: {answer.store}"]  # fmt: skip
    if answer.cache is not None:
        parts.append(f"cache: {count(answer.cache.hits, 'hit')} of {answer.cache.hits + answer.cache.misses}")
    return Markup('<div class="row-of">{}</div>').format(joined(tag(part) for part in parts if part))


def _tops(results: list[SearchResult]) -> dict[str, float]:
    """The best of each score, which the bars are measured against."""
    return {
        name: max((abs(getattr(one, name) or 0) for one in results), default=0)
        for name in ("score", "keyword_score", "semantic_score")
    }


def _what(result: SearchResult) -> Markup:
    if result.memory:
        memory = result.memory
        content, about = memory.content, [kind(memory.type), *map(tag, memory.tags)]
        if memory.hearsay_by:
            about.append(tag(memory.attribution, "warn"))
    elif result.message:
        content, about = str(result.message.content), [tag(f"message in {result.message.session}", "accent")]
    elif result.document:
        place = f"{result.document.title}, part {result.document.position} of {result.document.chunks}"
        content, about = result.document.content, [tag(place, "accent")]
    else:
        content, about = "", []
    return Markup(
        '<div class="words">{}</div><div class="row-of faint small" style="margin-top:5px">{}<span>{}</span></div>'
    ).format(content, joined(about), count(result.tokens, "token"))


def _why(result: SearchResult, top: dict[str, float]) -> Markup:
    ranks = [
        tag(f"#{result.rank}", "accent"),
        tag(f"words: {_place(result.keyword_rank)}"),
        tag(f"meaning: {_place(result.semantic_rank)}"),
        *(tag(f"in its {name}") for name in result.matched_fields if name != "content"),
    ]
    rows = [("score", result.score, top["score"])]
    rows += [
        (label, value, top[name])
        for label, name, value in (
            ("words", "keyword_score", result.keyword_score),
            ("meaning", "semantic_score", result.semantic_score),
        )
        if value is not None
    ]
    boosts = [(name.replace("_", " "), value, top["score"]) for name, value in result.boosts.items()]
    reranked = (result.model_extra or {}).get("rerank_score")
    if reranked is not None:
        boosts.append(("rerank", float(reranked), 1.0))
    return Markup('<div class="column-of" style="gap:8px"><div class="row-of">{}</div>{}{}</div>').format(
        joined(ranks), bars(rows), bars(boosts, "good") if boosts else ""
    )


def _place(rank: int | None) -> str:
    return "not in the list" if rank is None else f"#{rank}"
