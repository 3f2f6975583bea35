import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { type DestinationStream, pino } from "pino";
import { type Config, readConfig } from "../../src/config.ts";
import { createSecrets } from "../../src/crypto/secrets.ts";
import type { RateSource } from "../../src/rates/source.ts";
import { sourceNames } from "../../src/rates/sources/registry.ts";
import { startService as start } from "../../src/service.ts";
import type { Clock } from "../../src/shared/clock.ts";
import type { Secrets } from "../../src/shared/secrets.ts";
import { assertNoSecrets } from "./log-secrets.ts";
import { quickHashing } from "./quick-hashing.ts";

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

/** A response as received. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; an empty object without JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly apiKey?: string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly raw?: string;
}

export interface TestOptions {
  readonly clock?: TestClock;
  readonly config?: Partial<Config>;
  /** Sources to fetch; by default none. */
  readonly sources?: readonly RateSource[];
  /** By default the real ones, with cheaper passwords. */
  readonly secrets?: Secrets;
  /** A directory to use and keep; by default a new one that is removed at the end. */
  readonly dataDirectory?: string;
}

const PASSWORD = "correct horse battery";

const sharedSecrets = createSecrets(quickHashing);

/** A service from the production constructor, on a real database file and a real socket. */
export async function startService(options: TestOptions = {}) {
  const clock = options.clock ?? new TestClock("2026-11-21T12:00:00.000Z");
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), "kurs-test-")));
  const logLines: string[] = [];
  const sink: DestinationStream = { write: (line: string) => void logLines.push(line) };
  const config = {
    ...readConfig(sourceNames, { PORT: "0", DATA_DIR: dataDirectory, RATE_SOURCES: "" }),
    ...options.config,
  };
  const service = await start(config, {
    clock,
    secrets: options.secrets ?? sharedSecrets,
    sources: options.sources ?? [],
    random: () => 0.5,
    log: pino({}, sink),
    logDestination: sink,
  });
  const call = (method: string, path: string, how: Call = {}) =>
    send(service.url, method, path, how);
  let accounts = 0;

  const test = {
    url: service.url,
    metricsUrl: service.metricsUrl,
    clock,
    dataDirectory,
    logLines,
    call,
    get: (path: string, how?: Call) => call("GET", path, how),
    post: (path: string, how?: Call) => call("POST", path, how),

    /** Creates an account and logs in. @returns the session's token. */
    async openSession(email = `account-${++accounts}@example.org`): Promise<string> {
      const json = { email, password: PASSWORD };
      await expect(201, test.post("/v1/auth/register", { json }));
      const { body } = await expect(200, test.post("/v1/auth/login", { json }));
      return String(body.session_token);
    },

    async createKey(session: string, name = "test"): Promise<{ id: string; apiKey: string }> {
      const how = { session, json: { name } };
      const { body } = await expect(201, test.post("/v1/account/api-keys", how));
      return { id: String(body.id), apiKey: String(body.api_key) };
    },

    /** The `usage` member of GET /v1/account/usage. */
    async usage(session: string) {
      const { body } = await expect(200, test.get("/v1/account/usage", { session }));
      return body.usage as Readonly<Record<string, number>>;
    },

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

    /** The units that the account of a session has used in the current period. */
    async usedUnits(session: string): Promise<number> {
      return Number((await test.usage(session)).used_units);
    },

    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      if (options.dataDirectory === undefined) await rm(dataDirectory, { recursive: true });
      assertNoSecrets(logLines.join(""));
    },
  };
  return test;
}

export type TestService = Awaited<ReturnType<typeof startService>>;

async function expect(status: number, pending: Promise<Answer>): Promise<Answer> {
  const answer = await pending;
  if (answer.status !== status) throw new Error(`want ${status}, got ${answer.text}`);
  return answer;
}

/** Sends one request on its own connection, with its path unchanged. */
export function send(url: string, method: string, path: string, how: Call): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { apiKey, session, json } = how;
  const body = how.raw ?? (json === undefined ? undefined : JSON.stringify(json));
  const headers: Record<string, string> = { ...how.headers };
  if (apiKey !== undefined) headers.authorization = `ApiKey ${apiKey}`;
  if (session !== undefined) headers.authorization = `Session ${session}`;
  if (body !== undefined) {
    headers["content-length"] = String(Buffer.byteLength(body));
    if (json !== undefined) headers["content-type"] ??= "application/json";
  }
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const received = response.headers as Record<string, string>;
      const isJson = received["content-type"]?.startsWith("application/json") && text !== "";
      const parsed = isJson ? JSON.parse(text) : {};
      resolve({ status: response.statusCode ?? 0, headers: received, text, body: parsed });
    });
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}
