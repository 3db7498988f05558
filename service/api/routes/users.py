"""What is held about a person: shown, and forgotten."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from service.api import admin_schemas
from service.api.dependencies import Caller, EngineDep, json_response
from service.api.paths import PathName
from service.memory.purge import purge_user
from service.memory.subject_export import export_user

router = APIRouter(prefix="/v1/users", tags=["privacy"])

UserPath = Annotated[PathName, Path(description="the person memories are about and messages are from")]


@router.post("/{user}/purge", response_model=admin_schemas.Purged)
async def purge(engine: EngineDep, caller: Caller, user: UserPath) -> Response:
    """Forget everything about and from a user, with a receipt. There is no way back."""
    return json_response(await purge_user(engine, caller, user))


@router.get("/{user}/export", response_model=admin_schemas.SubjectExport)
async def export(engine: EngineDep, caller: Caller, user: UserPath) -> Response:
    """All that is held about a user."""
    return json_response(await export_user(engine, caller, user))
