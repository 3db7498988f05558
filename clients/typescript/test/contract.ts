/** The contract of the clients: calls and what they answer, the same for every language. */

import { readdirSync, readFileSync } from "node:fs";
import * as client from "../src/index.js";

export const AGENT = "ada";
const FOLDER = new URL("../../contract/", import.meta.url);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Step {
  call: string;
  as?: string;
  arguments?: unknown[];
  fields?: Record<string, unknown>;
  answer?: unknown;
  contains?: string;
  error?: { class: string; status: number; fields?: string[] };
  keep?: Record<string, string>;
}

export interface Contract {
  name: string;
  title: string;
  client?: "Memory";
  steps: Step[];
}

type Client = Record<string, (...args: unknown[]) => unknown>;

export function contracts(): Contract[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({ name: name.replace(".json", ""), ...JSON.parse(readFileSync(new URL(name, FOLDER), "utf-8")) }));
}

/** Make the calls of a contract, one after another. Rejects for the first that is answered otherwise. */
export async function follow(contract: Contract, url: string, apiKey: string): Promise<void> {
  const kept: Record<string, unknown> = {};
  for (const [index, written] of contract.steps.entries()) {
    const step = putIn(written, kept) as Step;
    const place = `${contract.name}.json, step ${index + 1}: ${step.call}`;
    const options = { url, apiKey: step.as ?? apiKey };
    const made = contract.client ? new client.Memory(options) : new client.Reverie({ ...options, agent: AGENT });
    let answer: unknown;
    try {
      answer = await callOf(made as unknown as Client, step);
    } catch (error) {
      if (!step.error) throw new Error(`${place} fails`, { cause: error });
      checkError(error, step.error, place);
      continue;
    }
    if (step.error) throw new Error(`${place} does not fail: ${JSON.stringify(answer)}`);
    const said = difference(answer, step.answer);
    if (said) throw new Error(`${place}: ${said}`);
    if (!JSON.stringify(answer ?? null).includes(step.contains ?? ""))
      throw new Error(`${place}: ${JSON.stringify(answer)}`);
    for (const [name, where] of Object.entries(step.keep ?? {})) kept[name] = at(answer, where);
  }
}

/** A method has the name of Python's in camel case; what it takes by name there is its last object here. */
async function callOf(made: Client, step: Step): Promise<unknown> {
  const name = step.call.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const method = made[name];
  if (!method) throw new Error(`there is no ${name}`);
  const given = method.call(made, ...(step.arguments ?? []), ...(step.fields ? [step.fields] : []));
  if (typeof given !== "object" || given === null || !(Symbol.asyncIterator in given)) return given;
  const items: unknown[] = [];
  for await (const item of given as AsyncIterable<unknown>) items.push(item);
  return items;
}

/** How an answer differs from what is wanted: fields that are not named may be anything. */
export function difference(found: unknown, wanted: unknown, where = "the answer"): string | undefined {
  const shown = `${where} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`;
  if (typeof wanted === "string" && wanted in PLACEHOLDERS) return PLACEHOLDERS[wanted]?.(found) ? undefined : shown;
  if (typeof wanted !== "object" || wanted === null) return (found ?? null) === wanted ? undefined : shown;
  if (typeof found !== "object" || found === null || Array.isArray(found) !== Array.isArray(wanted)) return shown;
  if (Array.isArray(wanted) && wanted.length !== (found as unknown[]).length) return shown;
  for (const [name, value] of Object.entries(wanted)) {
    const said = difference((found as Record<string, unknown>)[name], value, `${where}.${name}`);
    if (said) return said;
  }
  return undefined;
}

const PLACEHOLDERS: Record<string, (found: unknown) => boolean> = {
  "<any>": (found) => found !== undefined && found !== null,
  "<number>": (found) => typeof found === "number",
  "<text>": (found) => typeof found === "string" && found !== "",
  "<time>": (found) => typeof found === "string" && TIME.test(found),
  "<id>": (found) => typeof found === "string" && ID.test(found),
};

function checkError(error: unknown, wanted: NonNullable<Step["error"]>, place: string): void {
  const matches =
    error instanceof client.APIError &&
    error.name === wanted.class &&
    error.status === wanted.status &&
    (!wanted.fields || sorted(error.fields) === sorted(wanted.fields));
  if (!matches) throw new Error(`${place} fails otherwise`, { cause: error });
}

function sorted(names: string[]): string {
  return [...names].sort().join();
}

/** A value in which `$name` stands for what was kept under that name. */
function putIn(value: unknown, kept: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => putIn(one, kept));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, putIn(one, kept)]));
  }
  return typeof value === "string" && value.startsWith("$") ? kept[value.slice(1)] : value;
}

function at(found: unknown, where: string): unknown {
  return where.split(".").reduce((value, part) => (value as Record<string, unknown>)[part], found);
}
