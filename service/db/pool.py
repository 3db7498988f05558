"""The connection pools, and the only ways to the database: ``transaction``, ``searching``, ``saving``, ``unscoped``."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg
import orjson
from pgvector.asyncpg import register_vector

from service.db.dedicated import Dedicated
from service.db.ending import current_ending
from service.db.failures import failures_told
from service.db.guard import transaction_open
from service.db.positions import Positions
from service.db.queries import Query, query
from service.db.reaching import CONNECT_S, FAILURES, Way, checked, unreachable, way_to
from service.domain.json import dumps
from service.errors import Unavailable

APP_ROLE = "reverie_app"
STATEMENTS_KEPT = 100
"""Prepared ones of each connection, as asyncpg has it."""
COMMAND_GRACE_S = 5.0
"""What a statement has past its timeout in Postgres before this side gives up on a connection that died silently."""
IDLE_TERMS = 4
"""After how many times the statement timeout without a word a transaction is ended, so that a process that is frozen in
the middle of one does not keep others from the rows it has locked."""
SAVERS = 2
"""Connections of those that only save; as many batches of saves are under way at once (memory/together)."""
_ONE_MOMENT = " ISOLATION LEVEL REPEATABLE READ READ ONLY"
_PLAN_ONCE = " SET LOCAL plan_cache_mode = force_generic_plan;"
_PLAN_FOR_SEARCH = (
    " SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off;"
    "SET LOCAL enable_sort = off; SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = 200;"
)
_PLAN_BY_INDEXES = " SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;"
_SHARDS_IN_SIGHT = " SET LOCAL citus.override_table_visibility = off;"
"""Citus hides shards from the catalog, which takes each new connection a second as it first asks for types."""
_SHARDS_ALWAYS_IN_SIGHT = """SELECT set_config('citus.override_table_visibility', 'off', false)
    FROM pg_extension WHERE extname = 'citus'"""
"""For a connection that nobody else will use."""

Row = Mapping[str, Any]


class Connection:
    """Runs named queries on one connection. Statements are prepared once per connection by asyncpg.

    ``wrote`` tells whether any of them was one that writes, ``told`` whether any wrote events.
    """

    __slots__ = ("_forgetful", "_timeout_s", "raw", "told", "wrote")

    def __init__(self, raw: Any, *, forgetful: bool = False) -> None:
        """``forgetful``: behind a pooler that does not know which client a prepared statement belongs to."""
        self.raw = raw
        self.wrote = False
        self.told = False
        self._forgetful = forgetful
        self._timeout_s: float | None = None

    async def allow(self, seconds: float) -> None:
        """Let the statements of this transaction take longer than a request may."""
        await self.raw.execute(f"SET LOCAL statement_timeout = {int(seconds * 1000)}")
        self._timeout_s = seconds + COMMAND_GRACE_S

    async def fetch(self, name: str, /, **values: Any) -> list[Row]:
        """All rows of the named query."""
        statement = self._named(name)
        rows: list[Row] = await self.raw.fetch(statement.sql, *statement.arguments(values), timeout=self._timeout_s)
        return rows

    async def fetch_with(self, name: str, literals: dict[str, Any], /, **values: Any) -> list[Row]:
        """All rows of the named query, with numbers in the places it takes no parameters in."""
        statement = self._named(name).with_literals(**literals)
        rows: list[Row] = await self.raw.fetch(statement.sql, *statement.arguments(values), timeout=self._timeout_s)
        return rows

    async def row(self, name: str, /, **values: Any) -> Row | None:
        """The first row of the named query, or None."""
        statement = self._named(name)
        row: Row | None = await self.raw.fetchrow(statement.sql, *statement.arguments(values), timeout=self._timeout_s)
        return row

    async def value(self, name: str, /, **values: Any) -> Any:
        """The first column of the first row, or None."""
        statement = self._named(name)
        return await self.raw.fetchval(statement.sql, *statement.arguments(values), timeout=self._timeout_s)

    async def batches(self, name: str, size: int, /, **values: Any) -> AsyncIterator[list[Row]]:
        """The rows of the named query, ``size`` at a time through a cursor, never all in memory."""
        statement = self._named(name)
        if self._forgetful:  # a cursor's statement has a name, which another client may have left behind here
            await self.raw.execute("DEALLOCATE ALL")
        cursor = await self.raw.cursor(statement.sql, *statement.arguments(values))
        while rows := await cursor.fetch(size):
            yield rows

    async def run(self, name: str, /, **values: Any) -> int:
        """Run the named query for its effect; the number of rows it touched."""
        statement = self._named(name)
        tag: str = await self.raw.execute(statement.sql, *statement.arguments(values), timeout=self._timeout_s)
        count = tag.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    def _named(self, name: str) -> Query:
        statement = query(name)
        self.wrote = self.wrote or statement.writes
        self.told = self.told or statement.tells
        return statement


class Database:
    """The connections to one Postgres. Open it with ``await Database.open(...)``, close it with ``await close()``.

    ``events_written`` is called with the workspace of every transaction that wrote events, once it has committed.
    """

    def __init__(
        self, pool: Any, way: Way, connections: type[Connection], *, url: str, wait_s: float, statement_timeout_s: float
    ) -> None:
        self.url = url
        self._on = connections
        self.events_written: Callable[[UUID], None] = _unheard
        self._pool = pool
        self._searchers: Any = None
        self._savers: Any = None
        """Those that only search, and those that only save; None where a connection is not this process's own."""
        self._forgetful = way is Way.FORGETFUL_POOLER
        self._wait_s = wait_s
        self._statement_timeout_s = statement_timeout_s
        self._searching = _PLAN_ONCE + _PLAN_FOR_SEARCH
        self.spread = False
        self.positions: Positions | None = None
        """Of what is written, where a replica has to have it; None where there is none."""
        self._settings = (
            f"SET LOCAL statement_timeout = {int(statement_timeout_s * 1000)}; SET LOCAL jit = off;"
            f" SET LOCAL idle_in_transaction_session_timeout = {int(statement_timeout_s * 1000 * IDLE_TERMS)};"
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
        whose owner makes no roles), the walls hold for the owner too, as long as it is not one that walls do not
        stop; such a one is refused.

        Behind a pooler that keeps no prepared statements, each is sent and planned anew.
        """
        try:
            way = await way_to(url)
            make_pool = partial(
                asyncpg.create_pool,
                checked(url),
                statement_cache_size=0 if way is Way.FORGETFUL_POOLER else STATEMENTS_KEPT,
                max_size=size,
                reset=_nothing_to_reset,
                timeout=CONNECT_S,
                command_timeout=statement_timeout_s + COMMAND_GRACE_S,
                max_cacheable_statement_size=0,  # asyncpg's 15 KB would leave the largest, hybrid_search, out
                max_cached_statement_lifetime=0,
                server_settings={"application_name": application},
            )
            pool = await make_pool(
                min_size=1, init=_prepare_own_connection if way is Way.DIRECT else _prepare_connection
            )
        except FAILURES as error:
            raise unreachable(url, error) from None
        db = cls(pool, way, connections, url=url, wait_s=wait_s, statement_timeout_s=statement_timeout_s)
        try:
            await db._settle(way)
            if way is Way.DIRECT and not db.spread:
                make_dedicated = partial(make_pool, min_size=0, connection_class=Dedicated)
                db._searchers = await make_dedicated(max_size=math.ceil(size / 2), init=db._prepare_searcher)
                db._savers = await make_dedicated(max_size=min(size, SAVERS), init=db._prepare_saver)
        except BaseException:
            await db.close()
            raise
        return db

    async def _settle(self, way: Way) -> None:
        """Find out what every transaction has to set here. Raises Unavailable for a login that walls do not stop and
        for a Citus database that is not spread yet."""
        async with self.unscoped() as connection:
            role = await connection.row("login_role", app_role=APP_ROLE)
        assert role is not None
        if role["may_switch"]:
            self._settings += f" SET LOCAL ROLE {APP_ROLE};"
        elif role["passes_walls"]:
            raise Unavailable(
                f"DATABASE_URL: the role {APP_ROLE} is not there, and this login passes row-level security. "
                "Run the migrations first (make migrate)."
            )
        if role["spread"]:
            if not role["walls_spread"]:
                raise Unavailable(
                    "DATABASE_URL: a Citus database that is not spread yet; run the migrations (make migrate)."
                )
            self._searching = _PLAN_FOR_SEARCH
            if way is not Way.DIRECT:
                self._settings += _SHARDS_IN_SIGHT
            self.spread = True

    async def close(self) -> None:
        """Close every connection, waiting at most 5 s for those in use."""
        try:
            async with asyncio.timeout(5):
                await asyncio.gather(*(pool.close() for pool in self._pools()))
        except TimeoutError:
            for pool in self._pools():
                pool.terminate()

    def pool_use(self) -> dict[str, int]:
        """How many connections there may be, how many there are, and how many of those are free."""
        return {
            "pool_max": sum(pool.get_max_size() for pool in self._pools()),
            "pool_open": sum(pool.get_size() for pool in self._pools()),
            "pool_free": sum(pool.get_idle_size() for pool in self._pools()),
        }

    def _pools(self) -> list[Any]:
        return [pool for pool in (self._pool, self._searchers, self._savers) if pool is not None]

    def searching(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """For search statements, which only read: as ``searching_transaction``, but each by itself where it can be."""
        if self.searches_apart:
            return self._dedicated(self._searchers, workspace_id)
        return self.searching_transaction(workspace_id)

    @property
    def searches_apart(self) -> bool:
        """Whether a search has a connection for searches alone, and is in no transaction of the request."""
        return self._searchers is not None and current_ending() is None

    def saving(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """For one statement that saves: as ``planned_once``, but committed with the statement where it can be."""
        if self._savers is None or current_ending() is not None:
            return self.planned_once(workspace_id)
        return self._dedicated(self._savers, workspace_id)

    @asynccontextmanager
    async def _dedicated(self, pool: Any, workspace_id: UUID) -> AsyncIterator[Connection]:
        async with self._connection(pool) as raw:
            with transaction_open():
                await raw.show(workspace_id)
                connection = self._on(raw)
                yield connection
                await self._committed(workspace_id, connection)

    def searching_transaction(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """As ``transaction``, for search statements: planned once per connection.

        Their joins are of intermediate results whose size Postgres cannot know; told never to nest loops it hashes
        them, whatever the statistics say, and planning, which would cost as much as searching, is done once. On Citus
        each is planned anew, for it finds the shard by the workspace's value.
        """
        return self.transaction(workspace_id, self._searching)

    def planned_once(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """As ``transaction``, for statements that touch few rows, such as saves: planned once per connection, as
        planning costs more than running them.

        A plan that is kept must not be one for tables as empty as they were at first: it never reads them whole. On
        Citus each statement is planned anew.
        """
        return self.transaction(workspace_id, "" if self.spread else _PLAN_ONCE + _PLAN_BY_INDEXES)

    def snapshot(self, workspace_id: UUID) -> AbstractAsyncContextManager[Connection]:
        """As ``transaction``, but reading only, and every statement sees the one moment of the first."""
        return self.transaction(workspace_id, mode=_ONE_MOMENT)

    @asynccontextmanager
    async def transaction(
        self, workspace_id: UUID, planning: str = "", *, mode: str = "", awaited: bool = True
    ) -> AsyncIterator[Connection]:
        """One transaction that sees and writes the rows of this workspace alone (row-level security).

        ``awaited``: whoever searches next has to see what it wrote, also on a replica.

        Commits at the end, rolls back on any error. Raises Unavailable when no connection comes free in time
        or the database goes away.
        """
        ending = current_ending()
        if ending is not None:
            await ending.commit()

        async with AsyncExitStack() as stack:
            raw = await stack.enter_async_context(self._connection())
            with transaction_open():
                settings = f"{self._settings}{planning} SET LOCAL reverie.workspace = '{workspace_id}';"
                if self.spread:  # with each SET, Citus sends its nodes the whole string that it stands in
                    settings = f"DO $$ BEGIN {settings} END $$"
                await raw.execute(f"BEGIN{mode}; {settings}")
                try:
                    if ending is not None:
                        await ending.enter(raw)
                    connection = self._on(raw, forgetful=self._forgetful)
                    committed = partial(self._committed, workspace_id, connection, awaited=awaited)
                    yield connection
                    wrote = connection.wrote if self.spread else None
                    if ending is not None and await ending.keeps(raw, stack, committed, wrote=wrote):
                        return
                except BaseException:
                    if not raw.is_closed():
                        await raw.execute("ROLLBACK")
                    raise
                await raw.execute("COMMIT")
                await committed()

    async def _committed(self, workspace_id: UUID, connection: Connection, *, awaited: bool = True) -> None:
        if connection.told:
            self.events_written(workspace_id)
        if self.positions is not None and awaited and connection.wrote:
            position = (await connection.raw.fetchrow(query("log_position").sql))["position"]
            self.positions.note(workspace_id, position)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[Connection]:
        """A connection outside any workspace: single statements on what belongs to none (keys, the schedule)."""
        if (ending := current_ending()) is not None:
            await ending.commit()
        async with self._connection() as raw, asyncio.timeout(self._statement_timeout_s):
            yield self._on(raw, forgetful=self._forgetful)

    async def _prepare_searcher(self, raw: Any) -> None:
        await self._dedicate(raw, self._searching + " SET LOCAL default_transaction_read_only = on;")

    async def _prepare_saver(self, raw: Any) -> None:
        await self._dedicate(raw, _PLAN_ONCE + _PLAN_BY_INDEXES)

    async def _dedicate(self, raw: Any, settings: str) -> None:
        await _prepare_own_connection(raw)
        await raw.execute((self._settings + settings).replace("SET LOCAL", "SET"))

    @asynccontextmanager
    async def _connection(self, pool: Any = None) -> AsyncIterator[Any]:
        with failures_told():
            async with (pool or self._pool).acquire(timeout=self._wait_s) as raw:
                yield raw


async def _prepare_own_connection(raw: Any) -> None:
    await raw.execute(_SHARDS_ALWAYS_IN_SIGHT)
    await _prepare_connection(raw)


async def _prepare_connection(raw: Any) -> None:
    await raw.set_type_codec(
        "jsonb", encoder=lambda value: dumps(value).decode(), decoder=orjson.loads, schema="pg_catalog"
    )
    try:
        await register_vector(raw)
    except ValueError:
        raise Unavailable(
            "DATABASE_URL: the database is not migrated yet; run the migrations (make migrate)."
        ) from None


def _unheard(_: UUID) -> None:
    """Nobody wants to know."""


async def _nothing_to_reset(_: Any) -> None:
    """Transactions leave no session state behind, so a released connection needs no reset round trip."""
