/** The TypeScript client of Reverie: `Reverie` speaks the whole API, `Memory` has the methods of mem0. */

export type { AgentMemoryOptions, MemoryTool } from "./agent-memory.js";
export { AgentMemory } from "./agent-memory.js";
export type { WireFormat } from "./calls/proxy.js";
export * from "./errors.js";
export type * from "./memory.js";
export { Memory } from "./memory.js";
export type { components, operations, paths } from "./openapi.js";
export type { RememberOptions } from "./remember.js";
export { remember } from "./remember.js";
export { Reverie } from "./reverie.js";
export type { AskEvent, EventOptions, ImportOptions, ReverieEvent } from "./streams.js";
export type { ClientOptions, RequestOptions } from "./transport.js";
export type * from "./types.js";
