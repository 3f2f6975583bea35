import type { SessionStore } from "../../application/ports.ts";
import { textOf } from "./columns.ts";
import { type Engine, statement } from "./engine.ts";

const CREATE_SESSION = `
  INSERT INTO sessions (token_hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`;

const REMOVE_EXPIRED = "DELETE FROM sessions WHERE account_id = $1 AND expires_at <= $2";

const VALID_SESSION = `
  SELECT account_id FROM sessions WHERE token_hash = $1 AND expires_at > $2`;

const END_SESSION = "DELETE FROM sessions WHERE token_hash = $1";

export function sessionStore(engine: Engine): SessionStore {
  return {
    createSession: ({ tokenHash, accountId, createdAt, expiresAt }) =>
      engine.transaction(function* () {
        yield statement(REMOVE_EXPIRED, accountId, createdAt);
        yield statement(CREATE_SESSION, tokenHash, accountId, createdAt, expiresAt);
      }),

    async sessionAccount(tokenHash, now) {
      const [row] = await engine.query(VALID_SESSION, tokenHash, now);
      return row && textOf(row, "account_id");
    },

    async endSession(tokenHash) {
      await engine.query(END_SESSION, tokenHash);
    },
  };
}
