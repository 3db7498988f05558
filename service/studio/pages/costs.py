"""What costs money with the models and settings there are, said where it can be changed."""

from __future__ import annotations

from typing import Any

from service.studio.components import box, text
from service.studio.formatting import count
from service.studio.layout import PageContext

Json = dict[str, Any]


async def show_costs(desk: PageContext, settings: Json) -> None:
    """A note that names them, where there are any."""
    sentences = cost_sentences(settings, await desk.reverie.engine())
    if not sentences:
        return
    with box("note warn column-of").props('role="note" aria-label="Costs"'):
        text("Tokens cost money here", tag="b")
        for sentence in (*sentences, limit_sentence(settings["budget"])):
            text(sentence)


def cost_sentences(settings: Json, engine: Json) -> list[str]:
    """One for each use of a model that somebody may have to pay for."""
    found = []
    if engine["llm"]["model"]:
        found.append(f"Dreams, summaries, bulletins and questions are put to {engine['llm']['model']}.")
    if engine["embedder"]["source"] == "remote":
        found.append(f"Every memory, message and search is embedded by {engine['embedder']['model']}.")
    if engine["reranker"]["model"]:
        found.append(f"Searches that are reranked are sent to {engine['reranker']['model']}.")
    proxy = settings["proxy"]
    if proxy["enabled"]:
        tokens = count(proxy["max_tokens"], "token")
        found.append(f"The proxy adds up to {tokens} of memory to each request, which its model charges as prompt.")
    return found


def limit_sentence(budget: Json) -> str:
    """What all calls of models may use in a day."""
    tokens, cost = budget["day_tokens_max"], budget["day_cost_max_usd"]
    limits = [f"{cost:,.2f} US dollars"] if cost is not None else []
    limits += [count(tokens, "token")] if tokens is not None else []
    if not limits:
        return "Nothing limits that: set a budget below."
    return f"All calls of models together stop at {' or '.join(limits)} a day (Budget)."
