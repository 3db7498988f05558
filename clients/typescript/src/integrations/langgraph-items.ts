/** What LangGraph's operations mean: which values a filter accepts, which namespaces match, what a value says. */

import { getTextAtPath, type MatchCondition } from "@langchain/langgraph-checkpoint";

type Value = Record<string, unknown>;

const OPERATORS: Record<string, (value: unknown, wanted: unknown) => boolean> = {
  $eq: equals,
  $ne: (value, wanted) => !equals(value, wanted),
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.some((one) => equals(value, one)),
  $nin: (value, wanted) => !(Array.isArray(wanted) && wanted.some((one) => equals(value, one))),
};

/** Whether an item of that value passes a filter. Throws TypeError for an operator that is none. */
export function accepts(filter: Value | undefined, value: Value): boolean {
  return Object.entries(filter ?? {}).every(([name, wanted]) => meets(value[name], wanted));
}

/** The part of a filter that is plain equality of texts, numbers and booleans: a search can do that itself. */
export function neededOf(filter: Value | undefined): Value {
  const plain = Object.entries(filter ?? {}).filter(([, one]) => ["string", "number", "boolean"].includes(typeof one));
  return Object.fromEntries(plain);
}

function meets(value: unknown, wanted: unknown): boolean {
  const names = typeof wanted === "object" && wanted !== null ? Object.keys(wanted) : [];
  if (!names.some((name) => name.startsWith("$"))) return equals(value, wanted);
  return Object.entries(wanted as Value).every(([name, one]) => {
    const compare = OPERATORS[name];
    if (!compare) throw new TypeError(`Unsupported operator: ${name}`);
    return compare(value, one);
  });
}

function equals(value: unknown, wanted: unknown): boolean {
  if (typeof value !== "object" || typeof wanted !== "object" || !value || !wanted) return value === wanted;
  const names = Object.keys(value);
  return (
    Array.isArray(value) === Array.isArray(wanted) &&
    names.length === Object.keys(wanted).length &&
    names.every((name) => equals((value as Value)[name], (wanted as Value)[name]))
  );
}

/** Whether a namespace begins or ends with a path, label by label; `*` is any one label. */
export function matches(namespace: string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const part = matchType === "prefix" ? namespace : namespace.slice(namespace.length - path.length);
  return path.every((wanted, index) => wanted === "*" || wanted === part[index]);
}

/**
 * What an item is searched by: its texts at these paths, or all that it says; empty for nothing. One text stands for
 * itself, several are lines that say what each is.
 */
export function textOf(value: Value, fields?: string[]): string {
  if (fields && !fields.includes("$"))
    return fields
      .flatMap((path) => getTextAtPath(value, path))
      .join("\n")
      .trim();
  const said = [...leaves(value, "")];
  const lines = said.length === 1 ? said.map(([, text]) => text) : said.map(([name, text]) => `${name}: ${text}`);
  return lines.join("\n").trim();
}

function* leaves(value: unknown, path: string): Generator<[string, string]> {
  if (Array.isArray(value)) {
    for (const child of value) yield* leaves(child, path);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, child] of Object.entries(value)) yield* leaves(child, path ? `${path}.${name}` : name);
  } else if (value !== null && value !== undefined && `${value}`.trim()) {
    yield [path, `${value}`];
  }
}
