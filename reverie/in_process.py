"""Reverie inside the process of an application: its API and its worker, each in a thread with an event loop.

Who uses the same database in one process shares one ``Engine``, which ends with its last user. A forked child has none
of its parent's threads and opens its own.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from reverie_client import ConnectionFailed
from service.errors import ReverieError
from service.settings import Settings

if TYPE_CHECKING:
    from service.asgi_transport import InProcess
    from service.db import embedded

T = TypeVar("T")

WORKER_AFTER_S = 5.0
"""A script that ends sooner never pays for the start of a worker."""
WORKER_STOP_S = 5.0
REVIVE_S = 1.0


class Engine:
    """The API of one database in this process, and a worker beside it while somebody wants dreams.

    Raises ConnectionFailed, with the reason, when the database cannot be opened.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.process = os.getpid()
        self.users = 0
        self._worker: _Worker | None = None
        self._dreaming = 0
        self._changing = threading.Lock()
        self._server: embedded.Use | None = None
        self._opened: Future[_Opened] = Future()
        self._thread = threading.Thread(target=self._run, name="reverie-api", daemon=True)
        self._thread.start()
        try:
            with _no_collections():
                self._api = self._opened.result()
        except ReverieError as error:
            raise ConnectionFailed(error.message) from error
        except BaseException:  # Ctrl-C: it ends as soon as it is open
            self._opened.add_done_callback(_stop_opened)
            raise

    @property
    def app(self) -> InProcess:
        """Return the API as a transport of its own loop."""
        return self._api.app

    @property
    def key(self) -> str:
        """Return the key with which this process calls itself."""
        return self._api.key

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop of the API."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._api.loop)

    def dream_in_background(self) -> None:
        """Have a worker from soon on, for as long as the engine is open."""
        self._api.loop.call_soon_threadsafe(self._api.loop.call_later, WORKER_AFTER_S, self._want_worker)

    @contextmanager
    def dreaming(self) -> Iterator[None]:
        """Have a worker in the block."""
        self._want_worker()
        try:
            yield
        finally:
            self._release_worker()

    @asynccontextmanager
    async def dreaming_beside(self) -> AsyncIterator[None]:
        """Have a worker in the block, as ``dreaming``, without blocking the event loop."""
        await asyncio.to_thread(self._want_worker)
        try:
            yield
        finally:
            await asyncio.to_thread(self._release_worker)

    def _want_worker(self) -> None:
        with self._changing:
            self._dreaming += 1
            if self._worker is None:
                self._worker = _Worker(self._api.settings)

    def _release_worker(self) -> None:
        with self._changing:
            self._dreaming -= 1
            if self._dreaming == 0:
                self._stop_worker()

    def _stop_worker(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker = None

    def close(self) -> None:
        """Stop the worker, write out what is still counted, and leave the database, which ends with its last user."""
        with self._changing:
            self._stop_worker()
        self._api.stop()
        self._thread.join()

    def forget(self) -> None:
        """In a forked child: leave the parent's database to the parent."""
        if self._server is not None:
            self._server.forget()

    def _run(self) -> None:
        try:
            with ExitStack() as stack:
                settings = self.settings
                if settings.database_url is None:
                    from service.database import open_embedded

                    self._server = stack.enter_context(open_embedded(settings))
                    settings = settings.model_copy(update={"database_url": self._server.url})
                asyncio.run(self._serve(settings))
        except BaseException as error:  # noqa: BLE001 - whoever opens it is given it
            if not self._opened.done():
                self._opened.set_exception(error)

    async def _serve(self, settings: Settings) -> None:
        from service.api.application import create_api
        from service.asgi_transport import InProcess
        from service.db.migrate import migrate_if_needed
        from service.first_start import own_key
        from service.startup import log_to_host

        log_to_host()
        assert settings.database_url is not None
        await migrate_if_needed(settings.database_url)
        api = create_api(settings)
        async with api.router.lifespan_context(api):
            api.state.runtime.own_key = own = await own_key(api.state.runtime)
            stopping = asyncio.Event()
            self._opened.set_result(_Opened(InProcess(api), own.text, settings, asyncio.get_running_loop(), stopping))
            while not stopping.is_set():
                if self._server is not None:
                    self._server.revive()
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopping.wait(), REVIVE_S)


@dataclass(frozen=True, slots=True)
class _Opened:
    """Holds what an engine has once it is open."""

    app: InProcess
    key: str
    settings: Settings
    loop: asyncio.AbstractEventLoop
    stopping: asyncio.Event

    def stop(self) -> None:
        """Let the loop end."""
        with suppress(RuntimeError):  # it has ended
            self.loop.call_soon_threadsafe(self.stopping.set)


def _stop_opened(opened: Future[_Opened]) -> None:
    if opened.exception() is None:
        opened.result().stop()


class _Worker:
    """A worker in a thread of its own, until it is told to stop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=self._run, name="reverie-worker", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop it. A step over a text, which no thread can be stopped in, is left to end with the process."""
        with suppress(Exception):
            loop, stopping = self._opened.result()
            loop.call_soon_threadsafe(stopping.set)
        self._thread.join(WORKER_STOP_S)

    def _run(self) -> None:
        try:
            asyncio.run(self._work())
        except BaseException as error:  # noqa: BLE001 - nobody waits for a worker
            import structlog

            structlog.get_logger(__name__).error("worker_ended", exc_info=error)
            if not self._opened.done():
                self._opened.set_exception(error)

    async def _work(self) -> None:
        with _no_collections():
            from service.startup import open_runtime
            from worker.app import in_flight, work
        async with open_runtime(self._settings, "reverie-worker") as runtime:
            stopping = asyncio.Event()
            self._opened.set_result((asyncio.get_running_loop(), stopping))
            flight = replace(in_flight(runtime, self._settings), end=lambda _: None)
            await work(flight, stopping, lambda: None)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Start something in the block without collections, a tenth of the processor time, which find next to nothing."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _Engines:
    """The engines of this process, by their databases."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, Engine] = {}

    def take(self, settings: Settings) -> Engine:
        """Return the engine of a database, for one more user. Raises ValueError where it runs with other settings, and
        ConnectionFailed where it cannot be opened."""
        place = settings.database_url or str(settings.data_dir.resolve())
        with self._lock:
            engine = self._open.get(place)
            if engine is None:
                engine = self._open[place] = Engine(settings)
            elif engine.settings != settings:
                changed = [
                    name for name in Settings.model_fields if getattr(engine.settings, name) != getattr(settings, name)
                ]
                raise ValueError(
                    f"{', '.join(changed)}: Reverie is open on this database with other settings; close it first"
                )
            engine.users += 1
            return engine

    def release(self, engine: Engine) -> None:
        """Let go of an engine, which is closed when nobody uses it any more."""
        with self._lock:
            engine.users -= 1
            if engine.users == 0 and engine.process == os.getpid():
                self._open = {place: one for place, one in self._open.items() if one is not engine}
                engine.close()

    def close_all(self) -> None:
        """Close what is still open, as the process ends."""
        with self._lock:
            for engine in self._open.values():
                engine.close()
            self._open = {}

    def forget(self) -> None:
        """In a forked child: have none open."""
        self._lock = threading.Lock()
        for engine in self._open.values():
            engine.forget()
        self._open = {}


engines = _Engines()
atexit.register(engines.close_all)
os.register_at_fork(after_in_child=engines.forget)
