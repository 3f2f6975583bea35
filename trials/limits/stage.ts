import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Row } from "../../harness/postgres.ts";
import { type Config, readConfig } from "../../src/app/config.ts";
import { NO_LIMITS, type OwnLimits } from "../../src/customers/api-keys/limits.ts";
import { timestamp } from "../../src/platform/shared/instant.ts";
import { createSecrets } from "../../src/platform/shared/secrets.ts";
import { migratePostgresStore } from "../../src/platform/storage/postgres/open.ts";
import { commandTimeouts, parseDatabaseUrl } from "../../src/platform/storage/settings.ts";
import { sourceNames } from "../../src/rates/sources/fetching/registry.ts";
import {
  KEY_LIMITS,
  newAccount,
  newKey,
  newMailToken,
  newSession,
  UNCHANGED,
} from "../../test/contract/suite/customers.ts";
import { byAt, NOW, newId } from "../../test/contract/suite/origins.ts";
import { EUR_USD, storeRates } from "../../test/contract/suite/rates-stored.ts";
import { type Cluster, nth, startCluster } from "../../test/support/nodes.ts";
import { patientServer } from "../../test/support/patience.ts";
import { temporaryDirectory } from "../../test/support/process.ts";
import { openWire, type Wire } from "../../test/support/raw-connection.ts";
import { startService, TestClock, type TestService } from "../../test/support/service.ts";
import { openStore, type Store } from "../../test/support/stores.ts";

export const CONNECTIONS = 64;

/** One node on SQLite or two on PostgreSQL, by one clock, with 64 connections to them in turn. */
export interface Stage extends AsyncDisposable {
  readonly clock: TestClock;
  readonly nodes: readonly TestService[];
  readonly wires: readonly Wire[];
  /** The store of the operator's commands. */
  readonly store: Store;
  readonly cluster: Cluster | undefined;
  query(sql: string): Promise<Row[]>;
}

export async function openStage(engine: "sqlite" | "postgres"): Promise<Stage> {
  await using opening = new AsyncDisposableStack();
  const clock = new TestClock(NOW);
  const { path: dataDirectory } = opening.use(await temporaryDirectory());
  const cluster = engine === "postgres" ? opening.use(await startCluster()) : undefined;
  const hosts = parseDatabaseUrl(cluster?.url ?? "") ?? [];
  if (cluster !== undefined) await migratePostgresStore(hosts);
  const database: Config["database"] =
    cluster === undefined ? { engine: "sqlite" } : { engine: "postgres", hosts };
  const settings = { PORT: "0", DATA_DIR: dataDirectory, RATE_SOURCES: "" };
  const config = {
    ...readConfig(sourceNames, settings),
    database,
    authCallsPerWindow: 1_000_000,
  };
  const nodes: TestService[] = [];
  for (const _ of cluster === undefined ? [1] : [1, 2]) {
    const how = { clock, dataDirectory, config, storeTimeouts: patientServer };
    nodes.push(opening.use(await startService(how)));
  }
  const wires: Wire[] = [];
  for (let index = 0; index < CONNECTIONS; index += 1) {
    wires.push(opening.use(await openWire(nth(nodes, index).url)));
  }
  const store = opening.use(await openStore(config, commandTimeouts, () => undefined));
  await storeRates(store, [EUR_USD]);
  const query = async (sql: string) => {
    if (cluster !== undefined) return await cluster.query(sql);
    using file = new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 });
    return file.prepare(sql).all();
  };
  const opened = opening.move();
  const dispose = () => opened.disposeAsync();
  return { clock, nodes, wires, store, cluster, query, [Symbol.asyncDispose]: dispose };
}

const secrets = createSecrets();

/** An action of the operator now. */
export const originAt = ({ clock }: Pick<Stage, "clock">) => byAt(timestamp(clock.nowMs()));

export interface TriedKey {
  readonly id: string;
  readonly apiKey: string;
}

export interface TriedAccount {
  readonly id: string;
  readonly email: string;
  readonly session: string;
}

