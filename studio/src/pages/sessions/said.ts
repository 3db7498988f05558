/** What was said, as text; what is not text is named in its place. */
export function said(content: unknown): string {
  const parts = Array.isArray(content) ? content : [content];
  return parts
    .filter((part) => part !== null && part !== undefined)
    .map((part) => {
      if (typeof part !== "object") return `${part}`;
      const { text, type } = part as { text?: unknown; type?: unknown };
      return typeof text === "string" && text ? text : `[${typeof type === "string" ? type : "data"}]`;
    })
    .join("\n");
}
