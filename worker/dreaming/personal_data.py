"""Personal data in dreams (row P1): masked in what is read, before any model sees it, and in what is proposed.

Messages may be older than the workspace's rule, so what is stored is not taken for clean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.domain.workspace import PiiSettings
from service.memory.engine import Engine
from service.memory.redaction import masked
from service.privacy import PiiPolicy
from worker.dreaming.candidates import Candidate, Mention, Turn


async def masked_turns(engine: Engine, rule: PiiSettings, turns: Sequence[Turn]) -> list[Turn]:
    """The turns with personal data masked in what was said, unless the workspace allows it."""
    if rule.mode == "off":
        return list(turns)
    said = await masked(engine, rule, [turn.content for turn in turns])
    return [replace(turn, content=content) for turn, content in zip(turns, said, strict=True)]


async def allowed_candidates(engine: Engine, rule: PiiSettings, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with personal data masked, or without those that hold any where the workspace refuses it."""
    if rule.mode == "off":
        return list(candidates)
    policy = PiiPolicy("redact", rule.entities)
    allowed: list[Candidate] = []
    for candidate in candidates:
        texts = [candidate.content, candidate.value or "", *(mention.name for mention in candidate.mentions)]
        content, value, *names = await engine.redactor.redact(texts, policy)
        if rule.mode == "reject" and (content.found or value.found):
            continue
        mentions = tuple(
            Mention(mention.name, mention.kind)
            for mention, name in zip(candidate.mentions, names, strict=True)
            if not name.found
        )
        allowed.append(replace(candidate, content=content.text, value=value.text or None, mentions=mentions))
    return allowed
