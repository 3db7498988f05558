"""Whatever keeps Postgres from answering is Unavailable; what is wrong with a statement is not (row R8)."""

from __future__ import annotations

import asyncpg
import pytest

from service.db.failures import failures_told
from service.errors import Unavailable

errors = asyncpg.exceptions

NAMES = (
    "ConnectionDoesNotExistError", "ConnectionFailureError", "CannotConnectNowError", "AdminShutdownError",
    "CrashShutdownError", "QueryCanceledError", "DiskFullError", "OutOfMemoryError", "TooManyConnectionsError",
    "PostgresIOError", "DeadlockDetectedError", "SerializationError", "ReadOnlySQLTransactionError", "InterfaceError",
    "InternalClientError", "IdleInTransactionSessionTimeoutError",
)  # fmt: skip
GONE = [
    *(getattr(errors, name)("said so") for name in NAMES),
    *(
        kind("said so")
        for kind in (ConnectionRefusedError, ConnectionResetError, FileNotFoundError, OSError, TimeoutError)
    ),
]
OURS = [errors.UndefinedTableError(), errors.DataError(), errors.CheckViolationError(), ValueError(), KeyError()]


@pytest.mark.parametrize("error", GONE, ids=lambda error: type(error).__name__)
def test_come_back_later(error: Exception) -> None:
    with pytest.raises(Unavailable, match=type(error).__name__), failures_told():
        raise error


@pytest.mark.parametrize("error", OURS, ids=lambda error: type(error).__name__)
def test_a_mistake_stays_a_surprise(error: Exception) -> None:
    with pytest.raises(type(error)), failures_told():
        raise error
