import { writeEvent } from "../../platform/audit/sql.ts";
import {
  hashParameters,
  integerOf,
  isOneOfHashes,
  optionalTextOf,
  type Tables,
  textOf,
} from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { ACTIVE_KEY, LOCK_ACCOUNT, transactionBy, USABLE_KEY } from "../access/sql.ts";
import { explainRejection } from "./rules.ts";
import type {
  ApiKey,
  ApiKeyStore,
  KeyCreation,
  KeyLimits,
  KeyReference,
  OwnedKey,
} from "./store.ts";

/** What the owner of a key may see of it. */
export const KEY_COLUMNS = "id, name, key_prefix, created_at, revoked_at";

export const apiKeyTables: Tables = {
  api_keys: { key: "key_hash", others: `account_id, end_notice_days, ${KEY_COLUMNS}` },
};

// Each count reads no more rows than its limit: of all keys, only whether there is one behind the
// first $2. The keys of a day are among the newest in id order.
const COUNT_KEYS = `
  SELECT
    (SELECT count(*) FROM (
      SELECT 1 FROM api_keys WHERE account_id = $1 ORDER BY id LIMIT 1 OFFSET $2) AS beyond)
      AS beyond,
    (SELECT count(*) FROM (
      SELECT 1 FROM api_keys WHERE account_id = $1 AND ${ACTIVE_KEY} LIMIT $3) AS working)
      AS active,
    (SELECT count(*) FROM (
      SELECT created_at FROM api_keys WHERE account_id = $1 ORDER BY id DESC LIMIT $4) AS newest
      WHERE created_at >= $5) AS today`;

// Counts and stores in one statement, under the account's lock: each of several simultaneous
// creations counts the others' keys.
const CREATE_KEY = `
  INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at)
  SELECT $6, $7, $1, $8, $9, $10 FROM (${COUNT_KEYS}) AS counted
  WHERE beyond = 0 AND active < $3 AND today < $4 RETURNING id`;

