import { textOf } from "../storage/columns.ts";
import { type Engine, statement } from "../storage/engine.ts";
import type { SessionStore } from "./store.ts";

const CREATE_SESSION = `
  INSERT INTO sessions (token_hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`;

// A reset may have replaced the password during its check: no session for the old password may be
// stored after the reset has ended all sessions. On PostgreSQL the row stays locked until the
// session is stored, so that a reset either commits first or finds and ends the session.
const RENEW_PASSWORD = `
  UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash = $2 RETURNING id`;

const REMOVE_EXPIRED = "DELETE FROM sessions WHERE account_id = $1 AND expires_at <= $2";

// A session created well in the future comes from a clock that has been set back since: it would
// outlive the lifetime of sessions.
const VALID_SESSION = `
  SELECT account_id FROM sessions
  WHERE token_hash = $1 AND expires_at > $2 AND created_at <= $3`;

const END_SESSION = "DELETE FROM sessions WHERE token_hash = $1";

export function sessionStore(engine: Engine): SessionStore {
  return {
    createSession: ({ tokenHash, accountId, createdAt, expiresAt }, { hash, nextHash }) =>
      engine.transaction(function* () {
        const isUnchanged =
          (yield statement(RENEW_PASSWORD, accountId, hash, nextHash)).length === 1;
        if (!isUnchanged) return false;
        yield statement(REMOVE_EXPIRED, accountId, createdAt);
        yield statement(CREATE_SESSION, tokenHash, accountId, createdAt, expiresAt);
        return true;
      }),

    async sessionAccount(tokenHash, now, issuedBy = now) {
      const [row] = await engine.query(VALID_SESSION, tokenHash, now, issuedBy);
      return row && textOf(row, "account_id");
    },

    async endSession(tokenHash) {
      await engine.query(END_SESSION, tokenHash);
    },
  };
}
