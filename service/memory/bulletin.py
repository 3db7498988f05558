"""An agent's bulletin: who it is, whom it knows, what comes first, what was decided, and what else it knows, each line
tied to the memories it says.

A line is shown only while every memory it is made of is live, so that a bulletin hides what is deleted or expired at
once, and in every version. The newest, which says what is known now, also hides what has been superseded or edited.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from uuid import UUID

from service.db.pool import Connection
from service.domain.bulletin import (
    Bulletin,
    BulletinInput,
    BulletinPart,
    BulletinSentence,
    BulletinVersion,
    CitedState,
    SectionSentence,
    StoredBulletin,
)
from service.domain.citations import Citation, Difference, ShownSentences, shown_sentences
from service.domain.dream_settings import DreamChoices
from service.domain.hearsay import attributed, attributed_to_all
from service.domain.json import dumps
from service.domain.owners import Owners
from service.domain.times import Period
from service.embedding.tokens import count_tokens
from service.llm import LLM, LLMInvalidOutput
from service.memory.prompts import BULLETIN, WrittenBulletin, fingerprint, steered
from service.runtime import Runtime
from service.store.settings import agent_settings

INPUTS_MAX = 500
LINES_PER_PERSON = 12
NOTHING_YET = "{agent} knows nothing yet."

IDENTITY, PEOPLE, PRIORITIES, DECISIONS, ALSO = SECTIONS = (
    "Identity", "People", "Current priorities", "Recent decisions", "Also known"
)  # fmt: skip
_SHARES = {IDENTITY: 2, PEOPLE: 4, PRIORITIES: 2, DECISIONS: 2, ALSO: 1}
"""Of the tokens; what a section does not need goes to those after it."""

_SECTION_OF = {"goal": PRIORITIES, "todo": PRIORITIES, "decision": DECISIONS}
_ORDER = ("identity", "fact", "preference", "decision", "goal", "todo", "event", "observation")
_JOINABLE_WORDS_MAX = 6
_SENTENCE_ENDS = (".", "!", "?", "…", "。")
_SENTENCE_END = re.compile(r"(?<=[.!?…。]) ")


@dataclass(frozen=True, slots=True)
class NewBulletin:
    """A bulletin ready to be stored. ``inputs_hash`` tells whether anything it says could have changed."""

    parts: list[BulletinPart]
    content: str
    tokens: int
    inputs_hash: str


async def inputs(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    owners: Owners,
    now: datetime,
    *,
    left_out: Sequence[UUID] = (),
    reinforced: Sequence[UUID] = (),
    added: Sequence[BulletinInput] = (),
) -> list[BulletinInput]:
    """Return what a bulletin of these owners is made of: the agent's live memories that belong to them and have not
    faded, the weightiest 500, of origins that are allowed, and hearsay, whose lines say whose word it is.

    As they will be once a plan is applied: without what is ``left_out``, with the importance that the ``reinforced``
    will have, and with the ``added``.
    """
    settings = await agent_settings(connection, workspace, agent_id)
    allowed = settings.origins.allowed
    rows = await connection.many(
        BulletinInput, "bulletin_inputs", workspace=workspace, agent_id=agent_id, owners=owners, now=now,
        limit=INPUTS_MAX,
        faded_below=settings.retrieval.faded_below, origins=list(allowed), left_out=left_out, reinforced=reinforced,
    )  # fmt: skip
    if not added:
        return rows
    whole = [*rows, *(row for row in added if row.hearsay_by is not None or row.origin in allowed)]
    whole.sort(key=lambda row: (row.hearsay_by is not None, -row.weight, -row.at.timestamp(), row.id))
    return whole[:INPUTS_MAX]


def inputs_hash(rows: Iterable[BulletinInput], writer: str | None) -> str:
    """Return the SHA-256 over what a bulletin is made of, whatever its order, and over its writer: a model, or the
    rules."""
    lines = sorted(
        attributed(f"{row.id}|{row.type}|{row.content}|{row.status}", row.hearsay_by, row.user) for row in rows
    )
    return hashlib.sha256("\n".join([writer or "rules", *lines]).encode()).hexdigest()


def writer_of(llm: LLM | None, choices: DreamChoices) -> str | None:
    """Return who writes an agent's bulletins: a model under these instructions, None for the rules."""
    return f"{llm.model}{fingerprint(choices)}" if llm else None


