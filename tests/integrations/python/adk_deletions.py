"""Run by the test with Google's package: who may delete the memories of Anna and of nobody."""

from __future__ import annotations

import asyncio

from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from reverie_client import NotFound
from reverie_client.integrations import AgentMemory
from reverie_client.integrations.google_adk import ReverieMemoryService

APP = "restaurant"
OWNERS = {"anna": "Anna is allergic to nuts", "": "The kitchen uses nuts"}
service = ReverieMemoryService(AgentMemory())


async def ids(user: str) -> list[str]:
    found = await service.search_memory(app_name=APP, user_id=user, query="nuts")
    return [str(entry.id) for entry in found.memories]


async def deletes(user: str, memory_id: str) -> bool:
    try:
        await service.delete_memory(app_name=APP, user_id=user, memory_id=memory_id)
    except NotFound:
        return False
    return True


async def main() -> None:
    for user, text in OWNERS.items():
        entry = MemoryEntry(content=types.Content(parts=[types.Part(text=text)]))
        await service.add_memory(app_name=APP, user_id=user, memories=[entry])
    [nobodys] = await ids("")
    [annas] = set(await ids("anna")) - {nobodys}
    assert await ids("boris") == [nobodys]
    print([await deletes(user, annas) for user in ("boris", "", "anna", "anna")])
    print([await deletes(user, nobodys) for user in ("boris", "anna", "")])


asyncio.run(main())
