/** Where the text is, in messages and parts of any format. */
const TEXTS = ["content", "parts", "text", "value", "refusal", "message", "blocks", "data", "kwargs"] as const;
/** Types of parts and messages that hold text; others do if their name says so. */
const PLAIN_KINDS = ["refusal", "message", "human", "ai", "constructor"];
/** Roles whose turns are no memories where each turn is saved as it is. */
const NOT_SAID = ["system", "developer", "tool", "function", "toolresult"];

/** What a turn says, whatever format its content is in; empty for what is no text. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOf).filter(Boolean).join("\n");
  if (typeof content !== "object" || content === null) return "";
  const part = content as Record<string, unknown>;
  const kind = part.type ?? part.block_type;
  const isText = typeof kind !== "string" || kind.includes("text") || PLAIN_KINDS.includes(kind);
  if (!isText || part.thought === true) return "";
  return TEXTS.map((name) => textOf(part[name])).find(Boolean) ?? "";
}

/** What a turn of any format says; empty for one of the system, and for a tool's. */
export function saidIn(turn: Record<string, unknown>): string {
  if (NOT_SAID.includes(String(turn.role ?? turn.type ?? "").toLowerCase())) return "";
  return textOf(Object.fromEntries(TEXTS.filter((name) => name in turn).map((name) => [name, turn[name]])));
}
