import assert from "node:assert/strict";
import { test } from "node:test";
import { Annotation, type LangGraphRunnableConfig, StateGraph } from "@langchain/langgraph";
import {
  AsyncBatchedStore,
  type BaseStore,
  InMemoryStore,
  InvalidNamespaceError,
} from "@langchain/langgraph-checkpoint";
import { ConnectionFailed, Reverie, type ReverieClientError } from "@reverie/client";
import { ReverieStore, type StoreOptions } from "@reverie/client/langgraph";
import { keptApart, losing, NOWHERE } from "./support.js";

function fresh(options: StoreOptions = {}): ReverieStore {
  return new ReverieStore({ agent: `agent-${crypto.randomUUID()}`, ...options });
}

/** What can be compared of items: neither times nor scores, and in no order. */
function plain(items: { namespace: string[]; key: string; value: object }[]): unknown[] {
  const named = items.map(({ namespace, key, value }) => [JSON.stringify([namespace, key]), value] as const);
  return named.sort(([one], [other]) => (one < other ? -1 : 1));
}

async function refused(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    (error) => error instanceof InvalidNamespaceError,
  );
}

/** What a graph sees of a store, over all that the interface has. */
async function lived(store: BaseStore): Promise<unknown[]> {
  const seen: unknown[] = [];
  await store.put(["docs", "a"], "1", { title: "Tea", stars: 3, tags: ["hot"], nested: { deep: true } });
  await store.put(["docs", "a"], "2", { title: "Mate", stars: 5 });
  await store.put(["docs", "ab"], "1", { title: "Milk", stars: 1, none: null });
  await store.put(["docs", "a", "more"], "1", { title: "Rum", stars: 4 }, false);
  await store.put(["users", "ana"], "", { title: "Ana" });
  await store.put(["docs", "a"], "2", { title: "Mate", stars: 4 });
  const item = await store.get(["docs", "a"], "1");
  seen.push(item?.value, item?.key, item?.namespace, item?.createdAt instanceof Date, item?.updatedAt instanceof Date);
  seen.push(await store.get(["docs", "a"], "9"), await store.get(["docs"], "1"));
  seen.push((await store.get(["docs", "a"], "2"))?.value, (await store.get(["users", "ana"], ""))?.value);
  for (const prefix of [[], ["docs"], ["docs", "a"], ["do"], ["users", "ana"]]) {
    seen.push(plain(await store.search(prefix, { limit: 50 })));
  }
  const filters: Record<string, unknown>[] = [
    { stars: 4 },
    { stars: { $gt: 3 } },
    { stars: { $gte: 3, $lt: 5 } },
    { stars: { $lte: 1 } },
    { title: { $ne: "Tea" } },
    { title: { $eq: "Tea" } },
    { title: { $in: ["Tea", "Rum"] } },
    { title: { $nin: ["Tea", "Rum"] } },
    { title: "Tea", stars: { $gt: 9 } },
    { missing: "x" },
  ];
  for (const filter of filters) seen.push(plain(await store.search(["docs"], { filter, limit: 50 })));
  seen.push((await store.search(["docs"], { limit: 2 })).length, (await store.search(["docs"], { offset: 3 })).length);
  seen.push(await store.listNamespaces(), await store.listNamespaces({ prefix: ["docs"] }));
  seen.push(await store.listNamespaces({ suffix: ["a"] }), await store.listNamespaces({ maxDepth: 1 }));
  seen.push(await store.listNamespaces({ prefix: ["docs", "*"], suffix: ["more"] }));
  seen.push(await store.listNamespaces({ limit: 2, offset: 1 }), await store.listNamespaces({ prefix: ["none"] }));
  await store.delete(["docs", "a"], "1");
  await store.delete(["docs", "a"], "9");
  seen.push(await store.get(["docs", "a"], "1"), plain(await store.search(["docs", "a"])));
  const read = { namespace: ["docs", "a"], key: "3" };
  const batch = [
    { ...read, value: { title: "Cocoa" } },
    read,
    { ...read, value: { title: "Coffee" } },
    { namespacePrefix: ["docs", "ab"], limit: 5, offset: 0 },
  ];
  const [put, before, , found] = (await store.batch(batch as never)) as unknown[];
  seen.push(put ?? null, before, plain(found as never), (await store.get(["docs", "a"], "3"))?.value);
  for (const namespace of [[], ["a.b"], [""], ["langgraph"]])
    seen.push(await refused(store.put(namespace, "k", { a: 1 })));
  return seen;
}

test("it gives what LangGraph's own store gives", async () => {
  assert.deepEqual(await lived(fresh()), await lived(new InMemoryStore()));
});

test("batched as a graph does it, it gives the same", async () => {
  const store = new AsyncBatchedStore(fresh());
  store.start();
  const keys = Array.from({ length: 250 }, (_, index) => `${index}`);
  await Promise.all(keys.map((key) => store.put(["many"], key, { text: `item number ${key}` })));
  assert.equal((await store.search(["many"], { limit: 300 })).length, 250);
  assert.equal((await store.get(["many"], "249"))?.value.text, "item number 249");
  store.stop();
});

