"""Which of two memories that say the same stays."""

from __future__ import annotations

from datetime import UTC, datetime

from service.domain.origin import RANKS
from worker.dreaming.neighbours import ExistingMemory

_NAMES_USERS = ("user", "user_id", "email")
_NEVER = datetime.max.replace(tzinfo=UTC)


def kept_of(a: ExistingMemory, b: ExistingMemory) -> tuple[ExistingMemory, ExistingMemory] | None:
    """The memory that stays and the one that becomes one with it; None where both have to stay.

    The one of the more trusted origin stays; one with a key, as the key is how its owner finds it; one that does not
    fade before one that does, the one that lasts longer; then the one that is used more, and the older. Where these
    disagree, where both have keys, where one is done and the other open, or where they name different users or days,
    they are two.
    """
    if (a.key is not None and b.key is not None) or a.status != b.status or a.hearsay_by != b.hearsay_by:
        return None
    if a.at and b.at and a.at.date() != b.at.date():
        return None
    if any(a.metadata.get(name) != b.metadata.get(name) for name in _NAMES_USERS):
        return None
    kept, merged = sorted((a, b), key=_worth, reverse=True)
    lasts = kept.decay_exempt >= merged.decay_exempt and _ends(kept) >= _ends(merged)
    return (kept, merged) if lasts and merged.key is None else None


def _worth(memory: ExistingMemory) -> tuple[int, bool, bool, datetime, int, float]:
    return (
        -RANKS[memory.origin],
        memory.key is not None,
        memory.decay_exempt,
        _ends(memory),
        memory.uses,
        -memory.since.timestamp(),
    )


def _ends(memory: ExistingMemory) -> datetime:
    return memory.expires_at or _NEVER
