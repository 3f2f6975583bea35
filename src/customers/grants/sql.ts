import { writeEvent } from "../../platform/audit/sql.ts";
import { integerOf, optionalTextOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { LOCK_BY_EMAIL } from "../access/sql.ts";
import { USED_OF_GRANT } from "../billing/quota-sql.ts";
import type { GrantStore, UnitGrant } from "../billing/store.ts";

/** Each after those that it references, accounts among them. */
export const grantTables: Tables = {
  unit_grants: {
    key: "id",
    others: "account_id, units, reference, granted_at, expires_at, revoked_at",
    summed: "units",
  },
  granted_usage: { key: "grant_id, period", others: "units", summed: "units" },
};

/** What an account may see of a grant `g`. */
export const GRANT_COLUMNS =
  "g.id, g.units, g.reference, g.granted_at, g.expires_at, g.revoked_at, " +
  `${USED_OF_GRANT} AS used_units`;

const ADD_GRANT = `
  INSERT INTO unit_grants (id, account_id, units, reference, granted_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const FIND_BY_REFERENCE = `
  SELECT id FROM unit_grants WHERE account_id = $1 AND reference = $2 AND revoked_at IS NULL`;

const LIST_GRANTS = `
  SELECT ${GRANT_COLUMNS} FROM unit_grants g
  WHERE g.account_id = $1 AND g.id > $2 ORDER BY g.id LIMIT $3`;

const REVOKE_GRANT = `
  UPDATE unit_grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id`;

const GRANT = `SELECT ${GRANT_COLUMNS}, g.account_id FROM unit_grants g WHERE g.id = $1`;

export function grantStore(engine: Engine): GrantStore {
  return {
    add: (email, { units, reference, expiresAt }, origin) =>
      engine.transaction(function* () {
        const [account] = yield statement(LOCK_BY_EMAIL, email);
        if (account === undefined) return undefined;
        const accountId = textOf(account, "id");
        const [earlier] = yield statement(FIND_BY_REFERENCE, accountId, reference);
        if (earlier !== undefined) return { id: textOf(earlier, "id"), isNew: false };
        const id = origin.newId();
        const values = [id, accountId, units, reference, origin.at, expiresAt ?? null] as const;
        yield statement(ADD_GRANT, ...values);
        const end = expiresAt === undefined ? {} : { expires_at: expiresAt };
        const details = { grant_id: id, units, reference, ...end };
        yield writeEvent("units.granted", origin, { accountId, details });
        return { id, isNew: true };
      }),

    async list(accountId, afterId, limit) {
      return (await engine.query(LIST_GRANTS, accountId, afterId, limit)).map(grantOf);
    },

    revoke: (id, origin) =>
      engine.transaction(function* (): Transaction<UnitGrant | undefined> {
        const isRevoked = (yield statement(REVOKE_GRANT, id, origin.at)).length === 1;
        const [row] = yield statement(GRANT, id);
        if (row === undefined) return undefined;
        const grant = grantOf(row);
        const { units, usedUnits, reference } = grant;
        const details = { grant_id: id, units, used_units: usedUnits, reference };
        const accountId = textOf(row, "account_id");
        if (isRevoked) yield writeEvent("units.revoked", origin, { accountId, details });
        return grant;
      }),
  };
}

function grantOf(row: Row): UnitGrant {
  return {
    id: textOf(row, "id"),
    units: integerOf(row, "units"),
    usedUnits: integerOf(row, "used_units"),
    reference: textOf(row, "reference"),
    grantedAt: textOf(row, "granted_at"),
    expiresAt: optionalTextOf(row, "expires_at"),
    revokedAt: optionalTextOf(row, "revoked_at"),
  };
}
