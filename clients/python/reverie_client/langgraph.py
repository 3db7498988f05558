"""A LangGraph store that keeps its items in Reverie. It needs ``langgraph``, and nothing of the server.

An item is a memory of the client's agent. Its value, namespace and key are kept in the memory's metadata; what the
value says is the memory's content, so that it is embedded, searched, recalled and dreamed about like any other. A
memory's key stands for namespace and key of its item, and one tag for each prefix of its namespace: all are digests of
whole labels, so ``("a", "b")`` never finds what is in ``("a", "bc")``.

A workspace that masks personal data stores the labels of ``("users", "bob@ex.com")`` as ``("users",
"<EMAIL_ADDRESS:9f86…>")``, with another digest for every other address. An item is found by its labels as they were
given or as they are stored; what is listed has the labels that were asked for, and below them those that are stored.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from reverie_client import calls
from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call
from reverie_client.digests import digest
from reverie_client.errors import Conflict, NotFound, ReverieClientError
from reverie_client.extras import extra
from reverie_client.reverie import AsyncReverie, Reverie

with extra("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
    )

    from reverie_client.langgraph_items import accepts, is_within, matches_namespace, needed_of, text_of, unmasked

T = TypeVar("T")
Answers = list[Any]
Steps = Generator[list[Call[Any]], Answers, T]
"""What an operation has to ask, step by step: it yields calls that may go out together and is sent their answers."""

PAGE = 200
RANKED_MAX = 100
"""Items that one query ranks at most: the bound of a search of the API."""
BATCH_ITEMS = 100
BATCH_CHARS = 400_000
"""What goes into one write, well under the bound on bodies."""
AT_ONCE = 8
REFRESH_SHARE = 0.1
"""The part of a time to live that must have passed before a read renews it: reading is seldom a write."""
OWN = "langgraph"


class ReverieStore(BaseStore):
    """LangGraph's long-term store in Reverie. Usable from any thread; its awaited methods from one event loop.

    Differences from other stores, all of them by intent: an expired item is gone at once (``omit_expired``); a query
    ranks at most RANKED_MAX items, by words and meaning, and gives those that match only; the fields an item is indexed
    by are one text; a batch is not one transaction.
    """

    supports_ttl = True

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        agent: str | None = None,
        user: str | None = None,
        type: m.MemoryType = "fact",
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
        timeout_s: float = 30.0,
        retries: int = 4,
    ) -> None:
        """``url`` and ``api_key`` are REVERIE_URL and REVERIE_API_KEY of the environment where they are left out.

        ``agent`` owns the items (not needed with an agent key); ``type`` is what kind of memory they are. They belong
        to the ``user``, who sees those of nobody too; without one they belong to nobody, whatever their namespace.

        ``fields`` are the paths of a value that searches read (LangGraph's syntax), all of it when left out.
        """
        self.ttl_config = ttl
        self._agent = agent
        self._user = user
        self._type = type
        self._fields = list(fields) if fields is not None else None
        options: dict[str, Any] = {"agent": agent, "user": user, "timeout_s": timeout_s, "retries": retries}
        self._blocking = Reverie(url, api_key, for_prompt=True, **options)
        self._awaited = AsyncReverie(url, api_key, for_prompt=True, **options)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do these operations: what reads first, then what writes. Raises ReverieClientError."""
        steps = self._batch(list(ops))
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send([self._answer(call) for call in wanted])
        except StopIteration as done:
            return cast(list[Result], done.value)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As ``batch``, awaited; calls that do not depend on one another go out together."""
        gate = asyncio.Semaphore(AT_ONCE)
        steps = self._batch(list(ops))
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(list(await asyncio.gather(*(self._aanswer(call, gate) for call in wanted))))
        except StopIteration as done:
            return cast(list[Result], done.value)

    def close(self) -> None:
        """Close the connections of the blocking methods."""
        self._blocking.close()

    async def aclose(self) -> None:
        """Close all connections."""
        self._blocking.close()
        await self._awaited.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.aclose()

    def _answer(self, call: Call[Any]) -> Any:
        try:
            return self._blocking.send(call)
        except (Conflict, NotFound) as error:
            return error

    async def _aanswer(self, call: Call[Any], gate: asyncio.Semaphore) -> Any:
        async with gate:
            try:
                return await self._awaited.send(call)
            except (Conflict, NotFound) as error:
                return error

    def _batch(self, ops: list[Op]) -> Steps[list[Result]]:
        results: list[Result] = [None] * len(ops)
        gets = [(place, op) for place, op in enumerate(ops) if isinstance(op, GetOp)]
        if gets:
            found = yield from self._get([op for _, op in gets])
            for (place, _), item in zip(gets, found, strict=True):
                results[place] = item
        for place, op in enumerate(ops):
            if isinstance(op, SearchOp):
                results[place] = yield from self._search(op)
            elif isinstance(op, ListNamespacesOp):
                results[place] = yield from self._list_namespaces(op)
            elif not isinstance(op, GetOp | PutOp):
                raise ValueError(f"Unknown operation type: {type(op)}")
        puts = {(tuple(op.namespace), op.key): op for op in ops if isinstance(op, PutOp)}
        yield from self._put([op for op in puts.values() if op.value is not None])
        yield from self._delete([op for op in puts.values() if op.value is None])
        return results

    def _get(self, ops: list[GetOp]) -> Steps[list[Item | None]]:
        found = [next(iter(memories), None) for memories in (yield from self._find(ops))]
        yield from self._renew([one for op, one in zip(ops, found, strict=True) if one and op.refresh_ttl])
        return [_item(one, op.namespace, op.key) if one else None for op, one in zip(ops, found, strict=True)]

    def _find(self, ops: Sequence[GetOp | PutOp], about: str | None = None) -> Steps[list[list[m.MemoryRecord]]]:
        """Return the memories of each item, or those about a user: by its digest, or by what is stored where a label is
        given masked."""
        plain = [op for op in ops if _is_unmasked(op)]
        pages = iter((yield [_keyed(op.namespace, op.key, about) for op in plain]) if plain else ())
        found: list[list[m.MemoryRecord]] = []
        for op in ops:
            if _is_unmasked(op):
                found.append(_whole(next(pages)).items)
                continue
            found.append([])
            call: Call[m.Page[m.MemoryRecord]] | None = _within(op.namespace, about)
            while call is not None:
                (page,) = yield [call]
                found[-1] += [memory for memory in _whole(page).items if _is_of(memory, op)]
                call = call.following(page)
        return found

    def _search(self, op: SearchOp) -> Steps[list[SearchItem]]:
        if min(op.limit, op.offset) < 0:
            raise ValueError("limit and offset must not be negative")
        found = yield from (self._ranked(op) if op.query and op.query.strip() else self._listed(op))
        taken = found[op.offset : op.offset + op.limit]
        if op.refresh_ttl:
            yield from self._renew([memory for memory, _ in taken])
        return [_search_item(memory, op.namespace_prefix, score) for memory, score in taken]

    def _ranked(self, op: SearchOp) -> Steps[list[tuple[m.MemoryRecord, float | None]]]:
        within = needed_of(op.filter)
        plain = unmasked(op.namespace_prefix)
        masked = list(op.namespace_prefix[len(plain) :])
        exact = within == (op.filter or {}) and not masked
        needed = ({"value": within} if within else {}) | ({"namespace": masked} if masked else {})
        options = o.SearchOptions(
            tags=[_tag(plain)],
            metadata={OWN: {"indexed": True, **needed}},
            limit=min(RANKED_MAX, max(1, op.offset + op.limit)) if exact else RANKED_MAX,
            min_relevance=0,
        )
        (answer,) = yield [calls.search_memories(cast(str, op.query), **options)]
        found = [(result.memory, result.score) for result in _whole(answer).results]
        return [(memory, score) for memory, score in found if _accepts(op, memory)]

    def _listed(self, op: SearchOp) -> Steps[list[tuple[m.MemoryRecord, float | None]]]:
        found: list[tuple[m.MemoryRecord, float | None]] = []
        seen: set[str | None] = set()
        call: Call[m.Page[m.MemoryRecord]] | None = _within(op.namespace_prefix)
        while call is not None and len(found) < op.offset + op.limit:
            (page,) = yield [call]
            for memory in _whole(page).items:
                if memory.key not in seen and _accepts(op, memory):
                    found.append((memory, None))
                seen.add(memory.key)
            call = call.following(page)
        return found

    def _list_namespaces(self, op: ListNamespacesOp) -> Steps[list[tuple[str, ...]]]:
        conditions = op.match_conditions or ()
        prefix: list[str] = []
        for label in next((one.path for one in conditions if one.match_type == "prefix"), ()):
            if label == "*":
                break
            prefix.append(label)
        namespaces: set[tuple[str, ...]] = set()
        call: Call[m.Page[m.MemoryRecord]] | None = _within(tuple(prefix))
        while call is not None:
            (page,) = yield [call]
            namespaces |= {
                _shown(one, prefix) for one in _whole(page).items if is_within(_kept(one)["namespace"], prefix)
            }
            call = call.following(page)
        matching = (one for one in namespaces if all(matches_namespace(one, condition) for condition in conditions))
        cut = sorted({one[: op.max_depth] for one in matching})
        return cut[op.offset : op.offset + op.limit]

    def _put(self, ops: list[PutOp]) -> Steps[None]:
        batch: list[o.MemoryDraft] = []
        size = 0
        masked = [op for op in ops if not _is_unmasked(op)]
        there = dict(zip(map(id, masked), (yield from self._find(masked)) if masked else (), strict=True))
        for draft in (self._draft(op, next(iter(there.get(id(op), ())), None)) for op in ops):
            chars = len(json.dumps(draft))
            if batch and (len(batch) == BATCH_ITEMS or size + chars > BATCH_CHARS):
                _whole(*(yield [calls.save_memories(batch)]))
                batch, size = [], 0
            batch.append(draft)
            size += chars
        if batch:
            _whole(*(yield [calls.save_memories(batch)]))

    def _delete(self, ops: list[PutOp]) -> Steps[None]:
        """Delete what was put for the store's user, who sees what is nobody's too, and where users are shared all."""
        found = (yield from self._find(ops, self._user)) if ops else []
        own = [memory for those in found for memory in those]
        if own:
            yield [calls.delete_memory(memory.id) for memory in own]

    def _renew(self, read: list[m.MemoryRecord]) -> Steps[None]:
        """Give what has just been read its whole time to live again. Whoever changed it meanwhile has done so too."""
        now = datetime.now(UTC)
        renewals = []
        for memory in read:
            minutes = _kept(memory)["ttl"]
            if minutes is None or memory.expires_at is None:
                continue
            until = now + timedelta(minutes=minutes)
            if until - memory.expires_at >= timedelta(minutes=minutes) * REFRESH_SHARE:
                renewals.append(calls.update_memory(memory.id, memory.version, expires_at=until, reason="read"))
        if renewals:
            yield renewals

    def _draft(self, op: PutOp, there: m.MemoryRecord | None) -> o.MemoryDraft:
        """Return the memory of an item; ``there`` is the one it has, where that is not found by the digest of its
        labels."""
        value = dict(op.value or {})
        text = None if op.index is False else text_of(value, self._fields if op.index is None else op.index)
        own = {"namespace": list(op.namespace), "key": op.key, "value": value, "ttl": op.ttl, "indexed": bool(text)}
        expires = datetime.now(UTC) + timedelta(minutes=op.ttl) if op.ttl is not None else None
        draft: dict[str, Any] = {
            "type": self._type,
            "content": text or f"{' / '.join(op.namespace)}: {op.key or '(empty)'}",
            "key": there.key if there else _key(op.namespace, op.key),
            "tags": there.tags if there else [OWN, *(_tag(op.namespace[:n]) for n in range(len(op.namespace) + 1))],
            "metadata": {OWN: own},
            "source": {"kind": OWN},
            "expires_at": expires.isoformat() if expires else None,
        }
        whose = {"agent": self._agent, "user": self._user}
        return cast(o.MemoryDraft, draft | {name: value for name, value in whose.items() if value})


def _key(namespace: Sequence[str], key: str) -> str:
    return f"{OWN} {digest([*namespace, key])}"


def _tag(prefix: Sequence[str]) -> str:
    return f"in {digest(prefix)}"


def _keyed(namespace: Sequence[str], key: str, about: str | None) -> Call[m.Page[m.MemoryRecord]]:
    """Return the memory of an item; where a dream has found something newer, it stands here still."""
    return calls.list_memories(limit=PAGE, key=_key(namespace, key), about=about, source=OWN, include="superseded")


def _within(prefix: Sequence[str], about: str | None = None) -> Call[m.Page[m.MemoryRecord]]:
    """Return what is in a namespace, or where labels of it are masked, in what is left of it without them."""
    return calls.list_memories(limit=PAGE, tag=_tag(unmasked(prefix)), about=about, source=OWN, include="superseded")


def _is_unmasked(op: GetOp | PutOp) -> bool:
    labels = (*op.namespace, op.key)
    return unmasked(labels) == labels


def _is_of(memory: m.MemoryRecord, op: GetOp | PutOp) -> bool:
    kept = _kept(memory)
    same_depth = len(kept["namespace"]) == len(op.namespace)
    return same_depth and kept["key"] == op.key and is_within(kept["namespace"], op.namespace)


def _accepts(op: SearchOp, memory: m.MemoryRecord) -> bool:
    kept = _kept(memory)
    return is_within(kept["namespace"], op.namespace_prefix) and accepts(op.filter, kept["value"])


def _whole(answer: Any) -> Any:
    if isinstance(answer, ReverieClientError):
        raise answer
    return answer


def _kept(memory: m.MemoryRecord) -> dict[str, Any]:
    return cast(dict[str, Any], memory.metadata[OWN])


def _shown(memory: m.MemoryRecord, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the namespace, with the labels asked for as they were given."""
    return (*asked, *_kept(memory)["namespace"][len(asked) :])


def _item(memory: m.MemoryRecord, namespace: Sequence[str], key: str) -> Item:
    return Item(
        namespace=tuple(namespace),
        key=key,
        value=_kept(memory)["value"],
        created_at=memory.created_at,
        updated_at=memory.updated_at,
    )


def _search_item(memory: m.MemoryRecord, prefix: Sequence[str], score: float | None) -> SearchItem:
    item = _item(memory, _shown(memory, prefix), _kept(memory)["key"])
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)
