import { afterEach, expect, test, vi } from "vitest";
import { Memory } from "../src/index.js";
import { answer, type Reply, scriptedFetch } from "./fake.js";

function scripted(replies: Reply[]) {
  const { fetch, asked } = scriptedFetch(replies);
  return { memory: new Memory({ url: "http://reverie.test", apiKey: "k", fetch }), asked };
}

const appended = () => answer({ messages: [{ id: "m", role: "user", content: "hi", user: "ana" }], window: {} }, 201);
const turn = { role: "user", content: "hi" };

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([[{ user_id: "ana", agent_id: "ada", run_id: "r" }], [{ userId: "ana", agentId: "ada", runId: "r" }]])(
  "ids are %j",
  async (ids) => {
    const { memory, asked } = scripted([answer({ items: [] })]);
    await memory.add("Ana likes tea", ids);
    const saved = { type: "fact", agent: "ada", user: "ana", session: "r" };
    expect(asked[0]?.body).toMatchObject({ items: [saved] });
  },
);

test("the ids may be among the filters; the others are equal to metadata, and no operators", async () => {
  const { memory, asked } = scripted([answer({ results: [] })]);
  await memory.search("tea", { filters: { user_id: "ana", category: "drinks" }, top_k: 3, threshold: 0.5 });
  expect(asked[0]?.body).toEqual({
    query: "tea",
    agent: "ana",
    user: "ana",
    limit: 100, // what belongs to nobody is left out of the answer
    include: ["memories"],
    metadata: { category: "drinks" },
    min_relevance: 0.5,
  });
  for (const filters of [{ AND: [] }, { n: { gte: 1 } }, { n: ["a"] }]) {
    await expect(memory.search("tea", { user_id: "ana", filters })).rejects.toThrow(TypeError);
  }
});

test("somebody must be named", async () => {
  const { memory, asked } = scripted([]);
  for (const call of [memory.add("hi", {}), memory.search("hi", {}), memory.getAll({}), memory.deleteAll({})]) {
    await expect(call).rejects.toThrow("user_id, agent_id and run_id");
  }
  expect(asked).toHaveLength(0);
});

test("metadata that turns cannot keep are warned of", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { memory } = scripted([appended(), answer({}, 202), appended(), answer({}, 202)]);
  await memory.add([turn], { user_id: "ana" });
  expect(warned).not.toHaveBeenCalled();
  await memory.add([turn], { user_id: "ana", metadata: { n: 1 } });
  expect(warned).toHaveBeenCalledOnce();
});

test("a key that is bound to another agent has that agent dream", async () => {
  const { memory, asked } = scripted([appended(), answer({}, 404), answer({ agent: "bound" }), answer({}, 202)]);
  await memory.add(turn, { user_id: "ana" });
  expect(asked.map((one) => one.path)).toEqual([
    "/v1/sessions/ana/messages",
    "/v1/agents/ana/dream",
    "/v1/whoami",
    "/v1/agents/bound/dream",
  ]);
});

test("a run is searched beyond what is wanted, and only what is of it is found", async () => {
  const found = (id: string, session: string) => ({ memory: { id, session, content: id, metadata: {} }, score: 1 });
  const results = [found("a", "r"), found("b", "other"), found("c", "r"), found("d", "r")];
  const { memory, asked } = scripted([answer({ results })]);
  const answered = await memory.search("tea", { agent_id: "ada", run_id: "r", limit: 2 });
  expect(answered.results.map((one) => one.id)).toEqual(["a", "c"]);
  expect(asked[0]?.body).toMatchObject({ limit: 100 });
});
