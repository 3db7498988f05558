"""Tasks and their members."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from service.api import schemas
from service.api.dependencies import Caller, Cursor, EngineDep, Limit, json_response, page
from service.api.naming import api_router
from service.api.path_params import PathName
from service.memory.ops import tasks

router = api_router(prefix="/v1/tasks", tags=["agents"])

TaskPath = Annotated[PathName, Path(description="the task's name")]


@router.get("", response_model=schemas.Page[schemas.Task])
async def list_tasks(engine: EngineDep, caller: Caller, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """Tasks by name. An agent key sees the tasks that its agent is a declared member of."""
    return page(*await tasks.list_tasks(engine, caller, limit=limit, cursor=cursor))


@router.get("/{task}", response_model=schemas.Task)
async def get_task(engine: EngineDep, caller: Caller, task: TaskPath) -> Response:
    """One task."""
    return json_response(await tasks.get_task(engine, caller, task))


@router.put("/{task}", response_model=schemas.Task)
async def put_task(engine: EngineDep, caller: Caller, task: TaskPath, body: schemas.PutTask) -> Response:
    """Declare who may read and write a task. Needs an admin key; in effect on the next call."""
    return json_response(await tasks.put_task(engine, caller, task, body.members))
