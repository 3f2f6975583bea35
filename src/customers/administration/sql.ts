import { writeEvent } from "../../platform/audit/sql.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { integerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import { type Engine, statement, type Transaction } from "../../platform/storage/engine.ts";
import { activeKey, LOCK_ACCOUNT, transactionBy } from "../access/sql.ts";
import { KEY_COLUMNS } from "../api-keys/rows-sql.ts";
import { GRANT_COLUMNS } from "../grants/sql.ts";
import { END_SESSIONS, lockOfEmail, REVOKE_KEYS, WRITE_TOKEN } from "../mailed-links/sql.ts";
import { REMOVE_INVITATIONS } from "../registration/sql.ts";
import type { AdministrationStore, ExportSection } from "./administration.ts";

// What a deletion erases. A restore erases the same in a backup that still has the account.

export const ERASED_ACCOUNT =
  "password_hash = '', email_verified_at = NULL, suspended_at = NULL, quota_mails = 0, " +
  "thresholds = NULL";

export const ERASED_KEY = "name = '', key_prefix = ''";

/** The tables whose rows of the account a deletion removes, besides its sessions. */
export const ERASED_TABLES = ["mail_tokens", "mails", "quota_notices"] as const;

const SUSPEND = `
  UPDATE accounts SET suspended_at = $2 WHERE email = $1 AND suspended_at IS NULL RETURNING id`;

const RESUME = `
  UPDATE accounts SET suspended_at = NULL WHERE email = $1 AND suspended_at IS NOT NULL
  RETURNING id`;

const ACCOUNT_ID = "SELECT id, suspended_at FROM accounts WHERE email = $1";

const CONTENTS = `
  SELECT a.id,
    (SELECT count(*) FROM api_keys k WHERE k.account_id = a.id AND ${activeKey("$2", "k.")})
      AS active_keys,
    CAST((SELECT coalesce(sum(u.units), 0) FROM period_usage u WHERE u.account_id = a.id)
      AS bigint) AS units
  FROM accounts a WHERE a.email = $1`;

// The row stays, because the units that were charged refer to it. An email has an @, so that no
// account can have this one.
const ERASE_ACCOUNT = `
  UPDATE accounts SET email = 'deleted ' || id, ${ERASED_ACCOUNT}, deleted_at = $2
  WHERE email = $1 AND password_hash = coalesce($3, password_hash) RETURNING id`;

// The keys' rows stay for the units by day. Their digests are of random secrets and tell nothing of
// their owner. SQLite orders the rows by them: a change of 10,000 takes 130 ms, this one 20.
const ERASE_KEY_NAMES = `UPDATE api_keys SET ${ERASED_KEY} WHERE account_id = $1`;

const ERASE_EVENTS = `
  UPDATE events SET details = NULL,
    origin = CASE WHEN actor = 'account' THEN NULL ELSE origin END
  WHERE account_id = $1`;

// The account comes first and its sessions second, as in every transaction that locks both: a
// log-in locks the account until its session is stored, an owner's change both until it is stored.
const DELETE_REST = ERASED_TABLES.map((table) => `DELETE FROM ${table} WHERE account_id = $1`);
const DELETE_INVITATION_MAILS = "DELETE FROM mails WHERE email = $1";

/** The rows of an account after a place, and the column that orders them. */
const rowsAfter = (columns: string, table: string, place: string, account = "account_id") => `
  SELECT ${columns}, ${place} AS place FROM ${table}
  WHERE ${account} = $1 AND ${place} > $2 ORDER BY ${place} LIMIT $3`;

const MAIL_COLUMNS =
  "id, kind, created_at, expires_at, attempts, next_attempt_at, last_error, delivered_at, " +
  "given_up_at";

// Digests of passwords and credentials are left out: they are worthless to their owner, and worth
// guessing to others.
const SECTIONS: Record<ExportSection, string> = {
  api_keys: rowsAfter(KEY_COLUMNS, "api_keys", "id"),
  sessions: rowsAfter("id, created_at, expires_at, address, client", "sessions", "id"),
  mailed_links: rowsAfter("purpose, expires_at", "mail_tokens", "token_hash"),
  mails: rowsAfter(MAIL_COLUMNS, "mails", "id"),
  usage: rowsAfter("period, units", "period_usage", "period"),
  terms: rowsAfter(
    "through_period, plan, quota_units, quota_until",
    "account_terms",
    "through_period",
  ),
  grants: rowsAfter(GRANT_COLUMNS, "unit_grants g", "g.id"),
  quota_notices: rowsAfter(
    "period, threshold, written_at",
    "quota_notices",
    "period || '-' || threshold",
  ),
};

const ACCOUNT_ROW = `
  SELECT a.id, a.email, a.created_at, a.email_verified_at, a.suspended_at, a.plan,
    p.units_per_period, a.quota_units, a.quota_until, a.customer_number, a.quota_mails,
    a.thresholds, a.password_hash <> '' AS has_password
  FROM accounts a LEFT JOIN plans p ON p.name = a.plan WHERE a.id = $1`;

