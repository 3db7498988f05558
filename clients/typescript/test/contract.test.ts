import { describe, expect, test } from "vitest";
import { contracts, difference, follow } from "./contract.js";

/** The address of a server, and the key of a workspace of its own for each test that writes, by name. */
const url = process.env.REVERIE_TEST_URL ?? "";
const keys: Record<string, string> = JSON.parse(process.env.REVERIE_TEST_KEYS ?? "{}");

describe.skipIf(!url)("the contract that clients of all languages keep (REVERIE_TEST_URL)", () => {
  test.each(contracts())("$title", async (contract) => {
    await follow(contract, url, keys[contract.name] ?? "");
  });
});

test.each([
  [{ a: 1 }, { a: 2 }],
  [{}, { a: 2 }],
  [[1], [1, 2]],
  [
    [2, 1],
    [1, 2],
  ],
  ["", "<text>"],
  [true, "<number>"],
  ["today", "<time>"],
  [null, "<any>"],
  [{ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }],
])("a different answer is noticed: %j, not %j", (found, wanted) => {
  expect(difference(found, wanted)).toBeTruthy();
});

test("more fields in an answer are fine", () => {
  expect(difference({ a: 1, b: [{ c: null, d: 1 }] }, { b: [{ c: null, e: null }] })).toBeUndefined();
});
