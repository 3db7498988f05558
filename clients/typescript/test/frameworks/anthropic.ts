import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import type { AgentMemory } from "@reverie/client";
import { memoryTool } from "@reverie/client/anthropic";
import { keptApart, losing, NOWHERE, remembering } from "./support.js";

type Tool = ReturnType<typeof memoryTool>;
type Command = Parameters<Tool["run"]>[0];

const LONG = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\n");

/** Commands as a model gives them, and mistakes it makes. */
const COMMANDS: Command[] = [
  { command: "view", path: "/memories" },
  { command: "create", path: "/memories/ana.md", file_text: "# Ana\nlikes tea\nhates rain\n" },
  { command: "create", path: "/memories/ana.md", file_text: "again" },
  { command: "create", path: "/memories/trips/2026/oslo.md", file_text: LONG },
  { command: "create", path: "/memories/trips/plan.md", file_text: "x".repeat(2_000) },
  { command: "create", path: "/memories/empty.md", file_text: "" },
  { command: "create", path: "/memories/.hidden", file_text: "h" },
  { command: "view", path: "/memories" },
  { command: "view", path: "/memories/trips" },
  { command: "view", path: "/memories/ana.md" },
  { command: "view", path: "/memories/empty.md" },
  { command: "view", path: "/memories/trips/2026/oslo.md", view_range: [3, 5] },
  { command: "view", path: "/memories/trips/2026/oslo.md", view_range: [10, -1] },
  { command: "view", path: "/memories/none.md" },
  { command: "str_replace", path: "/memories/ana.md", old_str: "likes tea", new_str: "likes $& coffee" },
  { command: "str_replace", path: "/memories/ana.md", old_str: "likes tea", new_str: "x" },
  { command: "str_replace", path: "/memories/trips/2026/oslo.md", old_str: "line 1", new_str: "x" },
  { command: "str_replace", path: "/memories/none.md", old_str: "a", new_str: "b" },
  { command: "str_replace", path: "/memories/trips", old_str: "a", new_str: "b" },
  { command: "insert", path: "/memories/ana.md", insert_line: 0, insert_text: "first\n" },
  { command: "insert", path: "/memories/ana.md", insert_line: 2, insert_text: "second" },
  { command: "insert", path: "/memories/ana.md", insert_line: 99, insert_text: "x" },
  { command: "insert", path: "/memories/none.md", insert_line: 0, insert_text: "x" },
  { command: "view", path: "/memories/ana.md" },
  { command: "rename", old_path: "/memories/ana.md", new_path: "/memories/people/ana.md" },
  { command: "rename", old_path: "/memories/ana.md", new_path: "/memories/x.md" },
  { command: "rename", old_path: "/memories/trips", new_path: "/memories/people/ana.md" },
  { command: "rename", old_path: "/memories/trips", new_path: "/memories/travels" },
  { command: "view", path: "/memories" },
  { command: "view", path: "/memories/travels/2026/oslo.md" },
  { command: "delete", path: "/memories/travels" },
  { command: "delete", path: "/memories/travels" },
  { command: "delete", path: "/memories" },
  { command: "rename", old_path: "/memories", new_path: "/memories/x" },
  { command: "view", path: "/memories/../etc/passwd" },
  { command: "view", path: "/etc/passwd" },
  { command: "create", path: "/memories/travels", file_text: "a file where a directory was" },
  { command: "view", path: "/memories" },
];

async function answered(tool: Tool, command: Command): Promise<unknown> {
  try {
    return await tool.run(command);
  } catch (error) {
    return (error as Error).message;
  }
}

test("commands answer and fail in the words of the SDK's own store of files", async () => {
  const { memory, warnings } = remembering();
  const folder = await mkdtemp(join(tmpdir(), "memories-"));
  const own = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(folder));
  const ours = memoryTool(memory);
  for (const command of COMMANDS) {
    // Sizes of directories are those of a file system there, and of what is in them here.
    const sizeless = (said: unknown) => `${said}`.replace(/^[\d.]+[BKMG]\t(?=.*(\/|memories|trips)$)/gm, "");
    const [expected, got] = [await answered(own, command), await answered(ours, command)];
    assert.equal(sizeless(got), sizeless(expected), JSON.stringify(command));
  }
  assert.deepEqual(warnings, []);
});

async function file(memory: AgentMemory) {
  for await (const one of memory.reverie.listMemories({ agent: memory.agent, include: "deleted" })) return one;
  throw new Error("there is no file");
}

