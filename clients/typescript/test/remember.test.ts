import { expect, test } from "vitest";
import { AgentMemory, remember } from "../src/index.js";
import { answer, never, type Reply, scriptedFetch } from "./fake.js";

type Json = Record<string, unknown>;

const KNOWN = { messages: [{ role: "system", content: "Ana likes tea." }] };
const ASKED = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "What shall I drink?" },
];
const appended = () => answer({ messages: [], window: {} }, 201);

/** A resource of a client: it records what it is sent and answers as scripted, or in these parts. */
class Model {
  readonly sent: Json[] = [];
  readonly #replies: unknown[];

  constructor(...replies: unknown[]) {
    this.#replies = replies;
  }

  async create(body: Json): Promise<unknown> {
    this.sent.push(body);
    const reply = this.#replies.shift();
    if (!Array.isArray(reply)) return reply;
    const parts = async function* () {
      yield* reply;
    };
    return { controller: "kept", [Symbol.asyncIterator]: parts };
  }
}

function remembering(replies: Reply[], deadlineMs = 5_000) {
  const { fetch, asked } = scriptedFetch(replies);
  const warnings: string[] = [];
  const warn = (said: string) => warnings.push(said);
  const options = { url: "http://reverie.test", apiKey: "k", retries: 0, agent: "a", user: "u", session: "s" };
  return { options: { ...options, deadlineMs, fetch, warn }, asked, warnings };
}

const text = (content: string) => ({ choices: [{ message: { role: "assistant", content } }] });
const kept = (asked: { path: string; body: unknown }[]) =>
  asked.filter(({ path }) => path.endsWith("/messages")).flatMap(({ body }) => (body as Json).messages);

test("chat completions recall before and keep after", async () => {
  const { options, asked } = remembering([answer(KNOWN), appended()]);
  const model = new Model(text("Tea."));
  const client = remember({ chat: { completions: model } }, options);
  expect(await client.chat.completions.create({ messages: ASKED })).toEqual(text("Tea."));
  const [system, ...rest] = ASKED;
  expect(model.sent).toEqual([{ messages: [system, { role: "system", content: "Ana likes tea." }, ...rest] }]);
  expect(kept(asked)).toEqual([ASKED[1], { role: "assistant", content: "Tea." }]);
  expect(client.chat.completions).toBeInstanceOf(Model);
});

test("a stream is kept when it has ended or is left", async () => {
  const { options, asked } = remembering([answer(KNOWN), appended(), answer(KNOWN), appended()]);
  const parts = ["Green", " tea."].map((content) => ({ choices: [{ delta: { content } }] }));
  const client = remember({ chat: { completions: new Model(parts, parts) } }, options);
  for (const most of [2, 1]) {
    const stream = (await client.chat.completions.create({ messages: ASKED, stream: true })) as AsyncIterable<Json>;
    expect((stream as unknown as Json).controller).toBe("kept");
    let seen = 0;
    for await (const _ of stream) if (++seen === most && most === 1) break;
  }
  expect(kept(asked).map((one) => (one as Json).content)).toEqual([
    "What shall I drink?",
    "Green tea.",
    "What shall I drink?",
    "Green",
  ]);
});

test("each step of a loop with tools keeps what is new in it", async () => {
  const { options, asked } = remembering([answer(KNOWN), appended(), answer(KNOWN), appended()]);
  const pieces = ['{"tea":', '"green"}'].map((more, at) => ({
    choices: [
      { delta: { tool_calls: [{ index: 0, id: at ? undefined : "c", function: { name: "order", arguments: more } }] } },
    ],
  }));
  const client = remember({ chat: { completions: new Model(pieces, text("Done.")) } }, options);
  const stream = (await client.chat.completions.create({ messages: ASKED, stream: true })) as AsyncIterable<Json>;
  for await (const _ of stream);
  const said = { role: "assistant", content: null, tool_calls: [] };
  const result = { role: "tool", tool_call_id: "c", content: "ordered" };
  await client.chat.completions.create({ messages: [...ASKED, said, result] });
  const call = { id: "c", type: "function", function: { name: "order", arguments: '{"tea":"green"}' } };
  expect(kept(asked)).toEqual([
    ASKED[1],
    { role: "assistant", content: { content: null, tool_calls: [call] } },
    result,
    { role: "assistant", content: "Done." },
  ]);
});

test("responses and messages have their own places for what is known", async () => {
  const { options, asked } = remembering([answer(KNOWN), appended(), answer(KNOWN), appended()]);
  const said = { output: [{ type: "message", content: [{ type: "output_text", text: "Tea." }] }] };
  const responses = new Model([{ type: "response.completed", response: said }]);
  const messages = new Model({ content: [{ type: "tool_use", id: "t", name: "order", input: { tea: 1 } }] });
  const client = remember({ responses, messages }, options);
  const stream = (await client.responses.create({
    input: "Tea?",
    instructions: "Brief.",
    stream: true,
  })) as AsyncIterable<Json>;
  for await (const _ of stream);
  const result = { type: "tool_result", tool_use_id: "r", content: "ordered" };
  await client.messages.create({
    system: "Brief.",
    messages: [{ role: "user", content: [result, { type: "text", text: "And?" }] }],
  });
  expect(responses.sent[0]?.instructions).toBe("Brief.\n\nAna likes tea.");
  expect(messages.sent[0]?.system).toEqual(["Brief.", "Ana likes tea."].map((one) => ({ type: "text", text: one })));
  const call = { id: "t", type: "function", function: { name: "order", arguments: '{"tea":1}' } };
  expect(kept(asked)).toEqual([
    { role: "user", content: "Tea?" },
    { role: "assistant", content: "Tea." },
    { role: "tool", content: "ordered", tool_call_id: "r" },
    { role: "user", content: "And?" },
    { role: "assistant", content: { content: null, tool_calls: [call] } },
  ]);
});

test("a memory that fails, hangs or cannot read a call breaks nothing", async () => {
  const { options, warnings } = remembering([new TypeError("fetch failed"), answer({}, 503), never, never], 20);
  const model = new Model(text("1"), text("2"), text("3"));
  const client = remember({ chat: { completions: model } }, options);
  for (const number of ["1", "2"]) {
    expect(await client.chat.completions.create({ messages: ASKED })).toEqual(text(number));
  }
  expect(await client.chat.completions.create({ messages: undefined as unknown as Json[] })).toEqual(text("3"));
  expect(warnings).toHaveLength(5);
  expect(() => remember({ chat: {} })).toThrow(TypeError);
  expect(new AgentMemory(options).session).toBe("s");
});
