import { startPostgres } from "../../harness/postgres.ts";
import { createSecrets } from "../../src/crypto/secrets.ts";
import { parsePair } from "../../src/rates/rules/symbol.ts";
import type { Secrets } from "../../src/shared/secrets.ts";
import { parseDatabaseUrl, serverTimeouts } from "../../src/storage/settings.ts";
import { openStore, type Store } from "../../src/store.ts";
import { quickHashing } from "../support/quick-hashing.ts";
import { startService, TestClock, type TestService } from "../support/service.ts";
import { Draw } from "./random.ts";

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
  const secrets = new SeededSecrets();
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
    reseed: (seed) => secrets.reseed(seed),
    lastSecret: () => secrets.last,
    newAddress() {
      addresses += 1;
      return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Production's secrets, but for their randomness and the cost of a password: the same seed makes the same requests. */
class SeededSecrets implements Secrets {
  readonly #real = createSecrets(quickHashing);
  #draw = new Draw(0);
  #ids = 0;
  last = "";

  reseed(seed: number): void {
    this.#draw = new Draw(seed);
  }

  /** In order of creation, as UUIDv7s are. */
  uuid(): string {
    this.#ids += 1;
    const time = this.#ids.toString(16).padStart(12, "0");
    const tail = `7${this.#draw.hexadecimal(3)}-8${this.#draw.hexadecimal(3)}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-${tail}-${this.#draw.hexadecimal(12)}`;
  }

  secret(): string {
    this.last = this.#draw.hexadecimal(64);
    return this.last;
  }

  hash(credential: string): string {
    return this.#real.hash(credential);
  }

  hashPassword(password: string): Promise<string> {
    return this.#real.hashPassword(password);
  }

  verifyPassword(stored: string | undefined, password: string) {
    return this.#real.verifyPassword(stored, password);
  }

  passwordQueue() {
    return this.#real.passwordQueue();
  }

  closePasswords() {
    this.#real.closePasswords();
  }
}
