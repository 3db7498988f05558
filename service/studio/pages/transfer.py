"""Export and import of everything, streamed, with progress."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import get_args
from uuid import uuid4

from nicegui import app, ui
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from reverie_client import AsyncReverie, InvalidRequest, ReverieClientError
from reverie_client.models import Imported
from reverie_client.streams import Format
from reverie_client.transport import STREAM_TIMEOUT
from service.studio.browser_sessions import BrowserSessions
from service.studio.components import box, button, open_dialog, text
from service.studio.endpoint import PATH
from service.studio.formatting import count, error_message
from service.studio.layout import EVERYONE, PageContext

TICK_S = 0.25
TRANSFERS_MAX = 100
WRITING = "Lines written"
FORMATS = {"reverie": "An export of Reverie", "mem0": "An export of Mem0", "arkos": "conversation_context of ARKOS"}
NEEDS_AGENT = frozenset({"mem0", "arkos"})


@dataclass(slots=True)
class Transfer:
    """How far an export or import has come. ``whole`` and ``done`` are lines written, or bytes of a file being read."""

    reverie: AsyncReverie
    agent: str | None
    options: dict[str, str]
    doing: str
    whole: int = 0
    done: int = 0
    imported: Imported | None = None
    problem: str | None = None
    over: bool = False


_transfers: dict[str, Transfer] = {}
"""Under way or just over, by a random id that only their page knows."""


def _begin(desk: PageContext, agent: str | None, options: dict[str, str], doing: str) -> tuple[str, Transfer]:
    while len(_transfers) >= TRANSFERS_MAX:
        del _transfers[next(iter(_transfers))]
    id_ = uuid4().hex
    _transfers[id_] = Transfer(desk.reverie, agent, options, doing)
    return id_, _transfers[id_]


def add_routes(visits: BrowserSessions) -> None:
    """The addresses files come from and go to: the browser's own, so that they are streamed and not held here."""

    def mine(id_: str) -> Transfer | None:
        held = visits.current().key
        transfer = _transfers.get(id_)
        return transfer if held and transfer and transfer.reverie is held.reverie else None

    @app.get("/export")
    async def export(id: str) -> Response:
        transfer = mine(id)
        if transfer is None:
            return JSONResponse({"detail": "There is no such export."}, 404)
        name = f"reverie-{datetime.now(UTC):%Y-%m-%d}.ndjson"
        disposition = f'attachment; filename="{name}"'
        return StreamingResponse(
            _export(transfer), media_type="application/x-ndjson", headers={"Content-Disposition": disposition}
        )

    @app.post("/import")
    async def import_(id: str, request: Request) -> Response:
        transfer = mine(id)
        if transfer is None:
            return JSONResponse({"detail": "There is no such import."}, 404)
        await _import(transfer, request)
        return JSONResponse({"problem": transfer.problem})


async def _export(transfer: Transfer) -> AsyncIterator[bytes]:
    reverie = transfer.reverie
    params = {"agent": transfer.agent} if transfer.agent else {}
    try:
        async with reverie.http.stream(
            "GET", "/v1/export", params=params | transfer.options, headers=reverie.options.own(), timeout=STREAM_TIMEOUT
        ) as response:
            if not response.is_success:
                transfer.problem = "The export was refused. It needs an admin key, or the key of the agent itself."
                return
            first = b""
            async for part in response.aiter_bytes():
                if not transfer.whole:
                    first += part
                    if b"\n" in first:
                        transfer.whole = 2 + sum(json.loads(first.partition(b"\n")[0])["counts"].values())
                transfer.done += part.count(b"\n")
                yield part
    finally:
        transfer.over = True


async def _import(transfer: Transfer, request: Request) -> None:
    transfer.whole = int(request.headers.get("content-length") or 0)

    async def parts() -> AsyncIterator[bytes]:
        async for part in request.stream():
            transfer.done += len(part)
            yield part

    def written(done: int, total: int) -> None:
        transfer.doing, transfer.done, transfer.whole = WRITING, done, total

    [format_] = [name for name in get_args(Format) if name == transfer.options["format"]]
    try:
        transfer.imported = await transfer.reverie.import_chunks(parts(), format_, transfer.agent, written)
    except InvalidRequest as error:
        transfer.problem = str(error.problem.get("detail"))
    except ReverieClientError as error:
        transfer.problem = error_message(error)
    except ClientDisconnect:
        transfer.problem = "The upload broke off. Nothing has changed."
    finally:
        transfer.over = True


