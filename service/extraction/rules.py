"""The extractor used where no LLM is configured: what people said of themselves, by rules.

It proposes only what a speaker stated in their own words. It is pure, deterministic, and linear in the length of the
text. Turns in English are read by :mod:`service.extraction.english`, those in German, French, Spanish and Chinese by
:mod:`service.extraction.languages`; other languages yield nothing rather than something wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from service.domain.guards import normalize
from service.domain.times import Period
from service.extraction.candidates import Candidate, Turn
from service.extraction.english.reading import statements_in as english_statements
from service.extraction.languages.detection import spoken
from service.extraction.languages.language import Language
from service.extraction.languages.reading import statements_in


def extract(turns: Sequence[Turn], *, before: Turn | None = None, people: Collection[str] = ()) -> list[Candidate]:
    """Return the memories that ``turns`` state, in the order they were said; pure, and never raises on any text.

    Only turns of role ``user`` are read. The subject is the turn's speaker, else the session's user, else "The user".
    Every candidate cites at least one of ``turns``. Nothing is proposed twice in one call: what a speaker says again
    adds its evidence to the first candidate. ``before`` is the turn right before the first, for the question it may
    ask; ``people`` are names known to be persons besides those who speak.
    """
    people = {turn.speaker for turn in turns if turn.role == "user" and turn.speaker} | set(people)
    kept: dict[tuple[object, ...], Candidate] = {}
    asked: dict[str, Turn] = {before.session: before} if before else {}
    spoken_in: dict[str, Language | None] = {}
    for turn in turns:
        found: list[Candidate] = []
        if turn.role == "user":
            language = spoken_in[turn.session] = spoken(turn.content, spoken_in.get(turn.session))
            if language is None:
                found = english_statements(turn, people, asked.get(turn.session))
            else:
                found = statements_in(language, turn, people)
        asked[turn.session] = turn
        for candidate in found:
            dated = candidate.occurred if candidate.occurred != Period.of_days(turn.at) else None
            said = normalize(candidate.content).rstrip(".!")
            key = (turn.user, turn.speaker, candidate.type, said, candidate.slot, candidate.value, dated)
            first = kept.get(key)
            cited = candidate.evidence if first is None else (*first.evidence, *candidate.evidence)
            kept[key] = replace(first or candidate, evidence=tuple(dict.fromkeys(cited)))
    return list(kept.values())