export function administrationStore(engine: Engine): AdministrationStore {
  /** Runs one statement on an account and, if it changed something, writes the event. */
  const change = (
    sql: string,
    action: "account.suspended" | "account.resumed",
    email: string,
    values: readonly string[],
    origin: Origin,
  ) =>
    engine.transaction(function* (): Transaction<"changed" | "unchanged" | undefined> {
      const [changed] = yield statement(sql, email, ...values);
      if (changed !== undefined) {
        yield writeEvent(action, origin, { accountId: textOf(changed, "id") });
        return "changed";
      }
      return (yield statement(ACCOUNT_ID, email)).length === 1 ? "unchanged" : undefined;
    });

  return {
    suspend: (email, origin) => change(SUSPEND, "account.suspended", email, [origin.at], origin),
    resume: (email, origin) => change(RESUME, "account.resumed", email, [], origin),

    endSessions: (email, origin) =>
      engine.transaction(function* () {
        const [account] = yield statement(ACCOUNT_ID, email);
        if (account === undefined) return undefined;
        const accountId = textOf(account, "id");
        yield statement(LOCK_ACCOUNT, accountId);
        const { length: sessions } = yield statement(END_SESSIONS, accountId);
        if (sessions > 0) {
          yield writeEvent("sessions.ended", origin, { accountId, details: { sessions } });
        }
        return sessions;
      }),

    createResetToken: (email, { tokenHash, expiresAt }, origin) =>
      engine.transaction(function* () {
        const [account] = yield statement(ACCOUNT_ID, email);
        if (account === undefined) return undefined;
        const accountId = textOf(account, "id");
        yield statement(WRITE_TOKEN, accountId, "password_reset", tokenHash, expiresAt);
        yield writeEvent("password.reset_link_created", origin, { accountId });
        return { isSuspended: account.suspended_at !== null };
      }, lockOfEmail(email)),

    delete: (email, origin, passwordHash) =>
      transactionBy(engine, origin, () => erase(email, origin, passwordHash), lockOfEmail(email)),

    withdrawInvitations: (email, origin) =>
      engine.transaction(function* () {
        const withdrawn = yield statement(REMOVE_INVITATIONS, email);
        yield statement(DELETE_INVITATION_MAILS, email);
        for (const row of withdrawn) {
          const accountId = textOf(row, "account_id");
          yield writeEvent("account.invitation_withdrawn", origin, { accountId });
        }
        return withdrawn.length;
      }, lockOfEmail(email)),

    ...readingOf(engine),
  };
}

function* erase(email: string, origin: Origin, passwordHash?: string): Transaction<boolean> {
  const values = [email, origin.at, passwordHash ?? null] as const;
  const [account] = yield statement(ERASE_ACCOUNT, ...values);
  if (account === undefined) return false;
  const accountId = textOf(account, "id");
  yield statement(END_SESSIONS, accountId);
  yield statement(REVOKE_KEYS, accountId, origin.at);
  yield statement(ERASE_KEY_NAMES, accountId);
  for (const sql of DELETE_REST) yield statement(sql, accountId);
  yield statement(REMOVE_INVITATIONS, email);
  yield statement(DELETE_INVITATION_MAILS, email);
  yield writeEvent("account.deleted", origin, { accountId });
  yield statement(ERASE_EVENTS, accountId);
  return true;
}

/** What is read of an account before its deletion, and for its export. */
function readingOf(
  engine: Engine,
): Pick<AdministrationStore, "contents" | "beginExport" | "section"> {
  return {
    async contents(email, now) {
      const [row] = await engine.query(CONTENTS, email, now);
      if (row === undefined) return undefined;
      return {
        id: textOf(row, "id"),
        activeKeys: integerOf(row, "active_keys"),
        units: integerOf(row, "units"),
      };
    },

    beginExport: (accountId, origin) =>
      transactionBy(engine, origin, function* () {
        // A deletion waits for the export's event, and then removes the address from it.
        if ((yield statement(LOCK_ACCOUNT, accountId)).length === 0) return undefined;
        const [row] = yield statement(ACCOUNT_ROW, accountId);
        if (row === undefined) return undefined;
        yield writeEvent("account.export_begun", origin, { accountId });
        const own = optionalTextOf(row, "thresholds") ?? "null";
        const thresholds: unknown = JSON.parse(own);
        const [quotaMails, hasPassword] = [row.quota_mails === 1, Boolean(row.has_password)];
        return {
          createdAt: textOf(row, "created_at"),
          row: { ...row, quota_mails: quotaMails, thresholds, has_password: hasPassword },
        };
      }),

    async section(section, accountId, after, limit) {
      const rows = await engine.query(SECTIONS[section], accountId, after, limit);
      return rows.map(({ place, ...row }) => ({ place: String(place), row }));
    },
  };
}
