"""To whom memories, messages and documents belong, and for whom they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from service.domain.field_types import Name

Owners = Sequence[str]
"""The users to whom something belongs, sorted; empty: to nobody, it is the agent's."""

Viewer = tuple[str, ...] | Literal["nobody", "everybody"]
"""For whom something is read. Users see what has no owner, and what belongs to all of them, alone or with others;
``nobody`` sees what has no owner, ``everybody`` all that the agent knows."""


def _sorted_names(names: list[str]) -> list[str]:
    return sorted(set(names))


OWNERS_MAX = 100
OwnersField = Annotated[
    Annotated[list[Name], Field(max_length=OWNERS_MAX), AfterValidator(_sorted_names)] | None,
    Field(
        description="Users the memory belongs to, at most 100; no other user sees it. Empty: the agent's. "
        "Default: the user, else the members of the session."
    ),
]

ShownViewer = list[str] | Literal["nobody", "everybody"]
ViewerField = Annotated[
    ShownViewer,
    Field(
        description="Users the answer is for, who see what belongs to nobody or to all of them; `nobody` sees what "
        "belongs to nobody, `everybody` all that the agent knows."
    ),
]

UsersMode = Literal["separate", "shared", "strict"]
"""How users of an agent are kept apart: ``separate`` by default; ``shared``, one team behind one agent, where all see
all; ``strict``, where who names no user sees what belongs to nobody, everywhere."""


def viewer_of(user: str | None, members: Owners | None, mode: UsersMode, *, prompt: bool) -> Viewer:
    """Return for whom a request reads: its ``user``, else the ``members`` of the session that it names.

    With neither, what goes into a ``prompt`` is read for nobody, everything else for everybody.
    """
    if mode == "shared":
        return "everybody"
    if user is not None:
        return (user,)
    if members:
        return tuple(members)
    return "nobody" if prompt or mode == "strict" else "everybody"


def shown_viewer(viewer: Viewer) -> ShownViewer:
    """Return a viewer as answers name it."""
    return viewer if isinstance(viewer, str) else list(viewer)


def with_owner(owners: Owners, user: str | None) -> list[str]:
    """Return the owners and ``user``, sorted."""
    return sorted({*owners, user} if user is not None else owners)


def owners_of_all(evidence: Sequence[Owners]) -> list[str]:
    """Return those to whom all of the evidence belongs; what has no owner leaves out nobody.

    Raises ValueError where some of it has owners, and nobody owns all of it.
    """
    owned = [set(owners) for owners in evidence if owners]
    if not owned:
        return []
    common = set.intersection(*owned)
    if not common:
        raise ValueError("the evidence belongs to different users")
    return sorted(common)
