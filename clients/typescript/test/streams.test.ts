import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ConnectionFailed, InvalidRequest, NotAllowed, type ReverieEvent } from "../src/index.js";
import { answer, never, scripted, stream } from "./fake.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function event(position: number): string {
  return `id: ${position}\nevent: memory.saved\ndata: {"position": ${position}, "type": "memory.saved"}\n\n`;
}

async function some(events: AsyncIterable<ReverieEvent>, count: number): Promise<ReverieEvent[]> {
  const seen: ReverieEvent[] = [];
  for await (const one of events) {
    seen.push(one);
    if (seen.length === count) break;
  }
  return seen;
}

test("a stream of events that breaks off is taken up again where it ended", async () => {
  const { reverie, asked } = scripted([
    stream([": nothing new\n\n", event(7), event(8)], new TypeError("terminated")),
    answer({}, 503),
    stream([event(9)]),
    stream([event(10)]),
  ]);
  const seen = some(reverie.streamEvents({ after: 6, types: ["memory.saved"] }), 4);
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await seen).map((one) => one.position)).toEqual([7, 8, 9, 10]);
  expect(asked.map((one) => one.headers.get("last-event-id"))).toEqual(["6", "8", "8", "9"]);
  expect(asked.every((one) => one.query.get("types") === "memory.saved")).toBe(true);
});

test("without a position it begins now; a gap is an event", async () => {
  const { reverie, asked } = scripted([stream(['event: gap\ndata: {"after": 1, "before": 5}\n\n', event(6)])]);
  const [gap, next] = await some(reverie.streamEvents(), 2);
  expect(gap).toEqual({ type: "gap", after: 1, before: 5 });
  expect(next?.position).toBe(6);
  expect(asked[0]?.headers.get("last-event-id")).toBeNull();
});

test("events may come in any pieces, with any ends of lines, and several lines of data", async () => {
  const bytes = new TextEncoder().encode('data: {"type": "é",\r\ndata:"position": 3}\r\n\r\n');
  const { reverie } = scripted([stream(Array.from(bytes, (byte) => Uint8Array.of(byte)))]);
  expect(await some(reverie.streamEvents(), 1)).toEqual([{ type: "é", position: 3 }]);
});

test("a refusal ends it, and so does a break where it is not to be taken up again", async () => {
  const refused = scripted([answer({}, 403)]);
  await expect(some(refused.reverie.streamEvents(), 1)).rejects.toBeInstanceOf(NotAllowed);
  const once = scripted([stream([event(1)], new TypeError("terminated"))]);
  await expect(some(once.reverie.streamEvents({ reconnect: false }), 2)).rejects.toBeInstanceOf(ConnectionFailed);
});

test("what is stored, and no more, ends by itself", async () => {
  const { reverie, asked } = scripted([stream([event(1), event(2)])]);
  expect(await some(reverie.streamEvents({ after: 0, wait: false }), 9)).toHaveLength(2);
  expect(asked[0]?.query.get("wait")).toBe("false");
});

test("a stream that is silent for too long is taken up again", async () => {
  const { reverie, asked } = scripted([never, stream([event(1)])]);
  const seen = some(reverie.streamEvents(), 1);
  await vi.advanceTimersByTimeAsync(62_000);
  expect(await seen).toHaveLength(1);
  expect(asked).toHaveLength(2);
});

test("a slow reader is no silent stream", async () => {
  const pieces = [event(1), event(2)];
  const abortable = async (signal: AbortSignal) =>
    new Response(
      new ReadableStream({
        start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
        pull: (controller) => {
          const piece = pieces.shift();
          if (piece) controller.enqueue(new TextEncoder().encode(piece));
          else controller.close();
        },
      }),
    );
  const { reverie, asked } = scripted([abortable]);
  const events = reverie.streamEvents({ after: 0, wait: false });
  await events.next();
  await vi.advanceTimersByTimeAsync(600_000);
  expect((await events.next()).value).toMatchObject({ position: 2 });
  expect(asked).toHaveLength(1);
});

test("aborting ends a stream with the reason of the signal", async () => {
  const { reverie } = scripted([never]);
  const controller = new AbortController();
  const seen = some(reverie.streamEvents({}, { signal: controller.signal }), 1);
  controller.abort();
  await expect(seen).rejects.toMatchObject({ name: "AbortError" });
});

