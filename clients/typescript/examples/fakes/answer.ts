/** What the models of the examples say: to a question the line of their prompt that has most of its words. */
export function answer(prompt: string, asked: string): string {
  if (!asked.endsWith("?")) return "Good to know.";
  const wanted = wordsOf(asked);
  const lines = prompt.split("\n").filter((line) => line && !line.includes(asked));
  const shared = (line: string) => [...wordsOf(line)].filter((word) => wanted.has(word)).length;
  const best = lines.reduce((one, other) => (shared(other) > shared(one) ? other : one), "");
  return shared(best) ? best.replace(/^(- )?(\[[^\]]*\] )?/, "") : "I do not know.";
}

function wordsOf(line: string): Set<string> {
  return new Set((line.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => word.length > 3));
}
