"""The connection pools, and the only ways to the database: ``transaction`` and those for a purpose (``snapshot``,
``search_transaction``, ``generic_plan_transaction``), ``search_connection``, ``autocommit``, ``unscoped``."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import orjson
from pgvector.asyncpg import register_vector

from service.concurrency.transaction_guard import transaction_open
from service.db.connectivity import (
    CONNECT_S,
    CONNECTION_ERRORS,
    ConnectionMode,
    detect_pooler,
    normalize_dsn,
    unreachable,
)
from service.db.deferred_commit import current_deferred_commit
from service.db.failures import translate_db_errors
from service.db.queries import NO_FLAGS, Flags, Query, query
from service.db.records import make, make_all
from service.db.schema_version import SchemaCheck
from service.db.viewing import current_viewer
from service.db.wal_lsn import LsnTracker
from service.domain.json import dumps
from service.domain.owners import Viewer
from service.errors import Unavailable

APP_ROLE = "reverie_app"
STATEMENT_CACHE_SIZE = 100
"""Prepared ones of each connection, as asyncpg has it."""
CLIENT_TIMEOUT_MARGIN_S = 5.0
"""What a statement has past its timeout in Postgres before this side gives up on a connection that died silently."""
IDLE_IN_TX_FACTOR = 4
"""``idle_in_transaction_session_timeout`` as a multiple of ``statement_timeout``: frees the row locks held by a frozen
process."""
INSERT_POOL_SIZE = 2
"""Connections of those that only save; as many batches of saves are under way at once (concurrency/group_commit)."""
_REPEATABLE_READ = " ISOLATION LEVEL REPEATABLE READ READ ONLY"
_GENERIC_PLAN = " SET LOCAL plan_cache_mode = force_generic_plan;"
_SEARCH_PLAN = (
    " SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off;"
    "SET LOCAL enable_sort = off; SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = 200;"
)
_INDEX_PLANS = " SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;"
_HASH_JOINS = " SET LOCAL enable_nestloop = off;"
_ARRAY_SPECIAL, _ESCAPED = re.compile(r'["\\$]'), r"\\\g<0>"
_CITUS_SHOW_SHARDS = " SET LOCAL citus.override_table_visibility = off;"
"""Citus hides shards from the catalog, which takes each new connection a second as it first asks for types."""
_CITUS_SHOW_SHARDS_SESSION = """SELECT set_config('citus.override_table_visibility', 'off', false)
    FROM pg_extension WHERE extname = 'citus'"""
"""For a connection that nobody else will use."""

Row = Mapping[str, Any]
"""A row of a query, by the names of its columns."""
Columns = dict[str, Any]
"""Values for a statement, by the names of the columns or parameters that take them."""
T = TypeVar("T")


class WorkspaceConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """A connection that is set up once, for searches or for saves, and knows whose rows it shows. Each statement on it
    is a transaction of its own."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._workspace: UUID | None = None

    async def set_workspace(self, workspace: UUID) -> None:
        """Show the rows of this workspace alone, from now on (row-level security)."""
        if self._workspace != workspace:
            self._workspace = None
            await self.execute(f"SET reverie.workspace = '{workspace}'")
            self._workspace = workspace


async def prepare_own_connection(raw: Any) -> None:
    """Prepare a connection that nobody else will use. Raises Unavailable before the first migration."""
    await raw.execute(_CITUS_SHOW_SHARDS_SESSION)
    await prepare_connection(raw)


async def prepare_connection(raw: Any) -> None:
    """Prepare a connection that a pooler may share. Raises Unavailable before the first migration."""
    await raw.set_type_codec(
        "jsonb", encoder=lambda value: dumps(value).decode(), decoder=orjson.loads, schema="pg_catalog"
    )
    try:
        await register_vector(raw)
    except ValueError:
        raise Unavailable(
            "DATABASE_URL: the database is not migrated yet; run the migrations (reverie migrate)."
        ) from None


