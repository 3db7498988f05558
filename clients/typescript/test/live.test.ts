import { describe, expect, test } from "vitest";
import * as calls from "../src/calls/index.js";
import { Reverie } from "../src/index.js";

const url = process.env.REVERIE_TEST_URL ?? "";
const keys: Record<string, string> = JSON.parse(process.env.REVERIE_TEST_KEYS ?? "{}");
const client = () => new Reverie({ url, apiKey: keys.live, agent: "ada" });

/** Streams and texts: methods of their own, or none. */
const ELSEWHERE = [
  "GET /v1/events",
  "GET /v1/export",
  "GET /v1/workspaces/{}/export",
  "POST /v1/import",
  "GET /metrics",
];

function shape(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replace(/\{[^}]*\}|%7B%7D/g, "{}")}`;
}

/** What the methods send when each is given names of parameters. */
function called(): string[] {
  const builds = Object.values(calls) as ((...names: unknown[]) => { method: string; path: string })[];
  return builds.map((build) => build("{}", "{}", "{}")).map(({ method, path }) => shape(method, path));
}

describe.skipIf(!url)("streams of a live server (REVERIE_TEST_URL)", () => {
  test("events are read from the beginning, and resumed after the last one", async () => {
    const reverie = client();
    for (const n of [1, 2, 3]) await reverie.saveMemory("fact", `The number ${n} is on the door`);
    const positions: number[] = [];
    for await (const event of reverie.streamEvents({ after: 0 })) {
      positions.push(event.position as number);
      if (positions.length === 2) break;
    }
    const rest: number[] = [];
    for await (const event of reverie.streamEvents({ after: positions[1], wait: false }))
      rest.push(event.position as number);
    const all: number[] = [];
    for await (const event of reverie.streamEvents({ after: 0, wait: false })) all.push(event.position as number);
    expect(all.slice(0, 2)).toEqual(positions);
    expect([...positions, ...rest]).toEqual(all);
    expect(rest.length).toBeGreaterThan(0);
  });

  test("an export is imported again, and changes nothing", async () => {
    const reverie = client();
    await reverie.saveMemory("fact", "The spare key is in the red vault");
    const lines: string[] = [];
    for await (const line of reverie.exportRecords()) lines.push(JSON.stringify(line));
    const whole = new Blob([`${lines.join("\n")}\n`]);
    const progress: number[] = [];
    const done = await reverie.importRecords(whole.stream(), { onProgress: (written) => progress.push(written) });
    expect(done.created).toBe(0);
    expect(done.unchanged).toBeGreaterThan(0);
    expect(progress.length).toBeGreaterThan(0);
    await expect(reverie.importRecords("{}\n")).rejects.toMatchObject({ name: "InvalidRequest", problem: { line: 1 } });
  });

  test("a completion comes as the model says it", async () => {
    const reverie = client();
    await reverie.updateSettings({ proxy: { enabled: true, models: ["m"] } });
    const request = { model: "m", messages: [{ role: "user", content: "hi" }] };
    let text = "";
    for await (const chunk of reverie.createChatCompletionStream(request, { "X-Reverie-User": "sam" })) {
      const choices = chunk.choices as { delta: { content?: string } }[];
      text += choices[0]?.delta.content ?? "";
    }
    expect(text).toBe("ok");
  });

  test("a question is answered in a stream, without a language model by the memories", async () => {
    const reverie = client();
    await reverie.saveMemory("fact", "The deploy key is in the blue vault");
    const events: string[] = [];
    for await (const one of reverie.askMemoryStream("Where is the deploy key?")) {
      events.push(one.event);
      if (one.event === "memories") expect(JSON.stringify(one.memories)).toContain("blue vault");
      if (one.event === "answer") expect(one.answer.answer).toBeNull();
    }
    expect(events).toEqual(["memories", "answer"]);
  });

  test("a save that is repeated with its idempotency key is done once", async () => {
    const reverie = client();
    const save = () => reverie.saveMemory("fact", "Once is enough", undefined, { idempotencyKey: "once" });
    const [first, again] = [await save(), await save()];
    expect(again).toEqual(first);
    expect(again.created).toBe(true);
  });

  test("every endpoint of the API has its method", async () => {
    const { paths } = await (await fetch(`${url}/openapi.json`)).json();
    const served = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => shape(method, path)),
    );
    expect(served.filter((one) => ![...called(), ...ELSEWHERE].includes(one))).toEqual([]);
  });
});