def open_export(desk: PageContext) -> None:
    """A dialog that exports the workspace or one agent."""
    with open_dialog() as dialog:
        text("Export", tag="h2")
        text(
            "One file with everything: memories and their history, sessions, messages, entities, bulletins, settings. "
            "Reading it in again changes nothing twice.",
            "soft",
        )
        options = (
            {name: name for name in desk.agents}
            if desk.held.who.agent
            else {"": EVERYONE} | {n: n for n in desk.agents}
        )
        agent = ui.select(options, label="Whose", value=desk.agent or "").props("outlined dense options-dense")
        deleted = ui.checkbox("Deleted and expired ones too")
        progress = _Progress()

        def go() -> None:
            include = {"include": "deleted,expired"} if deleted.value else {}
            id_, transfer = _begin(desk, agent.value or None, include, WRITING)
            start.disable()
            progress.watch(transfer, lambda: _exported(transfer))
            ui.download.from_url(f"/export?id={id_}")

        with box("row-of").style("justify-content: flex-end"):
            button("Close", dialog.close, "quiet")
            start = button("Export", go, "primary", "download")


def _exported(transfer: Transfer) -> str:
    return f"Done: {count(transfer.done, 'line')}. Your browser has saved the file."


def open_import(desk: PageContext, after: Callable[[], Awaitable[None]]) -> None:
    """A dialog that reads a file in, all of it or nothing."""
    with open_dialog() as dialog:
        text("Import", tag="h2")
        text("All of the file is read in, or nothing of it. A line that is broken is named.", "soft")
        format_ = ui.select(FORMATS, label="What it is", value="reverie").props("outlined dense options-dense")
        agent = ui.input("For the agent", value=desk.agent or "", autocomplete=desk.agents).props("outlined dense")
        agent.bind_visibility_from(format_, "value", lambda value: value in NEEDS_AGENT)
        file = ui.element("input").props('type=file accept=".ndjson,.jsonl,.json,.csv" aria-label="File"')
        progress = _Progress()

        async def go() -> None:
            named = agent.value.strip() if format_.value in NEEDS_AGENT else ""
            if format_.value in NEEDS_AGENT and not named:
                progress.fail("Name the agent whose memories these are.")
                return
            if not await ui.run_javascript(f"getElement({file.id}).files.length"):
                progress.fail("Choose a file first.")
                return
            id_, transfer = _begin(desk, named or None, {"format": format_.value}, "Bytes read")
            start.disable()
            progress.watch(transfer, lambda: _imported(transfer), after=after, finally_=start.enable)
            ui.run_javascript(
                f"fetch('{PATH}/import?id={id_}', {{method: 'POST', body: getElement({file.id}).files[0]}})"
            )

        with box("row-of").style("justify-content: flex-end"):
            button("Close", dialog.close, "quiet")
            start = button("Import", go, "primary", "upload")


def _imported(transfer: Transfer) -> str:
    done = transfer.imported
    if done is None:
        return transfer.problem or "Nothing was read in."
    cut = " The file had been cut off before its end." if done.complete is False else ""
    parts = [f"{done.created:,} created", f"{done.updated:,} updated", f"{done.unchanged:,} unchanged"]
    return f"Done: {', '.join(parts)}{f', {done.skipped:,} skipped' if done.skipped else ''}.{cut}"


class _Progress:
    """A bar and what it says."""

    def __init__(self) -> None:
        with box("column-of") as self._place:
            self._bar = ui.linear_progress(0, show_value=False).props("rounded instant-feedback")
            self._words = ui.label().props('role="status"').classes("small")
        self._place.set_visibility(False)

    def fail(self, words: str) -> None:
        self._place.set_visibility(True)
        self._bar.set_visibility(False)
        self._words.set_text(words)
        self._words.classes("bad")

    def watch(
        self,
        transfer: Transfer,
        end: Callable[[], str],
        after: Callable[[], Awaitable[None]] | None = None,
        finally_: Callable[[], object] = lambda: None,
    ) -> None:
        """Show how far a transfer is until it is over."""
        self._place.set_visibility(True)
        self._bar.set_visibility(True)
        self._words.classes(remove="bad")

        async def tick() -> None:
            share = transfer.done / transfer.whole if transfer.whole else 0.0
            self._bar.set_value(min(1.0, share))
            self._words.set_text(f"{transfer.doing}: {transfer.done:,} of {transfer.whole:,} ({share:.0%})")
            if not transfer.over:
                return
            timer.cancel()
            finally_()
            if transfer.problem:
                self.fail(transfer.problem)
                return
            self._words.set_text(end())
            if after is not None:
                with suppress(ReverieClientError):
                    await after()

        timer = ui.timer(TICK_S, tick)
