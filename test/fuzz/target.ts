import { parsePair } from "../../src/rates/rules/symbol.ts";
import { parseDatabaseUrl, serverTimeouts } from "../../src/storage/settings.ts";
import { openStore, type Store } from "../../src/store.ts";
import { startPostgres } from "../support/postgres.ts";
import { quickSecrets } from "../support/quick-secrets.ts";
import { Draws } from "../support/random.ts";
import { startService, TestClock, type TestService } from "../support/service.ts";

export const engines = ["sqlite", "postgres"] as const;
export type EngineName = (typeof engines)[number];

/** The service that is to be broken. Disposing of it ends it. */
export interface Target extends AsyncDisposable {
  readonly service: TestService;
  /** The same store, for what only an operator does. */
  readonly store: Store;
  /** Begins a new sequence of secrets. */
  reseed(seed: number): void;
  /** The last secret that the service has made. */
  lastSecret(): string;
  /** An address that has not called: who prepares spends no budget of what is tried. */
  newAddress(): string;
}

/** Small, so that few passwords are hashed, which take a hundred times what another request does. */
const AUTH_CALLS_A_WINDOW = 4;

/** @param engine what the service keeps its rows in. */
export async function startTarget(engine: EngineName): Promise<Target> {
  await using starting = new AsyncDisposableStack();
  const databaseHosts =
    engine === "postgres" ? parseDatabaseUrl(starting.use(await startPostgres()).url()) : undefined;
  const { secrets, lastSecret, reseed } = seededSecrets();
  const service = starting.use(
    await startService({
      clock: new TestClock("2026-11-02T00:00:00.000Z"),
      secrets,
      config: {
        databaseHosts,
        authCallsPerWindow: AUTH_CALLS_A_WINDOW,
        trustedProxies: ["loopback"],
      },
    }),
  );
  const settings = { dataDirectory: service.dataDirectory, databaseHosts };
  const store = starting.use(await openStore(settings, serverTimeouts));
  const suspended = parsePair("EUR", "JPY");
  if (
    suspended === undefined ||
    !(await store.suspendRate(suspended, "2026-11-01T00:00:00.000Z"))
  ) {
    throw new Error("the snapshot lacks EUR/JPY");
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
