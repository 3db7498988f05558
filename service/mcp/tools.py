"""The tools, as a table. Each is one or a few calls of the API with the caller's key, so what a key may not do over
HTTP it may not do here, and whose memory it is follows from the key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import ValidationError

from service.mcp import connector, reading, removal, upkeep, writing


def _hints(*, reads: bool = False, removes: bool = False, repeatable: bool = False) -> ToolAnnotations:
    """Hints for clients before they call a tool: most ask their user before one that is not read-only.
    ``repeatable``: a second call with the same arguments changes nothing more. No tool goes beyond the memory it
    belongs to."""
    return ToolAnnotations(
        read_only_hint=reads, destructive_hint=removes, idempotent_hint=repeatable, open_world_hint=False
    )


READS: Final = _hints(reads=True, repeatable=True)
WRITES: Final = _hints()
WRITES_ONCE: Final = _hints(repeatable=True)
REMOVES: Final = _hints(removes=True)
REMOVES_ONCE: Final = _hints(removes=True, repeatable=True)

TABLE: Final[Mapping[Callable[..., Any], tuple[str, ToolAnnotations]]] = {
    reading.memory_search: ("Search memories", READS),
    reading.memory_context: ("What to know before answering", READS),
    reading.memory_ask: ("Ask memory a question", READS),
    reading.entity_graph: ("What someone or something is linked to", READS),
    reading.user_profile: ("Profile of a person", READS),
    writing.memory_save: ("Remember a statement", WRITES_ONCE),
    writing.memory_update: ("Correct a memory, or mark a todo as done", WRITES),
    writing.memory_forget: ("Delete a memory", REMOVES_ONCE),
    writing.memory_restore: ("Restore a deleted memory", WRITES_ONCE),
    removal.memory_clear: ("Delete many memories", REMOVES),
    removal.user_purge: ("Forget a person for good", REMOVES_ONCE),
    upkeep.page_list: ("Standing questions", READS),
    upkeep.page_read: ("Read a standing question", READS),
    upkeep.page_create: ("Ask a standing question", WRITES),
    upkeep.inbox_list: ("Statements that wait for a decision", READS),
    upkeep.inbox_decide: ("Decide on a statement that waits", WRITES),
    upkeep.dream: ("Consolidate memory now", WRITES),
    connector.search: ("Search memories and documents", READS),
    connector.fetch: ("Fetch a memory or document", READS),
}
"""Every tool: what a user sees it called, and its hints."""


class StrictTool(Tool):
    """A tool that refuses arguments it does not have, and says in one line which are wrong."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        unknown = sorted(set(arguments) - set(self.parameters["properties"]))
        if unknown:
            raise ToolError(
                f"{self.name} has no argument {', '.join(unknown)}. It has: {', '.join(self.parameters['properties'])}."
            )
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            found = error.__cause__.errors(include_url=False)
            wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in found)
            raise ToolError(f"{self.name} was called with wrong arguments: {wrong}") from error.__cause__


@cache
def all_tools() -> tuple[Tool, ...]:
    """The tools of the table, to be served. Their schemas take some 0.1 s: the servers of a process share them."""
    return tuple(_tool(function, title, hints) for function, (title, hints) in TABLE.items())


def _tool(function: Callable[..., Any], title: str, hints: ToolAnnotations) -> Tool:
    annotations = hints.model_copy(update={"title": title})
    tool = StrictTool.from_function(function, title=title, annotations=annotations, structured_output=True)
    tool.parameters["additionalProperties"] = False
    return tool
