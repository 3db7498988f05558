/** What the tests of the entry points for frameworks share. */

import assert from "node:assert/strict";
import { AgentMemory, type AgentMemoryOptions, Reverie } from "@reverie/client";

export const NOWHERE = "http://127.0.0.1:9";

/** A memory in a conversation that nobody else uses, and the warnings it gives. */
export function remembering(options: AgentMemoryOptions = {}) {
  const warnings: string[] = [];
  const agent = `agent-${crypto.randomUUID()}`;
  const memory = new AgentMemory({ agent, user: "ana", warn: (said) => warnings.push(said), ...options });
  return { memory, warnings };
}

/** The texts of a conversation, oldest first, as the server has them. */
export async function turnsOf({ agent, session }: AgentMemory): Promise<unknown[]> {
  const turns: unknown[] = [];
  for await (const { role, content } of new Reverie({ agent }).listMessages(session)) turns.push([role, content]);
  return turns;
}

/** `fetch` whose first answers to requests for this path are lost on the way: the server has done what they ask. */
export function losing(path: string, times: number): typeof fetch {
  let lost = 0;
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (!`${input}`.endsWith(path) || lost === times) return answer;
    lost += 1;
    throw new TypeError("the connection broke");
  };
}

const USERS = ["anna", "boris", "clara"];
const BREAD = "Which bread is there?";
const ALLERGY = "What am I allergic to?";

/** Words of memories, and to whom these belong. */
const BELONGS: [string, string[]][] = [
  ["poppy", []],
  ["sesame", ["anna", "boris"]],
  ["olives", USERS],
];

/** Who says what where, a word that nobody else says, and who are the members of the session by then. */
const TOLD: [string | undefined, string, string, string, string[]][] = [
  ["anna", "anna's", "I am allergic to almonds.", "almonds", ["anna"]],
  ["boris", "boris's", "I am allergic to dates.", "dates", ["boris"]],
  ["anna", "picnic", "I bring kale.", "kale", ["anna"]],
  ["boris", "picnic", "I bring leek.", "leek", ["anna", "boris"]],
  ["clara", "picnic", "I bring melon.", "melon", USERS],
  ["anna", "picnic", "I bring quince too.", "quince", USERS],
  ["clara", "clara's", "I am allergic to ginger.", "ginger", ["clara"]],
  [undefined, "nobody's", "The kitchen serves nutmeg.", "nutmeg", []],
];

/** Who speaks where; `memory` is that of all, in another conversation and without a user. */
export interface Speaker {
  memory: AgentMemory;
  user: string | undefined;
  session: string;
}

/**
 * Three users speak with one agent, one of whom joins late: what `say` gives of each message is what the model was sent
 * for it, which has to hold what is the user's own and nothing of another's.
 *
 * `isOwn`: the integration keeps what is said for its user alone, and shows nothing else. `hasHistory`: it gives what was
 * said before in the session.
 */
export async function keptApart(
  say: (speaker: Speaker, message: string) => Promise<unknown>,
  { isOwn = false, hasHistory = false } = {},
): Promise<void> {
  const { memory, warnings } = remembering({ user: undefined });
  const belongs = new Map(BELONGS);
  for (const [word, owners] of BELONGS) {
    await memory.reverie.saveMemory("fact", `There is bread that has ${word} in it`, { owners });
  }
  const visibleTo = (viewer: string[]) =>
    [...belongs].flatMap(([word, owners]) =>
      !owners.length || (viewer.length && viewer.every((one) => owners.includes(one))) ? [word] : [],
    );
  async function check(user: string | undefined, session: string, message: string, wanted: string[]): Promise<void> {
    const sent = JSON.stringify(await say({ memory, user, session }, message));
    const all = [...BELONGS.map(([word]) => word), ...TOLD.map(([, , , word]) => word)];
    const heard = all.filter((word) => sent.includes(word));
    const viewer = user ? [user] : session === "picnic" ? USERS : [];
    const seen = visibleTo(viewer);
    const told = `${user} in ${session}: ${message} ${heard}`;
    assert.deepEqual([heard.filter((word) => !seen.includes(word)), told], [[], told]);
    assert.deepEqual([wanted.filter((word) => !heard.includes(word)), told], [[], told]);
  }
  for (const [user, session, text, word, members] of TOLD) {
    const before = TOLD.filter((one) => hasHistory && one[1] === session && visibleTo([`${user}`]).includes(one[3]));
    belongs.set(word, isOwn && user ? [user] : members);
    await check(user, session, text, [word, ...before.map((one) => one[3])]);
  }
  for (const user of [...USERS, undefined]) {
    const known = BELONGS.flatMap(([word]) => (visibleTo(user ? [user] : []).includes(word) ? [word] : []));
    await check(user, `${user}, later`, BREAD, isOwn ? [] : known);
    const own = TOLD.filter(([who, , text]) => user && who === user && text.includes("allergic"));
    await check(
      user,
      `${user}, last`,
      ALLERGY,
      own.map(([, , , word]) => word),
    );
  }
  await check(undefined, "picnic", BREAD, isOwn ? [] : ["poppy"]);
  assert.deepEqual(warnings, []);
}
