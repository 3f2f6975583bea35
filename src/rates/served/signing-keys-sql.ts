import { textOf } from "../../platform/storage/columns.ts";
import { type Engine, type Statement, statement } from "../../platform/storage/engine.ts";
import type { PublicSigningKey, SigningKeyStore } from "./signing-key.ts";

const ADD_KEY = `
  INSERT INTO signing_keys (id, public_key, created_at) VALUES ($1, $2, $3)
  ON CONFLICT (id) DO NOTHING`;

// One search of an index for each key, however many rates there are.
const LIST_IN_USE = `
  SELECT k.id, k.public_key FROM signing_keys k
  WHERE EXISTS (SELECT 1 FROM rates r WHERE r.signing_key = k.id)
  ORDER BY k.created_at, k.id`;

export function signingKeyStore(engine: Engine): SigningKeyStore {
  return {
    async add({ id, publicKey }, now) {
      await engine.query(ADD_KEY, id, publicKey, now);
    },

    listInUse: async () =>
      (await engine.query(LIST_IN_USE)).map((row) => ({
        id: textOf(row, "id"),
        publicKey: textOf(row, "public_key"),
      })),
  };
}

/** Adds a key, if it is new, in the transaction that stores its first signatures. */
export function addKey({ id, publicKey }: PublicSigningKey, now: string): Statement {
  return statement(ADD_KEY, id, publicKey, now);
}
