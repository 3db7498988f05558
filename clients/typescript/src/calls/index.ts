/**
 * Every call of the API, written down once: how it is asked, and what it answers. The client has a method for each.
 *
 * A new endpoint gets a function here, in the module of what it is about. What a call needs are arguments, in the order
 * of the Python client; all the rest is one object, the last argument, with the names of the API.
 */

export * from "./agents.js";
export * from "./deletions.js";
export * from "./graph.js";
export * from "./memories.js";
export * from "./pages.js";
export * from "./proxy.js";
export * from "./saved-searches.js";
export * from "./sessions.js";
export * from "./users-documents.js";
export * from "./workspace.js";
