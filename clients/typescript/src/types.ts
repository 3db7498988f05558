/** The types of the API by the name of an operation, taken from those generated of the OpenAPI document. */

import type { components, operations } from "./openapi.js";

export type Operation = keyof operations;
export type Schemas = components["schemas"];

type Json<Response> = Response extends { content: { "application/json": infer Body } } ? Body : undefined;
type Success<Responses> = { [Status in keyof Responses]: Json<Responses[Status]> }[keyof Responses];

/** What an operation answers; undefined where it answers without a body. */
export type Answer<Name extends Operation> = Success<operations[Name]["responses"]>;

type Parameters<Name extends Operation> = NonNullable<operations[Name]["parameters"]["query"]>;
type Filter<Sent> = "where" extends keyof Sent ? { where?: string | Record<string, unknown> } : unknown;

/** The query parameters of an operation. The client follows the cursors of lists itself, and filters may be objects. */
export type Query<Name extends Operation> = Omit<Parameters<Name>, "cursor" | "where"> & Filter<Parameters<Name>>;

/** The headers of an operation. */
export type Headers<Name extends Operation> = NonNullable<operations[Name]["parameters"]["header"]>;

/** The body of an operation. */
export type Body<Name extends Operation> = NonNullable<
  NonNullable<operations[Name]["requestBody"]> extends { content: { "application/json": infer Sent } } ? Sent : never
>;

/** The optional fields of a body whose `Given` fields are arguments of their own. */
export type Fields<Name extends Operation, Given extends PropertyKey = never> = Omit<Body<Name>, Given>;

/** One item of a list. */
export type Item<Name extends Operation> = Answer<Name> extends { items: (infer One)[] } ? One : never;

export type MemoryRecord = Answer<"get_memory">;
export type MemoryVersion = Item<"list_memory_history">;
export type MemoryDraft = Body<"save_memory">;
export type MemoryType = MemoryDraft["type"];
export type SavedMemory = Answer<"save_memory">;
export type SearchOptions = Fields<"search_memories", "query">;
export type PreviewOptions = Fields<"preview_search", "query">;
export type SearchAnswer = Answer<"search_memories">;
export type SearchResult = SearchAnswer["results"][number];
export type SessionRecord = Answer<"get_session">;
export type MessageDraft = Body<"append_messages">["messages"][number];
export type MessageRecord = Item<"list_messages">;
export type ContextOptions = Fields<"build_context", "message">;
export type ContextAnswer = Answer<"build_context">;
export type AskAnswer = Answer<"ask_memory">;
export type AgentRecord = Answer<"get_agent">;
export type Dream = Answer<"get_dream">;
export type Bulletin = Answer<"get_bulletin">;
export type Entity = Answer<"get_entity">;
export type Document = Answer<"get_document">;
export type Key = Item<"list_keys">;
export type CreatedKey = Answer<"create_key">;
export type Settings = Answer<"get_settings">;
export type ModelCallRecord = Item<"list_model_calls">;
export type UsageReport = Answer<"get_usage">;
export type Imported = Answer<"import_records">;