def is_stale(latest: str | None, rows: Sequence[BulletinInput], writer: str | None) -> bool:
    """Return whether what the latest bulletin was made of has changed; one by rules stands in for one by the model."""
    if latest is None:
        return bool(rows)
    return latest not in (inputs_hash(rows, writer), inputs_hash(rows, None))


async def is_outdated(runtime: Runtime, connection: Connection, workspace: UUID, agent_id: UUID) -> bool:
    """Return whether the agent's own bulletin has to be written again."""
    settings = await agent_settings(connection, workspace, agent_id)
    rows = await inputs(connection, workspace, agent_id, [], runtime.now())
    latest: str | None = await connection.value("bulletin_hash", workspace=workspace, agent_id=agent_id, owners=[])
    llm = runtime.model("bulletin", workspace, settings.llm)
    return is_stale(latest, rows, writer_of(llm, settings.dream))


def compose(agent: str, rows: Sequence[BulletinInput], tokens_max: int) -> NewBulletin:
    """Return a section each for ``SECTIONS``, people by what is known of them; what is said alike is said in one
    clause."""
    sections: dict[str, list[BulletinInput]] = defaultdict(list)
    for row in rows:
        sections[_section_of(row)].append(row)
    titles = [title for title in SECTIONS if sections[title]]
    parts: list[BulletinPart] = []
    left = tokens_max - count_tokens(_heading(agent))
    for position, title in enumerate(titles):
        share = left * _SHARES[title] // sum(_SHARES[other] for other in titles[position:])
        part, cost = _section(title, _ordered(title, sections[title]), min(left, max(60, share)))
        if part["lines"]:
            parts.append(part)
            left -= cost
    return _bulletin(agent, parts, inputs_hash(rows, None))


def _section_of(row: BulletinInput) -> str:
    own = IDENTITY if row.type == "identity" else ALSO
    section: str = _SECTION_OF.get(row.type, PEOPLE if row.user else own)
    return section


def _ordered(title: str, rows: Sequence[BulletinInput]) -> list[BulletinInput]:
    """Return decisions newest first; people by the weight of what is known of them, then by type; else by weight."""
    if title == DECISIONS:
        return sorted(rows, key=lambda row: row.at, reverse=True)
    known: dict[str, float] = defaultdict(float)
    for row in rows:
        known[row.user or ""] += row.importance
    if title == PEOPLE:
        return sorted(rows, key=lambda row: (-known[row.user or ""], row.user or "", _type_order(row)))
    return list(rows)


def _type_order(row: BulletinInput) -> int:
    return len(_ORDER) if row.hearsay_by else _ORDER.index(row.type)


async def write(llm: LLM, agent: str, rows: Sequence[BulletinInput], choices: DreamChoices) -> NewBulletin:
    """Return the bulletin in the words of a language model. Raises what ``LLM.structured`` raises, and LLMInvalidOutput
    for an answer of which nothing can be used."""
    tokens_max = choices.bulletin_tokens_max
    answer = await llm.structured(prompt(rows, choices), WrittenBulletin, tokens_max=answer_max(tokens_max))
    return from_written(f"{writer_of(llm, choices)}", agent, rows, answer.value, tokens_max)


def answer_max(tokens_max: int) -> int:
    """Return how many tokens a model may take to answer: the form around the text costs about as much as the text."""
    return tokens_max * 3 + 500


