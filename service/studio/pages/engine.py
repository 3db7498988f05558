"""Engine: how it really is, embedding anew, settings and keys."""

from __future__ import annotations

from functools import partial
from typing import Any

from markupsafe import Markup
from nicegui import ui

from reverie_client import ReverieClientError
from service.studio.components import box, button, confirm, definition_list, html, joined, notify, tag, text, when
from service.studio.formatting import constant_in_words, count, error_message
from service.studio.layout import Layout, PageContext, heading
from service.studio.live_updates import refresh_on_events
from service.studio.pages.dead_letters import DeadLetters
from service.studio.pages.keys import Keys
from service.studio.pages.settings_form import SettingsForm

Json = dict[str, Any]

TONES = {
    "ok": ("works", "good"),
    "failing": ("fails", "bad"),
    "unknown": ("not known yet", "warn"),
    "off": ("off", ""),
    "used": ("in use", "accent"),
}
SEEN_S = 2.0
"""No event tells of a worker that falls silent."""
STEPS = {
    "embed": "Embed a text",
    "write": "Write a memory",
    "find_by_keyword": "Find it by its words",
    "find_by_vector": "Find it by its meaning",
    "delete": "Delete it",
}
WORKER = Markup(
    '<div class="row-of"><span class="mono">{}</span>{}</div><div class="soft small">last heard of {}, started {}</div>'
)
UNITS = ("bytes", "kB", "MB", "GB", "TB")


def add(frame: Layout) -> None:
    """The page at ``/engine``."""

    @frame.page("/engine", "Engine")
    async def page(desk: PageContext) -> None:
        with heading("Engine", "What works, what does not, and what may be changed while everything runs."):
            pass
        with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
            health = ui.tab("Health")
            settings = ui.tab("Settings")
            keys = ui.tab("Keys")
        with ui.tab_panels(tabs, value=health, animated=False):
            with ui.tab_panel(health):
                await _Health(desk).build()
            with ui.tab_panel(settings):
                await SettingsForm(desk).build()
            with ui.tab_panel(keys):
                await Keys(desk).build()


