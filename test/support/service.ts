import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { after } from "node:test";
import { type DestinationStream, pino } from "pino";
import { compose } from "../../src/app/compose.ts";
import { type Config, readConfig } from "../../src/app/config.ts";
import type { ShutdownLimits } from "../../src/app/limits.ts";
import type { Passwords } from "../../src/customers/passwords/passwords.ts";
import type { runOwnCommand } from "../../src/platform/cli/own-command.ts";
import { lineFormat } from "../../src/platform/log/log.ts";
import type { Clock } from "../../src/platform/shared/clock.ts";
import { createSecrets, type Secrets } from "../../src/platform/shared/secrets.ts";
import type { StoreTimeouts } from "../../src/platform/storage/settings.ts";
import { sourceNames } from "../../src/rates/sources/fetching/registry.ts";
import type { RateSource } from "../../src/rates/sources/source.ts";
import { callTo, clientBy } from "./client.ts";
import { assertNoSecrets } from "./log-secrets.ts";
import { patience } from "./patience.ts";
import { temporaryDirectory } from "./process.ts";
import { quickPasswords } from "./quick-passwords.ts";
import { checkedClient } from "./response-check.ts";

/** A clock that only a test advances. */
export class TestClock implements Clock {
  #nowMs: number;

  constructor(time: string) {
    this.#nowMs = Date.parse(time);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  set(time: string): void {
    this.#nowMs = Date.parse(time);
  }

  advanceMs(milliseconds: number): void {
    this.#nowMs += milliseconds;
  }
}

export interface TestOptions {
  readonly clock?: TestClock;
  readonly config?: Partial<Config>;
  /** Sources to fetch; by default none. */
  readonly sources?: readonly RateSource[];
  /** By default the real ones. */
  readonly secrets?: Secrets;
  /** By default cheap ones. */
  readonly passwords?: Passwords;
  /** Runs a command in a process of its own; by default no test expects one. */
  readonly runCommand?: typeof runOwnCommand;
  /** By default those of `patience`. */
  readonly storeTimeouts?: StoreTimeouts;
  /** By default those of `patience`. */
  readonly shutdownLimits?: ShutdownLimits;
  /** A directory to use and keep; by default a new one that is removed at the end. */
  readonly dataDirectory?: string;
}

const sharedSecrets = createSecrets();

/** A service from the production constructor, on a real database file and a real socket. */
export async function startService(options: TestOptions = {}) {
  const clock = options.clock ?? new TestClock("2026-11-21T12:00:00.000Z");
  await using starting = new AsyncDisposableStack();
  const dataDirectory = options.dataDirectory ?? starting.use(await temporaryDirectory()).path;
  const logLines: string[] = [];
  const sink: DestinationStream = { write: (line: string) => void logLines.push(line) };
  const config = {
    ...readConfig(sourceNames, { PORT: "0", DATA_DIR: dataDirectory, RATE_SOURCES: "" }),
    ...options.config,
  };
  const { server, shutdown } = patience;
  const world = {
    clock,
    secrets: options.secrets ?? sharedSecrets,
    random: () => 0.5,
    limits: {
      ...patience,
      server: options.storeTimeouts ?? server,
      shutdown: options.shutdownLimits ?? shutdown,
    },
    fetchedSources: () => options.sources ?? [],
  };
  const start = await compose(() => config, world).loadServer();
  const service = await start({
    passwords: options.passwords ?? quickPasswords,
    log: pino(lineFormat, sink),
    logDestination: sink,
    runCommand: options.runCommand ?? (() => assert.fail("no command is expected")),
  });
  const { call, check } = checkedClient(callTo(service.url));
  const directories = starting.move();
  const test = {
    ...clientBy(call),
    url: service.url,
    metricsUrl: service.metricsUrl,
    clock,
    dataDirectory,
    logLines,

    /** Opens the service's database on a separate connection, to prepare or to check data. */
    database: () => new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 }),

    /** Runs one statement on the service's database, on a separate connection. */
    query(sql: string, ...values: SQLInputValue[]): Readonly<Record<string, unknown>>[] {
      using database = test.database();
      return database.prepare(sql).all(...values);
    },

    /** Stores a rate directly in the database. */
    storeRate(base: string, quote: string, rate: string, asOf = "2026-03-13T15:00:00.000000000Z") {
      const sql =
        "INSERT INTO rates (base, quote, rate, as_of, source) VALUES (?, ?, ?, ?, 'test')";
      test.query(sql, base, quote, rate, asOf);
    },

    /** Stores an earlier figure of EUR/USD, whose newest in the snapshot is of 13 March 2026. */
    storePast(date: string, rate: string, revision = 1) {
      const sql = `
        INSERT INTO figures SELECT source, base, quote, kind, ?1, ?1 || 'T15:00:00.000000000Z', ?3,
          ?2, valid_until, stored_at, publication, place, line FROM figures
        WHERE source = 'ecb' AND base = 'EUR' AND quote = 'USD' AND date = '2026-03-13'`;
      test.query(sql, date, rate, revision);
    },

    async [Symbol.asyncDispose]() {
      await check().finally(() => service[Symbol.asyncDispose]());
      await directories.disposeAsync();
      assertNoSecrets(logLines.join(""));
    },
  };
  return test;
}

/** Makes the service believe its clock after a jump, as the next cleanup or an operator would. */
export function trustClock({ clock, query }: Pick<TestService, "clock" | "query">): void {
  query("UPDATE trusted_time SET at = ?", new Date(clock.nowMs()).toISOString());
}

/** Starts a service by the browser's clock, which the tests do not set. */
export const startServiceNow = (options: Omit<TestOptions, "clock"> = {}) =>
  startService({ ...options, clock: new TestClock(new Date().toISOString()) });

export type TestService = Awaited<ReturnType<typeof startService>>;

/** Starts a service for all tests of a file, which stops after them. */
export async function startSharedService(options?: TestOptions): Promise<TestService> {
  const service = await startService(options);
  after(() => service[Symbol.asyncDispose]());
  return service;
}
