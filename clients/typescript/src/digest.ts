/** Digests that stand for names in keys and tags of memories: the same as those of the Python client. */

/** Stands for these labels, in letters alone: nothing that reads personal data finds a number in it. */
export async function digest(labels: readonly string[]): Promise<string> {
  const said = `[${labels.map(asciiJson).join(", ")}]`;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(said)));
  const halves = Array.from(bytes.subarray(0, 16)).flatMap((byte) => [byte >> 4, byte & 15]);
  return halves.map((half) => String.fromCharCode(97 + half)).join("");
}

function asciiJson(label: string): string {
  const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(label).replace(/[\u007f-\uffff]/g, escaped);
}