test("a query ranks by words and meaning, below its namespace alone, and by the fields of an item alone", async () => {
  const store = fresh();
  await store.put(["users", "ana"], "1", { text: "I love pizza with olives" });
  await store.put(["users", "ana"], "2", { text: "My bicycle is red", secret: "pizza" }, ["text"]);
  await store.put(["users", "ana"], "3", { text: "pizza without an index" }, false);
  await store.put(["users", "bob"], "1", { text: "I love pizza too" });
  const found = await store.search(["users", "ana"], { query: "what pizza do I love?" });
  assert.equal(found[0]?.key, "1");
  assert.ok((found[0]?.score ?? 0) > 0);
  assert.ok(found.every(({ key, namespace }) => key !== "3" && namespace[1] === "ana"));
  const filtered = await store.search(["users"], { query: "pizza", filter: { text: { $ne: "I love pizza too" } } });
  assert.ok(filtered.every(({ namespace }) => namespace[1] === "ana"));
});

test("an item is a memory with history, and its labels may be anything", async () => {
  const store = fresh();
  const namespace = ["用户", "Ö/ä", "a b"];
  await store.put(namespace, "k", { text: "I sail on Sundays" });
  await store.put(namespace, "k", { text: "I sail on Mondays" });
  assert.deepEqual(
    plain(await store.search(["用户"])),
    plain([{ namespace, key: "k", value: { text: "I sail on Mondays" } }]),
  );
  const { results } = await store.reverie.searchMemories("when do I sail?");
  assert.equal(results[0]?.memory?.content, "I sail on Mondays");
  assert.equal((await store.reverie.listMemoryHistory(results[0]?.memory?.id ?? "")).items.length, 2);
});

test("items whose acknowledgement is lost are kept once", async () => {
  const store = fresh({ fetch: losing("/batch", 1) });
  await store.put(["a"], "k", { text: "tea" });
  const { results } = await store.reverie.searchMemories("tea");
  assert.equal((await store.reverie.listMemoryHistory(results[0]?.memory?.id ?? "")).items.length, 1);
});

test("without a server a call rejects, or the graph goes on and is told why", async () => {
  const absent = { url: NOWHERE, retries: 0 };
  await assert.rejects(fresh(absent).get(["a"], "k"), ConnectionFailed);
  await assert.rejects(fresh(absent).put(["a"], "k", { a: 1 }), ConnectionFailed);
  const failures: ReverieClientError[] = [];
  const store = fresh({ ...absent, onFailure: (error) => failures.push(error) });
  await store.put(["a"], "k", { a: 1 });
  assert.deepEqual(
    [await store.get(["a"], "k"), await store.search(["a"]), await store.listNamespaces()],
    [null, [], []],
  );
  assert.equal(failures.length, 4);
});

test("what one user said reaches no other, though the namespace is the same", () =>
  keptApart(
    async ({ memory, user, session }, said) => {
      const sent: unknown[] = [];
      const State = Annotation.Root({ said: Annotation<string> });
      const serve = async ({ said }: typeof State.State, { store }: LangGraphRunnableConfig) => {
        sent.push(said, await store?.search(["notes"], { query: said }), await store?.search(["notes"], { limit: 50 }));
        if (!said.endsWith("?")) await store?.put(["notes"], session, { text: said });
        return {};
      };
      const store = new ReverieStore({ agent: memory.agent, user });
      const graph = new StateGraph(State).addNode("serve", serve).addEdge("__start__", "serve").compile({ store });
      await graph.invoke({ said });
      return sent;
    },
    { isOwn: true },
  ));

test("a store deletes what its user has, and neither another's nor nobody's", async () => {
  const nobodys = fresh();
  const agent = nobodys.reverie.agent;
  const [ana, bob] = [fresh({ agent, user: "ana" }), fresh({ agent, user: "bob" })];
  for (const [store, text] of [
    [ana, "Ana's"],
    [bob, "Bob's"],
    [nobodys, "all"],
  ] as const) {
    await store.put(["notes"], "k", { text });
  }
  await ana.delete(["notes"], "k");
  assert.equal((await ana.get(["notes"], "k"))?.value.text, "all");
  await ana.delete(["notes"], "k");
  assert.equal((await nobodys.get(["notes"], "k"))?.value.text, "all");
  await nobodys.delete(["notes"], "k");
  assert.equal(await ana.get(["notes"], "k"), null);
  assert.equal((await bob.get(["notes"], "k"))?.value.text, "Bob's");
});

test("a client that is given reads for its user, and for nobody without one", async () => {
  const agent = `agent-${crypto.randomUUID()}`;
  const ana = fresh({ reverie: new Reverie({ agent, user: "ana" }) });
  await ana.put(["notes"], "k", { text: "I am allergic to nuts" });
  assert.equal((await ana.search(["notes"])).length, 1);
  const nobodys = fresh({ reverie: new Reverie({ agent }) });
  assert.deepEqual([await nobodys.search(["notes"]), await nobodys.search(["notes"], { query: "nuts" })], [[], []]);
  assert.deepEqual([await nobodys.get(["notes"], "k"), await nobodys.listNamespaces()], [null, []]);
});
