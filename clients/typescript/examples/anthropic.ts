import { AgentMemory } from "@reverie/client";
import { memoryTool } from "@reverie/client/anthropic";
import { client } from "./fakes/anthropic.js"; // or: new Anthropic()

const memory = new AgentMemory({ agent: "waiter", user: "ana" });

async function converse(said: string): Promise<void> {
  const answer = await client.beta.messages.toolRunner({
    model: "claude-sonnet-5-5",
    max_tokens: 1_000,
    tools: [memoryTool(memory)],
    messages: [{ role: "user", content: said }],
  });
  for (const block of answer.content) if (block.type === "text") console.log(block.text);
}

await converse("I am allergic to hazelnuts.");
await converse("Which cakes am I allergic to?"); // another conversation: what it knows it has read in its files

const [found] = await memory.find("what is Ana allergic to?", 1); // a file is a memory like any other
console.log(found?.memory?.content);