class _Health:
    """How the engine is, looked at again every other second."""

    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._shown: Any = None

    async def build(self) -> None:
        self._state = box("column-of")
        self._state.style("gap: 18px")
        if self._desk.may_administer:
            self._dead_letters = DeadLetters(self._desk)
            self._dead_letters.build()
            with box("card"):
                text("Embedding", tag="h2")
                self._progress = box("column-of").props('role="status"')
                with box("row-of"):
                    button("Embed what is pending", partial(self._reindex, False), icon="memory")
                    button("Embed everything anew", partial(self._reindex, True), icon="restart_alt")
        if self._desk.may_write:
            with box("card"):
                text("Trial run", tag="h2")
                text(
                    "Writes a memory, finds it by its words and by its meaning, and deletes it. It leaves nothing.",
                    "soft",
                )
                self._trial = box("column-of")
                with box("row-of"):
                    button("Try it", self._verify, icon="fact_check")
        with box("card flush"):
            self._providers = box("rows")
        await self.refresh()
        await self._list_providers()
        refresh_on_events(self._desk.reverie, self.refresh, SEEN_S)

    async def refresh(self) -> None:
        """Ask again how it is; a refusal is said in its place."""
        try:
            state = await self._desk.reverie.engine()
        except ReverieClientError as error:
            if self._shown != error.args:
                self._shown = error.args
                self._state.clear()
                with self._state:
                    text(f"How the engine is cannot be told: {error_message(error)}", "note bad")
            return
        self._state.clear()
        with self._state:
            _show_state(state)
        if self._desk.may_administer:
            self._show_progress(state)
            await self._dead_letters.show(state["dead_letters"])

    def _show_progress(self, state: Json) -> None:
        self._progress.clear()
        asked, change = state.get("reindex"), (state.get("embedder") or {}).get("change")
        with self._progress:
            if change:
                _bar(change["done"], change["total"], f"Changing to {change['signature']}")
            if asked and not asked["finished_at"]:
                _bar(asked["done"], asked["total"], "Embedding everything anew" if asked["force"] else "Embedding")
            elif asked:
                last = f"Last asked for {count(asked['total'], 'text')}, done"
                html(Markup('<span class="soft">{} {}.</span>').format(last, when(asked["finished_at"])))
            pending = state.get("pending", 0)
            text(
                f"{count(pending, 'text')} without a vector, found by their words meanwhile." if pending
                else "Everything has a vector of the present model.", "soft",
            )  # fmt: skip

    async def _reindex(self, force: bool) -> None:
        if force and not await confirm(
            "Embed everything anew?",
            "The worker embeds every text again, in the background. Searches go on with the vectors there are. With a "
            "paid model this costs as much as the first time.",
            "Embed everything",
            danger=False,
        ):
            return
        answer = await self._desk.reverie.reindex(force)
        started = f"Started: {count(int(answer.get('total') or answer.get('pending') or 0), 'text')}."
        await self.refresh()
        notify(started if answer.get("started") else "There is nothing to do, or it is under way already.")

    async def _verify(self) -> None:
        self._trial.clear()
        with self._trial:
            ui.linear_progress(show_value=False).props("indeterminate rounded")
        try:
            found = await self._desk.reverie.verify()
        finally:
            self._trial.clear()
        with self._trial:
            words = (
                f"It works: {found['latency_ms']:.0f} ms in all." if found["working"] else "Something does not work."
            )
            text(words, "note good" if found["working"] else "note bad")
            html(
                definition_list(
                    {
                        STEPS.get(step["name"], step["name"]): joined(
                            (tag("works", "good") if step["ok"] else tag("fails", "bad"),
                             Markup(" {:.0f} ms {}").format(step["latency_ms"], step.get("error") or ""))
                        )
                        for step in found["steps"]
                    }
                )
            )  # fmt: skip

    async def _list_providers(self) -> None:
        with self._providers:
            html(Markup("<h2>What can embed here</h2>"), "said")
            text("EMBEDDING_MODEL chooses among these when the service starts.", "said soft")
            try:
                answer = await self._desk.reverie.embedding_providers()
            except ReverieClientError as error:
                text(error_message(error), "said soft")
                return
            for one in answer["items"]:
                label = (
                    tag("in use", "accent") if one["active"] else tag("available" if one["available"] else "not here")
                )
                html(
                    Markup('<div class="top row-of"><code>{}</code>{}</div><div class="soft small">{}{}</div>').format(
                        one["setting"], label, one["reason"], f"; or {one['also']}" if one.get("also") else ""
                    ),
                    "said",
                )


def _show_state(state: Json) -> None:
    problems = state.get("problems") or []
    if problems:
        told_ = joined(Markup("<div>{}</div>").format(problem) for problem in problems)
        html(Markup("<b>Not everything works.</b>{}").format(told_), "note bad").props('role="alert"')
    else:
        text("Everything works.", "note good")
    with box("tiles"):
        for title, part, details in _tiles(state):
            words, tone = TONES.get(part.get("status", "off"), (part.get("status"), ""))
            error = Markup('<div class="bad small">{}</div>').format(part["error"]) if part.get("error") else ""
            html(
                Markup('<div class="top row-of"><h2>{}</h2>{}</div>{}{}').format(
                    title, tag(words, tone), error, definition_list(details)
                ),
                "card",
            )
    if state["workers"] is None:
        text("Versions, sizes and workers are shown to admin keys of the default workspace.", "soft small")
        return
    with box("card flush"):
        html(Markup("<h2>Workers</h2>"), "said")
        for worker in state["workers"]:
            alive = tag("alive", "good") if worker["alive"] else tag("silent", "bad")
            seen, started = when(worker["seen_at"]), when(worker["started_at"])
            html(WORKER.format(worker["worker"], alive, seen, started), "said")
        if not state["workers"]:
            text(
                "No worker has been heard of within the hour. `python -m worker run` starts one.",
                "said soft",
            )


