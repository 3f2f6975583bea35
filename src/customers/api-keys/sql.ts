import { writeEvent } from "../../platform/audit/sql.ts";
import {
  hashParameters,
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
import { activeKey, LOCK_ACCOUNT, transactionBy, USABLE_KEY } from "../access/sql.ts";
import { keyLimitStore, limitDetails } from "./limits-sql.ts";
import { apiKeyOf, findReachedLimit, insertKey, KEY_COLUMNS } from "./rows-sql.ts";
import { explainRejection } from "./rules.ts";
import type { ApiKeyStore, KeyCreation, KeyReference, OwnedKey } from "./store.ts";

export const apiKeyTables: Tables = {
  api_keys: { key: "key_hash", others: `account_id, ${KEY_COLUMNS}` },
};

// An id is a UUIDv7, so the order of ids is the order of creation.
const LIST_KEYS = `
  SELECT ${KEY_COLUMNS} FROM api_keys
  WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

const KEY_ACCOUNT = `
  SELECT k.account_id FROM api_keys k JOIN accounts a ON a.id = k.account_id
  WHERE k.key_hash = $1 AND ${USABLE_KEY} AND ${activeKey("$2", "k.")}`;

const REJECTED_KEY = "SELECT account_id, revoked_at, expires_at FROM api_keys WHERE key_hash = $1";

// One statement finds and revokes the key: unknown, foreign and revoked ids take the same path, and
// of two simultaneous revocations only one succeeds (specification, section 3).
const REVOKE_KEY = `
  UPDATE api_keys SET revoked_at = $3
  WHERE id = $1 AND account_id = $2 AND ${activeKey("$3")} RETURNING key_prefix`;

const ownedKeys = (condition: string) => `
  SELECT ${KEY_COLUMNS.replaceAll(/\w+/g, "k.$&")}, k.account_id, a.email
  FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id AND a.deleted_at IS NULL
  WHERE ${condition}`;

const foundBy = (column: string) =>
  `${ownedKeys(`k.${column} = $1`)} ORDER BY (${activeKey("$3", "k.")}) DESC, k.id LIMIT $2`;

const FIND_KEYS: Record<KeyReference["by"], string> = {
  id: foundBy("id"),
  hash: foundBy("key_hash"),
  prefix: foundBy("key_prefix"),
};

const KEYS_BY_HASHES = ownedKeys(isOneOfHashes("k.key_hash", 1));

const BURN_KEYS = `
  UPDATE api_keys SET revoked_at = $1
  WHERE ${isOneOfHashes("key_hash", 2)} AND ${activeKey("$1")} RETURNING id`;

/** Two burns of the same keys would each wait for rows that the other has locked. */
const BURN_LOCK = "burn";

export function apiKeyStore(engine: Engine): ApiKeyStore {
  return {
    async create(key, limits, origin) {
      const { id, accountId, keyPrefix } = key;
      const reached = await findReachedLimit(engine, key, limits);
      if (reached !== undefined) return reached;
      return transactionBy(engine, origin, function* (): Transaction<KeyCreation> {
        if ((yield statement(LOCK_ACCOUNT, accountId)).length === 0) return "account_deleted";
        const creation = yield* insertKey(key, limits, null);
        if (creation !== "created") return creation;
        const details = { api_key_id: id, key_prefix: keyPrefix, ...limitDetails(key.limits) };
        yield writeEvent("api_key.created", origin, { accountId, details });
        return "created";
      });
    },

    async list(accountId, afterId, limit, now) {
      const rows = await engine.query(LIST_KEYS, accountId, afterId, limit);
      return rows.map((row) => apiKeyOf(row, now));
    },

    async findAccount(keyHash, now) {
      const [row] = await engine.query(KEY_ACCOUNT, keyHash, now);
      return row && textOf(row, "account_id");
    },

    async findRejected(keyHash, now) {
      const [row] = await engine.query(REJECTED_KEY, keyHash);
      if (row === undefined) return undefined;
      const expiresAt = optionalTextOf(row, "expires_at") ?? null;
      const revokedAt = optionalTextOf(row, "revoked_at") ?? null;
      const rejection = explainRejection({ revokedAt, expiresAt }, now);
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

    ...keyLimitStore(engine),

    async find({ by, value }, limit, now) {
      const rows = await engine.query(FIND_KEYS[by], value, limit, now);
      return rows.map((row) => ownedKeyOf(row, now));
    },

    burn: (keyHashes, origin) =>
      engine.transaction(function* () {
        const hashes = hashParameters(keyHashes);
        const known = (yield statement(KEYS_BY_HASHES, ...hashes)).map((row) =>
          ownedKeyOf(row, origin.at),
        );
        const burned = yield statement(BURN_KEYS, origin.at, ...hashes);
        const ids = new Set(burned.map((row) => textOf(row, "id")));
        const revoked = known.filter(({ id }) => ids.has(id));
        for (const { id, keyPrefix, accountId } of revoked) {
          const details = { api_key_id: id, key_prefix: keyPrefix, reason: "burned" };
          yield writeEvent("api_key.revoked", origin, { accountId, details });
        }
        return { known: known.length, revoked };
      }, BURN_LOCK),

    async previewBurn(keyHashes, now) {
      const rows = await engine.query(KEYS_BY_HASHES, ...hashParameters(keyHashes));
      const known = rows.map((row) => ownedKeyOf(row, now));
      return {
        known: known.length,
        revoked: known.filter(({ revokedAt }) => revokedAt === undefined),
      };
    },
  };
}

function ownedKeyOf(row: Row, now: string): OwnedKey {
  return {
    ...apiKeyOf(row, now),
    accountId: textOf(row, "account_id"),
    email: optionalTextOf(row, "email"),
  };
}
