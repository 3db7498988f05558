"""What is held about a person: shown, and forgotten."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from service.api import admin_schemas
from service.api.dependencies import Caller, EngineDep, json_response
from service.api.naming import api_router
from service.api.path_params import PathName
from service.domain.field_types import AsGiven
from service.memory.access.purge import purge_user
from service.memory.access.subject_export import export_user

router = api_router(prefix="/v1/users", tags=["privacy"])

UserPath = Annotated[PathName, AsGiven(), Path(description="Name of the user.")]


@router.post(
    "/{user}/purge", response_model=admin_schemas.PurgeReceipt, operation_id="purge_user", summary="Purge a user"
)
async def purge(engine: EngineDep, caller: Caller, user: UserPath) -> Response:
    """Irreversibly deletes all data about and from a user, and returns a receipt."""
    return json_response(await purge_user(engine, caller, user))


@router.get(
    "/{user}/export",
    response_model=admin_schemas.SubjectExport,
    operation_id="export_user",
    summary="Export the data of a user",
)
async def export(engine: EngineDep, caller: Caller, user: UserPath) -> Response:
    """All data about and from the user (subject access request)."""
    return json_response(await export_user(engine, caller, user))
