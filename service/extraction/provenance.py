"""The origin of a candidate, by the speakers of the messages that it cites, and what the settings do with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from service.domain.origin import Origin, OriginSettings, least_trusted, origin_of
from service.extraction.candidates import Candidate, Turn
from service.extraction.testimony import asks


def with_origins(candidates: Sequence[Candidate], turns: Sequence[Turn], settings: OriginSettings) -> list[Candidate]:
    """The attested candidates with ``origin`` set, and ``held`` on those of origins that are held."""
    by_id = {turn.id: turn for turn in turns}
    found = [(candidate, _origin(candidate, by_id)) for candidate in candidates]
    return [
        replace(candidate, origin=origin, held=candidate.held or _held(origin, settings)) for candidate, origin in found
    ]


def turn_origin(turn: Turn) -> Origin:
    """Of what a turn says."""
    return origin_of(turn.role, own=turn.user is None or turn.speaker in (None, turn.user))


def _origin(candidate: Candidate, turns: Mapping[UUID, Turn]) -> Origin:
    """Of those who state it; who only asks counts where nobody states anything."""
    if candidate.word_of is not None:
        return "own_user"
    cited = [turns[id_] for id_ in candidate.evidence]
    stating = [turn for turn in cited if not asks(turn)]
    return least_trusted(map(turn_origin, stating or cited))


def _held(origin: Origin, settings: OriginSettings) -> str | None:
    return f"of the origin {origin}, which is held" if settings.treatment(origin) == "hold" else None
