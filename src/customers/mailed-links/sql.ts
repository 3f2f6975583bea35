import type { Action } from "../../platform/audit/rules.ts";
import { writeEvent } from "../../platform/audit/sql.ts";
import { HOUR_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { integerOf, optionalTextOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { NOT_REVOKED } from "../access/sql.ts";
import { writeMail } from "../outbox/sql.ts";
import type { IssuedToken, TokenPurpose } from "../outbox/store.ts";
import { MAILS_PER_HOUR_MAX, VALID_TOKENS_MAX } from "./rules.ts";
import type { MailTokenStore } from "./store.ts";

export const mailTokenTables: Tables = {
  mail_tokens: { key: "token_hash", others: "account_id, purpose, expires_at" },
};

/**
 * The lock of transactions that write what an email's account, or the lack of one, permits: a
 * deletion of the account runs before them or finds what they wrote. It also lets each of several
 * requests for tokens count the others' rows, and each use of an invitation see another one. Unlike
 * a lock of the account's row it takes as long when no account has the email.
 */
export const lockOfEmail = (email: string): string => `email ${email}`;

// Returns one row even for an email without an account, and bounds the counts: the duration reveals
// neither whether an account exists nor how many mails it was sent. The upper bounds ignore tokens
// and mails from a clock that was far ahead and has been set back since.
const ACCOUNT_TO_MAIL = `
  SELECT a.id, a.email_verified_at,
    (SELECT count(*) FROM mail_tokens
      WHERE account_id = coalesce(a.id, $2) AND purpose = $3
        AND expires_at > $4 AND expires_at <= $7) AS tokens,
    (SELECT count(*) FROM (
      SELECT 1 FROM mails
      WHERE account_id = coalesce(a.id, $2) AND created_at > $5 AND created_at <= $6
      LIMIT ${MAILS_PER_HOUR_MAX}) AS recent) AS mails
  FROM (SELECT $1 AS email) AS asked LEFT JOIN accounts a ON a.email = asked.email`;

export const WRITE_TOKEN = `
  INSERT INTO mail_tokens (account_id, purpose, token_hash, expires_at) VALUES ($1, $2, $3, $4)`;

const DELETE_TOKEN = "DELETE FROM mail_tokens WHERE token_hash = $1";
const DELETE_MAIL = "DELETE FROM mails WHERE id = $1";
const DELETE_EVENT = "DELETE FROM events WHERE id = $1";

const TOKEN_EMAIL = `
  SELECT a.email FROM mail_tokens t JOIN accounts a ON a.id = t.account_id
  WHERE t.token_hash = $1 AND t.purpose = $2 AND t.expires_at > $3`;

// Changes nothing. Every transaction locks the account before its tokens, sessions and keys: a
// deletion that waited for the tokens here, while their use waited for the account, would be a
// deadlock.
const LOCK_OWNER = `
  UPDATE accounts SET email = email
  WHERE id = (SELECT account_id FROM mail_tokens WHERE token_hash = $1)`;

// Tests and changes in one statement, which also voids the account's other tokens of the purpose:
// of two simultaneous uses, of the same token or of two tokens, only one finds its row.
const SPEND_TOKEN = `
  DELETE FROM mail_tokens WHERE purpose = $2 AND account_id =
    (SELECT account_id FROM mail_tokens
      WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3)
  RETURNING account_id, token_hash`;

const VERIFY_EMAIL = `
  UPDATE accounts SET email_verified_at = coalesce(email_verified_at, $2) WHERE id = $1`;

const SET_PASSWORD = `
  UPDATE accounts SET password_hash = $2 WHERE id = $1 RETURNING email_verified_at`;

export const END_SESSIONS = "DELETE FROM sessions WHERE account_id = $1 RETURNING account_id";

// One that has ended, too, at its end: no clock that is set back makes it valid again.
export const REVOKE_KEYS = `
  UPDATE api_keys SET revoked_at = CASE WHEN expires_at <= $2 THEN expires_at ELSE $2 END
  WHERE account_id = $1 AND ${NOT_REVOKED} RETURNING revoked_at`;

const REQUEST_OF: Record<TokenPurpose, Action> = {
  verification: "email.verification_requested",
  password_reset: "password.reset_requested",
};

export function mailTokenStore(engine: Engine): MailTokenStore {
  return {
    issue: (email, token, origin) =>
      engine.transaction(function* () {
        const { purpose, tokenHash, mailId, createdAt, expiresAt } = token;
        const nowMs = Date.parse(createdAt);
        const hour = [timestamp(nowMs - HOUR_MS), timestamp(nowMs + HOUR_MS)] as const;
        const values = [email, mailId, purpose, createdAt, ...hour, expiresAt] as const;
        const [row = {}] = yield statement(ACCOUNT_TO_MAIL, ...values);
        const accountId = optionalTextOf(row, "id");
        const isKept = accountId !== undefined && isDue(row, purpose) && isWithinLimits(row);
        // Runs the same statements in every case, and deletes the rows that must not stay: a
        // commit without changes would be faster, and reveal that the account does not exist.
        const about = { accountId: accountId ?? mailId };
        const eventId = origin.newId();
        yield* writeToken(about.accountId, token);
        yield writeEvent(REQUEST_OF[purpose], { ...origin, newId: () => eventId }, about);
        yield statement(DELETE_TOKEN, isKept ? "" : tokenHash);
        yield statement(DELETE_MAIL, isKept ? "" : mailId);
        yield statement(DELETE_EVENT, isKept ? "" : eventId);
      }, lockOfEmail(email)),

    async findEmail(tokenHash, purpose, now) {
      const [row] = await engine.query(TOKEN_EMAIL, tokenHash, purpose, now);
      return row && textOf(row, "email");
    },

    verifyEmail: (tokenHash, origin) =>
      engine.transaction(function* () {
        const accountId = yield* spendToken(tokenHash, "verification", origin.at);
        if (accountId === undefined) return false;
        yield statement(VERIFY_EMAIL, accountId, origin.at);
        yield writeEvent("email.verified", origin, { accountId });
        return true;
      }),

    resetPassword: ({ tokenHash, passwordHash, mailId }, origin) =>
      engine.transaction(function* () {
        const now = origin.at;
        const accountId = yield* spendToken(tokenHash, "password_reset", now);
        if (accountId === undefined) return false;
        // A log-in and an owner's change lock the account, as a use of a token does: neither can
        // commit after this with a password or a session that was valid before.
        const [account = {}] = yield statement(SET_PASSWORD, accountId, passwordHash);
        yield statement(END_SESSIONS, accountId);
        // The person who created the account knows the keys, and may not own the email.
        const isFirst = optionalTextOf(account, "email_verified_at") === undefined;
        const revoked = isFirst ? yield statement(REVOKE_KEYS, accountId, now) : [];
        yield statement(VERIFY_EMAIL, accountId, now);
        yield writeMail({
          id: mailId,
          to: { accountId },
          kind: "password_changed",
          createdAt: now,
        });
        const active = revoked.filter((key) => textOf(key, "revoked_at") === now);
        const details = { keys_revoked: active.length };
        yield writeEvent("password.changed", origin, { accountId, details });
        return true;
      }),
  };
}

function isDue(account: Row, purpose: TokenPurpose): boolean {
  return purpose !== "verification" || optionalTextOf(account, "email_verified_at") === undefined;
}

function isWithinLimits(issued: Row): boolean {
  return (
    integerOf(issued, "tokens") < VALID_TOKENS_MAX &&
    integerOf(issued, "mails") < MAILS_PER_HOUR_MAX
  );
}

/** Writes a token and its mail. */
export function* writeToken(accountId: string, issued: IssuedToken): Transaction<void> {
  const { purpose, kind = purpose, token, tokenHash, mailId, createdAt, expiresAt } = issued;
  yield statement(WRITE_TOKEN, accountId, purpose, tokenHash, expiresAt);
  const link = { token, expiresAt };
  yield writeMail({ id: mailId, to: { accountId }, kind, createdAt, link });
}

function* spendToken(
  tokenHash: string,
  purpose: TokenPurpose,
  now: string,
): Transaction<string | undefined> {
  yield statement(LOCK_OWNER, tokenHash);
  const rows = yield statement(SPEND_TOKEN, tokenHash, purpose, now);
  const spent = rows.find((row) => row.token_hash === tokenHash);
  return spent && textOf(spent, "account_id");
}
