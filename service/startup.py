"""Opens what both processes need: database, embedder, clock, logs; and closes it again."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import structlog

from service.db.pool import Connection, Database
from service.db.replica import Replica
from service.domain.llm_settings import OFF
from service.embedding.embedder import MonitoredEmbedder
from service.errors import Unavailable
from service.llm import LLM
from service.logs import as_text_line, without_messages
from service.memory.access.model_settings import ModelSettings
from service.memory.counters import AccessCounter, KeyUsage, ReadCounter, RequestLimits, SearchCounter
from service.memory.event_delivery import EventNotifier
from service.memory.ops.health import HealthProber
from service.models import ModelFactory, StepModels
from service.runtime import Runtime
from service.settings import Settings

if TYPE_CHECKING:
    from service.telemetry import Telemetry


@asynccontextmanager
async def open_runtime(
    settings: Settings, application: str, telemetry: Telemetry | None = None, *, with_replica: bool = False
) -> AsyncIterator[Runtime]:
    """Yield a runtime on the database of ``settings.database_url``, counting usage in the background; traced, if at
    all, by ``telemetry``.

    ``with_replica``: it searches on ``settings.database_replica_url``, where there is one.

    Raises Unavailable when there is no URL or no connection, and EmbedderMisconfigured for a wrong EMBEDDING_MODEL.
    """
    if settings.database_url is None:
        raise Unavailable("DATABASE_URL is not set, and no embedded Postgres was started.")
    tuning = settings.tuning
    open_pool = partial(
        Database.open,
        size=tuning.pool_size,
        wait_s=tuning.pool_wait_s,
        statement_timeout_s=tuning.statement_timeout_s,
        application=application,
        connections=telemetry.connections if telemetry else Connection,
    )
    db = await open_pool(settings.database_url)
    replica_url = settings.database_replica_url if with_replica else None
    if replica_url and db.is_citus:
        await db.close()
        raise Unavailable("DATABASE_REPLICA_URL: a standby of a Citus coordinator holds no rows; leave it unset.")
    replica = Replica(db, partial(open_pool, replica_url), tuning.replica_lag_max_s) if replica_url else None
    runtime = _runtime(settings, telemetry, db, replica)
    try:
        prober = HealthProber(runtime, tuning.health_probe_interval_s)
        async with AsyncExitStack() as stack:
            if replica is not None:
                await stack.enter_async_context(replica)
            for part in (
                runtime.budget,
                runtime.model_calls,
                ModelSettings(runtime),
                runtime.part(AccessCounter),
                runtime.part(SearchCounter),
                runtime.part(KeyUsage),
                runtime.part(RequestLimits),
                runtime.part(ReadCounter),
                runtime.part(EventNotifier),
                prober,
            ):
                await stack.enter_async_context(part)
            yield runtime
    finally:
        runtime.executor.close()
        await db.close()
        if telemetry is not None:
            await telemetry.close()


def _runtime(settings: Settings, telemetry: Telemetry | None, db: Database, replica: Replica | None) -> Runtime:
    """Return a runtime without an embedder."""
    tuning = settings.tuning
    runtime = Runtime(
        db=db,
        replica=replica,
        embedding_deadline_s=tuning.embedding_timeout_s,
    )
    client = (telemetry.llm if telemetry else LLM)(
        settings.llm_model or OFF,
        api_base=settings.llm_api_base,
        api_key=settings.llm_api_key,
        timeout_s=tuning.llm_timeout_s,
        ledger=runtime.budget,
    )
    runtime.llm = client if settings.llm_model else None
    runtime.step_models = StepModels(settings, client)
    runtime.model_factory = ModelFactory(
        settings, runtime.budget, telemetry.embedder if telemetry else MonitoredEmbedder
    )
    if telemetry is not None:
        runtime.span = telemetry.span
    return runtime


class _AsStructured(logging.Handler):
    """What libraries log, as lines of the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger(record.name).log(
            record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info
        )


def configure_logging(level: str, form: str = "auto") -> None:
    """Lines on standard error: time, level, event, request id; never the content of a memory.

    ``form`` is ``json``, ``text`` for people, or ``auto``: text on a terminal.
    """
    as_text = form == "text" or (form == "auto" and sys.stderr.isatty())
    logging.basicConfig(handlers=[_AsStructured()], level=logging.WARNING)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            without_messages,
            as_text_line if as_text else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )


def log_to_host() -> None:
    """Have the lines go to the loggers ``reverie.…`` of ``logging``, whose levels and handlers are the application's;
    nothing changes in an application that has set structlog up itself."""
    if structlog.is_configured():
        return
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            without_messages,
            structlog.processors.KeyValueRenderer(key_order=["event"]),
        ],
        logger_factory=lambda name="": logging.getLogger(f"reverie.{name}"),
    )
