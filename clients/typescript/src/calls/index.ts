/**
 * Every call of the API: how it is asked, and what it answers. The client has a method for each.
 *
 * `make clients` makes the functions of new endpoints; those with a logic of their own are written by hand. What a call
 * needs are arguments, in the order of the Python client; all the rest is one object, the last argument, with the names
 * of the API.
 */

export * from "./generated.js";
export * from "./proxy.js";
export * from "./special.js";
