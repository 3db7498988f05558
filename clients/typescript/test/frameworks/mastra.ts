import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import type { AgentMemory } from "@reverie/client";
import { memoryTools, ReverieProcessor } from "@reverie/client/mastra";
import { keptApart, losing, NOWHERE, remembering, turnsOf } from "./support.js";

type Part = { type: "text"; text: string } | { type: "tool-call"; toolCallId: string; toolName: string; input: string };
const USAGE = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

function scripted(...answers: Part[]) {
  const next = (): Part => answers.shift() ?? { type: "text", text: "Ok." };
  const ending = (part: Part) =>
    ({ usage: USAGE, finishReason: part.type === "text" ? "stop" : "tool-calls" }) as const;
  return new MastraLanguageModelV2Mock({
    doGenerate: async () => {
      const part = next();
      return { content: [part], warnings: [], ...ending(part) };
    },
    doStream: async () => {
      const part = next();
      const stream = new ReadableStream({
        start(controller) {
          if (part.type === "text") {
            controller.enqueue({ type: "text-start", id: "1" });
            controller.enqueue({ type: "text-delta", id: "1", delta: part.text });
            controller.enqueue({ type: "text-end", id: "1" });
          } else controller.enqueue(part);
          controller.enqueue({ type: "finish", ...ending(part) });
          controller.close();
        },
      });
      return { stream };
    },
  });
}

function agentOf(model: MastraLanguageModelV2Mock, memory: AgentMemory, history?: MockMemory) {
  const reverie = new ReverieProcessor(memory);
  const parts = { inputProcessors: [reverie], outputProcessors: [reverie], memory: history };
  return new Agent({ id: "a", name: "a", instructions: "Be short.", model, tools: memoryTools(memory), ...parts });
}

test("what is known stands among the instructions, in generate and in stream", async () => {
  const { memory, warnings } = remembering();
  await memory.saveMemory("Ana's dog eats nothing but carrots");
  const model = scripted();
  const agent = agentOf(model, memory);
  await agent.generate("What does my dog eat?");
  await (await agent.stream("What does my dog eat?")).consumeStream();
  const calls = [...model.doGenerateCalls, ...model.doStreamCalls];
  assert.equal(calls.length, 2);
  for (const { prompt } of calls) assert.match(JSON.stringify(prompt.slice(0, -1)), /reverie-memory.*carrots/);
  assert.equal((await turnsOf(memory)).length, 4);
  assert.deepEqual(warnings, []);
});

test("a thread is a conversation and its resource the user", async () => {
  const { memory } = remembering();
  const agent = agentOf(scripted(), memory, new MockMemory());
  const thread = { memory: { thread: "t1", resource: "bob" } };
  await agent.generate("I am Bob.", thread);
  await agent.generate("I have a boat.", thread);
  assert.deepEqual(await turnsOf(memory.inSession("t1")), [
    ["user", "I am Bob."],
    ["assistant", "Ok."],
    ["user", "I have a boat."],
    ["assistant", "Ok."],
  ]);
  assert.equal((await memory.reverie.getSession("t1", { agent: memory.agent }, { user: "bob" })).user, "bob");
});

test("turns are kept once over the steps of a run with tools, whose acknowledgement is lost", async () => {
  const { memory, warnings } = remembering({ fetch: losing("/messages", 1) });
  const call = { type: "tool-call", toolCallId: "1", toolName: "save_memory" } as const;
  const model = scripted({ ...call, input: '{"statement":"Ana sails on Sundays"}' });
  const { text, toolResults } = await agentOf(model, memory).generate("I sail on Sundays.");
  assert.equal(text, "Ok.");
  assert.deepEqual(
    toolResults.map(({ payload }) => payload.result),
    ["Remembered."],
  );
  assert.equal((await turnsOf(memory)).length, 2);
  assert.match(await memory.searchMemory("when does Ana sail?"), /sails on Sundays/);
  assert.deepEqual(warnings, []);
});

test("without a server an agent goes on, tools say why, and warnings say so", async () => {
  const { memory, warnings } = remembering({ url: NOWHERE, retries: 0 });
  const call = { type: "tool-call", toolCallId: "1", toolName: "search_memory" } as const;
  const run = await agentOf(scripted({ ...call, input: '{"question":"sailing"}' }), memory).generate("When do I sail?");
  assert.equal(run.text, "Ok.");
  assert.match(`${run.toolResults[0]?.payload.result}`, /^Memory failed: ConnectionFailed/);
  assert.equal(warnings.length, 3);
});

test("what one user said reaches no other, though one agent serves all", () =>
  keptApart(async ({ memory, user, session }, message) => {
    const model = scripted();
    const run = { memory: { thread: session, resource: user ?? "" } };
    if (user) await agentOf(model, memory, new MockMemory()).generate(message, run);
    else await agentOf(model, memory.inSession(session)).generate(message);
    return model.doGenerateCalls.map(({ prompt }) => prompt);
  }));

test("a tool saves and searches for the user of the run", async () => {
  const { memory } = remembering({ user: undefined });
  const call = { type: "tool-call", toolCallId: "1", toolName: "save_memory" } as const;
  const model = scripted({ ...call, input: '{"statement":"Ana is allergic to nuts"}' });
  await agentOf(model, memory, new MockMemory()).generate("Hi", { memory: { thread: "t1", resource: "ana" } });
  const asked = { ...call, toolName: "search_memory", input: '{"question":"Who is allergic to nuts?"}' };
  const found = async (resource: string) => {
    const run = { memory: { thread: `of ${resource}`, resource } };
    const { toolResults } = await agentOf(scripted(asked), memory, new MockMemory()).generate("Hi", run);
    return `${toolResults[0]?.payload.result}`;
  };
  assert.match(await found("ana"), /Ana is allergic to nuts/);
  assert.doesNotMatch(await found("bob"), /nuts/);
  assert.doesNotMatch(await memory.searchMemory("Who is allergic to nuts?"), /nuts/);
});