def _kept(embedder: Json) -> str | None:
    if embedder["storage"] is None:
        return None
    kept = f"{embedder['storage']}, {embedder['vector_bytes']:,} bytes each"
    return kept if embedder["index_bytes"] is None else f"{kept}, index {_size(embedder['index_bytes'])}"


def _cached(embedder: Json) -> str | None:
    cache = embedder["cache"]
    if cache is None:
        return None
    return f"{count(cache['hits'], 'hit')}, {count(cache['misses'], 'miss', 'misses')}, {cache['entries']:,} kept"


def _tiles(state: Json) -> list[tuple[str, Json, Json]]:
    database, embedder, llm = state["database"], state["embedder"], state["llm"]
    index, dreams, pii, dead = state["index"], state["dreams"], state["pii"], state["dead_letters"]
    reranker = state["reranker"]["model"]
    embedded = {"status": "off"} if embedder["source"] == "none" else embedder
    return [
        ("Database", database, _database(database)),
        ("Embedder", embedded, {
            "Source": embedder["source"], "Model": embedder["model"], "Dimensions": embedder["dim"],
            "Signature": embedder["signature"], "Kept as": _kept(embedder), "Last call": _latency(embedder),
            "Cache": _cached(embedder),
        }),
        ("Language model", llm, {
            "Model": llm["model"] or "none: dreams go by built-in rules", "Last call": _latency(llm),
        }),
        ("Reranker", {"status": "used" if reranker else "off"}, {
            "Model": reranker or "none: the order of a search stands (RERANK_MODEL sets one)",
        }),
        ("Dreams", {"status": state["workers_status"]}, {
            "Due": count(dreams["due"], "agent"), "Running": dreams["running"],
            "Longest due": when(dreams["oldest_due_at"]) if dreams["oldest_due_at"] else None,
            "Dead letters": count(dead["count"], "text") if dead["count"] else None,
        }),
        ("Personal data", {"status": "off" if pii["mode"] == "off" else "ok"}, {
            "Mode": pii["mode"], "Looked for": ", ".join(map(constant_in_words, pii["entities"])) or None,
            "Not found here": ", ".join(map(constant_in_words, pii["not_found_here"])) or None,
        }),
        ("To be searched", {"status": "ok"}, {
            "Memories": f"{index['memories']:,}", "Messages": f"{index['messages']:,}",
            "Parts of documents": f"{index['chunks']:,}", "Reverie": state["version"],
        }),
    ]  # fmt: skip


def _database(database: Json) -> Json:
    if "postgres" not in database:
        return {"Last call": _latency(database)}
    return {
        "Postgres": database["postgres"], "pgvector": database["pgvector"],
        "Size": _size(database["database_bytes"]),
        "Search index": _size(database["search_index_bytes"] + database["search_terms_bytes"]),
        "Connections": f"{database['pool_open'] - database['pool_free']} busy of {database['pool_max']}",
    }  # fmt: skip


def _latency(part: Json) -> str | None:
    if part.get("latency_ms") is None:
        return None
    return f"{part['latency_ms']:.0f} ms" if part["latency_ms"] >= 1 else "less than 1 ms"


def _size(bytes_: float) -> str:
    for unit in UNITS:
        if bytes_ < 1000 or unit == UNITS[-1]:
            return f"{bytes_:.0f} {unit}" if unit == "bytes" else f"{bytes_:.1f} {unit}"
        bytes_ /= 1000
    raise AssertionError("the last unit holds any size")


def _bar(done: int, total: int | None, words: str) -> None:
    share = done / total if total else 0.0
    text(f"{words}: {done:,} of {total:,} ({share:.0%})" if total else f"{words}: counting")
    ui.linear_progress(share, show_value=False).props("rounded instant-feedback" if total else "indeterminate rounded")