// An id is a UUIDv7, so the order of ids is the order of creation.
const LIST_KEYS = `
  SELECT ${KEY_COLUMNS} FROM api_keys
  WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

const KEY_ACCOUNT = `
  SELECT k.account_id FROM api_keys k JOIN accounts a ON a.id = k.account_id
  WHERE k.key_hash = $1 AND ${USABLE_KEY}`;

const REJECTED_KEY = "SELECT account_id, revoked_at FROM api_keys WHERE key_hash = $1";

// One statement finds and revokes the key: unknown, foreign and revoked ids take the same path, and
// of two simultaneous revocations only one succeeds (specification, section 3).
const REVOKE_KEY = `
  UPDATE api_keys SET revoked_at = $3
  WHERE id = $1 AND account_id = $2 AND ${ACTIVE_KEY} RETURNING key_prefix`;

const ownedKeys = (condition: string) => `
  SELECT ${KEY_COLUMNS.replaceAll(/\w+/g, "k.$&")}, k.account_id, a.email
  FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id AND a.deleted_at IS NULL
  WHERE ${condition}`;

const foundBy = (column: string) =>
  `${ownedKeys(`k.${column} = $1`)} ORDER BY k.revoked_at IS NOT NULL, k.id LIMIT $2`;

const FIND_KEYS: Record<KeyReference["by"], string> = {
  id: foundBy("id"),
  hash: foundBy("key_hash"),
  prefix: foundBy("key_prefix"),
};

const KEYS_BY_HASHES = ownedKeys(isOneOfHashes("k.key_hash", 1));

const BURN_KEYS = `
  UPDATE api_keys SET revoked_at = $1
  WHERE ${isOneOfHashes("key_hash", 2)} AND ${ACTIVE_KEY} RETURNING id`;

/** Two burns of the same keys would each wait for rows that the other has locked. */
const BURN_LOCK = "burn";

export function apiKeyStore(engine: Engine): ApiKeyStore {
  return {
    async create(key, limits, origin) {
      const { keyHash, id, accountId, name, keyPrefix, createdAt } = key;
      const { active, perDay, total } = limits;
      const counted = [accountId, total - 1, active, perDay, createdAt.slice(0, 10)] as const;
      const countReached = (rows: readonly Row[]) => reachedLimit(rows[0] ?? {}, limits);
      // Without a lock and a commit: a client may try again and again.
      const reached = countReached(await engine.query(COUNT_KEYS, ...counted));
      if (reached !== undefined) return reached;
      return transactionBy(engine, origin, function* (): Transaction<KeyCreation> {
        if ((yield statement(LOCK_ACCOUNT, accountId)).length === 0) return "account_deleted";
        const values = [...counted, keyHash, id, name, keyPrefix, createdAt] as const;
        if ((yield statement(CREATE_KEY, ...values)).length === 1) {
          const details = { api_key_id: id, key_prefix: keyPrefix };
          yield writeEvent("api_key.created", origin, { accountId, details });
          return "created";
        }
        // Keys were created since the first count.
        return countReached(yield statement(COUNT_KEYS, ...counted)) ?? "active";
      });
    },

    async list(accountId, afterId, limit) {
      const rows = await engine.query(LIST_KEYS, accountId, afterId, limit);
      return rows.map(apiKeyOf);
    },

    async findAccount(keyHash) {
      const [row] = await engine.query(KEY_ACCOUNT, keyHash);
      return row && textOf(row, "account_id");
    },

    async findRejected(keyHash) {
      const [row] = await engine.query(REJECTED_KEY, keyHash);
      if (row === undefined) return undefined;
      const rejection = explainRejection(optionalTextOf(row, "revoked_at") ?? null);
      return { accountId: textOf(row, "account_id"), rejection };
    },

    revoke: (accountId, keyId, origin) =>
      transactionBy(engine, origin, function* () {
        const [key] = yield statement(REVOKE_KEY, keyId, accountId, origin.at);
        if (key === undefined) return false;
        const details = { api_key_id: keyId, key_prefix: textOf(key, "key_prefix") };
        yield writeEvent("api_key.revoked", origin, { accountId, details });
        return true;
      }),

    async find({ by, value }, limit) {
      return (await engine.query(FIND_KEYS[by], value, limit)).map(ownedKeyOf);
    },

    burn: (keyHashes, origin) =>
      engine.transaction(function* () {
        const hashes = hashParameters(keyHashes);
        const known = (yield statement(KEYS_BY_HASHES, ...hashes)).map(ownedKeyOf);
        const burned = yield statement(BURN_KEYS, origin.at, ...hashes);
        const ids = new Set(burned.map((row) => textOf(row, "id")));
        const revoked = known.filter(({ id }) => ids.has(id));
        for (const { id, keyPrefix, accountId } of revoked) {
          const details = { api_key_id: id, key_prefix: keyPrefix, reason: "burned" };
          yield writeEvent("api_key.revoked", origin, { accountId, details });
        }
        return { known: known.length, revoked };
      }, BURN_LOCK),

    async previewBurn(keyHashes) {
      const rows = await engine.query(KEYS_BY_HASHES, ...hashParameters(keyHashes));
      const known = rows.map(ownedKeyOf);
      return {
        known: known.length,
        revoked: known.filter(({ revokedAt }) => revokedAt === undefined),
      };
    },
  };
}

function apiKeyOf(row: Row): ApiKey {
  return {
    id: textOf(row, "id"),
    name: textOf(row, "name"),
    keyPrefix: textOf(row, "key_prefix"),
    createdAt: textOf(row, "created_at"),
    revokedAt: optionalTextOf(row, "revoked_at"),
  };
}

function ownedKeyOf(row: Row): OwnedKey {
  return {
    ...apiKeyOf(row),
    accountId: textOf(row, "account_id"),
    email: optionalTextOf(row, "email"),
  };
}

/** Checks the active keys last: revoking one does not help against the other limits. */
function reachedLimit(counts: Row, limits: KeyLimits): keyof KeyLimits | undefined {
  if (integerOf(counts, "beyond") > 0) return "total";
  if (integerOf(counts, "today") >= limits.perDay) return "perDay";
  return integerOf(counts, "active") >= limits.active ? "active" : undefined;
}
