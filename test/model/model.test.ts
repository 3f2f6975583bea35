import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { newPostgresDatabase } from "../support/postgres-databases.ts";
import { play } from "./run-stories.ts";
import { openTheatre } from "./service-under-test.ts";

// 10 CPU seconds: a story has up to 80 steps. They are the same each time, so that a failure is due to
// the change under test. `npm run trials -- model` creates others, for as long as you like.
const SEED = 20_261_121;
const STORIES = { sqlite: 16, postgres: 8 };

async function assertAsModelled(
  t: TestContext,
  engine: keyof typeof STORIES,
  url?: string,
): Promise<void> {
  t.diagnostic(`seed ${SEED}`);
  await using theatre = await openTheatre(url);
  const { failure } = await play(theatre, engine, { seed: SEED, stories: STORIES[engine] });
  if (failure !== undefined) assert.fail(failure);
}

suite("the service does what the model predicts in random stories", { concurrency: 2 }, () => {
  test("on SQLite", async (t) => {
    await assertAsModelled(t, "sqlite");
  });

  test("on PostgreSQL", async (t) => {
    await using database = await newPostgresDatabase();
    await assertAsModelled(t, "postgres", database.url);
  });
});
