/** The memory tool of Anthropic's SDK, with files that are memories: found by searches, with history and undo. */

import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import type { AgentMemory } from "../agent-memory.js";
import { FileProblem, MemoryFiles } from "../memory-files.js";

type Options = Parameters<typeof betaMemoryTool>[1];

/**
 * The tool for `beta.messages.toolRunner`. A command that fails is answered with why, for the model to go on with; where
 * Reverie fails, a warning says so too. `options` are those of the tool, such as `cache_control`.
 */
export function memoryTool(memory: AgentMemory, options?: Options): ReturnType<typeof betaMemoryTool> {
  const files = new MemoryFiles(memory);
  /** A failure as one of a tool, whose text the model is given. */
  async function answered(command: Promise<string>): Promise<string> {
    try {
      return await command;
    } catch (error) {
      if (error instanceof FileProblem) throw new ToolError(error.message);
      throw new ToolError(await memory.say(() => Promise.reject(error)));
    }
  }

  return betaMemoryTool(
    {
      view: ({ path, view_range }) => answered(files.view(path, view_range)),
      create: ({ path, file_text }) => answered(files.create(path, file_text)),
      str_replace: ({ path, old_str, new_str }) => answered(files.replace(path, old_str, new_str)),
      insert: ({ path, insert_line, insert_text }) => answered(files.insert(path, insert_line, insert_text)),
      delete: ({ path }) => answered(files.delete(path)),
      rename: ({ old_path, new_path }) => answered(files.rename(old_path, new_path)),
    },
    options,
  );
}
