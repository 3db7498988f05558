"""Tasks and their members."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from service.api import agent_schemas as schemas
from service.api.dependencies import Call, JsonResponse, Page, Paging, PathName, json_response, page_response
from service.api.routing import api_router
from service.domain.agents import Task
from service.memory import agents

router = api_router(prefix="/v1/tasks", tags=["agents"])

TaskPath = Annotated[PathName, Path(description="Name of the task.")]


@router.get("", summary="List tasks")
async def list_tasks(call: Call, paging: Paging) -> JsonResponse[Page[Task]]:
    """Tasks in the order of their names. An agent key sees the tasks with its agent as a declared member."""
    return page_response(*await agents.list_tasks(*call, **paging))


@router.get("/{task}")
async def get_task(call: Call, task: TaskPath) -> JsonResponse[Task]:
    """Get a task."""
    return json_response(await agents.get_task(*call, task))


@router.put("/{task}", summary="Declare the members of a task")
async def put_task(call: Call, task: TaskPath, body: schemas.PutTask) -> JsonResponse[Task]:
    """The members are in effect on the next call. Admin keys only."""
    return json_response(await agents.put_task(*call, task, body.members))
