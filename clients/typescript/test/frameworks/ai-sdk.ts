import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentMemory } from "@reverie/client";
import { memoryTools, reverieMiddleware } from "@reverie/client/ai-sdk";
import { generateText, simulateReadableStream, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { keptApart, losing, NOWHERE, remembering, turnsOf } from "./support.js";

type Result = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Stream = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never;
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function result(content: Result["content"], unified: "stop" | "tool-calls" = "stop"): Result {
  return { content, warnings: [], usage: USAGE, finishReason: { unified, raw: unified } };
}

function scripted(...results: Result[]) {
  return new MockLanguageModelV3({
    doGenerate: async () => results.shift() ?? result([{ type: "text", text: "Ok." }]),
  });
}

function wrapped(model: MockLanguageModelV3, memory: AgentMemory) {
  return wrapLanguageModel({ model, middleware: reverieMiddleware(memory) });
}

test("what is known stands after the instructions, and nothing is added where nothing is known", async () => {
  const { memory, warnings } = remembering();
  const model = scripted();
  const call = { model: wrapped(model, memory), system: "Be short.", prompt: "What does my dog eat?" };
  await generateText(call);
  await memory.saveMemory("Ana's dog eats nothing but carrots");
  await generateText(call);
  const [before, after] = model.doGenerateCalls.map(({ prompt }) => prompt.map(({ role }) => role));
  assert.deepEqual(before, ["system", "user"]);
  assert.deepEqual(after, ["system", "system", "user"]);
  assert.match(`${model.doGenerateCalls[1]?.prompt[1]?.content}`, /<reverie-memory[\s\S]*carrots/);
  assert.deepEqual(warnings, []);
});

test("turns are kept once over the steps of a call with tools", async () => {
  const { memory } = remembering();
  const call = { type: "tool-call", toolCallId: "1", toolName: "weather", input: '{"city":"Oslo"}' } as const;
  const model = scripted(result([call], "tool-calls"), result([{ type: "text", text: "It snows." }]));
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "snow" });
  const { text } = await generateText({
    model: wrapped(model, memory),
    tools: { weather },
    stopWhen: stepCountIs(3),
    prompt: "How is the weather in Oslo?",
  });
  assert.equal(text, "It snows.");
  assert.deepEqual(await turnsOf(memory), [
    ["user", "How is the weather in Oslo?"],
    ["assistant", "It snows."],
  ]);
});

test("turns whose acknowledgement is lost are sent again and kept once", async () => {
  const { memory, warnings } = remembering({ fetch: losing("/messages", 2) });
  await generateText({ model: wrapped(scripted(), memory), prompt: "I moved to Bergen." });
  assert.equal((await turnsOf(memory)).length, 2);
  assert.deepEqual(warnings, []);
});

test("turns that could not be sent follow with the next ones, in order and once", async () => {
  const { memory, warnings } = remembering({ fetch: losing("/messages", 1), retries: 0 });
  const model = wrapped(scripted(), memory);
  await generateText({ model, prompt: "I moved to Bergen." });
  await generateText({ model, prompt: "I have a boat." });
  const said = (await turnsOf(memory)) as [string, string][];
  assert.deepEqual(said, [
    ["user", "I moved to Bergen."],
    ["assistant", "Ok."],
    ["user", "I have a boat."],
    ["assistant", "Ok."],
  ]);
  assert.equal(warnings.length, 1);
});

test("a stream is passed on as it comes and remembered when it ends; one that breaks off is not", async () => {
  const { memory } = remembering();
  const chunks: StreamPart[] = [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "A " },
    { type: "text-delta", id: "1", delta: "boat." },
    { type: "text-end", id: "1" },
    { type: "finish", usage: USAGE, finishReason: { unified: "stop", raw: "stop" } },
  ];
  const model = new MockLanguageModelV3({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
  const breaking = () => new ReadableStream<StreamPart>({ pull: (stream) => stream.error(new Error("it broke")) });
  const broken = new MockLanguageModelV3({ doStream: async () => ({ stream: breaking() }) });
  const failing = streamText({ model: wrapped(broken, memory), prompt: "What floats?", onError: () => {} });
  await assert.rejects(async () => {
    for await (const part of failing.fullStream) if (part.type === "error") throw part.error;
  }, /it broke/);
  const parts: string[] = [];
  for await (const part of streamText({ model: wrapped(model, memory), prompt: "What floats?" }).textStream) {
    parts.push(part);
  }
  assert.deepEqual(parts, ["A ", "boat."]);
  assert.deepEqual(await turnsOf(memory), [
    ["user", "What floats?"],
    ["assistant", "A boat."],
  ]);
});

test("a call may name another conversation and another user, and leave sending to waitUntil", async () => {
  const { memory } = remembering();
  const waiting: Promise<unknown>[] = [];
  const middleware = reverieMiddleware(memory, { waitUntil: (sent) => void waiting.push(sent) });
  const model = wrapLanguageModel({ model: scripted(), middleware });
  const providerOptions = { reverie: { session: "another", user: "bob" } };
  await generateText({ model, prompt: "I am Bob.", providerOptions });
  assert.equal(waiting.length, 1);
  await Promise.all(waiting);
  assert.equal((await turnsOf(memory.inSession("another"))).length, 2);
});

test("tools save and search, and say as text what failed", async () => {
  const { memory } = remembering();
  const call = { type: "tool-call", toolCallId: "1", toolName: "save_memory" } as const;
  const saving = scripted(result([{ ...call, input: '{"statement":"Ana sails on Sundays"}' }], "tool-calls"));
  const prompt = "Remember that.";
  const { toolResults } = await generateText({ model: saving, tools: memoryTools(memory), prompt });
  assert.deepEqual(
    toolResults.map(({ output }) => output),
    ["Remembered."],
  );
  assert.match(await memory.searchMemory("when does Ana sail?"), /^- Ana sails on Sundays/);
  const absent = remembering({ url: NOWHERE, retries: 0 });
  const failing = scripted(result([{ ...call, input: '{"statement":"x"}' }], "tool-calls"));
  const failed = await generateText({ model: failing, tools: memoryTools(absent.memory), prompt });
  assert.match(`${failed.toolResults[0]?.output}`, /^Memory failed: ConnectionFailed/);
  assert.equal(absent.warnings.length, 1);
});

test("an error of the model is its own, and leaves nothing in memory", async () => {
  const { memory, warnings } = remembering();
  const model = new MockLanguageModelV3({ doGenerate: () => Promise.reject(new Error("overloaded")) });
  await assert.rejects(generateText({ model: wrapped(model, memory), prompt: "Hello", maxRetries: 0 }), /overloaded/);
  assert.deepEqual(await turnsOf(memory).catch(({ status }) => status), 404);
  assert.deepEqual(warnings, []);
});

test("what one user said reaches no other, though one model serves all", () =>
  keptApart(async ({ memory, user, session }, prompt) => {
    const model = scripted();
    const named = user ? { session, user } : { session };
    await generateText({ model: wrapped(model, memory), prompt, providerOptions: { reverie: named } });
    return model.doGenerateCalls.map(({ prompt }) => prompt);
  }));
