"""Draws what a plan says of the graph: entities, edges to them, and edges between memories.

One entity stands for the spellings of one name: "Acme Robotics", "ACME ROBOTICS Inc." and "acme robotics". Who works
where, as far as a statement says so of a person and a company by name, becomes an edge between the two.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.domain.graph import NodeKind
from service.domain.guards import normalize
from service.domain.json import JsonObject
from service.domain.own_types import EntityKind
from service.errors import InvalidInput
from service.extraction.candidates import Mention
from service.extraction.english.lexicon import BASE_VERBS, STOPWORDS
from service.memory.saving.entity_metadata import check_metadata
from service.store import entities
from service.store.dreams import Lease
from service.store.entities import LockedEntity
from service.store.settings import workspace_settings
from worker.dreaming.plan import Diff, NewMemory, Plan
from worker.dreaming.readings import Reading

Drawn = tuple[entities.NewEdge, JsonObject]
"""An edge, and what the diff shows of its end."""

SLOT = "works_at"
UNKNOWN_KIND = "thing"
KINDS = frozenset({"person", "project", "company", "product", "place"})
NAME_WORDS_MAX = 4
SCANNED_CHARS_MAX = 2_000
T = TypeVar("T")
Named = tuple[str, str]
"""A name and the kind of what it names."""
_WORD = re.compile(r"[^\W_]+(?:['’&+#][^\W_]+)*[+#]*")
_LEGAL_FORMS = frozenset(["inc", "corp", "corporation", "ltd", "limited", "llc", "gmbh", "ag", "plc", "co", "company"])


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity that is there."""

    id: UUID
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Naming:
    """A memory, whom it is about, what it names, and who it says works where."""

    memory_id: UUID
    audience: UUID
    content: str
    subject: str | None
    mentions: Sequence[Mention]
    employment: Employment | None

    def ends(self) -> list[tuple[str, Named]]:
        """Return the relations to entities, and the name and kind of each."""
        about = [("about", (self.subject, "person"))] if self.subject else []
        named = [(mention.name, mention.kind) for mention in self.mentions]
        if self.employment is not None:
            named += [one for one in (self.employment.person, self.employment.company) if ("about", one) not in about]
        return about + [("mentions", one) for one in named]


async def link(
    connection: Connection,
    lease: Lease,
    dream_id: UUID,
    diff: Diff,
    plan: Plan,
    readings: Sequence[Reading],
    *,
    executor: FairExecutor,
    now: datetime,
) -> None:
    """Write entities for what new and saved memories name, their metadata, and edges to them and between memories;
    noted in the diff."""
    graph = _Graph(connection, lease, dream_id, diff, executor, now)
    namings = [*map(_of_new, plan.new), *map(_of_saved, readings)]
    by_audience: dict[UUID, list[_Naming]] = defaultdict(list)
    for naming in namings:
        by_audience[naming.audience].append(naming)
    for audience, some in by_audience.items():
        await graph.name(audience, some)
    wanted = [
        (graph.edge(source.audience, relation, source.id, "memory", target), {"memory_id": target})
        for source, relation, target in plan.links
    ]
    await graph.connect([*wanted, *await graph.inherited(plan)])


def _of_new(new: NewMemory) -> _Naming:
    """Return whether an employment may be drawn: on somebody's own word or of third persons, not on hearsay."""
    holds = new.polarity == "positive" and new.hearsay_by is None
    named = new.candidate.mentions
    works = employment_in(new.content, new.subject, new.slot, new.value, named) if holds else None
    return _Naming(new.id, new.audience, new.content, new.subject, named, works)


def _of_saved(one: Reading) -> _Naming:
    memory = one.memory
    holds = one.polarity == "positive" and memory.hearsay_by is None
    works = employment_in(memory.content, memory.user_name, one.slot, one.value, one.mentions) if holds else None
    return _Naming(memory.id, memory.audience, memory.content, memory.user_name, one.mentions, works)