class Connection:
    """Runs named queries on one connection. Statements are prepared once per connection by asyncpg.

    ``wrote`` tells whether any of them was one that writes, ``emitted_events`` whether any wrote events.
    """

    __slots__ = ("_prepared_statements_off", "_timeout_s", "emitted_events", "raw", "wrote")

    def __init__(self, raw: Any, *, prepared_statements_off: bool = False) -> None:
        """``prepared_statements_off``: behind a pooler that does not know which client a prepared statement belongs
        to."""
        self.raw = raw
        self.wrote = False
        self.emitted_events = False
        self._prepared_statements_off = prepared_statements_off
        self._timeout_s: float | None = None

    async def switch_workspace(self, workspace_id: UUID) -> None:
        """See and write the rows of another workspace for the rest of the transaction."""
        # SET LOCAL, which Citus passes on to its nodes; set_config stays on the coordinator.
        await self.raw.execute(f"SET LOCAL reverie.workspace = '{workspace_id}'")

    async def view_as(self, viewer: Viewer) -> None:
        """Read for another viewer for the rest of the transaction."""
        await self.raw.execute(f"SET LOCAL reverie.viewer = {_viewer_setting(viewer)}")

    async def set_timeout(self, seconds: float) -> None:
        """Let the statements of this transaction take longer than a request may."""
        await self.raw.execute(f"SET LOCAL statement_timeout = {int(seconds * 1000)}")
        self._timeout_s = seconds + CLIENT_TIMEOUT_MARGIN_S

    async def fetch(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> list[Row]:
        """Return all rows of the named query under these flags."""
        statement = self._named(name, flags)
        rows: list[Row] = await self.raw.fetch(statement.sql, *statement.arguments(values), timeout=self._timeout_s)
        return rows

    async def row(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> Row | None:
        """Return the first row of the named query under these flags, or None."""
        statement = self._named(name, flags)
        row: Row | None = await self.raw.fetchrow(statement.sql, *statement.arguments(values), timeout=self._timeout_s)
        return row

    async def many(self, record: type[T], name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> list[T]:
        """Return all rows of the named query under these flags, each as a ``record`` (``service.db.records``)."""
        return make_all(record, await self.fetch(name, flags, **values))

    async def first(self, record: type[T], name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> T | None:
        """Return the first row of the named query under these flags as a ``record``, or None."""
        row = await self.row(name, flags, **values)
        return None if row is None else make(record, row)

    async def one(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> Row:
        """Return the row of a named query that always gives one."""
        row = await self.row(name, flags, **values)
        assert row is not None
        return row

    async def value(self, name: str, /, **values: Any) -> T:
        """Return the first column of the first row, or None: of the type that the caller says the query gives."""
        statement = self._named(name)
        found: T = await self.raw.fetchval(statement.sql, *statement.arguments(values), timeout=self._timeout_s)
        return found

    async def batches(self, name: str, size: int, flags: Flags, /, **values: Any) -> AsyncIterator[list[Row]]:
        """Yield the rows of the named query under these flags, ``size`` at a time through a cursor, never all in
        memory."""
        statement = self._named(name, flags)
        if (
            self._prepared_statements_off
        ):  # a cursor's statement has a name, which another client may have left behind here
            await self.raw.execute("DEALLOCATE ALL")
        cursor = await self.raw.cursor(statement.sql, *statement.arguments(values))
        while rows := await cursor.fetch(size):
            yield rows

    async def run(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> int:
        """Run the named query under these flags for its effect; the number of rows it touched."""
        statement = self._named(name, flags)
        tag: str = await self.raw.execute(statement.sql, *statement.arguments(values), timeout=self._timeout_s)
        count = tag.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    def _named(self, name: str, flags: Flags = NO_FLAGS) -> Query:
        statement = query(name, flags)
        self.wrote = self.wrote or statement.writes
        self.emitted_events = self.emitted_events or statement.emits_events
        return statement


class Database:
    """The connections to one Postgres. Open it with ``await Database.open(...)``, close it with ``await close()``.

    ``on_events_committed`` is called with the workspace of every transaction that wrote events, once it has committed.
    ``connections`` is the class of what transactions are given: what sees their statements is a subclass.
    """

    def __init__(
        self,
        pool: Any,
        way: ConnectionMode,
        connections: type[Connection],
        *,
        url: str,
        wait_s: float,
        statement_timeout_s: float,
    ) -> None:
        self.url = url
        self.connections = connections
        self.on_events_committed: Callable[[UUID], None] = _ignore
        self._pool = pool
        self._search_pool: Any = None
        self._insert_pool: Any = None
        """Those that only search, and those that only save; None where a connection is not this process's own."""
        self._no_prepared_statements = way is ConnectionMode.POOLER_NO_PREPARED
        self._wait_s = wait_s
        self._statement_timeout_s = statement_timeout_s
        self._searching = _GENERIC_PLAN + _SEARCH_PLAN
        self.check_schema = SchemaCheck()
        self.is_citus = False
        self.positions: LsnTracker | None = None
        """Of what is written, where a replica has to have it; None where there is none."""
        self._settings = (
            # Parallel workers take 5 ms to start; without them 1.4 times as many searches a second at 2,000 memories.
            f"SET LOCAL statement_timeout = {int(statement_timeout_s * 1000)}; SET LOCAL jit = off;"
            " SET LOCAL max_parallel_workers_per_gather = 0;"
            f" SET LOCAL idle_in_transaction_session_timeout = {int(statement_timeout_s * 1000 * IDLE_IN_TX_FACTOR)};"
        )

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        size: int = 8,
        wait_s: float = 5.0,
        statement_timeout_s: float = 15.0,
        application: str = "reverie",
        connections: type[Connection] = Connection,
    ) -> Database:
        """Connect. Raises Unavailable, naming host and database but never user or password, when it cannot.

        Where the role ``reverie_app`` may be taken on, every transaction does. Where it may not (a managed Postgres
        whose owner makes no roles), row-level security holds for the owner too, as long as it is not one that it does
        not stop; such a one is refused.

        Behind a pooler that keeps no prepared statements, each is sent and planned anew.
        """
        try:
            way = await detect_pooler(url)
            make_pool = partial(
                asyncpg.create_pool,
                normalize_dsn(url),
                statement_cache_size=0 if way is ConnectionMode.POOLER_NO_PREPARED else STATEMENT_CACHE_SIZE,
                max_size=size,
                reset=_nothing_to_reset,
                timeout=CONNECT_S,
                command_timeout=statement_timeout_s + CLIENT_TIMEOUT_MARGIN_S,
                max_cacheable_statement_size=0,  # past asyncpg's 15 KB a search is planned anew: 8.6 ms, not 5.5
                max_cached_statement_lifetime=0,
                server_settings={"application_name": application},
            )
            pool = await make_pool(
                min_size=1, init=prepare_own_connection if way is ConnectionMode.DIRECT else prepare_connection
            )
        except CONNECTION_ERRORS as error:
            raise unreachable(url, error) from None
        db = cls(pool, way, connections, url=url, wait_s=wait_s, statement_timeout_s=statement_timeout_s)
        try:
            await db._detect_capabilities(way)
            if way is ConnectionMode.DIRECT and not db.is_citus:
                make_dedicated = partial(make_pool, min_size=0, connection_class=WorkspaceConnection)
                db._search_pool = await make_dedicated(max_size=math.ceil(size / 2), init=db._prepare_search_connection)
                db._insert_pool = await make_dedicated(
                    max_size=min(size, INSERT_POOL_SIZE), init=db._prepare_insert_connection
                )
        except BaseException:
            await db.close()
            raise
        return db

    async def _detect_capabilities(self, way: ConnectionMode) -> None:
        """Find out what every transaction has to set here. Raises Unavailable for a login that bypasses row-level
        security, for a Citus database that is not spread yet, and for a schema that this release cannot work on."""
        async with self.unscoped() as connection:
            await self.check_schema(connection.raw)
            role = await connection.one("login_role", app_role=APP_ROLE)
        if role["may_switch"]:
            self._settings += f" SET LOCAL ROLE {APP_ROLE};"
        elif role["bypasses_rls"]:
            raise Unavailable(
                f"DATABASE_URL: the role {APP_ROLE} is not there, and this login passes row-level security. "
                "Run the migrations first (reverie migrate)."
            )
        if role["spread"]:
            if not role["citus_propagates_guc"]:
                raise Unavailable(
                    "DATABASE_URL: a Citus database that is not spread yet; run the migrations (reverie migrate)."
                )
            self._searching = _SEARCH_PLAN
            if way is not ConnectionMode.DIRECT:
                self._settings += _CITUS_SHOW_SHARDS
            self.is_citus = True

    async def close(self) -> None:
        """Close every connection, waiting at most 5 s for those in use."""
        try:
            async with asyncio.timeout(5):
                await asyncio.gather(*(pool.close() for pool in self._pools()))
        except TimeoutError:
            for pool in self._pools():
                pool.terminate()

    def pool_use(self) -> dict[str, int]:
        """Return how many connections there may be, how many there are, and how many of those are free."""
        return {
            "pool_max": sum(pool.get_max_size() for pool in self._pools()),
            "pool_open": sum(pool.get_size() for pool in self._pools()),
            "pool_free": sum(pool.get_idle_size() for pool in self._pools()),
        }

    def _pools(self) -> list[Any]:
        return [pool for pool in (self._pool, self._search_pool, self._insert_pool) if pool is not None]

    def search_connection(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """Yield a connection for search statements, which only read: as ``search_transaction``, but each by itself
        where it can be (a search takes three round trips, not five). They see everybody's rows, and say themselves for
        whom they are.
        """
        if self.has_autocommit_pool:
            return self._workspace_connection(self._search_pool, workspace_id)
        return self.transaction(workspace_id, self._searching, viewer="everybody")

    @property
    def has_autocommit_pool(self) -> bool:
        """Return whether a search has a connection for searches alone, and is in no transaction of the request."""
        return self._search_pool is not None and current_deferred_commit() is None

    def autocommit(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """Yield a connection for one statement that saves: as ``generic_plan_transaction``, but committed with the
        statement where it can be. In a transaction a lone save costs 1.22 times as much processor time; saves of eight
        clients, which share it, cost the same.
        """
        if self._insert_pool is None or current_deferred_commit() is not None:
            return self.generic_plan_transaction(workspace_id)
        return self._workspace_connection(self._insert_pool, workspace_id)

    @asynccontextmanager
    async def _workspace_connection(self, pool: Any, workspace_id: UUID) -> AsyncIterator[Connection]:
        async with self._connection(pool) as raw:
            with transaction_open():
                await raw.set_workspace(workspace_id)
                connection = self.connections(raw)
                yield connection
                await self._committed(workspace_id, connection)

    def search_transaction(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """As ``transaction``, for search statements: planned once per connection.

        Their joins are of intermediate results whose size Postgres cannot know; told never to nest loops it hashes
        them, whatever the statistics say, and planning, which would cost as much as searching, is done once. On Citus
        each is planned anew, for it finds the shard by the workspace's value.
        """
        return self.transaction(workspace_id, self._searching)

    def generic_plan_transaction(
        self, workspace_id: UUID, *, viewer: Viewer | None = None
    ) -> AbstractAsyncContextManager[Connection]:
        """As ``transaction``, with cached generic plans: for statements that touch few rows, such as saves, whose
        planning costs more than running them (a fifth of Postgres' time for a save).

        A plan that is kept must not be one for tables as empty as they were at first: it never reads them whole. On
        Citus each statement is planned anew.
        """
        return self.transaction(workspace_id, "" if self.is_citus else _GENERIC_PLAN + _INDEX_PLANS, viewer=viewer)

    def snapshot(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """As ``transaction``, but reading only, for statements that read all of a workspace: every one sees the one
        moment of the first.

        Tables are joined by hashes. Where the statistics do not know the workspace yet, as after an import, the planner
        takes it for one row, and its nested loops take time by the square of what is there: 10,000 memories ran into
        the statement timeout.
        """
        return self.transaction(workspace_id, _HASH_JOINS, mode=_REPEATABLE_READ)

    @asynccontextmanager
    async def transaction(
        self,
        workspace_id: UUID,
        planning: str = "",
        *,
        mode: str = "",
        track_lsn: bool = True,
        viewer: Viewer | None = None,
    ) -> AsyncIterator[Connection]:
        """Yield one transaction that sees and writes the rows of this workspace alone, as far as they may be shown to
        the ``viewer``, by default the one that the task reads for (row-level security).

        ``track_lsn``: whoever searches next has to see what it wrote, also on a replica.

        Commits at the end, rolls back on any error. Raises Unavailable when no connection comes free in time
        or the database goes away.
        """
        ending = current_deferred_commit()
        if ending is not None:
            await ending.commit()

        async with AsyncExitStack() as stack:
            raw = await stack.enter_async_context(self._connection())
            with transaction_open():
                settings = (
                    f"{self._settings}{planning} SET LOCAL reverie.workspace = '{workspace_id}';"
                    f" SET LOCAL reverie.viewer = {_viewer_setting(viewer or current_viewer())};"
                )
                if self.is_citus:  # with each SET, Citus sends its nodes the whole string that it stands in
                    settings = f"DO $$ BEGIN {settings} END $$"
                try:
                    await raw.execute(f"BEGIN{mode}; {settings}")
                    if ending is not None:
                        await ending.on_begin(raw)
                    connection = self.connections(raw, prepared_statements_off=self._no_prepared_statements)
                    committed = partial(self._committed, workspace_id, connection, track_lsn=track_lsn)
                    yield connection
                    wrote = connection.wrote if self.is_citus else None
                    if wrote:
                        await connection.run("settle_stored", workspace=workspace_id)
                    if ending is not None and await ending.hold(raw, stack, committed, wrote=wrote):
                        return
                except BaseException:
                    if not raw.is_closed():
                        await raw.execute("ROLLBACK")
                    raise
                await raw.execute("COMMIT")
                await committed()

    async def _committed(self, workspace_id: UUID, connection: Connection, *, track_lsn: bool = True) -> None:
        if connection.emitted_events:
            self.on_events_committed(workspace_id)
        if self.positions is not None and track_lsn and connection.wrote:
            position = (await connection.raw.fetchrow(query("current_lsn").sql))["position"]
            self.positions.note(workspace_id, position)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[Connection]:
        """Yield a connection outside any workspace: single statements on what belongs to none (keys, the schedule)."""
        if (ending := current_deferred_commit()) is not None:
            await ending.commit()
        async with self._connection() as raw, asyncio.timeout(self._statement_timeout_s):
            yield self.connections(raw, prepared_statements_off=self._no_prepared_statements)

    async def _prepare_search_connection(self, raw: Any) -> None:
        await self._configure_session(raw, self._searching + " SET LOCAL default_transaction_read_only = on;")

    async def _prepare_insert_connection(self, raw: Any) -> None:
        await self._configure_session(raw, _GENERIC_PLAN + _INDEX_PLANS)

    async def _configure_session(self, raw: Any, settings: str) -> None:
        await prepare_own_connection(raw)
        own = f"{self._settings}{settings} SET LOCAL reverie.viewer = {_viewer_setting('everybody')};"
        await raw.execute(own.replace("SET LOCAL", "SET"))

    @asynccontextmanager
    async def _connection(self, pool: Any = None) -> AsyncIterator[Any]:
        with translate_db_errors():
            async with (pool or self._pool).acquire(timeout=self._wait_s) as raw:
                yield raw


def _viewer_setting(viewer: Viewer) -> str:
    """Return a viewer as a literal that ``reverie_viewer_v1`` reads."""
    if isinstance(viewer, str) or not viewer:
        return "'{}'" if viewer == "everybody" else "''"
    # On Citus the literal stands in a DO block, whose quotes are dollars.
    names = ",".join(f'"{_ARRAY_SPECIAL.sub(_ESCAPED, name)}"' for name in viewer).replace("'", "''")
    return f"'{{{names}}}'"


def _ignore(_: UUID) -> None:
    """Do nothing: no listener."""


async def _nothing_to_reset(_: Any) -> None:
    """Transactions leave no session state behind, so a released connection needs no reset round trip."""
