"""Whatever keeps Postgres from answering is Unavailable; what is wrong with a statement is not."""

from __future__ import annotations

from contextlib import suppress

import asyncpg
import pytest

from service.db.failures import translate_db_errors
from service.errors import Unavailable
from tests.captured_logs import logged_by

errors = asyncpg.exceptions

NAMES = (
    "ConnectionDoesNotExistError", "ConnectionFailureError", "CannotConnectNowError", "AdminShutdownError",
    "CrashShutdownError", "QueryCanceledError", "DiskFullError", "OutOfMemoryError", "TooManyConnectionsError",
    "PostgresIOError", "DeadlockDetectedError", "SerializationError", "ReadOnlySQLTransactionError", "InterfaceError",
    "InternalClientError", "IdleInTransactionSessionTimeoutError",
)  # fmt: skip
GONE = [
    *(getattr(errors, name)("said so") for name in NAMES),
    errors.InternalServerError("server closed the connection unexpectedly"),
    errors.InternalServerError("failure on connection marked as essential: 127.0.0.1:9701"),
    *(
        kind("said so")
        for kind in (ConnectionRefusedError, ConnectionResetError, FileNotFoundError, OSError, TimeoutError)
    ),
]
OURS = [
    errors.InternalServerError("no such plan"),
    errors.UndefinedTableError(),
    errors.DataError(),
    errors.CheckViolationError(),
    ValueError(),
    KeyError(),
]


@pytest.mark.first_tier
@pytest.mark.parametrize("error", GONE, ids=lambda error: type(error).__name__)
def test_come_back_later(error: Exception) -> None:
    with pytest.raises(Unavailable, match=type(error).__name__), translate_db_errors():
        raise error


def fail(times: int) -> None:
    """The same failure, again and again."""
    for _ in range(times):
        with suppress(Unavailable), translate_db_errors():
            raise errors.PostgresIOError


def test_a_failure_that_goes_on_does_not_fill_the_log() -> None:
    lines = logged_by(fail, 1_000)
    assert 1 <= len(lines) < 100
    assert {(line["event"], line["error"]) for line in lines} == {("database_unavailable", "PostgresIOError")}


@pytest.mark.parametrize("error", OURS, ids=lambda error: type(error).__name__)
def test_programming_errors_are_not_translated(error: Exception) -> None:
    with pytest.raises(type(error)), translate_db_errors():
        raise error