@dataclass(slots=True)
class _Graph:
    connection: Connection
    lease: Lease
    dream_id: UUID
    diff: Diff
    executor: FairExecutor
    now: datetime

    def edge(self, audience: UUID, relation: str, source: UUID, kind: NodeKind, target: UUID) -> entities.NewEdge:
        """Return an edge from a memory, which says so itself."""
        return entities.NewEdge(
            audience, relation, "memory", source, kind, target, memory_id=source, dream_id=self.dream_id
        )

    async def name(self, audience: UUID, namings: Sequence[_Naming]) -> None:
        """Write the entities of one audience, and the edges of the memories that name them."""
        chosen = grouped(entity for naming in namings for _, entity in naming.ends())
        spelled = await self._spelled(namings)
        wanted = {alias for name, _ in chosen for alias in (normalize(name), spelling_key(name))}
        rows = await self.connection.fetch(
            "entities_called", workspace=self.lease.workspace_id, audience=audience, owners=self.lease.owners,
            aliases=sorted(wanted.union(*spelled.values())),
        )  # fmt: skip
        known: dict[str, dict[str, Entity]] = defaultdict(dict)
        for row in rows:
            known[row["alias"]][row["kind"]] = Entity(row["entity_id"], row["name"], row["kind"])
        found = {entity: there for entity in chosen.values() if (there := known_entity(entity, known))}
        found |= await self._make(audience, [entity for entity in chosen.values() if entity not in found], chosen)
        by_spelling: dict[str, dict[UUID, Entity]] = defaultdict(dict)
        for (name, kind), entity in found.items():
            if may_be_spelled(spelling_key(name), kind):
                by_spelling[spelling_key(name)][entity.id] = entity
        for alias, kinds in known.items():
            by_spelling[alias] |= {one.id: one for kind, one in kinds.items() if may_be_spelled(alias, kind)}
        await self._describe(namings, found, chosen)
        edges: list[Drawn] = []
        for naming in namings:
            ends = {
                (relation, found[chosen[one]].id): found[chosen[one]]
                for relation, one in naming.ends()
                if chosen[one] in found
            }
            about = {id_ for relation, id_ in ends if relation == "about"}
            for spelling in spelled[naming.memory_id]:
                ends |= {
                    ("mentions", id_): one for id_, one in by_spelling.get(spelling, {}).items() if id_ not in about
                }
            edges += [
                (self.edge(audience, relation, naming.memory_id, "entity", id_), {"entity": one.name, "kind": one.kind})
                for (relation, id_), one in ends.items()
            ]
            if naming.employment is not None:
                edges += self._works_at(naming, naming.employment, found, chosen)
        await self.connect(edges)

    async def _spelled(self, namings: Sequence[_Naming]) -> dict[UUID, list[str]]:
        """Return for each memory what of its text may spell a name, each once."""
        spelled = await self.executor.each(
            lambda naming: list(dict.fromkeys(spellings(naming.content))),
            namings,
            lambda naming: len(naming.content),
        )
        return {naming.memory_id: found for naming, found in zip(namings, spelled, strict=True)}

    async def _describe(
        self, namings: Sequence[_Naming], found: Mapping[Named, Entity], chosen: Mapping[Named, Named]
    ) -> None:
        """Merge what was said of entities into their metadata, as far as it fits their kinds."""
        given: dict[UUID, list[JsonObject]] = defaultdict(list)
        for naming in namings:
            for mention in naming.mentions:
                named = found.get(chosen[mention.name, mention.kind])
                if mention.metadata and named is not None:
                    given[named.id].append(dict(mention.metadata))
        if not given:
            return
        kinds = (await workspace_settings(self.connection, self.lease.workspace_id)).entity_kinds
        for entity in await entities.lock_all(self.connection, self.lease.workspace_id, list(given)):
            metadata = await self._merged(kinds, entity, given[entity.id])
            if metadata == entity.metadata:
                continue
            new = entity.dream_id == self.dream_id
            await entities.set_metadata(
                self.connection, self.lease.workspace_id, entity.id, metadata, entity.updated_at if new else self.now
            )
            if not new:
                undo = {
                    "entity_id": entity.id,
                    "before": entity.metadata,
                    "after": metadata,
                    "updated_at": entity.updated_at,
                }
                self.diff.note(
                    "entity",
                    before={"metadata": entity.metadata},
                    after={"name": entity.name, "kind": entity.kind, "metadata": metadata},
                    undo=undo,
                    reason="metadata",
                )

    async def _merged(
        self, kinds: Mapping[str, EntityKind], entity: LockedEntity, given: Sequence[JsonObject]
    ) -> JsonObject:
        """Return the metadata of an entity with what was given, without what would not fit its kind."""
        metadata = entity.metadata
        for one in given:
            with suppress(InvalidInput):
                await check_metadata(self.executor, kinds, entity.kind, metadata | one, ())
                metadata = metadata | one
        return metadata

    def _works_at(
        self, naming: _Naming, employment: Employment, found: Mapping[Named, Entity], chosen: Mapping[Named, Named]
    ) -> list[Drawn]:
        """Return an edge from a person to a company, which holds while the memory that says so does."""
        person, company = (found.get(chosen[one]) for one in (employment.person, employment.company))
        if person is None or company is None or person.id == company.id:
            return []
        edge = entities.NewEdge(
            naming.audience, SLOT, "entity", person.id, "entity", company.id, memory_id=naming.memory_id,
            dream_id=self.dream_id,
        )  # fmt: skip
        return [(edge, {"entity": company.name, "kind": company.kind, "from": person.name})]

    async def _make(
        self, audience: UUID, missing: Sequence[Named], chosen: Mapping[Named, Named]
    ) -> dict[Named, Entity]:
        """Make new entities, which go by every spelling of their names."""
        found = await entities.ensure_all(
            self.connection, self.lease.workspace_id, agent_id=self.lease.agent_id, audience=audience,
            owners=self.lease.owners, named=sorted(set(missing)), dream_id=self.dream_id,
        )  # fmt: skip
        new = {entity: id_ for entity, (id_, made) in found.items() if made}
        for (name, kind), id_ in new.items():
            self.diff.note(
                "entity", after={"name": name, "kind": kind}, undo={"entity_id": id_}, reason="first mention"
            )
        aliases = {
            (new[one], alias)
            for name, one in ((spelled[0], one) for spelled, one in chosen.items())
            if one in new
            for alias in (normalize(name), spelling_key(name))
            if alias
        }
        pairs = sorted(aliases)
        await self.connection.run(
            "add_spellings", workspace=self.lease.workspace_id, ids=[id_ for id_, _ in pairs],
            aliases=[alias for _, alias in pairs],
        )  # fmt: skip
        return {entity: Entity(id_, *entity) for entity, (id_, _) in found.items()}

    async def inherited(self, plan: Plan) -> list[Drawn]:
        """Return the edges of memories that became one with another, at that one."""
        kept = {one.known.id: one.by.id for one in plan.superseded.values() if one.same}
        if not kept:
            return []

        def heir(id_: UUID) -> UUID:
            return kept.get(id_, id_)

        rows = await self.connection.fetch("edges_of_memories", workspace=self.lease.workspace_id, ids=list(kept))
        edges = []
        for row in rows:
            source, target = heir(row["source_id"]), heir(row["target_id"])
            if source == target:
                continue
            edge = entities.NewEdge(
                row["audience"], row["relation"], row["source_kind"], source, row["target_kind"], target,
                memory_id=row["memory_id"] and heir(row["memory_id"]), dream_id=self.dream_id,
            )  # fmt: skip
            edges.append((edge, {f"{row['target_kind']}_id": target}))
        return edges

    async def connect(self, wanted: Sequence[Drawn]) -> None:
        """Draw the edges that are not there yet."""
        made = await entities.connect_all(
            self.connection, self.lease.workspace_id, [edge for edge, _ in wanted], f"dream:{self.dream_id}"
        )
        for (edge, shown), edge_id in zip(wanted, made, strict=True):
            if edge_id is not None:
                after = shown | {"relation": edge.relation, "edge_id": edge_id}
                self.diff.note(
                    "linked", memory_id=edge.memory_id, after=after, undo={"edge_id": edge_id}, reason=edge.relation
                )


