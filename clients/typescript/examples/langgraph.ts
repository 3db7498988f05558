import { Annotation, type LangGraphRunnableConfig, StateGraph } from "@langchain/langgraph";
import { ReverieStore } from "@reverie/client/langgraph";
import { answer } from "./fakes/answer.js"; // or a model: new ChatOpenAI({ model: "gpt-5" })

const State = Annotation.Root({ said: Annotation<string>, answer: Annotation<string> });

async function serve({ said }: typeof State.State, { store, configurable }: LangGraphRunnableConfig) {
  const namespace = ["users", configurable?.user as string];
  const known = await store?.search(namespace, { query: said, limit: 3 });
  if (!said.endsWith("?")) await store?.put(namespace, `${configurable?.thread_id}`, { text: said });
  return { answer: answer((known ?? []).map(({ value }) => value.text).join("\n"), said) };
}

const onFailure = (error: Error) => console.warn(`The store failed; the agent goes on: ${error.message}`);
const store = new ReverieStore({ agent: "waiter", onFailure });
const waiter = new StateGraph(State)
  .addNode("serve", serve)
  .addEdge("__start__", "serve")
  .addEdge("serve", "__end__")
  .compile({ store });

const monday = { configurable: { user: "ana", thread_id: "monday" } };
console.log((await waiter.invoke({ said: "I am allergic to hazelnuts." }, monday)).answer);
const tuesday = { configurable: { user: "ana", thread_id: "tuesday" } };
console.log((await waiter.invoke({ said: "Which cakes am I allergic to?" }, tuesday)).answer);
