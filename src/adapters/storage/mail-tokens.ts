import type { IssuedToken, MailTokenStore, TokenPurpose } from "../../application/mail-ports.ts";
import { optionalTextOf, textOf } from "./columns.ts";
import { type Engine, statement, type Transaction } from "./engine.ts";
import { writeMail } from "./mails.ts";

const ACCOUNT_BY_EMAIL = "SELECT id, email_verified_at FROM accounts WHERE email = $1";

const WRITE_TOKEN = `
  INSERT INTO mail_tokens (account_id, purpose, token_hash, expires_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account_id, purpose)
    DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`;

// The link of a mail that still waits is void with its token.
const REMOVE_WAITING_MAIL = `
  DELETE FROM mails WHERE account_id = $1 AND kind = $2 AND next_attempt_at IS NOT NULL`;

const REMOVE_TOKEN = "DELETE FROM mail_tokens WHERE account_id = $1 AND purpose = $2";

const TOKEN_EMAIL = `
  SELECT a.email FROM mail_tokens t JOIN accounts a ON a.id = t.account_id
  WHERE t.token_hash = $1 AND t.purpose = $2 AND t.expires_at > $3`;

// Test and change in one statement: of two uses at the same instant one finds the row.
const SPEND_TOKEN = `
  DELETE FROM mail_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3
  RETURNING account_id`;

const VERIFY_EMAIL = `
  UPDATE accounts SET email_verified_at = coalesce(email_verified_at, $2) WHERE id = $1`;

const VERIFY_EMAIL_BY_NAME = `
  UPDATE accounts SET email_verified_at = coalesce(email_verified_at, $2) WHERE email = $1
  RETURNING id`;

const RESET_PASSWORD = `
  UPDATE accounts SET password_hash = $2, email_verified_at = coalesce(email_verified_at, $3)
  WHERE id = $1`;

const END_SESSIONS = "DELETE FROM sessions WHERE account_id = $1";

export function mailTokenStore(engine: Engine): MailTokenStore {
  return {
    issueToken: (email, token) =>
      engine.transaction(function* () {
        const [row] = yield statement(ACCOUNT_BY_EMAIL, email);
        const isVerified = row !== undefined && optionalTextOf(row, "email_verified_at");
        const isDue = row !== undefined && (token.purpose !== "verification" || !isVerified);
        if (isDue) return yield* writeToken(textOf(row, "id"), token);
        // The same rows are written for nobody, and taken back: a commit that has changed nothing
        // would be quicker, and tell that there is no such account.
        yield* writeToken(token.mailId, token);
        yield statement(REMOVE_TOKEN, token.mailId, token.purpose);
        yield statement(REMOVE_WAITING_MAIL, token.mailId, token.purpose);
      }),

    async tokenEmail(tokenHash, purpose, now) {
      const [row] = await engine.query(TOKEN_EMAIL, tokenHash, purpose, now);
      return row && textOf(row, "email");
    },

    verifyEmail: (tokenHash, now) =>
      engine.transaction(function* () {
        const accountId = yield* spendToken(tokenHash, "verification", now);
        if (accountId === undefined) return false;
        yield statement(VERIFY_EMAIL, accountId, now);
        return true;
      }),

    resetPassword: ({ tokenHash, passwordHash, mailId, now }) =>
      engine.transaction(function* () {
        const accountId = yield* spendToken(tokenHash, "password_reset", now);
        if (accountId === undefined) return false;
        yield statement(RESET_PASSWORD, accountId, passwordHash, now);
        yield statement(END_SESSIONS, accountId);
        yield writeMail({ id: mailId, accountId, kind: "password_changed", createdAt: now });
        return true;
      }),

    async markEmailVerified(email, now) {
      return (await engine.query(VERIFY_EMAIL_BY_NAME, email, now)).length === 1;
    },
  };
}

/** Writes a token in place of an older one of its purpose, and its mail. */
export function* writeToken(accountId: string, issued: IssuedToken): Transaction<void> {
  const { purpose, token, tokenHash, mailId, createdAt, expiresAt } = issued;
  // The token first: its row makes a second transaction wait, which then finds this one's mail.
  yield statement(WRITE_TOKEN, accountId, purpose, tokenHash, expiresAt);
  yield statement(REMOVE_WAITING_MAIL, accountId, purpose);
  yield writeMail({ id: mailId, accountId, kind: purpose, createdAt, link: { token, expiresAt } });
}

function* spendToken(
  tokenHash: string,
  purpose: TokenPurpose,
  now: string,
): Transaction<string | undefined> {
  const [row] = yield statement(SPEND_TOKEN, tokenHash, purpose, now);
  return row && textOf(row, "account_id");
}
