"""Whatever keeps Postgres from answering is Unavailable; what is wrong with a statement is not."""

from __future__ import annotations

import asyncpg
import pytest

from service.db.failures import translate_db_errors
from service.errors import Unavailable
from tests.captured_logs import captured

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
    with pytest.raises(Unavailable, match=type(error).__name__), translate_db_errors():
        raise error


def test_a_failure_that_goes_on_does_not_fill_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.db.failures._logged", {})
    logged = captured("service.db.failures", monkeypatch)
    for _ in range(1_000):
        with pytest.raises(Unavailable), translate_db_errors():
            raise errors.PostgresIOError
    assert 1 <= len(logged.entries) < 100


@pytest.mark.parametrize("error", OURS, ids=lambda error: type(error).__name__)
def test_programming_errors_are_not_translated(error: Exception) -> None:
    with pytest.raises(type(error)), translate_db_errors():
        raise error
