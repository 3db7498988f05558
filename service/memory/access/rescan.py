"""Masks secrets, and personal data where the workspace masks it, in what was stored before it was looked for.

A scan collects the secrets of a workspace in memory; nothing of them is written anywhere. Then their copies are
replaced, where nothing but the value gives them away, and after that the texts that give them away: so a run that is
killed leaves every value recognisable for as long as a copy is left, and the next run ends what it began. What has been
deleted and can be brought back is read and masked too. Each batch is one transaction with its line in the audit log.
The command line and the worker, for ``POST /v1/rescan``, both run it.

An admin starts a scan and watches it; the command line and the worker run it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.concurrency.executor import NOT_KNOWN
from service.db import stored_texts
from service.db.pool import Connection
from service.db.records import make
from service.db.stored_texts import TextRow
from service.domain import cursors
from service.domain.identity import identity_of
from service.domain.ids import new_id
from service.domain.json import JsonObject, JsonValue, dumps
from service.domain.placeholders import PLACEHOLDER, SECRET, placeholder
from service.domain.principal import Principal
from service.embedding.tokens import count_tokens
from service.memory.access import audit
from service.memory.access.redaction import name_secret, workspace_masking
from service.memory.access.user_data import forget_statistics
from service.privacy.redactor import PiiPolicy
from service.privacy.secrets import Copies, secrets_in
from service.runtime import Runtime
from service.store import audit as audit_store
from service.store import deletions, memories
from service.store.vectors import EmbeddingBatch

ACTOR, REASON = "redaction", "a secret was masked"
MASKED, FOUND = "secrets.masked", "secrets.found"
"""Lines of the audit log; the second one of a scan that changes nothing."""
BATCH, BATCH_OF_DOCUMENTS = 200, 20
"""Rows: of documents, which may have a million characters each, fewer."""
AROUND = 40
"""Characters of context on either side of a finding."""
NAMES = frozenset({"key", "tags", "name", "alias"})
"""Columns that tell rows apart: different secrets get different placeholders."""
CLOCKS_APART_MS = 60_000
"""Lines of a scan have ids of the worker's clock, the scan one of the API's."""
OWN_KEYS = "llm"
"""Keys of models in settings, which are used and sealed."""

OnBatch = Callable[[Connection, int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A field with something to mask: its table, its row's primary key without texts, kinds, and the words around it,
    the value replaced by dots and by its placeholder."""

    table: str
    row: str
    field: str
    kinds: tuple[str, ...]
    before: str
    after: str


@dataclass(slots=True)
class RescanReport:
    """Counts of findings or masked fields: rows by table, and fields by kind."""

    rows: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, findings: list[Finding]) -> None:
        """Add the findings of one row."""
        self.rows.update({one.table for one in findings})
        self.kinds.update(kind for one in findings for kind in one.kinds)


async def _unwatched(connection: Connection, rows: int) -> None:
    """Ignore the progress."""


