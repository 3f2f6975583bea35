import assert from "node:assert/strict";
import { test } from "node:test";
import { EpochCache } from "../../../src/reads/metering/batch/postgres-caches.ts";

const ENTRIES_MAX = 100_000;

test("a cache of a node on PostgreSQL is cleared beyond 100,000 entries", async () => {
  let searched = 0;
  const cache = new EpochCache<undefined, string>(async (_run, wanted) => {
    searched += wanted.size;
    const rows = new Map([...wanted.keys()].map((name) => [name, name]));
    return { rows, epoch: 1, lasting: rows };
  });
  const run = () => assert.fail("the search of this test runs no statement");
  /** @returns how many of the rows were not in the cache. */
  const searchedFor = async (...names: readonly string[]) => {
    searched = 0;
    const { rows } = await cache.find(run, new Map(names.map((name) => [name, undefined])));
    assert.deepEqual([...rows.keys()].sort(), [...names].sort());
    return searched;
  };
  const names = Array.from({ length: ENTRIES_MAX }, (_, index) => `row ${index}`);
  assert.equal(await searchedFor(...names), ENTRIES_MAX);
  assert.equal(await searchedFor("row 0"), 0);

  assert.equal(await searchedFor("one more"), 1);

  assert.deepEqual([await searchedFor("one more"), await searchedFor("row 0")], [0, 1]);
});
