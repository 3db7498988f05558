"""Health of everything Reverie depends on: what calls showed, and a look where none was made.

Every call to the embedder and to the language model is evidence. Where nobody calls, ``HealthProber`` probes
periodically: a request for the list of models, which costs nothing, and, when that fails or the last call failed, a
real call of one token. Workers report their health with their heartbeats.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic
from typing import Literal, Protocol

import httpx
import structlog

from service.concurrency.transaction_guard import assert_outside_transaction
from service.db.pool import Connection
from service.domain.health_status import HealthCheck, HealthStatus, ReplicaState, State, WorkerState
from service.domain.json import JsonObject
from service.domain.spending import FAILED, PROBE, Usage, paid_by, set_payer
from service.embedding.embedder import CachedEmbedder, MonitoredEmbedder
from service.embedding.sources import RemoteEmbedder
from service.errors import ReverieError
from service.provider import trust
from service.runtime import Runtime

log = structlog.get_logger(__name__)

CALL_TIMEOUT_S = 2.0
PROBE_TIMEOUT_S = 1.0
"""For a list of models: with the pause before it (``health_probe_interval_s``) and a real call after it, less than
five seconds for one that hangs. And for a real call to what is known to fail, when somebody waits for what comes of
it."""
DATABASE_S = 2.0
DATABASE_AGAIN_S = 0.5
"""For a database that did not answer last time."""
FRESH_S = 1.0
NO_LIST = frozenset({404, 405, 501})
ALIVE_S = 4.5
"""A worker that has not been heard of for this long is taken for dead; a living one beats every second."""
TRUSTED_S = 60.0
"""For this long a real call that went well outweighs a list of models that does not come."""

_asking: set[asyncio.Task[list[WorkerState]]] = set()

Check = Literal["database", "replica", "workers", "embedder", "llm"]
ProbeKind = Literal["models", "empty call"]


class _Probed(Protocol):
    @property
    def condition(self) -> HealthStatus: ...
    async def probe(self, seconds: float, /) -> None: ...


def monitored_embedder(runtime: Runtime) -> MonitoredEmbedder | None:
    """Return the embedder in use with its condition; None without one."""
    inner = runtime.embedder.inner if isinstance(runtime.embedder, CachedEmbedder) else runtime.embedder
    return inner if isinstance(inner, MonitoredEmbedder) else None


def own_statuses(runtime: Runtime) -> dict[str, HealthStatus]:
    """Return what this process knows of the models it uses."""
    embedder = monitored_embedder(runtime)
    off = HealthStatus("off")
    return {
        "embedder": embedder.condition if embedder else HealthStatus("unknown") if runtime.embedder else off,
        "llm": runtime.llm.condition if runtime.llm else off,
    }


def health_payload(runtime: Runtime) -> JsonObject:
    """Return the state of the models as a worker tells it with its heartbeat."""
    return {name: {"status": one.state, "error": one.error} for name, one in own_statuses(runtime).items()}


@dataclass(frozen=True, slots=True)
class Checks:
    """The condition of each part, here and in all workers."""

    database: HealthCheck
    replica: ReplicaState
    workers: HealthCheck
    embedder: HealthCheck
    llm: HealthCheck

    def parts(self) -> dict[Check, HealthCheck]:
        """Return the conditions by the names of the parts."""
        return {
            "database": self.database, "replica": self.replica, "workers": self.workers, "embedder": self.embedder,
            "llm": self.llm,
        }  # fmt: skip

    def states(self) -> dict[Check, State]:
        """Return the states by the names of the parts."""
        return {name: one.status for name, one in self.parts().items()}


async def checks(runtime: Runtime) -> Checks:
    """Return the condition of every part."""
    database, workers = runtime.database_status, list[WorkerState]()
    wait_s = DATABASE_AGAIN_S if database.state == "failing" else DATABASE_S
    started = monotonic()
    try:
        workers = await _ask_database(runtime, wait_s)
        database.mark_ok((monotonic() - started) * 1000)
    except (ReverieError, TimeoutError) as error:
        database.mark_failed(str(error) or f"No answer within {wait_s:g} s.")
    replica = runtime.replica.state() if runtime.replica else ReplicaState("off", None, None, None, None)
    embedder, llm = (_worst(name, one.check(), workers) for name, one in own_statuses(runtime).items())
    return Checks(database.check(), replica, _workers(database, workers), embedder, llm)


async def workers(connection: Connection) -> list[WorkerState]:
    """Return every worker heard of within the hour, oldest first."""
    return await connection.many(WorkerState, "workers", alive_s=ALIVE_S)


async def _ask_database(runtime: Runtime, wait_s: float) -> list[WorkerState]:
    """Return the workers, by a database with the schema of this release. Raises ReverieError, and TimeoutError after
    ``wait_s``: a connection to a database that hangs is given back only when that goes on, which nobody waits for."""

    async def ask() -> list[WorkerState]:
        async with runtime.db.unscoped() as connection:
            await runtime.db.check_schema(connection.raw)
            return await workers(connection)

    asking = asyncio.create_task(ask())
    _asking.add(asking)
    asking.add_done_callback(_answered)
    try:
        done, _ = await asyncio.wait({asking}, timeout=wait_s)
    finally:
        asking.cancel()
    if not done:
        raise TimeoutError
    return asking.result()


def _answered(asking: asyncio.Task[list[WorkerState]]) -> None:
    _asking.discard(asking)
    if not asking.cancelled():
        asking.exception()  # retrieved, or asyncio would log it where nobody awaits the task any more


def _workers(database: HealthStatus, workers: list[WorkerState]) -> HealthCheck:
    condition = HealthStatus()
    if database.state == "ok":
        if any(worker.alive for worker in workers):
            condition.mark_ok()
        else:
            condition.mark_failed("No worker is running.")
    return condition.check()


def _worst(name: str, own: HealthCheck, workers: list[WorkerState]) -> HealthCheck:
    """Return what this process knows, unless it knows of no failure and a living worker does."""
    if own.status != "failing":
        for worker in workers:
            seen = worker.health.get(name, {})
            if worker.alive and seen.get("status") == "failing":
                return replace(own, status="failing", error=f"{seen['error']} (seen by a worker)")
    return own


def _timeout_s(known: HealthStatus, *, active: bool) -> float:
    return PROBE_TIMEOUT_S if active and known.state == "failing" else CALL_TIMEOUT_S


class HealthProber:
    """As a context, probes the models of a process every ``every_s`` seconds; 0 disables background probes."""

    def __init__(self, runtime: Runtime, every_s: float) -> None:
        self._runtime = runtime
        self._every_s = every_s
        self._trusted_until: dict[str, float] = {}
        self._ignore_model_list: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []

    @cached_property
    def _http(self) -> httpx.AsyncClient:
        """The connections to remote models; reading the certificates of the world takes 0.1 s."""
        return httpx.AsyncClient(verify=trust(), timeout=PROBE_TIMEOUT_S, follow_redirects=False)

    async def __aenter__(self) -> HealthProber:
        self._runtime.probe_models = self.probe_now
        if self._every_s:
            self._tasks = [asyncio.create_task(self._probe_forever(name)) for name in ("embedder", "llm")]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if "_http" in vars(self):
            await self._http.aclose()

    async def probe_now(self) -> None:
        """Look closely now, where the last call is older than a second; less than five seconds in all, and hardly
        more than one where what has failed still hangs."""
        with paid_by(PROBE):
            await asyncio.gather(self._embedder(active=True), self._llm(active=True))

    async def _probe_forever(self, name: str) -> None:
        set_payer(PROBE)
        while True:
            try:
                await (self._embedder() if name == "embedder" else self._llm())
            except Exception:
                log.exception("probe_failed", at=name)
            await asyncio.sleep(self._every_s)

    async def _embedder(self, *, active: bool = False) -> None:
        embedder = monitored_embedder(self._runtime)
        if embedder is None or (active and embedder.condition.age_s < FRESH_S):
            return
        if active or not isinstance(embedder.inner, RemoteEmbedder):
            await embedder.probe(_timeout_s(embedder.condition, active=active))
        else:
            await self._probe("embedder", embedder, *embedder.inner.server, "models", {})

    async def _llm(self, *, active: bool = False) -> None:
        llm = self._runtime.llm
        if llm is None or (active and llm.condition.age_s < FRESH_S):
            return
        # A call without messages is refused by whatever would answer one with them, at no cost.
        call = {"model": llm.model.partition("/")[2] or llm.model, "messages": []}
        await self._probe("llm", llm, *await llm.server(), "empty call" if active else "models", call)

    async def _probe(
        self, name: str, probed: _Probed, base: str | None, key: str | None, how: ProbeKind, call: JsonObject
    ) -> None:
        """Probe the server, and make a real call when that goes wrong or the last call did; where the call works and
        the look does not, twice in a row, it is not looked at for a minute.

        A real call that takes too long is no evidence by itself: with a look that went wrong, it is.
        """
        answers: bool | None = None
        failing = probed.condition.state == "failing"
        if not failing:
            if base is None or (how == "models" and self._trusted_until.get(name, 0) > monotonic()):
                return
            answers = await self._answers(base, key, how, call)
            if answers:
                self._ignore_model_list.discard(name)
                if how == "models":
                    probed.condition.mark_reachable()
                else:
                    probed.condition.mark_ok()
                return
        began = monotonic()
        await probed.probe(_timeout_s(probed.condition, active=how == "empty call"))
        if probed.condition.age_s > monotonic() - began:
            if answers is False:
                probed.condition.mark_failed(f"No answer within {CALL_TIMEOUT_S:g} s.")
        elif probed.condition.state == "ok" and not failing:
            # Once may be a server that came back between the two: another break would go unseen.
            if name in self._ignore_model_list:
                self._trusted_until[name] = monotonic() + TRUSTED_S
            self._ignore_model_list.add(name)

    async def _answers(self, base: str, key: str | None, how: ProbeKind, call: JsonObject) -> bool | None:
        """Return whether a server answers, and lets this key in; None when it has no list of models, which says
        nothing."""
        assert_outside_transaction()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            if how == "models":
                answer = await self._http.get(f"{base.rstrip('/')}/models", headers=headers)
                if answer.status_code in NO_LIST:
                    return None
            else:
                answer = await self._empty_call(f"{base.rstrip('/')}/chat/completions", headers, call)
        except (httpx.HTTPError, httpx.InvalidURL):
            return False
        return answer.status_code < 500 and answer.status_code not in (401, 403)

    async def _empty_call(self, url: str, headers: dict[str, str], call: JsonObject) -> httpx.Response:
        charge = await self._runtime.budget.reserve("probe", call["model"], Usage(calls=1))
        used = FAILED
        try:
            answer = await self._http.post(url, headers=headers, json=call)
            used = Usage(calls=1, failed_calls=int(not answer.is_success))
        finally:
            charge.settle(used)
        return answer