class Rescan:
    """A scan of one workspace; ``prepare`` before everything else.

    ``on_batch`` is called with the number of rows of each batch, in its transaction. With an ``id``, the audit log says
    under it which fields were found.
    """

    def __init__(
        self, runtime: Runtime, workspace: UUID, *, id_: UUID | None = None, on_batch: OnBatch = _unwatched
    ) -> None:
        self._runtime = runtime
        self._workspace = workspace
        self._id = id_
        self._on_batch = on_batch
        self._policy = PiiPolicy("off", secrets="redact")
        self._name_secret = b""
        self._copies = Copies({})
        self.report = RescanReport()

    async def prepare(self) -> None:
        """Read all of the workspace, and note its secrets for as long as this object lives."""
        masking = await workspace_masking(self._runtime, self._workspace)
        self._policy = replace(PiiPolicy.of(masking, lenient=True), secrets="redact")
        self._name_secret = await name_secret(self._runtime, self._workspace)
        found: dict[str, str] = {}
        async for table, rows in self._batches():
            for own in await self._each(lambda row, table=table: self._own(table, row), rows):  # type: ignore[misc]
                found.update(own)
            async with self._runtime.db.transaction(self._workspace) as connection:
                await self._on_batch(connection, len(rows))
        self._copies = Copies(found)

    async def count_rows(self) -> int:
        """Return how many rows there are to read, in each pass."""
        rows = 0
        async for place in self._places():
            async with self._runtime.db.transaction(place) as connection:
                rows += sum([await stored_texts.count(connection, place, table) for table in stored_texts.COLUMNS])
        return rows

    async def preview(self) -> AsyncIterator[list[Finding]]:
        """Yield what ``apply`` would change, in batches; changes nothing."""
        async for table, rows in self._batches():
            changes = await self._masked(table, rows)
            findings = [self._findings(table, row, changed) for row, changed in zip(rows, changes, strict=True)]
            async with self._runtime.db.transaction(self._workspace) as connection:
                await self._on_batch(connection, len(rows))
                if self._id is not None:
                    await self._note(connection, FOUND, table, findings)
            for one in findings:
                self.report.add(one)
            yield [finding for one in findings for finding in one]

    async def apply(self) -> None:
        """Mask everything. Killed at any time, another run completes it."""
        for step in (self._without_copies, self._masked):
            async for place in self._places():
                for table in stored_texts.COLUMNS:
                    await self._apply(step, place, table)
        await forget_statistics(self._runtime, self._workspace)

    async def _apply(
        self, step: Callable[[str, list[TextRow]], Awaitable[list[TextRow]]], place: UUID, table: str
    ) -> None:
        after: tuple[object, ...] | None = None
        while True:
            async with self._runtime.db.transaction(place) as connection:
                rows = await stored_texts.read(connection, place, table, after, _batch(table), lock=True)
                changes = await step(table, rows)
                await self._on_batch(connection, len(rows))
                await self._write(connection, place, table, rows, changes)
            if len(rows) < _batch(table):
                return
            after = tuple(rows[-1][name] for name in stored_texts.key_of(table))

    async def _places(self) -> AsyncIterator[UUID]:
        """Yield the workspace, and then those in which what has been deleted from it waits by now."""
        yield self._workspace
        async with self._runtime.db.transaction(self._workspace) as connection:
            _, *deleted = await deletions.places(connection, self._workspace)
        for place in deleted:
            yield place

    async def _batches(self) -> AsyncIterator[tuple[str, list[TextRow]]]:
        async for place in self._places():
            for table in stored_texts.COLUMNS:
                after: tuple[object, ...] | None = None
                while True:
                    async with self._runtime.db.transaction(place) as connection:
                        rows = await stored_texts.read(connection, place, table, after, _batch(table))
                    yield table, rows
                    if len(rows) < _batch(table):
                        break
                    after = tuple(rows[-1][name] for name in stored_texts.key_of(table))

    def _own(self, table: str, row: TextRow) -> dict[str, str]:
        texts = (_open(row[name]) for name in stored_texts.COLUMNS[table])
        return dict(pair for text in texts for pair in secrets_in(text))

    def _mask(self, column: str) -> Callable[[str, str], str]:
        secret = self._name_secret if column in NAMES else None
        return lambda kind, value: placeholder(SECRET + kind, value, secret)

    async def _each(self, work: Callable[[TextRow], TextRow], rows: list[TextRow]) -> list[TextRow]:
        return await self._runtime.executor.each(work, rows, _characters)

    async def _without_copies(self, table: str, rows: list[TextRow]) -> list[TextRow]:
        """Return the columns of each row that change when copies of other rows' secrets are replaced."""

        def changed(row: TextRow) -> TextRow:
            return _changes(row, self._replaced(table, row, frozenset(self._own(table, row))))

        return await self._each(changed, rows)

    async def _masked(self, table: str, rows: list[TextRow]) -> list[TextRow]:
        """Return the columns of each row that change when everything in them is masked."""
        masked = [
            {n: await self._redacted(n, row[n]) if row[n] else row[n] for n in stored_texts.COLUMNS[table]}
            for row in rows
        ]
        replaced = await self._each(lambda row: self._replaced(table, row), masked)
        return [_changes(row, after) for row, after in zip(rows, replaced, strict=True)]

    def _replaced(self, table: str, row: TextRow, spared: frozenset[str] = frozenset()) -> TextRow:
        return {n: self._copies.replaced(row[n], self._mask(n), spared) for n in stored_texts.COLUMNS[table]}

    async def _redacted(self, name: str, value: JsonValue) -> JsonValue:
        redactor, secret = self._runtime.redactor, self._name_secret if name in NAMES else None
        if isinstance(value, str):
            return (await redactor.redact([value], self._policy, secret))[0].text
        if name == "tags":
            return [one.text for one in await redactor.redact(value, self._policy, secret)]
        kept = {OWN_KEYS: value[OWN_KEYS]} if isinstance(value, dict) and OWN_KEYS in value else {}
        masked = await redactor.redact_json(_open(value), self._policy)
        return masked | kept if kept else masked

    def _findings(self, table: str, row: TextRow, changed: TextRow) -> list[Finding]:
        texts = stored_texts.COLUMNS[table]
        id_ = "/".join(str(row[name]) for name in stored_texts.key_of(table) if name not in texts)
        return [_finding(table, id_, name, value) for name, value in changed.items()]

    async def _write(
        self, connection: Connection, place: UUID, table: str, rows: list[TextRow], after: list[TextRow]
    ) -> None:
        changes = [(row, changed) for row, changed in zip(rows, after, strict=True) if changed]
        if not changes:
            return
        for row, changed in changes:
            if table == "memories":
                await self._rewrite(connection, place, row["id"], changed)
            else:
                await stored_texts.write(connection, place, table, row, changed)
        ids = [row["id"] for row, changed in changes if table in ("messages", "chunks") and "content" in changed]
        await connection.run("forget_vectors", workspace=place, ids=ids)
        await connection.switch_workspace(self._workspace)
        await connection.run("erase_responses", workspace=self._workspace)
        findings = [self._findings(table, row, changed) for row, changed in changes]
        await self._note(connection, MASKED, table, findings)
        for one in findings:
            self.report.add(one)

    async def _note(self, connection: Connection, action: str, table: str, findings: list[list[Finding]]) -> None:
        """Record findings by row in the audit log, where there are any."""
        found = RescanReport()
        for one in findings:
            found.add(one)
        details: JsonObject = {"rows": dict(found.rows), "kinds": dict(found.kinds)}
        if self._id is not None:
            listed = [{"row": f.row, "field": f.field, "kinds": f.kinds} for one in findings for f in one]
            details |= {"rescan": str(self._id), "findings": listed}
        if found.rows:
            await audit_store.add(
                connection, self._workspace, audit_store.Line(ACTOR, None, action, table, None), details
            )

    async def _rewrite(self, connection: Connection, place: UUID, id_: UUID, changed: TextRow) -> None:
        stored = await memories.lock(connection, place, id_)
        assert stored is not None
        masked = replace(stored, **{name: value for name, value in changed.items() if name != "change_reason"})
        masked = replace(masked, tokens=count_tokens(masked.content))
        own = replace(masked, identity_hash=identity_of(masked))
        same = await memories.find_duplicate(connection, place, own) if stored.live else None
        pending = EmbeddingBatch(None, [None]) if "content" in changed else None
        await memories.rewrite(
            connection, place, id_, own if same in (None, id_) else masked, pending,
            actor=ACTOR, reason=REASON, now=self._runtime.now(), archived=False,
        )  # fmt: skip


