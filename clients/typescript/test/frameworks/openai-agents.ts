import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, type AgentInputItem, MemorySession, type Model, Runner, type Session, Usage } from "@openai/agents";
import { memoryTools, ReverieSession } from "@reverie/client/openai-agents";
import { keptApart, losing, NOWHERE, remembering, turnsOf } from "./support.js";

type Output = Awaited<ReturnType<Model["getResponse"]>>["output"];

const ITEMS: AgentInputItem[] = [
  { role: "user", content: "How is the weather in Oslo?" },
  { type: "reasoning", id: "r1", content: [{ type: "input_text", text: "I need a tool." }] },
  { type: "function_call", callId: "c1", name: "weather", arguments: '{"city":"Oslo"}', status: "completed" },
  {
    type: "function_call_result",
    callId: "c1",
    name: "weather",
    status: "completed",
    output: { type: "text", text: "snow" },
  },
  {
    type: "message",
    id: "m1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "It snows.", providerData: { annotations: [] } }],
  },
  { type: "message", role: "user", content: "Thanks", providerData: { seen: true } },
  { role: "user", content: [{ type: "input_text", text: "What is this?" }] },
  { role: "user", content: "" },
];

function scripted(...outputs: Output[]): Model {
  return {
    getResponse: async () => ({ usage: new Usage(), output: outputs.shift() ?? [] }),
    getStreamedResponse() {
      throw new Error("nothing is streamed here");
    },
  };
}

const says = (text: string): Output => [
  { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] },
];

/** What a caller sees of a session over all that the interface has. */
async function lived(session: Session): Promise<unknown[]> {
  const seen: unknown[] = [await session.getItems(), await session.popItem()];
  await session.addItems(ITEMS);
  await session.addItems([]);
  seen.push(await session.getItems(), await session.getItems(3), await session.getItems(0), await session.getItems(99));
  seen.push(await session.popItem(), await session.popItem());
  seen.push(await session.getItems(2));
  await session.addItems([{ role: "user", content: "And in Bergen?" }]);
  seen.push(await session.popItem(), await session.popItem(), await session.getItems());
  await session.clearSession();
  seen.push(await session.getItems(), await session.popItem());
  await session.addItems([{ role: "user", content: "Hello again" }]);
  seen.push(await session.getItems(1));
  return seen;
}

test("a session gives what the SDK's own gives, for items of every kind", async () => {
  const { memory, warnings } = remembering();
  assert.deepEqual(await lived(new ReverieSession(memory)), await lived(new MemorySession()));
  assert.deepEqual(warnings, []);
});

test("the texts of items are turns of the conversation, so that they are found and dreamed about", async () => {
  const { memory } = remembering();
  const session = new ReverieSession(memory);
  await session.addItems(ITEMS);
  const found = await memory.inSession("later").find("what is the weather in Oslo?");
  assert.match(`${found[0]?.message?.content}`, /Oslo/);
  assert.equal(await session.getSessionId(), memory.session);
});

test("items whose acknowledgement is lost are kept once", async () => {
  const { memory, warnings } = remembering({ fetch: losing("/messages", 1) });
  await new ReverieSession(memory).addItems([{ role: "user", content: "I moved to Bergen." }]);
  assert.equal((await turnsOf(memory)).length, 1);
  assert.deepEqual(warnings, []);
});

test("a run with tools keeps its items, and tools answer a failure as text", async () => {
  const { memory, warnings } = remembering({ url: NOWHERE, retries: 0 });
  const call = { type: "function_call", callId: "1", status: "completed" } as const;
  const model = scripted(
    [{ ...call, name: "save_memory", arguments: '{"statement":"Ana sails"}' }],
    [{ ...call, callId: "2", name: "search_memory", arguments: '{"question":"sailing"}' }],
    says("Done."),
  );
  const agent = new Agent({ name: "a", model, tools: memoryTools(memory) });
  const session = new ReverieSession(memory);
  const runner = new Runner({ tracingDisabled: true });
  const run = await runner.run(agent, "Remember that.", { session, callModelInputFilter: session.recall });
  assert.equal(run.finalOutput, "Done.");
  const answers = run.newItems.flatMap((item) => (item.type === "tool_call_output_item" ? `${item.output}` : []));
  assert.equal(answers.length, 2);
  for (const answer of answers) assert.match(answer, /^Memory failed: ConnectionFailed/);
  assert.ok(warnings.length >= 4);
});

test("tools save and search", async () => {
  const { memory } = remembering();
  const call = { type: "function_call", callId: "1", status: "completed" } as const;
  const model = scripted(
    [{ ...call, name: "save_memory", arguments: '{"statement":"Ana sails on Sundays"}' }],
    [{ ...call, callId: "2", name: "search_memory", arguments: '{"question":"when does Ana sail?"}' }],
    says("On Sundays."),
  );
  const agent = new Agent({ name: "a", model, tools: memoryTools(memory) });
  const run = await new Runner({ tracingDisabled: true }).run(agent, "When do I sail?");
  const answers = run.newItems.flatMap((item) => (item.type === "tool_call_output_item" ? `${item.output}` : []));
  assert.equal(answers[0], "Remembered.");
  assert.match(`${answers[1]}`, /Ana sails on Sundays/);
});

test("what one user said reaches no other, nor what a session had before they joined", () =>
  keptApart(
    async ({ memory, user, session }, message) => {
      const sent: unknown[] = [];
      const answering = scripted(says("Ok."));
      const model: Model = {
        ...answering,
        getResponse: (request) => {
          sent.push(request.systemInstructions, request.input);
          return answering.getResponse(request);
        },
      };
      const history = new ReverieSession(memory.inSession(session, user));
      const run = { session: history, callModelInputFilter: history.recall };
      await new Runner({ tracingDisabled: true }).run(new Agent({ name: "a", model }), message, run);
      return sent;
    },
    { hasHistory: true },
  ));
