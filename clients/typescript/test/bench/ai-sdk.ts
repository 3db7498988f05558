/** What the middleware of the AI SDK adds to a call of a model that answers at once: the ways in turn, as JSON. */

import { AgentMemory } from "@reverie/client";
import { reverieMiddleware } from "@reverie/client/ai-sdk";
import { generateText, wrapLanguageModel } from "ai";
import { model } from "../../examples/fakes/ai-sdk.js";

const [calls = 200, warmUp = 30] = process.argv.slice(2).map(Number);
const memory = new AgentMemory({ agent: "a", user: "u1" });
const wrapped = (middleware = reverieMiddleware(memory)) => wrapLanguageModel({ model, middleware });
const ways = {
  "the model alone": model,
  "recall only (waitUntil takes the rest)": wrapped(reverieMiddleware(memory, { waitUntil: () => {} })),
  "recall and remember": wrapped(),
};
const taken: Record<string, number[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));

for (let number = 0; number < warmUp + calls; number += 1) {
  for (const [name, way] of Object.entries(ways)) {
    const started = performance.now();
    await generateText({ model: way, prompt: `What do I like about trip ${number}?` });
    if (number >= warmUp) taken[name]?.push(performance.now() - started);
  }
}
console.log(JSON.stringify(taken));
