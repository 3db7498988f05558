import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { AgentMemory } from "@reverie/client";
import { memoryTools, ReverieProcessor } from "@reverie/client/mastra";
import { model } from "./fakes/mastra.js"; // any model: "openai/gpt-5", "anthropic/claude-sonnet-5-5", …

const memory = new AgentMemory({ agent: "waiter" });
const reverie = new ReverieProcessor(memory);
const waiter = new Agent({
  id: "waiter",
  name: "waiter",
  instructions: "You serve cake.",
  model,
  inputProcessors: [reverie],
  outputProcessors: [reverie],
  memory: new MockMemory(), // the history of a thread: new Memory({ storage }) of @mastra/memory
  tools: memoryTools(memory), // for a model that saves and searches by itself
});

const monday = { memory: { thread: "monday", resource: "ana" } };
console.log((await waiter.generate("I am allergic to hazelnuts.", monday)).text);
const tuesday = { memory: { thread: "tuesday", resource: "ana" } };
console.log((await waiter.generate("Which cakes am I allergic to?", tuesday)).text);