def prompt(rows: Sequence[BulletinInput], choices: DreamChoices) -> list[dict[str, str]]:
    """Return what a model is told to write a bulletin from."""
    lines = [
        dumps(
            {
                "n": n,
                "type": row.type,
                "about": row.user,
                "says": attributed(row.content, row.hearsay_by, row.user),
                "at": None if row.occurred_at is None else Period(row.occurred_at, row.occurred_until).iso(),
            }
        )
        for n, row in enumerate(rows, start=1)
    ]
    messages = [
        {"role": "system", "content": BULLETIN.format(tokens_max=choices.bulletin_tokens_max)},
        {"role": "user", "content": "<memories>\n" + b"\n".join(lines).decode() + "\n</memories>"},
    ]
    return steered(messages, choices)


def from_written(
    writer: str, agent: str, rows: Sequence[BulletinInput], written: WrittenBulletin, tokens_max: int
) -> NewBulletin:
    """Return a model's bulletin, without sentences that cite no memory, and cut to the token limit.

    Raises LLMInvalidOutput when nothing is left of it: there are memories to tell of.
    """
    parts: list[BulletinPart] = []
    left = tokens_max - count_tokens(_heading(agent))
    for section in written.sections:
        part: BulletinPart = {"title": section.title, "lines": []}
        left -= count_tokens(f"\n\n{section.title}: ")
        for sentence in section.sentences:
            cited = list(dict.fromkeys(sentence.memories))
            if not all(1 <= number <= len(rows) for number in cited):
                continue
            text = attributed_to_all(
                " ".join(sentence.text.split()),
                [(rows[number - 1].hearsay_by, rows[number - 1].user) for number in cited],
            )
            cost = count_tokens(" " + text)
            if cost <= left:
                part["lines"].append({"text": _closed(text), "memories": [str(rows[n - 1].id) for n in cited]})
                left -= cost
        if part["lines"]:
            parts.append(part)
    if not parts:
        raise LLMInvalidOutput("The model wrote an empty bulletin.")
    return _bulletin(agent, parts, inputs_hash(rows, writer))


async def get(
    connection: Connection, workspace: UUID, agent: str, owners: Owners, version: int | None, now: datetime
) -> StoredBulletin | None:
    """Return the agent's bulletin of that version, or the latest of these owners."""
    return await connection.first(
        StoredBulletin, "get_bulletin", workspace=workspace, agent=agent, owners=owners, version=version, now=now
    )


def as_shown(
    stored: StoredBulletin, said_elsewhere: Collection[str] = (), unverified: Collection[str] = ()
) -> Bulletin:
    """Return a stored bulletin as it may be shown, with its sentences: of the newest those that still hold, and no
    other; of a former version all that may be shown, each with what became of it. Its text has the same, but for what
    is ``said_elsewhere``, and what rests on a memory that is ``unverified``."""
    found = sentences_of(stored)
    sentences = found.current if stored.newest else found.all
    told = [
        one
        for one in sentences
        for cited in ({str(id_) for id_ in one.memory_ids},)
        if not cited <= set(said_elsewhere) and cited.isdisjoint(unverified)
    ]
    content, tokens = stored.content, stored.tokens
    if len(told) < sum(len(part["lines"]) for part in stored.parts):
        content = _text(stored.agent, [(one.section, one.text) for one in told])
        tokens = count_tokens(content)
    return Bulletin(
        agent=stored.agent, version=stored.version, content=content, tokens=tokens, inputs_hash=stored.inputs_hash,
        dream_id=stored.dream_id, created_at=stored.created_at, sentences=sentences, stale=bool(found.outdated),
    )  # fmt: skip


def without_gone(stored: StoredBulletin) -> StoredBulletin:
    """Return a stored bulletin without the lines of which some memory is gone, or not the agent's to read any more."""
    parts: list[BulletinPart] = [
        {
            "title": part["title"],
            "lines": [line for line in part["lines"] if all(stored.states.get(id_) for id_ in line["memories"])],
        }
        for part in stored.parts
    ]
    if parts == stored.parts:
        return stored
    told = [(part["title"], _sentence(line)) for part in parts for line in part["lines"]]
    content = _text(stored.agent, told)
    return replace(
        stored, parts=[part for part in parts if part["lines"]], content=content, tokens=count_tokens(content)
    )


