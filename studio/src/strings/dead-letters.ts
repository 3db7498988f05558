import { count } from "@/components/text";

export const deadLetters = {
  title: "Dead letters",
  total: (total: number) => count(total, "dead letter"),
  ofSession: (total: number) => `${count(total, "dead letter")} in this session`,
  text: "Workers crashed over these texts. Nothing reads them until you retry.",
  none: "Workers have crashed over no text.",
  kinds: { message: "Message", memory: "Memory", chunk: "Part of a document" },
  message: (session: string, seq: number) => `${session}, message ${seq.toLocaleString("en")}`,
  attempts: (attempts: number) => count(attempts, "attempt"),
  setAside: "Set aside",
  retrying: "retrying",
  retry: "Retry",
  retried: "Queued for one more attempt",
  discard: "Discard",
  discardTitle: "Discard this text?",
  discardText: "No worker reads it again, and it leaves this list. A message stays in its conversation.",
  discarded: "Discarded",
} as const;