@dataclass(frozen=True, slots=True)
class Employment:
    """A person and the company they work at."""

    person: Named
    company: Named


def employment_in(
    content: str, subject: str | None, slot: str | None, value: str | None, mentions: Sequence[Mention]
) -> Employment | None:
    """Return the employment that a statement which fills the slot ``works_at`` speaks of; None where either has no
    name."""
    owner, _, attribute = (slot or "").rpartition("/")
    if attribute != SLOT or not owner or not value:
        return None
    person, company = _named(owner, content, subject, mentions), _company(value, content, mentions)
    return Employment((person, "person"), (company, "company")) if person and company else None


def _named(owner: str, content: str, subject: str | None, mentions: Sequence[Mention]) -> str | None:
    """Return the name of whose slot it is, as it is written: the subject's, what the statement opens with, or one it
    names."""
    opening = content[: len(owner)]
    names = [subject or "", opening if opening[:1].isupper() else "", *(mention.name for mention in mentions)]
    return next((name for name in names if normalize(name) == owner), None) if "'s " not in owner else None


def _company(value: str, content: str, mentions: Sequence[Mention]) -> str | None:
    """Return the name of the company as the statement writes it, in capitals or as a name that it is known to be."""
    at = content.casefold().find(value)
    written = content[at : at + len(value)] if at >= 0 else ""
    named = [mention.name for mention in mentions if mention.kind in ("company", UNKNOWN_KIND)]
    if written[:1].isupper() and normalize(written) == value:
        named.append(written)
    return next((name for name in named if spelling_key(name) == spelling_key(value)), None)


