"""Readings: statements of saved memories, read by rules: the slot it fills, if it is one statement, and the entities it
names.

A saved memory speaks in the third person ("Maria lives in Oslo."), the rules for what somebody says of themselves in
the first. A statement that opens with a name and a verb is therefore put into the first person before it is classified.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from service.domain.guards import canonical_form, normalize
from service.domain.identity import digest_of
from service.domain.json import JsonObject
from service.domain.placeholders import holds_placeholder
from service.domain.workspace import Masking
from service.extraction.candidates import Mention, Polarity
from service.extraction.conclusions import Reported, reported_in
from service.extraction.english.claims import Claim, claims
from service.extraction.english.entities import mentions
from service.extraction.english.grammar import has_first_person
from service.extraction.english.lexicon import BASE_VERBS, STOPWORDS
from service.extraction.english.sentences import own_sentences
from service.memory.access.redaction import redact_lenient
from service.memory.in_flight import Tracker
from service.runtime import Runtime
from worker.dreaming.gather import SavedMemory
from worker.dreaming.slots import filled_by

BATCH = 200
STATEMENT_CHARS_MAX = 300
_DERIVED = frozenset({"window", "summary"})

_OPENS = re.compile(r"^(?P<name>[A-Z][\w'’.-]{0,40}(?: [A-Z][\w'’.-]{0,40}){0,2}) (?P<verb>[a-z]+(?:['’][a-z]+)?)\b")
_VERB = re.compile(r"^(?P<verb>[a-z]+(?:['’][a-z]+)?)\b")
_FIRST_PERSON = {
    "is": "am", "isn't": "am not", "has": "have", "hasn't": "haven't", "does": "do", "doesn't": "don't",
    "was": "was", "wasn't": "wasn't", "no": "no", "now": "now", "never": "never", "always": "always", "used": "used",
    "moved": "moved", "relocated": "relocated", "quit": "quit", "stopped": "stopped", "gave": "gave", "only": "only",
    "started": "started", "got": "got", "really": "really", "also": "also", "currently": "currently",
}  # fmt: skip
_ADVERBS = frozenset({"no", "now", "never", "always", "only", "really", "also", "currently", "longer", "still"})


@dataclass(frozen=True, slots=True)
class Reading:
    """Statement of a memory. ``form``: equal for memories that say the same in almost the same words."""

    memory: SavedMemory
    form: str
    slot: str | None = None
    value: str | None = None
    polarity: Polarity = "positive"
    mentions: tuple[Mention, ...] = ()
    reports: Reported | None = None

    def stored(self, dream_id: UUID) -> JsonObject:
        """Return the reading as it is kept with the memory."""
        filled = {"slot": self.slot, "value": self.value, "polarity": self.polarity} if self.slot else {}
        reports = self.reports.stored() if self.reports else {}
        return {"dream_id": str(dream_id), "form": self.form} | filled | reports


async def read_saved(runtime: Runtime, rule: Masking, saved: Sequence[SavedMemory], tracker: Tracker) -> list[Reading]:
    """Return the readings of saved memories, of their text with personal data masked; off the event loop."""
    people = {memory.user_name for memory in saved if memory.user_name}
    found: list[Reading] = []
    for _, part in tracker.batches(saved, lambda memory: (memory.id, memory.content), BATCH):
        async with tracker.step("read_saved", [memory.id for memory in part]):
            texts = [memory.content for memory in part]
            shown = texts if rule.off else await redact_lenient(runtime, rule, texts)
            found += await asyncio.to_thread(_read_all, part, shown, people)
    return found


def form_of(content: str) -> str:
    """Return the digest of a statement's canonical form."""
    return digest_of(canonical_form(content))


def _read_all(saved: Sequence[SavedMemory], texts: Sequence[str], people: Collection[str]) -> list[Reading]:
    return [
        replace(read(memory, text, people), reports=_reported_by(memory))
        for memory, text in zip(saved, texts, strict=True)
    ]


def _reported_by(memory: SavedMemory) -> Reported | None:
    return reported_in(memory.content, memory.user_name, memory.type) if memory.kind not in _DERIVED else None


def read(memory: SavedMemory, text: str, people: Collection[str] = ()) -> Reading:
    """Return what a memory states whose content may be shown as ``text``. A summary of others states nothing of its
    own."""
    if memory.kind in _DERIVED:
        return Reading(memory, form_of(memory.content))
    named = tuple(one for one in mentions(text, people, memory.user_name) if not holds_placeholder(one.name))
    form = form_of(memory.content)
    sentence = _only_sentence(text)
    claim = _only_claim(sentence, memory.user_name) if sentence else None
    if claim is not None and claim.slot is not None:
        slot = f"{normalize(claim.owner or '')}/{claim.slot}"
        return Reading(memory, form, slot, claim.value, claim.polarity, named)
    filled = filled_by(text, memory.user_name or (claim.owner if claim else None)) if sentence else None
    if filled is None:
        return Reading(memory, form, mentions=named)
    return Reading(memory, form, filled.slot, filled.value, filled.polarity, named)


def _only_sentence(text: str) -> str | None:
    """Return the sentence of a text that is one; None where there are several or none."""
    sentences = own_sentences(text) if len(text) <= STATEMENT_CHARS_MAX else []
    return sentences[0] if len(sentences) == 1 else None


def _only_claim(sentence: str, user: str | None) -> Claim | None:
    """Return the claim of a sentence that makes one, with its owner; None where it makes several or none."""
    own = has_first_person(sentence)
    owner, said = (user, sentence) if own else _in_first_person(sentence, user)
    found = claims(said)
    if len(found) != 1 or (own and user is None):
        return None
    (claim,) = found
    if owner is None:
        return claim
    return None if claim.owner is not None else replace(claim, owner=owner)


def _in_first_person(sentence: str, user: str | None) -> tuple[str | None, str]:
    """Return who a sentence opens with, and the sentence as they would say it; or nobody, and the sentence."""
    name = rest = ""
    if user and normalize(sentence[: len(user) + 1]) == normalize(user) and sentence[len(user) : len(user) + 1] == " ":
        name, rest = user, sentence[len(user) + 1 :]
    elif match := _OPENS.match(sentence):
        name, rest = match["name"], sentence[match.start("verb") :]
    verb = _VERB.match(rest)
    if verb is None or name.lower() in STOPWORDS:
        return None, sentence
    words = rest.split(" ")
    at = 0
    while at < len(words) - 1 and words[at] in _ADVERBS:
        at += 1
    base = _base(words[at].replace("’", "'"))
    if base is None:
        return None, sentence
    first = " ".join([*words[:at], base, *words[at + 1 :]])
    return name, f"I {first}"


def _base(verb: str) -> str | None:
    """Return the verb as one says it of oneself: "likes" gives "like"; None for a word that is no verb of the third
    person."""
    if verb in _FIRST_PERSON:
        return _FIRST_PERSON[verb]
    for ending, kept in (("ies", "y"), ("es", ""), ("s", "")):
        if verb.endswith(ending) and verb[: -len(ending)] + kept in BASE_VERBS:
            return verb[: -len(ending)] + kept
    return None