def compared(stored: StoredBulletin, with_other: Difference[SectionSentence]) -> BulletinVersion:
    """Return a stored bulletin as it may be shown, with what it says and another does not, and the other way round."""
    shown = as_shown(stored)
    return BulletinVersion(
        agent=shown.agent, version=shown.version, content=shown.content, tokens=shown.tokens,
        inputs_hash=shown.inputs_hash, dream_id=shown.dream_id, created_at=shown.created_at, sentences=shown.sentences,
        stale=shown.stale, added=with_other.added, removed=with_other.removed,
    )  # fmt: skip


def sentences_of(stored: StoredBulletin) -> ShownSentences[SectionSentence]:
    """Return the sentences of a stored bulletin, each with its section and with what became of its memories."""
    return shown_sentences(
        (
            partial(SectionSentence, _sentence(line), section=part["title"]),
            [_citation(id_, stored.states.get(id_)) for id_ in line["memories"]],
        )
        for part in stored.parts
        for line in part["lines"]
    )


def _citation(id_: str, state: CitedState | None) -> Citation:
    if state is None:
        return Citation(UUID(id_), visible=False, holds=False)
    superseded_by = UUID(state["superseded_by"]) if state["superseded_by"] else None
    return Citation(UUID(id_), visible=True, holds=state["holds"], superseded_by=superseded_by)


def _sentence(line: BulletinSentence) -> str:
    text = line["text"]
    return _closed(text[:1].upper() + text[1:])


def _text(agent: str, sentences: Iterable[tuple[str, str]]) -> str:
    """Return the text of a bulletin, made of sentences each with the title of its section before it."""
    sections: dict[str, list[str]] = {}
    for title, text in sentences:
        sections.setdefault(title, []).append(text)
    if not sections:
        return NOTHING_YET.format(agent=agent)
    return "\n\n".join([_heading(agent), *(f"{title}: " + " ".join(texts) for title, texts in sections.items())])


def _heading(agent: str) -> str:
    return f"What {agent} knows now."


def _bulletin(agent: str, parts: list[BulletinPart], hash_: str) -> NewBulletin:
    content = _text(agent, [(part["title"], _sentence(line)) for part in parts for line in part["lines"]])
    return NewBulletin(parts, content, count_tokens(content), hash_)


def _section(title: str, rows: Sequence[BulletinInput], tokens_max: int) -> tuple[BulletinPart, int]:
    """Return the clauses of a section in the order of its rows, within the tokens; and what they take."""
    part: BulletinPart = {"title": title, "lines": []}
    spent = count_tokens(f"\n\n{title}: ")
    clauses: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in rows:
        lead, rest = _clause(row)
        clauses.setdefault((row.user or "", lead or str(row.id)), []).append((rest, str(row.id)))
    lines: Counter[str] = Counter()
    for (user, lead), said in clauses.items():
        joined = lead if lead != said[0][1] else ""
        text = f"{joined} {_and([rest for rest, _ in said])}".strip()
        cost = count_tokens(" " + text) + 1
        if spent + cost <= tokens_max and lines[user] < LINES_PER_PERSON:
            part["lines"].append({"text": text, "memories": [id_ for _, id_ in said]})
            spent += cost
            lines[user] += 1
    return part, spent


def _clause(row: BulletinInput) -> tuple[str, str]:
    """Return the first sentence of a memory: the beginning it may share with others (``Ada likes``), and the rest; or
    no beginning and all. Hearsay shares nothing, and says whose word it is."""
    line = attributed(
        _SENTENCE_END.split(" ".join(row.content.split()), maxsplit=1)[0].rstrip("."), row.hearsay_by, row.user
    )
    name = row.user
    if row.hearsay_by or row.type != "preference" or not name or not line.startswith(f"{name} "):
        return "", line
    verb, _, rest = line.removeprefix(f"{name} ").partition(" ")
    if rest and len(rest.split()) <= _JOINABLE_WORDS_MAX and verb.endswith("s"):
        return f"{name} {verb}", rest
    return "", line


def _and(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + f" and {items[-1]}"


def _closed(text: str) -> str:
    return text if text.endswith(_SENTENCE_ENDS) else text + "."
