import { createPostgresEngine } from "../../src/adapters/storage/postgres/engine.ts";
import { createPrimary } from "../../src/adapters/storage/postgres/primary.ts";
import { createStore } from "../../src/adapters/storage/store.ts";
import { administer } from "../support/postgres.ts";
import { newPostgresDatabase } from "../support/postgres-databases.ts";
import type { TestDatabase } from "./suite/database.ts";

/** Longer than in production: the machines that run tests are busy. */
const SETTINGS = { connectionsMax: 5, statementTimeoutMs: 10_000 };

/** A new PostgreSQL database; each store has connections of its own, as a node has. */
export async function createPostgresDatabase(): Promise<TestDatabase> {
  await using starting = new AsyncDisposableStack();
  const { hosts, url } = starting.use(await newPostgresDatabase());
  const opened = starting.move();
  const newEngine = () => createPostgresEngine(createPrimary(hosts, SETTINGS), SETTINGS);
  const setUnits = "UPDATE daily_usage SET units = $2 WHERE account_id = $1";
  return {
    openStore: () => opened.use(createStore(newEngine())),
    openEngine: () => opened.use(newEngine()),
    async setDailyUnits(accountId, units) {
      await using engine = newEngine();
      await engine.query(setUnits, accountId, units);
    },
    async losePlan(name) {
      const remove = `DELETE FROM plans WHERE name = '${name}'`;
      await administer(url, "SET session_replication_role = replica", remove);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
