"""Whether everything Reverie depends on works (rows E6, O4): what calls showed, and a look where none was made.

Every call to the embedder and to the language model is evidence. Where nobody calls, ``Lookout`` looks again and
again: a request for the list of models, which costs nothing, and, when that goes wrong or the last call failed, a
real call of one token. Workers tell what they see with their heartbeats.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Any, Literal, Protocol

import httpx
import structlog

from service.db.guard import assert_outside_transaction
from service.domain.condition import Condition
from service.embedding.cache import CachedEmbedder
from service.embedding.remote import RemoteEmbedder
from service.embedding.watched import WatchedEmbedder
from service.errors import ReverieError
from service.memory.engine import Engine
from service.store import health
from service.store.health import Worker

log = structlog.get_logger(__name__)

PROBE_S = 2.0
GLANCE_S = 1.0
"""For a list of models: with the pause before it (REVERIE_PROBE_S) and a real call after it, less than five seconds for
one that hangs. And for a real call to what is known to fail, when somebody waits for what comes of it."""
DATABASE_S = 2.0
FRESH_S = 1.0
NO_LIST = frozenset({404, 405, 501})
TRUSTED_S = 60.0
"""For this long a real call that went well outweighs a list of models that does not come."""

Json = dict[str, Any]
Look = Literal["models", "empty call"]


class _Probed(Protocol):
    @property
    def condition(self) -> Condition: ...
    async def probe(self, seconds: float, /) -> None: ...


def watched(engine: Engine) -> WatchedEmbedder | None:
    """The embedder in use with its condition; None without one."""
    inner = engine.embedder.inner if isinstance(engine.embedder, CachedEmbedder) else engine.embedder
    return inner if isinstance(inner, WatchedEmbedder) else None


def own_conditions(engine: Engine) -> dict[str, Condition]:
    """What this process knows of the models it uses."""
    embedder = watched(engine)
    off = Condition("off")
    return {
        "embedder": embedder.condition if embedder else Condition("unknown") if engine.embedder else off,
        "llm": engine.llm.condition if engine.llm else off,
    }


def told(engine: Engine) -> Json:
    """The same, as a worker tells it with its heartbeat."""
    return {name: {"status": one.state, "error": one.error} for name, one in own_conditions(engine).items()}


async def checks(engine: Engine) -> dict[str, Json]:
    """The condition of ``database``, ``replica``, ``workers``, ``embedder``, ``llm``, here and in all workers."""
    database, workers = Condition(), list[Worker]()
    started = monotonic()
    try:
        async with asyncio.timeout(DATABASE_S), engine.db.unscoped() as connection:
            workers = await health.workers(connection)
        database.works((monotonic() - started) * 1000)
    except (ReverieError, TimeoutError) as error:
        database.fails(str(error) or f"No answer within {DATABASE_S:g} s.")
    replica = engine.replica.told() if engine.replica else Condition("off").told() | {"lag_s": None}
    return {"database": database.told(), "replica": replica, "workers": _workers(database, workers)} | {
        name: _worst(name, one.told(), workers) for name, one in own_conditions(engine).items()
    }


def _workers(database: Condition, workers: list[Worker]) -> Json:
    condition = Condition()
    if database.state == "ok":
        if any(worker.alive for worker in workers):
            condition.works()
        else:
            condition.fails("No worker is running.")
    return condition.told()


def _worst(name: str, own: Json, workers: list[Worker]) -> Json:
    """What this process knows, unless it knows of no failure and a living worker does."""
    if own["status"] != "failing":
        for worker in workers:
            seen = worker.health.get(name, {})
            if worker.alive and seen.get("status") == "failing":
                return own | {"status": "failing", "error": f"{seen['error']} (seen by a worker)"}
    return own


def _patience_s(known: Condition, *, closely: bool) -> float:
    return GLANCE_S if closely and known.state == "failing" else PROBE_S


class Lookout:
    """As a context, looks after the models of an engine every ``every_s`` seconds; 0 never looks by itself."""

    def __init__(self, engine: Engine, every_s: float) -> None:
        self._engine = engine
        self._every_s = every_s
        self._trusted_until: dict[str, float] = {}
        self._better_than_its_list: set[str] = set()
        self._http = httpx.AsyncClient(timeout=GLANCE_S, follow_redirects=False)
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Lookout:
        self._engine.lookout = self.look
        if self._every_s:
            self._tasks = [asyncio.create_task(self._keep_looking(name)) for name in ("embedder", "llm")]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._http.aclose()

    async def look(self) -> None:
        """Look closely now, where the last evidence is older than a second; less than five seconds in all, and hardly
        more than one where what has failed still hangs."""
        await asyncio.gather(self._embedder(closely=True), self._llm(closely=True))

    async def _keep_looking(self, name: str) -> None:
        while True:
            try:
                await (self._embedder() if name == "embedder" else self._llm())
            except Exception:
                log.exception("look_failed", at=name)
            await asyncio.sleep(self._every_s)

    async def _embedder(self, *, closely: bool = False) -> None:
        embedder = watched(self._engine)
        if embedder is None or (closely and embedder.condition.age_s < FRESH_S):
            return
        if closely or not isinstance(embedder.inner, RemoteEmbedder):
            await embedder.probe(_patience_s(embedder.condition, closely=closely))
        else:
            await self._look_at("embedder", embedder, *embedder.inner.server, "models", {})

    async def _llm(self, *, closely: bool = False) -> None:
        llm = self._engine.llm
        if llm is None or (closely and llm.condition.age_s < FRESH_S):
            return
        # A call without messages is refused by whatever would answer one with them, at no cost.
        call = {"model": llm.model.partition("/")[2] or llm.model, "messages": []}
        await self._look_at("llm", llm, *await llm.server(), "empty call" if closely else "models", call)

    async def _look_at(
        self, name: str, probed: _Probed, base: str | None, key: str | None, how: Look, call: Json
    ) -> None:
        """A look at the server, and a real call when that goes wrong or the last call did; where the call works and the
        look does not, twice in a row, it is not looked at for a minute.

        A real call that takes too long is no evidence by itself: with a look that went wrong, it is.
        """
        answers: bool | None = None
        failing = probed.condition.state == "failing"
        if not failing:
            if base is None or (how == "models" and self._trusted_until.get(name, 0) > monotonic()):
                return
            answers = await self._answers(base, key, how, call)
            if answers:
                self._better_than_its_list.discard(name)
                probed.condition.works()
                return
        began = monotonic()
        await probed.probe(_patience_s(probed.condition, closely=how == "empty call"))
        if probed.condition.age_s > monotonic() - began:
            if answers is False:
                probed.condition.fails(f"No answer within {PROBE_S:g} s.")
        elif probed.condition.state == "ok" and not failing:
            # Once may be a server that came back between the two: another break would go unseen.
            if name in self._better_than_its_list:
                self._trusted_until[name] = monotonic() + TRUSTED_S
            self._better_than_its_list.add(name)

    async def _answers(self, base: str, key: str | None, how: Look, call: Json) -> bool | None:
        """Whether a server answers, and lets this key in; None when it has no list of models, which says nothing."""
        assert_outside_transaction()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            if how == "models":
                answer = await self._http.get(f"{base.rstrip('/')}/models", headers=headers)
                if answer.status_code in NO_LIST:
                    return None
            else:
                answer = await self._http.post(f"{base.rstrip('/')}/chat/completions", headers=headers, json=call)
        except (httpx.HTTPError, httpx.InvalidURL):
            return False
        return answer.status_code < 500 and answer.status_code not in (401, 403)
