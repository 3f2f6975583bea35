import { join } from "node:path";
import { startPostgres } from "../../harness/postgres.ts";
import { parsePair } from "../../src/rates/rules/symbol.ts";
import type { DatabaseSettings } from "../../src/storage/settings.ts";
import { openStore, type Store } from "../../src/store.ts";
import { BY } from "../contract/suite/database.ts";
import { databaseOf } from "../support/postgres-databases.ts";
import { quickSecrets } from "../support/quick-secrets.ts";
import { Draws } from "../support/random.ts";
import { patient, startService, TestClock, type TestService } from "../support/service.ts";

export const engines = ["sqlite", "postgres"] as const;
export type EngineName = (typeof engines)[number];

/** The service under test. Disposing it stops it. */
export interface Target extends AsyncDisposable {
  readonly service: TestService;
  /** The same store, for an operator's changes. */
  readonly store: Store;
  /** Starts a new sequence of secrets. */
  reseed(seed: number): void;
  /** The last secret that the service created. */
  lastSecret(): string;
  /** An unused client address, so that preparations do not count against the cases' limits. */
  newAddress(): string;
}

/** Small, to limit password hashing, which takes a hundred times as long as other requests. */
const AUTH_CALLS_A_WINDOW = 4;

/** Starts a service on an engine, with seeded secrets and EUR/JPY suspended. */
export async function startTarget(engine: EngineName): Promise<Target> {
  await using starting = new AsyncDisposableStack();
  const database: DatabaseSettings =
    engine === "postgres"
      ? databaseOf(starting.use(await startPostgres()).url())
      : { engine: "sqlite" };
  const { secrets, lastSecret, reseed } = seededSecrets();
  const service = starting.use(
    await startService({
      clock: new TestClock("2026-11-02T00:00:00.000Z"),
      secrets,
      config: {
        database,
        authCallsPerWindow: AUTH_CALLS_A_WINDOW,
        trustedProxies: ["loopback"],
      },
    }),
  );
  const { dataDirectory } = service;
  const settings = { dataDirectory, database, backupDirectory: join(dataDirectory, "backups") };
  const store = starting.use(await openStore(settings, patient, () => undefined));
  const suspended = parsePair("EUR", "JPY");
  if (suspended === undefined || !(await store.rates.suspend(suspended, BY))) {
    throw new Error("EUR/JPY is not stored");
  }
  const started = starting.move();
  let addresses = 0;
  return {
    service,
    store,
    reseed,
    lastSecret,
    newAddress() {
      addresses += 1;
      return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Secrets of a sequence, so that the same seed makes the same requests. */
function seededSecrets() {
  let draws = new Draws(0);
  let ids = 0;
  return {
    ...quickSecrets({
      /** In order of creation, as UUIDv7s are. */
      uuid() {
        ids += 1;
        const time = ids.toString(16).padStart(12, "0");
        const tail = `7${draws.hexadecimal(3)}-8${draws.hexadecimal(3)}`;
        return `${time.slice(0, 8)}-${time.slice(8)}-${tail}-${draws.hexadecimal(12)}`;
      },
      secret: () => draws.hexadecimal(64),
    }),
    reseed(seed: number): void {
      draws = new Draws(seed);
    },
  };
}
