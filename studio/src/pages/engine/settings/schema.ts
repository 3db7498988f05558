/** The settings of a workspace as the API describes them in its own document. */

import { engine } from "@/strings/engine";

export interface Schema {
  $ref?: string;
  type?: string;
  enum?: string[];
  const?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  description?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  maxLength?: number;
  "x-reverie-setting"?: Marks;
  "x-reverie-sections"?: { name: string; title: string }[];
}

/** What the document says of a setting beside what it may be. */
interface Marks {
  section: string;
  change: string;
  advanced?: boolean;
}

export interface ApiDocument {
  paths: Record<string, { put: { requestBody: { content: Record<string, { schema: Schema }> } } }>;
  components: { schemas: Record<string, Schema> };
}

/** One setting: its place in the settings (the part `""` is their top), what it may be, and whether it may be null.
 * `title` is that of its section. */
export interface Setting {
  title: string;
  part: string;
  name: string;
  schema: Schema;
  isOptional: boolean;
  marks: Marks;
}

function resolved(api: ApiDocument, schema: Schema): Schema {
  const { $ref, allOf, ...own } = schema;
  const base = allOf?.length === 1 ? allOf[0] : $ref && api.components.schemas[$ref.split("/").at(-1) ?? ""];
  return base ? { ...resolved(api, base), ...own } : schema;
}

/** What a schema allows besides null; several constants become one choice. */
function besidesNull(schema: Schema): Schema {
  const options = schema.anyOf?.filter(({ type }) => type !== "null");
  if (!options?.length) return schema;
  const words = options.flatMap((one) => one.enum ?? (one.const === undefined ? [] : [one.const]));
  const { anyOf: _, ...own } = schema;
  return { ...options[0], ...own, ...(words.length ? { enum: words } : {}) };
}

/** All settings, in the order of their sections. */
export function settingsOf(api: ApiDocument): Setting[] {
  const content = api.paths["/v1/settings"]?.put.requestBody.content["application/json"];
  const whole = content ? resolved(api, content.schema) : {};
  const settings = settingsIn(api, whole, "");
  return (whole["x-reverie-sections"] ?? []).flatMap(({ name, title }) =>
    settings.filter(({ marks }) => marks.section === name).map((one) => ({ ...one, title })),
  );
}

function settingsIn(api: ApiDocument, whole: Schema, part: string): Omit<Setting, "title">[] {
  return Object.entries(whole.properties ?? {}).flatMap(([name, given]) => {
    const field = resolved(api, given);
    const schema = resolved(api, besidesNull(field));
    const marks = given["x-reverie-setting"];
    if (!marks) return settingsIn(api, schema, name);
    const isOptional = field.anyOf?.some(({ type }) => type === "null") ?? false;
    return [{ part, name, schema, isOptional, marks }];
  });
}

const UNITS: Record<string, string> = {
  ms: "milliseconds",
  s: "seconds",
  h: "hours",
  days: "days",
  usd: "US dollars",
};
const NAMES: Record<string, string> = { rrf_k: "RRF constant k" };

/** The name of a setting in words: `idle_s` of `window` is `Session window: Idle, seconds`. */
export function labelOf({ part, name, title }: Setting): string {
  const { parts } = engine.settings;
  const words = inWords(name);
  return part === "" || parts[part] === title ? words : `${parts[part] ?? inWords(part)}: ${words}`;
}

function inWords(name: string): string {
  const known = NAMES[name];
  if (known) return known;
  const words = name.split("_");
  const unit = words.length > 1 ? UNITS[words.at(-1) ?? ""] : undefined;
  const text = (unit ? words.slice(0, -1) : words).join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${unit ? `, ${unit}` : ""}`;
}
