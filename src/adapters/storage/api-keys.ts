import type { ApiKeyStore } from "../../application/ports.ts";
import { optionalTextOf, textOf } from "./columns.ts";
import { type Engine, statement } from "./engine.ts";

// Counts and stores in one statement, under the account's lock: two creations at once cannot both
// take the last place.
const CREATE_KEY = `
  INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at)
  SELECT $1, $2, $3, $4, $5, $6
  WHERE (SELECT count(*) FROM api_keys WHERE account_id = $3 AND revoked_at IS NULL) < $7
  RETURNING id`;

// An id is a UUIDv7, so the order of ids is the order of creation.
const LIST_KEYS = `
  SELECT id, name, key_prefix, created_at, revoked_at FROM api_keys
  WHERE account_id = $1 ORDER BY id`;

const KEY_ACCOUNT = `
  SELECT account_id FROM api_keys WHERE key_hash = $1 AND revoked_at IS NULL`;

// One statement finds and ends the key: unknown, foreign and revoked ids take the same path, and
// of two revocations at once only one succeeds (specification, section 3).
const REVOKE_KEY = `
  UPDATE api_keys SET revoked_at = $3
  WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL RETURNING id`;

export function apiKeyStore(engine: Engine): ApiKeyStore {
  return {
    createApiKey({ keyHash, id, accountId, name, keyPrefix, createdAt }, limit) {
      const values = [keyHash, id, accountId, name, keyPrefix, createdAt, limit];
      return engine.transaction(function* () {
        return (yield statement(CREATE_KEY, ...values)).length === 1;
      }, `keys of ${accountId}`);
    },

    async listApiKeys(accountId) {
      const rows = await engine.query(LIST_KEYS, accountId);
      return rows.map((row) => ({
        id: textOf(row, "id"),
        name: textOf(row, "name"),
        keyPrefix: textOf(row, "key_prefix"),
        createdAt: textOf(row, "created_at"),
        revokedAt: optionalTextOf(row, "revoked_at"),
      }));
    },

    async apiKeyAccount(keyHash) {
      const [row] = await engine.query(KEY_ACCOUNT, keyHash);
      return row && textOf(row, "account_id");
    },

    async revokeApiKey(accountId, keyId, now) {
      return (await engine.query(REVOKE_KEY, keyId, accountId, now)).length === 1;
    },
  };
}
