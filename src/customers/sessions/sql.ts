import { writeEvent } from "../../platform/audit/sql.ts";
import {
  hashParameters,
  integerOf,
  isOneOfHashes,
  optionalTextOf,
  textOf,
} from "../../platform/storage/columns.ts";
import { type Engine, type Row, statement } from "../../platform/storage/engine.ts";
import { transactionBy } from "../access/sql.ts";
import type { ListedSession, SessionStore } from "./store.ts";

const CREATE_SESSION = `
  INSERT INTO sessions (token_hash, id, account_id, created_at, expires_at, address, client)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

// A reset may have replaced the password during its check, and an operator may have suspended the
// account: no session for the old password may be stored after the reset has ended all sessions. On
// PostgreSQL the row stays locked until the session is stored, so that a reset either commits first
// or finds and ends the session.
const RENEW_PASSWORD = `
  UPDATE accounts SET password_hash = $3
  WHERE id = $1 AND password_hash = $2 AND suspended_at IS NULL RETURNING id`;

// A session created well in the future comes from a clock that has been set back since: it would
// outlive the lifetime of sessions.
const validAt = (now: string, issuedBy: string) =>
  `s.expires_at > ${now} AND s.created_at <= ${issuedBy}`;

const VALID_SESSION = `
  SELECT s.account_id FROM sessions s JOIN accounts a ON a.id = s.account_id
  WHERE s.token_hash = $1 AND ${validAt("$2", "$3")} AND a.suspended_at IS NULL`;

// An id is a UUIDv7, so the order of ids is the order of log-ins.
const LIST_SESSIONS = `
  SELECT id, token_hash, created_at, expires_at, address, client FROM sessions s
  WHERE account_id = $1 AND id < $2 AND ${validAt("$3", "$4")}
  ORDER BY id DESC LIMIT $5`;

const END_SESSION = "DELETE FROM sessions WHERE token_hash = $1";

// These end sessions of the future, too: they would become valid.
const END_BY_ID = `
  DELETE FROM sessions WHERE account_id = $1 AND id = $2 AND expires_at > $3 RETURNING id`;

const END_OTHERS = `
  DELETE FROM sessions WHERE account_id = $1 AND token_hash <> $2 RETURNING expires_at`;

// The session of a suspended account is among them: it would be valid again after a resumption.
const LEAKED_SESSIONS = `
  FROM sessions WHERE ${isOneOfHashes("token_hash", 2)} AND expires_at > $1`;

const BURN_SESSIONS = `DELETE ${LEAKED_SESSIONS} RETURNING account_id`;

const COUNT_LEAKED_SESSIONS = `SELECT count(*) AS valid ${LEAKED_SESSIONS}`;

export function sessionStore(engine: Engine): SessionStore {
  return {
    create: (session, { hash, nextHash }, origin) =>
      engine.transaction(function* () {
        const { id, tokenHash, accountId, createdAt, expiresAt, address, client } = session;
        const isUnchanged =
          (yield statement(RENEW_PASSWORD, accountId, hash, nextHash)).length === 1;
        if (!isUnchanged) return false;
        const values = [tokenHash, id, accountId, createdAt, expiresAt, address] as const;
        yield statement(CREATE_SESSION, ...values, client ?? null);
        yield writeEvent("session.started", origin, { accountId });
        return true;
      }),

    async findAccount(tokenHash, now, issuedBy = now) {
      const [row] = await engine.query(VALID_SESSION, tokenHash, now, issuedBy);
      return row && textOf(row, "account_id");
    },

    async list(accountId, beforeId, limit, { now, issuedBy }) {
      const values = [accountId, beforeId, now, issuedBy, limit] as const;
      return (await engine.query(LIST_SESSIONS, ...values)).map(sessionOf);
    },

    end: (origin) =>
      transactionBy(engine, origin, function* () {
        const { accountId, tokenHash } = origin.session;
        yield statement(END_SESSION, tokenHash);
        yield writeEvent("session.ended", origin, { accountId });
      }),

    endOne: (sessionId, origin) =>
      transactionBy(engine, origin, function* () {
        const { accountId } = origin.session;
        const ended = yield statement(END_BY_ID, accountId, sessionId, origin.at);
        if (ended.length === 0) return false;
        const details = { session_id: sessionId };
        yield writeEvent("session.ended", origin, { accountId, details });
        return true;
      }),

    endOthers: (origin) =>
      transactionBy(engine, origin, function* () {
        const { accountId, tokenHash } = origin.session;
        const removed = yield statement(END_OTHERS, accountId, tokenHash);
        const sessions = removed.filter((row) => textOf(row, "expires_at") > origin.at).length;
        if (sessions === 0) return;
        yield writeEvent("sessions.ended", origin, { accountId, details: { sessions } });
      }),

    burn: (tokenHashes, origin) =>
      engine.transaction(function* () {
        const hashes = hashParameters(tokenHashes);
        const ended = yield statement(BURN_SESSIONS, origin.at, ...hashes);
        for (const session of ended) {
          const details = { reason: "burned" };
          const accountId = textOf(session, "account_id");
          yield writeEvent("session.ended", origin, { accountId, details });
        }
        return ended.length;
      }),

    async previewBurn(tokenHashes, now) {
      const hashes = hashParameters(tokenHashes);
      const [counted = {}] = await engine.query(COUNT_LEAKED_SESSIONS, now, ...hashes);
      return integerOf(counted, "valid");
    },
  };
}

function sessionOf(row: Row): ListedSession {
  return {
    id: textOf(row, "id"),
    tokenHash: textOf(row, "token_hash"),
    createdAt: textOf(row, "created_at"),
    expiresAt: textOf(row, "expires_at"),
    address: textOf(row, "address"),
    client: optionalTextOf(row, "client"),
  };
}
