import { AgentMemory } from "@reverie/client";
import { memoryTools, reverieMiddleware } from "@reverie/client/ai-sdk";
import { generateText, streamText, wrapLanguageModel } from "ai";
import { model } from "./fakes/ai-sdk.js"; // any model: openai("gpt-5"), anthropic("claude-sonnet-5-5"), …

const memory = new AgentMemory({ agent: "waiter", user: "ana", session: "monday" });
const remembering = wrapLanguageModel({ model, middleware: reverieMiddleware(memory) });
const tools = memoryTools(memory); // for a model that saves and searches by itself

const monday = await generateText({ model: remembering, tools, prompt: "I am allergic to hazelnuts." });
console.log(monday.text);

const tuesday = streamText({
  model: remembering,
  system: "You serve cake.",
  prompt: "Which cakes am I allergic to?",
  providerOptions: { reverie: { session: "tuesday" } },
});
for await (const part of tuesday.textStream) process.stdout.write(part);
console.log();