test("a file is a memory: found by searches, with history, and deleted so that it can be restored", async () => {
  const { memory } = remembering();
  const tool = memoryTool(memory);
  await tool.run({ command: "create", path: "/memories/ana.md", file_text: "Ana sails on Sundays" });
  await tool.run({ command: "str_replace", path: "/memories/ana.md", old_str: "Sundays", new_str: "Mondays" });
  const [found] = await memory.inSession("later").find("when does Ana sail?");
  assert.equal(found?.memory?.content, "Ana sails on Mondays");
  assert.equal(found?.memory?.user, "ana");
  await tool.run({ command: "delete", path: "/memories/ana.md" });
  assert.match(`${await answered(tool, { command: "view", path: "/memories/ana.md" })}`, /does not exist/);
  const { id } = await file(memory);
  assert.equal((await memory.reverie.listMemoryHistory(id)).items.length, 3);
  await memory.reverie.restoreMemory(id);
  assert.match(`${await tool.run({ command: "view", path: "/memories/ana.md" })}`, /Mondays/);
});

test("each user has files of their own", async () => {
  const { memory } = remembering();
  await memoryTool(memory).run({ command: "create", path: "/memories/a.md", file_text: "Ana's" });
  const bobs = memoryTool(memory.inSession("later", "bob"));
  assert.match(`${await answered(bobs, { command: "view", path: "/memories/a.md" })}`, /does not exist/);
  await bobs.run({ command: "create", path: "/memories/a.md", file_text: "Bob's" });
  assert.match(`${await memoryTool(memory).run({ command: "view", path: "/memories/a.md" })}`, /Ana's/);
  assert.match(`${await bobs.run({ command: "view", path: "/memories/a.md" })}`, /Bob's/);
});

test("paths in disguise stay inside, and a file is no directory", async () => {
  const { memory } = remembering();
  const tool = memoryTool(memory);
  for (const path of ["/memories/%2e%2e/x", "/memories/..\\..\\x", "/memoriesx", "/memories/a\u0000b"]) {
    assert.match(`${await answered(tool, { command: "create", path, file_text: "x" })}`, /escape|must start/, path);
  }
  await tool.run({ command: "create", path: "/memories/a/../b.md", file_text: "b" });
  assert.match(`${await tool.run({ command: "view", path: "/memories/b.md" })}`, /b$/);
  const below = await answered(tool, { command: "create", path: "/memories/b.md/c", file_text: "c" });
  assert.equal(below, "The path /memories/b.md is not a directory.");
});

test("two who change a file at once do not overwrite each other", async () => {
  const { memory } = remembering();
  const tool = memoryTool(memory);
  await tool.run({ command: "create", path: "/memories/n.md", file_text: "0" });
  const inserts = [1, 2, 3, 4].map(
    (number) => ({ command: "insert", insert_line: 0, insert_text: `${number}` }) as const,
  );
  const said = await Promise.all(inserts.map((one) => answered(tool, { ...one, path: "/memories/n.md" })));
  const carriedOut = said.filter((one) => `${one}`.endsWith("has been edited.")).length;
  const lines = `${await tool.run({ command: "view", path: "/memories/n.md" })}`.split("\n").length;
  assert.equal(lines, 2 + carriedOut);
});

test("a file whose acknowledgement is lost is made once", async () => {
  const { memory, warnings } = remembering({ fetch: losing("/v1/memories", 1) });
  const tool = memoryTool(memory);
  await tool.run({ command: "create", path: "/memories/a.md", file_text: "a" });
  assert.equal((await memory.reverie.listMemoryHistory((await file(memory)).id)).items.length, 1);
  assert.deepEqual(warnings, []);
});

test("without a server the model is told, and a warning says so", async () => {
  const { memory, warnings } = remembering({ url: NOWHERE, retries: 0 });
  assert.match(`${await answered(memoryTool(memory), { command: "view", path: "/memories" })}`, /^Memory failed: Conn/);
  assert.equal(warnings.length, 1);
});

test("what one user said reaches no other", () => {
  const paths: string[] = [];
  return keptApart(
    async ({ memory, user, session }, message) => {
      const path = `/memories/${paths.length}.md`;
      const asks = message.endsWith("?");
      const inputs = asks
        ? ["/memories", ...paths].map((path) => ({ command: "view", path }))
        : [{ command: "create", path, file_text: message }];
      if (!asks) paths.push(path);
      const sent: string[] = [];
      const client = new Anthropic({
        apiKey: "none",
        fetch: async (_, init) => {
          sent.push(`${init?.body}`);
          const input = inputs.shift();
          const block = input ? { type: "tool_use", id: "1", name: "memory", input } : { type: "text", text: "Ok." };
          const fields = { id: "1", type: "message", role: "assistant", model: "none", usage: {}, content: [block] };
          return Response.json({ ...fields, stop_reason: input ? "tool_use" : "end_turn" });
        },
      });
      await client.beta.messages.toolRunner({
        model: "claude-sonnet-5-5",
        max_tokens: 1_000,
        tools: [memoryTool(memory.inSession(session, user))],
        messages: [{ role: "user", content: message }],
      });
      return sent;
    },
    { isOwn: true },
  );
});
