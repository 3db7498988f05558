"""What the database raises when it cannot serve, told as Reverie's own errors, in this one place.

Anything that comes between a request and a healthy Postgres is ``Unavailable``: the server stopping, starting or
crashed, a connection cut, no room on its disk or in its memory, a statement or a wait for a connection past its time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import orjson
import structlog

from service.errors import Conflict, LimitReached, Unavailable

log = structlog.get_logger(__name__)

BEING_DELETED = "What this belongs to is being deleted; try again."

_UNAVAILABLE = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,  # a connection or pool that is closed or closing
    asyncpg.exceptions.InternalClientError,  # cut off in the middle of an answer: its protocol has failed
    asyncpg.OperatorInterventionError,  # shutting down, starting up, crashed, statement timeout
    asyncpg.InsufficientResourcesError,  # disk full, out of memory, too many connections
    asyncpg.PostgresSystemError,  # cannot read or write a file
    asyncpg.TransactionRollbackError,  # deadlock, serialization
    asyncpg.ReadOnlySQLTransactionError,  # a standby
    asyncpg.LockNotAvailableError,
    asyncpg.exceptions.IdleInTransactionSessionTimeoutError,
    asyncpg.exceptions.TransactionTimeoutError,
    OSError,  # nothing listens at the socket, or no room for what a snapshot is written to
    TimeoutError,
)
_UNIQUE_VIOLATIONS = {
    "uq_memories_identity": "Another memory says the same already.",
    "uq_memories_key": "Another memory has this key already.",
}
_TO_WHAT_IS_DELETED = re.compile(
    r"fk_\w{1,60}_(agents|chunks|documents|dreams|entities|memories|messages|pages|saved_searches|sessions|tasks|teams)"
    r"(_workspace_id\w{0,50})?"
)
"""Foreign keys to rows that a deletion moves away."""
_LIMITS_OF_STORED = "ck_stored_"
_NODE_GONE = re.compile(
    r"server closed the connection|failure on connection|connection not open"
    r"|could not (commit transaction|receive data from)"
)
"""What a Citus coordinator says of a node that goes in the middle of a statement; it is an internal error there."""
LOG_EVERY_S = 1.0
_SHARD = re.compile(r"_\d+$")
"""What Citus adds to the name of a constraint on one shard."""
_NAMED = re.compile(r'constraint "([^"]+)"')
"""Where Citus leaves its name: in the message alone."""


@contextmanager
def translate_db_errors() -> Iterator[None]:
    """Raises Unavailable for what the database cannot do now, Conflict for what is there already, and LimitReached for
    more than may be stored."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        constraint = _constraint(error)
        if constraint not in _UNIQUE_VIOLATIONS:
            raise
        raise Conflict(_UNIQUE_VIOLATIONS[constraint]) from error
    except asyncpg.ForeignKeyViolationError as error:
        if not _TO_WHAT_IS_DELETED.fullmatch(_constraint(error)):
            raise
        raise Conflict(BEING_DELETED) from error
    except asyncpg.CheckViolationError as error:
        if not (error.constraint_name or "").startswith(_LIMITS_OF_STORED):
            raise
        raise LimitReached(**orjson.loads(error.detail)) from error
    except _UNAVAILABLE as error:
        raise _unavailable(error) from error
    except asyncpg.InternalServerError as error:
        if not _NODE_GONE.match(str(error)):
            raise
        raise _unavailable(error) from error


def _unavailable(error: Exception) -> Unavailable:
    _log(type(error).__name__)
    return Unavailable(f"The database cannot serve this now ({type(error).__name__}).")


_logged: dict[str, tuple[float, int]] = {}


def _log(error: str) -> None:
    """At most one line per second and kind of error, with how many were left out before it."""
    now = time.monotonic()
    logged_at, left_out = _logged.get(error, (-LOG_EVERY_S, 0))
    if now - logged_at < LOG_EVERY_S:
        _logged[error] = (logged_at, left_out + 1)
        return
    _logged[error] = (now, 0)
    log.warning("database_unavailable", error=error, left_out=left_out)


def _constraint(error: asyncpg.PostgresError) -> str:
    """Return the name of the constraint that was violated, as the migrations gave it."""
    named = _NAMED.search(str(error))
    return _SHARD.sub("", error.constraint_name or (named[1] if named else ""))