def _open(value: JsonValue) -> JsonValue:
    """Return a value without the keys of models, which are used."""
    return {n: item for n, item in value.items() if n != OWN_KEYS} if isinstance(value, dict) else value


def _batch(table: str) -> int:
    return BATCH_OF_DOCUMENTS if table == "documents" else BATCH


def _characters(row: TextRow) -> int:
    texts = sum(len(value) for value in row.values() if isinstance(value, str))
    return texts + sum(NOT_KNOWN for value in row.values() if value and isinstance(value, dict | list))


def _changes(before: TextRow, after: TextRow) -> TextRow:
    return {name: value for name, value in after.items() if value != before[name]}


def _finding(table: str, id_: str, name: str, value: JsonValue) -> Finding:
    text = value if isinstance(value, str) else dumps(value).decode()
    found = list(PLACEHOLDER.finditer(text))
    start, end = (found[0].start(), found[0].end()) if found else (0, 0)
    around = text[max(0, start - AROUND) : end + AROUND]
    kinds = tuple(sorted({_kind(match[0]) for match in found}))
    return Finding(table, id_, name, kinds, PLACEHOLDER.sub("••••••••", around), around)


def _kind(mask: str) -> str:
    return mask.strip("[]<>").removeprefix(SECRET).split(":")[0]


@dataclass(frozen=True, slots=True)
class RescanProgress:
    """Progress and counts of the last scan for stored secrets."""

    running: Annotated[bool, Field(description="Scan queued or in progress.")]
    dry_run: Annotated[bool, Field(description="Scan without changes.")]
    done: Annotated[int, Field(description="Number of rows read, in all passes.")]
    total: Annotated[int | None, Field(description="Number of rows to read, in all passes; null until counted.")]
    rows: Annotated[
        dict[str, int], Field(description="Number of rows with secrets found (dry run) or masked, by table.")
    ]
    kinds: Annotated[
        dict[str, int], Field(description="Number of fields with secrets found (dry run) or masked, by kind.")
    ]
    error: Annotated[str | None, Field(description="Error message of a failed scan.")]
    requested_at: Annotated[datetime | None, Field(description="Time of the request; null before the first scan.")]
    finished_at: Annotated[datetime | None, Field(description="End time; null while running.")]