/** Stores an account on a plan of its own, with a session that does not end during the trial. */
export async function openAccount(stage: Stage, units: number): Promise<TriedAccount> {
  const { store } = stage;
  const by = originAt(stage);
  const account = newAccount({ createdAt: by.at });
  const { id, email } = account;
  const plan = `plan-${id}`;
  await store.plans.set({ name: plan, unitsPerPeriod: units }, by);
  await store.accounts.create({ ...account, plan }, newMailToken(), by);
  const session = `svc_sess_${secrets.secret()}`;
  const tokenHash = hash("sha256", session);
  const expiresAt = "2999-01-01T00:00:00.000Z";
  await store.sessions.create(newSession(id, { tokenHash, expiresAt }), UNCHANGED, by);
  return { id, email, session };
}

export async function openKey(
  stage: Stage,
  { id: accountId }: TriedAccount,
  limits: Partial<OwnLimits> = {},
): Promise<TriedKey> {
  const by = originAt(stage);
  const apiKey = `svc_live_${secrets.secret()}`;
  const own = { ...NO_LIMITS, ...limits };
  const key = newKey(accountId, {
    ...{ id: newId(), createdAt: by.at, keyHash: secrets.hash(apiKey), limits: own },
  });
  await stage.store.keys.create(key, KEY_LIMITS, by);
  return { id: key.id, apiKey };
}

/** Calls a node as the account's owner. @throws for another status than the expected one. */
export async function callAs(
  node: TestService,
  { session }: TriedAccount,
  expected: number,
  what: string,
  json: unknown,
) {
  const [method = "", path = ""] = what.split(" ");
  const { status, text, body } = await node.call(method, path, { session, json });
  if (status !== expected) throw new Error(`${what}: ${status} ${text}`);
  return body;
}

/** Replaces a key by another one over HTTP. */
export async function rotate(
  node: TestService,
  account: TriedAccount,
  { id }: TriedKey,
  hours: number,
) {
  const what = `POST /v1/account/api-keys/${id}/rotate`;
  const body = await callAs(node, account, 201, what, { overlap_hours: hours });
  return { id: String(body.id), apiKey: String(body.api_key) };
}

/** Grants units. @returns the id. */
export async function grant(
  stage: Stage,
  { email }: TriedAccount,
  units: number,
  expiresAt?: string,
): Promise<string> {
  const origin = originAt(stage);
  const given = { units, reference: `invoice ${origin.newId()}`, expiresAt };
  const granted = await stage.store.grants.add(email, given, origin);
  if (granted === undefined) throw new Error(`${email} has no account`);
  return granted.id;
}

/** What the store has of an account: units by day, by period, from grants and of lines. */
export async function unitsOf({ query, cluster }: Stage, { id }: TriedAccount) {
  const sums = async (sql: string) =>
    new Map((await query(sql)).map(({ name, units }) => [String(name), Number(units)]));
  const grants = `FROM granted_usage u JOIN unit_grants g ON g.id = u.grant_id
    WHERE g.account_id = '${id}'`;
  return {
    days: await sums(
      `SELECT day AS name, sum(units) AS units FROM daily_usage WHERE account_id = '${id}'
       GROUP BY day`,
    ),
    periods: await sums(
      `SELECT period AS name, units FROM period_usage WHERE account_id = '${id}' AND units > 0`,
    ),
    granted: await sums(`SELECT period AS name, sum(u.units) AS units ${grants} GROUP BY period`),
    grants: await sums(`SELECT g.id AS name, sum(u.units) AS units ${grants} GROUP BY g.id`),
    counters: cluster
      ? await sums(
          `SELECT c.period AS name, sum(c.units) AS units FROM capped_usage c
           JOIN api_keys k ON k.id = c.line WHERE k.account_id = '${id}' GROUP BY c.period`,
        )
      : undefined,
  };
}

export type Units = Awaited<ReturnType<typeof unitsOf>>;

export const sumOf = (units: ReadonlyMap<string, number>) =>
  [...units.values()].reduce((sum, each) => sum + each, 0);