test("a loop that ends early closes the connection", async () => {
  const cancelled = vi.fn();
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(event(1))),
    cancel: cancelled,
  });
  const { reverie } = scripted([new Response(body)]);
  await some(reverie.streamEvents(), 1);
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
});

test("a completion comes chunk by chunk, for whom the headers name", async () => {
  const { reverie, asked } = scripted(
    [stream(['data: {"n": 1}\n\ndata: {"n"', ': 2}\n\ndata: [DONE]\n\ndata: {"n": 3}\n\n'])],
    {
      agent: "ada",
    },
  );
  const chunks: unknown[] = [];
  for await (const one of reverie.createChatCompletionStream({ model: "m", messages: [] }, { "X-Reverie-User": "sam" }))
    chunks.push(one);
  expect(chunks).toEqual([{ n: 1 }, { n: 2 }]);
  expect(asked[0]?.body).toEqual({ model: "m", messages: [], stream: true });
  expect(asked[0]?.headers.get("x-reverie-agent")).toBe("ada");
  expect(asked[0]?.headers.get("x-reverie-user")).toBe("sam");
});

test("responses and messages come event by event", async () => {
  const { reverie, asked } = scripted([
    stream(['event: response.created\ndata: {"type": "response.created"}\n\n']),
    stream(['event: message_stop\ndata: {"type": "message_stop"}\n\n']),
  ]);
  const types: unknown[] = [];
  for await (const one of reverie.createResponseStream({ model: "m", input: "hi" })) types.push(one.type);
  for await (const one of reverie.createMessageStream({ model: "m", messages: [] })) types.push(one.type);
  expect(types).toEqual(["response.created", "message_stop"]);
  expect(asked.map((one) => one.path)).toEqual(["/v1/responses", "/v1/messages"]);
  expect(asked.map((one) => one.body)).toMatchObject([{ stream: true }, { stream: true }]);
  expect(asked.map((one) => one.headers.get("idempotency-key"))).toEqual([null, null]);
});

test("a question has its memories first, and then its answer", async () => {
  const found = 'event: memories\ndata: {"memories": [{"id": "m"}], "degraded": null}\n\n: answering\n\n';
  const { reverie, asked } = scripted(
    [stream([found, 'event: answer\ndata: {"answer": "Bergen", "citations": ["m"]}\n\n'])],
    { agent: "ada" },
  );
  const events: unknown[] = [];
  for await (const one of reverie.askMemoryStream("Where?", { effort: "high" })) events.push(one);
  expect(events).toEqual([
    { event: "memories", memories: [{ id: "m" }] },
    { event: "answer", answer: { answer: "Bergen", citations: ["m"] } },
  ]);
  expect(asked[0]?.body).toEqual({ question: "Where?", effort: "high", stream: true, agent: "ada" });
  const failed = scripted([stream([found, 'event: error\ndata: {"detail": "no budget"}\n\n'])]);
  const asking = async () => {
    for await (const _ of failed.reverie.askMemoryStream("Where?"));
  };
  await expect(asking()).rejects.toThrow("no budget");
  const broken = scripted([stream([found])]);
  const breaking = async () => {
    for await (const _ of broken.reverie.askMemoryStream("Where?"));
  };
  await expect(breaking()).rejects.toBeInstanceOf(ConnectionFailed);
});

test("an import says how far it is, and what it did", async () => {
  const { reverie, asked } = scripted([
    stream(['{"record": "progress", "done": 1, "total": 2}\n', '{"record": "imported", "created": 2}']),
  ]);
  const progress: number[][] = [];
  const done = await reverie.importRecords("{}\n", { onProgress: (...counts) => progress.push(counts), agent: "eve" });
  expect(done.created).toBe(2);
  expect(progress).toEqual([[1, 2]]);
  expect(asked[0]?.query.toString()).toBe("format=reverie&agent=eve");
});

test("an import that is refused half-way, or breaks off, fails", async () => {
  const refused = scripted([stream(['{"record": "problem", "status": 422, "line": 3}\n'])]);
  await expect(refused.reverie.importRecords("{}")).rejects.toMatchObject({
    name: "InvalidRequest",
    problem: { line: 3 },
  });
  const early = scripted([answer({ line: 1 }, 422)]);
  await expect(early.reverie.importRecords("{}")).rejects.toBeInstanceOf(InvalidRequest);
  const broken = scripted([stream(['{"record": "progress", "done": 1, "total": 2}\n'])]);
  await expect(broken.reverie.importRecords("{}")).rejects.toBeInstanceOf(ConnectionFailed);
});
