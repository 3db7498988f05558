/** The settings of a workspace as the API describes them in its own document. */

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
}

export interface ApiDocument {
  paths: Record<string, { put: { requestBody: { content: Record<string, { schema: Schema }> } } }>;
  components: { schemas: Record<string, Schema> };
}

/** One setting: its place, what it may be, and whether it may be null. */
export interface Setting {
  section: string;
  name: string;
  schema: Schema;
  isOptional: boolean;
}

const GENERAL = "";

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

function settingOf(api: ApiDocument, section: string, name: string, given: Schema): Setting {
  const schema = resolved(api, besidesNull(resolved(api, given)));
  const isOptional = resolved(api, given).anyOf?.some(({ type }) => type === "null") ?? false;
  return { section, name, schema, isOptional };
}

/** All settings, in the order of the document; those of no section have the section `""`. */
export function settingsOf(api: ApiDocument): Setting[] {
  const content = api.paths["/v1/settings"]?.put.requestBody.content["application/json"];
  const whole = content && resolved(api, content.schema);
  return Object.entries(whole?.properties ?? {}).flatMap(([name, given]) => {
    const within = resolved(api, besidesNull(resolved(api, given)));
    if (!within.properties) return [settingOf(api, GENERAL, name, given)];
    return Object.entries(within.properties)
      .filter(([field]) => field !== "locked_by")
      .map(([field, one]) => settingOf(api, name, field, one));
  });
}

const UNITS: Record<string, string> = { s: "seconds", h: "hours", days: "days", usd: "US dollars" };
const NAMES: Record<string, string> = { rrf_k: "RRF constant k", k1: "BM25 k1", b: "BM25 b" };

/** The name of a setting in words: `idle_s` is `Idle, seconds`. */
export function labelOf(name: string): string {
  const known = NAMES[name];
  if (known) return known;
  const words = name.split("_");
  const unit = words.length > 1 ? UNITS[words.at(-1) ?? ""] : undefined;
  const text = (unit ? words.slice(0, -1) : words).join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${unit ? `, ${unit}` : ""}`;
}
