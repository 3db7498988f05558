"""What is held about a person: shown, and forgotten."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from service.api.dependencies import (
    AgentQuery,
    Call,
    JsonResponse,
    Page,
    Paging,
    PartOfName,
    PathName,
    json_response,
    page_response,
)
from service.api.routing import api_router
from service.domain.field_types import AsGiven, Timestamp
from service.domain.profile import Profile, User
from service.domain.profile_diff import ProfileDiff
from service.memory.access import user_data
from service.memory.access.user_data import PurgeReceipt
from service.memory.search import profiles

router = api_router(prefix="/v1/users", tags=["privacy"])

UserPath = Annotated[PathName, AsGiven(), Path(description="Name of the user.")]


@router.get("", summary="List users")
async def list_users(
    call: Call, paging: Paging, agent: AgentQuery = None, q: PartOfName = None
) -> JsonResponse[Page[User]]:
    """Users whom live memories visible to the caller are about, by name."""
    return page_response(*await profiles.list_users(*call, agent, q or None, **paging))


@router.get("/{user}/profile", summary="Get the profile of a user")
async def get_profile(
    call: Call,
    user: Annotated[PathName, Path(description="Name of the user.")],
    agent: AgentQuery = None,
    as_of: Annotated[
        Timestamp | None, Query(description="Time in the past to show the profile of. Default: now.")
    ] = None,
) -> JsonResponse[Profile]:
    """What holds about a user by memories visible to the caller. Hearsay is left out. A user of whom nothing is known
    has no fields."""
    return json_response(await profiles.get_profile(*call, agent, user, as_of))


@router.get("/{user}/profile/diff", summary="Compare the profile of a user at two times")
async def diff_profile(
    call: Call,
    user: Annotated[PathName, Path(description="Name of the user.")],
    since: Annotated[Timestamp, Query(alias="from", description="Time of the former profile.")],
    until: Annotated[
        Timestamp | None, Query(alias="to", description="Time of the later profile. Default: now.")
    ] = None,
    agent: AgentQuery = None,
) -> JsonResponse[ProfileDiff]:
    """What changed in the profile by memories visible to the caller: values added, removed and changed, and values that
    other memories say."""
    return json_response(await profiles.diff_profile(*call, agent, user, since, until))


@router.post("/{user}/purge", summary="Purge a user")
async def purge_user(call: Call, user: UserPath) -> JsonResponse[PurgeReceipt]:
    """Irreversibly deletes all data about and from a user, and returns a receipt."""
    return json_response(await user_data.purge_user(*call, user))


@router.get("/{user}/export", summary="Export the data of a user")
async def export_user(call: Call, user: UserPath) -> JsonResponse[user_data.SubjectExport]:
    """All data about and from the user (subject access request)."""
    return json_response(await user_data.export_user(*call, user))
