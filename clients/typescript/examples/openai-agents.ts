import { Agent, Runner } from "@openai/agents";
import { AgentMemory } from "@reverie/client";
import { memoryTools, ReverieSession } from "@reverie/client/openai-agents";
import { model } from "./fakes/openai-agents.js"; // leave it out for a model of OpenAI

const memory = new AgentMemory({ agent: "waiter", user: "ana", session: "monday" });
const waiter = new Agent({ name: "waiter", instructions: "You serve cake.", model, tools: memoryTools(memory) });
const runner = new Runner({ tracingDisabled: true });

const monday = new ReverieSession(memory);
const told = await runner.run(waiter, "I am allergic to hazelnuts.", { session: monday });
console.log(told.finalOutput);

const tuesday = new ReverieSession(memory.inSession("tuesday"));
const asked = await runner.run(waiter, "Which cakes am I allergic to?", {
  session: tuesday,
  callModelInputFilter: tuesday.recall, // what other conversations taught
});
console.log(asked.finalOutput);
console.log((await tuesday.getItems()).length, "items in the second session");
