"""The origin of a memory: who said it, or by which way it arrived, and how far that is trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import Field

from service.domain.setting import setting
from service.domain.strict import FrozenModel

Origin = Literal["own_user", "api", "assistant", "other_user", "imported", "document", "tool"]
"""From the most to the least trusted."""

ORIGINS: tuple[Origin, ...] = get_args(Origin)

RANKS: Mapping[Origin, int] = {
    "own_user": 0, "api": 0, "assistant": 1, "other_user": 2, "imported": 2, "document": 3, "tool": 3,
}  # fmt: skip
"""By how far each is trusted to replace what is known, the most trusted first (docs/decisions/0176)."""

OriginField = Annotated[
    Origin | None,
    Field(
        description="Origin: `own_user` (user of the session), `api` (direct save), `assistant`, `other_user`, "
        "`imported`, `document` or `tool`."
    ),
]
Treatment = Literal["allow", "mark"]
MessageTreatment = Literal["allow", "mark", "hold"]
TreatmentT = TypeVar("TreatmentT", Treatment, MessageTreatment)


def _treatment(default: TreatmentT, what: str, *, holds: bool = False) -> TreatmentT:
    return setting(
        default,
        f"Treatment of {what}: {'`allow`, `mark` or `hold`' if holds else '`allow` or `mark`'}.",
        section="memory",
        change="Where such words deserve more trust (`allow`) or less than they have.",
        advanced=True,
    )


class OriginSettings(FrozenModel):
    """Treatment of memories by origin: `allow`, `mark` (labelled in contexts, left out of bulletins) or `hold` (marked,
    and what dreams draw from such messages waits in the inbox)."""

    own_user: MessageTreatment = _treatment("allow", "the word of the user whose session it is", holds=True)
    api: Treatment = _treatment("allow", "direct saves")
    assistant: MessageTreatment = _treatment("allow", "the word of the assistant", holds=True)
    other_user: MessageTreatment = _treatment("mark", "the word of somebody else than the session's user", holds=True)
    imported: Treatment = _treatment("mark", "imported memories")
    document: Treatment = _treatment("mark", "the text of documents")
    tool: MessageTreatment = _treatment("mark", "tool results", holds=True)

    def treatment(self, origin: Origin) -> MessageTreatment:
        """Return what is done with memories of an origin."""
        found: MessageTreatment = getattr(self, origin)
        return found

    @property
    def allowed(self) -> frozenset[Origin]:
        """Return the origins whose memories are shown without a label."""
        return frozenset(origin for origin in ORIGINS if self.treatment(origin) == "allow")


def origin_of(role: str, *, own: bool) -> Origin:
    """Return the origin of what a message of a role says; ``own``: of the user whose session it is, if of a user."""
    if role == "user":
        return "own_user" if own else "other_user"
    return "assistant" if role == "assistant" else "tool" if role == "tool" else "api"


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """Return the origin of what rests on all of these. Raises ValueError for none."""
    return max(origins, key=ORIGINS.index)


def most_trusted(origins: Iterable[Origin]) -> Origin:
    """Return the origin of the same words from several. Raises ValueError for none."""
    return min(origins, key=ORIGINS.index)


def outranks(origin: Origin, other: Origin) -> bool:
    """Return whether what has one origin is trusted more than what has the other, which then never takes its place."""
    return RANKS[origin] < RANKS[other]


def label(origin: Origin) -> str:
    """Return what stands before a memory of a marked origin: ``[unverified: tool] ``."""
    return f"[unverified: {origin}] "


def label_of(
    origin: Origin, user: str | None, session_user: str | None, speaker: str | None, allowed: frozenset[Origin]
) -> str:
    """Return the label, for who speaks, of a memory of ``user`` from a session of ``session_user``; empty for one of an
    ``allowed`` origin.

    What the user of another session said of anything but themselves is the word of another user.
    """
    if origin == "own_user" and speaker is not None and user is None and session_user not in (None, speaker):
        origin = "other_user"
    return "" if origin in allowed else label(origin)
