/** A call as others would send it: by curl, by the Python client. */

import type { Call } from "@reverie/client/call";
import { queryString } from "@reverie/client/call";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function without<T extends object>(given: T | undefined): Partial<T> {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as Partial<T>;
}

/** The call as a command. The key is taken from the environment, never from the page. */
export function asCurl(call: Call<unknown>, origin = window.location.origin): string {
  const address = `${origin}${call.path}${queryString(without(call.query))}`;
  const lines = [
    `curl ${call.method === "GET" ? "" : `-X ${call.method} `}${quoted(address)}`,
    `  -H "Authorization: Bearer $REVERIE_API_KEY"`,
  ];
  if (call.body) {
    lines.push(`  -H 'Content-Type: application/json'`, `  -d ${quoted(JSON.stringify(without(call.body)))}`);
  }
  return lines.join(" \\\n");
}

function python(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (typeof value === "object") {
    const entries = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one)}`);
    return `{${entries.join(", ")}}`;
  }
  return JSON.stringify(value);
}

/** The call as a method of the Python client: `method` is its name, `given` its arguments by name. */
export function asPython(method: string, given: object, origin = window.location.origin): string {
  const parameters = Object.entries(without(given)).map(([name, value]) => `${name}=${python(value)}`);
  return [
    "import os",
    "from reverie_client import Reverie",
    "",
    `with Reverie(${JSON.stringify(origin)}, os.environ["REVERIE_API_KEY"]) as reverie:`,
    `    print(reverie.${method}(${parameters.join(", ")}))`,
  ].join("\n");
}