def spelling_key(name: str) -> str:
    """Return what the spellings of a name have in common: case, punctuation, "the", the legal form and the place of
    "project" make no difference."""
    words = _WORD.findall(normalize(name).removesuffix("'s").removesuffix("’s"))
    while len(words) > 1 and words[-1] in _LEGAL_FORMS:
        words.pop()
    if len(words) > 1 and words[0] == "the":
        words.pop(0)
    if len(words) > 1 and words[-1] == "project":
        words = ["project", *words[:-1]]
    return " ".join(words)


def grouped(named: Iterable[Named]) -> dict[Named, Named]:
    """Return for each name and kind the one that stands for all of its spellings.

    A name of an unknown kind is taken for what else is called so, if that is of one kind. The commonest spelling stands
    for all, the shortest of them, and none in capitals alone where there is another.
    """
    spelled: dict[str, Counter[Named]] = defaultdict(Counter)
    for name, kind in named:
        spelled[spelling_key(name) or name][name, kind] += 1
    chosen: dict[Named, Named] = {}
    for group in spelled.values():
        known = {kind for _, kind in group if kind != UNKNOWN_KIND}
        for entity in group:
            kind = next(iter(known)) if entity[1] == UNKNOWN_KIND and len(known) == 1 else entity[1]
            alike = [one for one in group if one[1] == kind or (one[1] == UNKNOWN_KIND and len(known) == 1)]
            chosen[entity] = (
                max(alike, key=lambda one: (not one[0].isupper(), group[one], -len(one[0]), one[0]))[0],
                kind,
            )
    return chosen


def known_entity(entity: Named, known: Mapping[str, Mapping[str, T]]) -> T | None:
    """Return what an entity is among those known, by alias and kind; one of an unknown kind may be of any one kind."""
    name, kind = entity
    for alias in dict.fromkeys((normalize(name), spelling_key(name))):
        kinds = known.get(alias, {})
        if kind in kinds:
            return kinds[kind]
        if kind == UNKNOWN_KIND:
            of_a_kind = [kinds[one] for one in kinds if one in KINDS]
            if len(of_a_kind) == 1:
                return of_a_kind[0]
        elif UNKNOWN_KIND in kinds:
            return kinds[UNKNOWN_KIND]
    return None


def spellings(text: str) -> Iterator[str]:
    """Yield what of a text may spell a name of several words in any case; of one word, where the text has no
    capitals."""
    shown = text[:SCANNED_CHARS_MAX]
    words = _WORD.findall(normalize(shown))
    fewest = 1 if shown == shown.lower() else 2
    for count in range(fewest, NAME_WORDS_MAX + 1):
        for at in range(len(words) - count + 1):
            yield " ".join(words[at : at + count])


def may_be_spelled(key: str, kind: str) -> bool:
    """Return whether a name may be found by its spelling alone: one word that is a name of persons, or a common word,
    not."""
    return " " in key or (kind not in ("person", UNKNOWN_KIND) and key not in STOPWORDS | BASE_VERBS)
