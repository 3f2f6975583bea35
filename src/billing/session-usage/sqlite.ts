import type { DatabaseSync } from "node:sqlite";
import type { SqliteEngine } from "../../storage/sqlite/engine.ts";
import type { RowCache } from "../../storage/sqlite/row-cache.ts";
import type { SessionSearch, SessionUsage, SessionUsageStore } from "../store.ts";

const FIND_SESSION = `
  SELECT s.created_at, s.expires_at, a.id, a.number, a.plan, p.units_per_period
  FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN plans p ON p.name = a.plan
  WHERE s.token_hash = ?1 AND a.suspended_at IS NULL`;

const FIND_UNITS = `
  SELECT units FROM charged_units
  WHERE period = ?1 AND account = ?2 AND day = 0 AND api_key = 0`;

type SessionRow = [
  createdAt: string,
  expiresAt: string,
  accountId: string,
  account: number,
  plan: string,
  quotaUnits: number | null,
];

export function createSqliteSessionUsage(engine: SqliteEngine): SessionUsageStore {
  return { usageOfSessions: engine.prepareRead(prepareSearch) };
}

/** Sessions, accounts and plans come from the row cache, units always from the database. */
function prepareSearch(
  database: DatabaseSync,
  cache: RowCache,
): (search: SessionSearch) => (SessionUsage | undefined)[] {
  const sessionRow = database.prepare(FIND_SESSION);
  const unitsRow = database.prepare(FIND_UNITS);
  for (const statement of [sessionRow, unitsRow]) statement.setReturnArrays(true);
  const findSession = cache.of(
    (tokenHash: string) => tokenHash,
    (tokenHash) => sessionRow.get(tokenHash) as SessionRow | undefined,
  );

  return ({ tokenHashes, now, issuedBy, period }) =>
    tokenHashes.map((tokenHash) => {
      const session = findSession(tokenHash);
      if (session === undefined) return undefined;
      const [createdAt, expiresAt, accountId, account, plan, quotaUnits] = session;
      if (expiresAt <= now || createdAt > issuedBy) return undefined;
      if (quotaUnits === null) return { accountId, usage: undefined };
      const [usedUnits = 0] = (unitsRow.get(period, account) ?? []) as unknown as [number?];
      return { accountId, usage: { plan, quotaUnits, usedUnits } };
    });
}
