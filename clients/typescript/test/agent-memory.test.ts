import { expect, test } from "vitest";
import { AgentMemory } from "../src/index.js";
import { answer, never, type Reply, scriptedFetch } from "./fake.js";

const broken = () => new TypeError("fetch failed");
const appended = () => answer({ messages: [], window: {} }, 201);
const ILL = { title: "Unprocessable", detail: "no" };

function remembering(replies: Reply[], timeoutMs = 5_000) {
  const { fetch, asked } = scriptedFetch(replies);
  const warnings: string[] = [];
  const client = { url: "http://reverie.test", apiKey: "k", retries: 0, timeoutMs, fetch };
  const memory = new AgentMemory({
    ...client,
    agent: "a",
    user: "u",
    session: "s",
    warn: (said) => warnings.push(said),
  });
  return { memory, asked, warnings };
}

const turn = (content: string) => [{ role: "user", content }] as const;

test("recall gives the block alone, without the turns of the conversation", async () => {
  const messages = [
    { role: "system", content: "what is known" },
    { role: "user", content: "tea?" },
  ];
  const { memory, asked, warnings } = remembering([answer({ messages })]);
  expect(await memory.recall("tea?")).toBe("what is known");
  expect(asked[0]?.body).toMatchObject({
    agent: "a",
    user: "u",
    session: "s",
    max_tokens: 1_000,
    sections: { window: 0 },
  });
  expect(await memory.recall("  ")).toBe("");
  expect(warnings).toEqual([]);
});

test("recall gives nothing, and says so, where the server is absent, refuses or hangs", async () => {
  const { memory, warnings } = remembering([broken(), answer(ILL, 422), never], 50);
  for (const _ of [1, 2, 3]) expect(await memory.recall("tea?")).toBe("");
  expect(warnings.map((said) => said.startsWith("Reverie failed and nothing is recalled"))).toEqual([true, true, true]);
});

test("turns that could not be sent go first the next time, in their own conversation and under their own key", async () => {
  const { memory, asked, warnings } = remembering([broken(), answer({}, 503), appended(), appended(), appended()]);
  expect(await memory.remember([...turn("one")])).toBe(false);
  expect(await memory.inSession("t", "v").remember([...turn("two")])).toBe(false);
  expect(await memory.remember([...turn("three")], "an occasion")).toBe(true);
  const said = asked.map(({ path, body, headers }) => {
    const { user, messages } = body as { user: string; messages: { content: string }[] };
    return { path, user, said: messages[0]?.content, key: headers.get("Idempotency-Key") };
  });
  const [one, two] = [said[0]?.key, said[3]?.key];
  expect(said.slice(2)).toEqual([
    { path: "/v1/sessions/s/messages", user: "u", said: "one", key: one },
    { path: "/v1/sessions/t/messages", user: "v", said: "two", key: two },
    { path: "/v1/sessions/s/messages", user: "u", said: "three", key: "an occasion" },
  ]);
  expect(new Set([one, two, "an occasion"]).size).toBe(3);
  expect(said.slice(0, 2).map(({ key }) => key)).toEqual([one, one]);
  expect(warnings).toHaveLength(2);
});

test("turns that are refused wait no longer, and empty ones are not sent", async () => {
  const { memory, asked } = remembering([answer(ILL, 422), appended()]);
  expect(await memory.remember([...turn("ill")])).toBe(false);
  expect(await memory.remember([...turn("well"), ...turn("")])).toBe(true);
  expect(await memory.remember([...turn("")])).toBe(true);
  expect(asked.map(({ body }) => (body as { messages: unknown[] }).messages)).toEqual([
    [{ role: "user", content: "ill" }],
    [{ role: "user", content: "well" }],
  ]);
});

test("turns remembered at once arrive in order", async () => {
  const { memory, asked } = remembering(Array.from({ length: 5 }, appended));
  await Promise.all(["1", "2", "3", "4", "5"].map((content) => memory.remember([...turn(content)])));
  const said = asked.map(({ body }) => (body as { messages: { content: string }[] }).messages[0]?.content);
  expect(said).toEqual(["1", "2", "3", "4", "5"]);
});

test("tools answer a failure as text", async () => {
  const { memory, warnings } = remembering([broken(), answer({ results: [] })]);
  const [save, search] = memory.tools();
  expect(await save?.run("Ana sails")).toMatch(/^Memory failed: ConnectionFailed/);
  expect(await search?.run("sailing?")).toBe("Nothing is known.");
  expect(warnings).toHaveLength(1);
});