@dataclass(frozen=True, slots=True)
class RescanStarted(RescanProgress):
    """Start of a scan for stored secrets, and its progress or that of the running one."""

    started: Annotated[bool, Field(description="Start of a new scan; false with one in progress.")]


@dataclass(frozen=True, slots=True)
class RescanFinding:
    """Field with a stored secret, without its value."""

    table: Annotated[str, Field(description="Table of the record, for example `memories`.")]
    row: Annotated[
        str, Field(description="Primary key of the record, parts separated by `/`; without parts that are texts.")
    ]
    field: Annotated[str, Field(description="Column with the secret.")]
    kinds: Annotated[list[str], Field(description="Kinds of the secrets, for example `github_token`.")]
    agent: Annotated[str | None, Field(description="Agent of a message; null for other records.")]
    session: Annotated[str | None, Field(description="Session of a message; null for other records.")]
    document_id: Annotated[UUID | None, Field(description="Document of a part of a document; null for other records.")]


async def start_rescan(runtime: Runtime, principal: Principal, *, dry_run: bool) -> RescanStarted:
    """Have the worker look for secrets in all that is stored, and mask them unless it is a ``dry_run``.

    ``started`` is false while a scan is under way, which goes on and is the one that is answered. Raises Forbidden for
    anyone but an admin.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        started = await connection.run(
            "request_rescan", workspace=workspace, id=new_id(), dry_run=dry_run, now=runtime.now()
        )
        if started:
            await audit.record(connection, principal, "rescan.started", details={"dry_run": dry_run})
    progress = await rescan_progress(runtime, principal)
    return RescanStarted(**{name: getattr(progress, name) for name in RescanProgress.__slots__}, started=bool(started))


async def rescan_progress(runtime: Runtime, principal: Principal) -> RescanProgress:
    """Return how far the last scan has come, and what it has found: rows by table, fields by kind of secret.

    Raises Forbidden for anyone but an admin.
    """
    principal.require_admin()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        row = await connection.row("get_rescan", workspace=principal.workspace_id)
        if row is None:
            return RescanProgress(
                running=False, dry_run=True, done=0, total=None, rows={}, kinds={}, error=None, requested_at=None,
                finished_at=None,
            )  # fmt: skip
        found: dict[str, dict[str, int]] = {"rows": {}, "kinds": {}}
        for one in await connection.fetch("rescan_counts", workspace=principal.workspace_id, **_lines_of(row["id"])):
            found[one["name"]][one["key"]] = one["count"]
    return make(RescanProgress, {**row, **found, "running": row["finished_at"] is None})


async def list_findings(
    runtime: Runtime, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[RescanFinding], str | None]:
    """Return a page of the fields in which the last scan has found secrets, without the secrets; of messages with the
    names of their agent and session, secrets in these masked.

    Raises Forbidden for anyone but an admin.
    """
    principal.require_admin()
    after, after_place = cursors.decode(cursor, UUID, int)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        last = await connection.row("get_rescan", workspace=principal.workspace_id)
        if last is None:
            return [], None
        rows = await connection.fetch(
            "rescan_findings", workspace=principal.workspace_id, **_lines_of(last["id"]), after=after,
            after_place=after_place, limit=limit + 1,
        )  # fmt: skip
    rows, more = cursors.paginate(rows, limit, "id", "place")
    agents = await _named(runtime, [row["agent"] for row in rows])
    sessions = await _named(runtime, [row["session"] for row in rows])
    named = zip(rows, agents, sessions, strict=True)
    return [make(RescanFinding, {**row, "agent": agent, "session": session}) for row, agent, session in named], more


def _lines_of(rescan: UUID) -> dict[str, object]:
    """Return what queries call a scan, and the least id of its lines in the audit log: 48 bits of milliseconds lead a
    UUIDv7 (RFC 9562, 5.7)."""
    return {"rescan": str(rescan), "since": UUID(int=max(0, (rescan.int >> 80) - CLOCKS_APART_MS) << 80)}


async def _named(runtime: Runtime, names: list[str | None]) -> list[str | None]:
    masked = await runtime.redactor.redact([name or "" for name in names], PiiPolicy("off", secrets="redact"))
    return [one.text or None for one in masked]
