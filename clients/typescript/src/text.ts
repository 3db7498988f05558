/** What a turn says; empty for what is no text. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (part as { text?: string } | null)?.text || []).join("\n");
}
