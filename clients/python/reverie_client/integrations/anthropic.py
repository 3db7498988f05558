"""Anthropic's memory tool in Reverie, for ``client.beta.messages.run_tools(tools=[ReverieMemoryTool(memory)])``."""

from __future__ import annotations

import asyncio
from typing import Any

from reverie_client.errors import ReverieClientError
from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory, log
from reverie_client.integrations.memory_files import FileProblem, MemoryFiles

with extra("anthropic"):
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )


class _Files:
    """The tool's commands as calls of ``MemoryFiles``. Raises ToolError, whose text the model is given."""

    def __init__(self, memory: AgentMemory) -> None:
        self._files = MemoryFiles(memory)

    def carry_out(self, command: str, *arguments: Any) -> str:
        try:
            done: str = getattr(self._files, command)(*arguments)
        except FileProblem as problem:
            raise ToolError(str(problem)) from problem
        except (ReverieClientError, ValueError) as error:
            log.warning("The memory tool failed and the agent goes on: %s", error)
            raise ToolError(f"Memory failed: {error}") from error
        return done


class ReverieMemoryTool(BetaAbstractMemoryTool):
    """The memory tool, blocking: its files are memories of an ``AgentMemory``."""

    def __init__(self, memory: AgentMemory, **options: Any) -> None:
        """``options`` are those of the tool, such as ``cache_control``."""
        super().__init__(**options)
        self._run = _Files(memory).carry_out

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return self._run("view", command.path, command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return self._run("create", command.path, command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return self._run("str_replace", command.path, command.old_str, command.new_str)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return self._run("insert", command.path, command.insert_line, command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return self._run("delete", command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return self._run("rename", command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        return self._run("clear")


class AsyncReverieMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool, awaited."""

    def __init__(self, memory: AgentMemory, **options: Any) -> None:
        """``options`` are those of the tool, such as ``cache_control``."""
        super().__init__(**options)
        self._blocking = ReverieMemoryTool(memory)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await asyncio.to_thread(self._blocking.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await asyncio.to_thread(self._blocking.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await asyncio.to_thread(self._blocking.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await asyncio.to_thread(self._blocking.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await asyncio.to_thread(self._blocking.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await asyncio.to_thread(self._blocking.rename, command)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._blocking.clear_all_memory)
