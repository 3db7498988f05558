import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { APIError, ConnectionFailed, InvalidRequest, NotAuthenticated, NotFound, Reverie } from "../src/index.js";
import { answer, never, type Reply, scripted } from "./fake.js";

const saved = { memory: { id: "m" }, created: true };
const broken = () => new TypeError("fetch failed", { cause: new Error("ECONNRESET") });

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** What a promise gives while all timers run out at once. */
async function timed<T>(promise: Promise<T>): Promise<T> {
  const settled = promise.finally(() => {});
  settled.catch(() => {});
  await vi.runAllTimersAsync();
  return settled;
}

describe("retries", () => {
  test.each<[string, Reply]>([
    ["a connection that breaks", broken()],
    ["502", answer({}, 502)],
    ["503", answer({}, 503)],
    ["504", answer({}, 504)],
    ["429", answer({}, 429, { "Retry-After": "3" })],
  ])("a save is sent again after %s, with the same idempotency key", async (_, failure) => {
    const { reverie, asked } = scripted([failure, answer(saved, 201)]);
    expect(await timed(reverie.saveMemory("fact", "Ana likes tea"))).toEqual(saved);
    expect(asked).toHaveLength(2);
    const [first, second] = asked.map((one) => one.headers.get("idempotency-key"));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  test("each save has a key of its own, or that of the caller; what only reads has none", async () => {
    const { reverie, asked } = scripted([answer(saved), answer(saved), answer(saved), answer({ results: [] })]);
    await reverie.saveMemory("fact", "a");
    await reverie.saveMemory("fact", "b");
    await reverie.saveMemory("fact", "c", undefined, { idempotencyKey: "mine" });
    await reverie.searchMemories("a");
    const [first, second, third, fourth] = asked.map((one) => one.headers.get("idempotency-key"));
    expect(first).not.toBe(second);
    expect(third).toBe("mine");
    expect(fourth).toBeNull();
  });

  test("what the server asks to wait is waited for", async () => {
    const { reverie, asked } = scripted([answer({}, 429, { "Retry-After": "20" }), answer({ items: [] })]);
    const listed = reverie.listMemoryHistory("m");
    await vi.advanceTimersByTimeAsync(19_999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await listed;
    expect(asked).toHaveLength(2);
  });

  test("after the last attempt the failure stands", async () => {
    const failures = Array.from({ length: 3 }, () => answer({ title: "Unavailable", detail: "busy" }, 503));
    const { reverie, asked } = scripted(failures, { retries: 2 });
    await expect(timed(reverie.getMemory("m"))).rejects.toMatchObject({ name: "ServerFailed", status: 503 });
    expect(asked).toHaveLength(3);
  });

  test.each<[string, Reply]>([
    ["a connection that breaks", broken()],
    ["502", answer({}, 502)],
    ["504", answer({}, 504)],
  ])("a change is not sent again after %s: it may have been carried out", async (_, failure) => {
    const { reverie, asked } = scripted([failure]);
    await expect(timed(reverie.updateMemory("m", 1, { importance: 1 }))).rejects.toThrow();
    expect(asked).toHaveLength(1);
  });

  test("a change is sent again where it surely was not carried out", async () => {
    const { reverie, asked } = scripted([answer({}, 503), answer({ id: "m" })]);
    await timed(reverie.updateMemory("m", 1, { importance: 1 }));
    expect(asked).toHaveLength(2);
  });

  test("what a repeated deletion no longer finds is deleted; the first must find it", async () => {
    const again = scripted([broken(), answer({}, 404)]);
    expect(await timed(again.reverie.deleteMemory("m"))).toBeUndefined();
    const once = scripted([answer({}, 404)]);
    await expect(once.reverie.deleteMemory("m")).rejects.toBeInstanceOf(NotFound);
  });

  test.each([400, 401, 403, 404, 409, 413, 422, 500])("%i is not sent again", async (status) => {
    const { reverie, asked } = scripted([answer({}, status)]);
    await expect(reverie.saveMemory("fact", "a")).rejects.toMatchObject({ status });
    expect(asked).toHaveLength(1);
  });

  test("an answer that does not come in time is asked for again", async () => {
    const { reverie, asked } = scripted([never, answer({ id: "m" })], { timeoutMs: 5_000 });
    expect(await timed(reverie.getMemory("m"))).toEqual({ id: "m" });
    expect(asked).toHaveLength(2);
  });

  test("a body that breaks off is asked for again", async () => {
    const half = new Response(new ReadableStream({ start: (controller) => controller.error(broken()) }));
    const { reverie } = scripted([half, answer({ id: "m" })]);
    expect(await timed(reverie.getMemory("m"))).toEqual({ id: "m" });
  });
});

describe("aborting", () => {
  test("a call rejects with the reason of its signal, and is not sent again", async () => {
    const { reverie, asked } = scripted([never]);
    const controller = new AbortController();
    const call = reverie.searchMemories("tea", undefined, { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(asked).toHaveLength(1);
  });

  test("the wait before the next attempt ends at once", async () => {
    const { reverie, asked } = scripted([answer({}, 429, { "Retry-After": "50" })]);
    const controller = new AbortController();
    const call = reverie.getMemory("m", undefined, { signal: controller.signal });
    const rejected = expect(call).rejects.toThrow("enough");
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort(new Error("enough"));
    await rejected;
    expect(asked).toHaveLength(1);
  });

  test("a signal that has aborted before sends nothing", async () => {
    const { reverie, asked } = scripted([never, never]);
    const options = { signal: AbortSignal.abort() };
    await expect(reverie.getMemory("m", undefined, options)).rejects.toMatchObject({ name: "AbortError" });
    await expect(reverie.streamEvents({}, options).next()).rejects.toMatchObject({ name: "AbortError" });
    expect(asked).toHaveLength(0);
  });
});

describe("what is sent", () => {
  test("the agent of the client is in the query or the body, unless the call names one", async () => {
    const page = () => answer({ items: [], next_cursor: null });
    const { reverie, asked } = scripted([page(), page(), answer(saved), answer(saved), page()], { agent: "ada" });
    for await (const _ of reverie.listMemories({ tag: "t" })) expect.unreachable();
    for await (const _ of reverie.listMemories({ agent: "eve" })) expect.unreachable();
    await reverie.saveMemory("fact", "a");
    await reverie.saveMemory("fact", "a", { agent: "eve" });
    for await (const _ of reverie.listKeys()) expect.unreachable();
    expect(asked.map((one) => one.query.get("agent"))).toEqual(["ada", "eve", null, null, null]);
    expect(asked.map((one) => (one.body as { agent?: string } | undefined)?.agent)).toEqual([
      undefined,
      undefined,
      "ada",
      "eve",
      undefined,
    ]);
  });

  test("the key, and what leaves memory alone", async () => {
    const { reverie, asked } = scripted([answer({})], { noMemory: true });
    await reverie.getSettings();
    expect(asked[0]?.headers.get("authorization")).toBe("Bearer k");
    expect(asked[0]?.headers.get("x-reverie-no-memory")).toBe("1");
  });

  test("lists in the query are repeated, and what is undefined is left out", async () => {
    const { reverie, asked } = scripted([answer({ items: [] })]);
    for await (const _ of reverie.listMemories({ type: ["fact", "goal"], user: undefined, limit: 5 }))
      expect.unreachable();
    expect(asked[0]?.query.toString()).toBe("type=fact&type=goal&limit=5");
  });

  test("any name is one part of a path; one that fetch would read as another path is refused", async () => {
    const { reverie, asked } = scripted([answer({})]);
    await reverie.getSession("a/b?c#d é%2F");
    expect(asked[0]?.path).toBe("/v1/sessions/a%2Fb%3Fc%23d%20%C3%A9%252F");
    for (const name of ["", ".", ".."]) expect(() => reverie.getSession(name)).toThrow(TypeError);
  });

  test("the position of what was written goes along with what is asked next", async () => {
    const { reverie, asked } = scripted([
      answer(saved, 201, { "X-Reverie-Position": "0/42" }),
      answer({ results: [] }),
    ]);
    await reverie.saveMemory("fact", "a");
    await reverie.searchMemories("a");
    expect(asked.map((one) => one.headers.get("x-reverie-position"))).toEqual([null, "0/42"]);
  });

  test("address and key come from the environment where they are not given", async () => {
    vi.stubEnv("REVERIE_URL", "https://memory.test/base/");
    expect(new Reverie().url).toBe("https://memory.test/base");
    vi.stubEnv("REVERIE_URL", "");
    expect(new Reverie().url).toBe("http://127.0.0.1:8000");
  });

  test("the address of a database is refused, and not shown", () => {
    const made = () => new Reverie({ url: "postgresql://me:secret@host/db" });
    expect(made).toThrow(TypeError);
    expect(made).not.toThrow(/secret/);
  });

  test("without an environment, as in browsers, there are only what is given and the default", () => {
    vi.stubGlobal("process", undefined);
    expect(new Reverie().url).toBe("http://127.0.0.1:8000");
    vi.unstubAllGlobals();
  });
});

describe("lists", () => {
  test("the next page is fetched when it is needed, and not before", async () => {
    const pages = [
      answer({ items: [1, 2], next_cursor: "c1" }),
      answer({ items: [3], next_cursor: "c2" }),
      answer({ items: [], next_cursor: null }),
    ];
    const { reverie, asked } = scripted(pages);
    const seen: unknown[] = [];
    for await (const one of reverie.listMemories({ limit: 2, user: "ana" })) {
      seen.push(one);
      expect(asked).toHaveLength(seen.length < 3 ? 1 : 2);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(asked.map((one) => one.query.get("cursor"))).toEqual([null, "c1", "c2"]);
    expect(asked.every((one) => one.query.get("user") === "ana")).toBe(true);
  });

  test("a loop that ends early asks for nothing more", async () => {
    const { reverie, asked } = scripted([answer({ items: [1, 2], next_cursor: "c1" })]);
    for await (const _ of reverie.listMemories()) break;
    expect(asked).toHaveLength(1);
  });
});

describe("errors", () => {
  test("the fields at fault are named", async () => {
    const errors = [
      { loc: ["body", "items", 3, "content"], msg: "is missing" },
      { loc: ["body"], msg: "no object" },
    ];
    const { reverie } = scripted([answer({ title: "Invalid", detail: "no", status: 422, errors }, 422)]);
    const error = await reverie.saveMemories([]).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toBeInstanceOf(APIError);
    expect((error as InvalidRequest).fields).toEqual(["items.3.content", "body"]);
    expect(String(error)).toBe("InvalidRequest: 422 Invalid: no");
  });

  test("an ambiguous name has its candidates", async () => {
    const { reverie } = scripted([answer({ candidates: [{ id: "a" }, { id: "b" }] }, 300)]);
    await expect(reverie.getEntityGraph("apollo")).rejects.toMatchObject({ candidates: [{ id: "a" }, { id: "b" }] });
  });

  test("what a proxy on the way says is kept", async () => {
    const { reverie } = scripted([new Response("<h1>Bad</h1>", { status: 418 })]);
    await expect(reverie.getSettings()).rejects.toThrow("<h1>Bad</h1>");
  });

  test("without a key it says where one comes from", async () => {
    vi.stubEnv("REVERIE_API_KEY", "");
    const { reverie } = scripted([answer({ title: "Unauthorized", detail: "?" }, 401)], { apiKey: undefined });
    const error = await reverie.getCaller().catch((one: unknown) => one);
    expect(error).toBeInstanceOf(NotAuthenticated);
    expect(String(error)).toContain("REVERIE_API_KEY");
  });

  test("without an answer it says where that was expected, and why", async () => {
    const { reverie } = scripted([broken()], { retries: 0 });
    const error = await reverie.getMemory("m").catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ConnectionFailed);
    expect(String(error)).toContain("GET /v1/memories/m at http://reverie.test");
    expect(String(error)).toContain("ECONNRESET");
  });
});
