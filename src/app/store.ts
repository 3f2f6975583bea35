import { exportReads } from "../bookkeeping/export/sql.ts";
import { observationReads } from "../bookkeeping/provenance/observations-sql.ts";
import { accountStore, accountTables } from "../customers/accounts/sql.ts";
import { administrationStore } from "../customers/administration/sql.ts";
import { apiKeyStore, apiKeyTables } from "../customers/api-keys/sql.ts";
import { authWindowStore } from "../customers/auth-limit/sql.ts";
import { quotaNoticeStore } from "../customers/billing/quota-notices-sql.ts";
import {
  planStore,
  planTables,
  type UnitStatements,
  usageStore,
  usageTables,
} from "../customers/billing/sql.ts";
import { postgresUnitStatements, sqliteUnitStatements } from "../customers/billing/units-sql.ts";
import { mailStore, mailTables } from "../customers/mail/sql.ts";
import { mailTokenStore, mailTokenTables } from "../customers/mailed-links/sql.ts";
import { invitationStore, invitationTables } from "../customers/registration/sql.ts";
import { sessionStore } from "../customers/sessions/sql.ts";
import { cleanupStore, cleanupTables } from "../operations/cleanup/sql.ts";
import { trustedTimeStore, trustedTimeTables } from "../operations/cleanup/trusted-time-sql.ts";
import { auditStore, auditTables } from "../platform/audit/sql.ts";
import type { StoreStatus } from "../platform/shared/store.ts";
import type { Table } from "../platform/storage/columns.ts";
import type { Engine } from "../platform/storage/engine.ts";
import type { PrimarySettings } from "../platform/storage/postgres/primary.ts";
import type { DatabaseHost, StoreSettings, StoreTimeouts } from "../platform/storage/settings.ts";
import { type OnWait, untilUnlocked } from "../platform/storage/sqlite/lock-file.ts";
import { openSqliteEngine, type SqliteOptions } from "../platform/storage/sqlite/open.ts";
import { backfillStore, backfillTables } from "../rates/backfill/sql.ts";
import { coverageStore } from "../rates/coverage/sql.ts";
import { ownerStore, seriesReads } from "../rates/series/sql.ts";
import { figureStore, figureTables } from "../rates/served/figures-sql.ts";
import { historyStore, historyTables } from "../rates/served/history-sql.ts";
import { signingKeyStore } from "../rates/served/signing-keys-sql.ts";
import { rateStore, rateTables } from "../rates/served/sql.ts";
import { sourceStore, sourceTables } from "../rates/sources/sql.ts";
import {
  createReadBatcher,
  type ObserveBatch,
  withObserver,
} from "../reads/metering/batch/batcher.ts";
import { createSqliteBatches } from "../reads/metering/batch/sqlite.ts";
import type { BatchStore } from "../reads/metering/store.ts";

/**
 * Opens the configured store; creates it where allowed and migrates it where needed.
 *
 * @param observeBatch called for each batch of metered reads.
 * @throws {StartupError}
 */
export async function openStore(
  { dataDirectory, database, backupDirectory }: StoreSettings,
  timeouts: StoreTimeouts,
  onWait: OnWait,
  observeBatch?: ObserveBatch,
): Promise<Store> {
  const { busyTimeoutMs, isServer, makesStore } = timeouts;
  switch (database.engine) {
    case "sqlite": {
      const options = { isServer, observeBatch, mustExist: !makesStore, backupDirectory };
      const open = () => openSqliteStore(dataDirectory, busyTimeoutMs, options);
      return untilUnlocked(open, onWait);
    }
    case "postgres":
      return openPostgresStore(database.hosts, timeouts, observeBatch, onWait);
  }
}

/** The store on the embedded database, as `openSqliteEngine` opens it. */
export function openSqliteStore(
  dataDirectory: string,
  busyTimeoutMs: number,
  {
    observeBatch,
    ...options
  }: SqliteOptions & { readonly observeBatch?: ObserveBatch | undefined } = {},
): Store {
  const engine = openSqliteEngine(dataDirectory, busyTimeoutMs, options);
  const batches = { ...createSqliteBatches(engine), unitStatements: sqliteUnitStatements };
  return createStore(engine, batches, observeBatch);
}

/** The store on PostgreSQL, as `openPostgresEngine` opens it. */
export async function openPostgresStore(
  hosts: readonly DatabaseHost[],
  settings: PrimarySettings,
  observeBatch?: ObserveBatch,
  onWait?: OnWait,
): Promise<Store> {
  // A node on SQLite need not load the PostgreSQL client.
  const { openPostgresEngine } = await import("../platform/storage/postgres/open.ts");
  const { createPostgresBatches } = await import("../reads/metering/batch/postgres.ts");
  const engine = await openPostgresEngine(hosts, settings, onWait);
  const batches = { ...createPostgresBatches(engine), unitStatements: postgresUnitStatements };
  return createStore(engine, batches, observeBatch);
}

/**
 * Joins the store's groups, each with the statements of one noun, over one engine. Owns the engine.
 *
 * @param batches the work that each engine does in its own way.
 * @param observeBatch called for each batch of metered reads.
 */
export function createStore(
  engine: Engine,
  batches: BatchStore & { readonly unitStatements: UnitStatements },
  observeBatch?: ObserveBatch,
) {
  const status: StoreStatus = engine;
  return {
    accounts: accountStore(engine),
    administration: administrationStore(engine),
    invitations: invitationStore(engine),
    sessions: sessionStore(engine),
    authWindows: authWindowStore(engine),
    mailTokens: mailTokenStore(engine),
    keys: apiKeyStore(engine),
    plans: planStore(engine),
    usage: usageStore(engine, batches.unitStatements),
    quotaNotices: quotaNoticeStore(engine),
    rates: rateStore(engine),
    coverage: coverageStore(engine),
    history: { ...historyStore(engine), ...observationReads(engine) },
    figures: figureStore(engine),
    series: { ...seriesReads(engine), ...ownerStore(engine) },
    exports: exportReads(engine),
    sources: sourceStore(engine),
    backfills: backfillStore(engine),
    signingKeys: signingKeyStore(engine),
    mails: mailStore(engine),
    audit: auditStore(engine),
    cleanup: cleanupStore(engine),
    trustedTime: trustedTimeStore(engine),
    metering: createReadBatcher(
      observeBatch === undefined ? batches : withObserver(batches, observeBatch),
    ),
    status,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

export type Store = ReturnType<typeof createStore>;

/** Every table, each after those that it references. A test compares them with the schemas. */
export const tables: readonly Table[] = Object.entries({
  ...planTables,
  ...accountTables,
  ...invitationTables,
  ...mailTokenTables,
  ...apiKeyTables,
  ...usageTables,
  ...historyTables,
  ...figureTables,
  ...rateTables,
  ...sourceTables,
  ...backfillTables,
  ...mailTables,
  ...auditTables,
  ...cleanupTables,
  ...trustedTimeTables,
}).map(([name, columns]) => ({ name, ...columns }));
