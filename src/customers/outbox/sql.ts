import { integerOf, optionalTextOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import { type Engine, type Row, type Statement, statement } from "../../platform/storage/engine.ts";
import type {
  ClaimedMail,
  EndingKeyFigures,
  MailKind,
  MailStore,
  OutgoingMail,
  QuotaFigures,
} from "./store.ts";

export const mailTables: Tables = {
  mails: {
    key: "id",
    others:
      "account_id, email, kind, token, expires_at, details, created_at, attempts, " +
      "next_attempt_at, last_error, delivered_at, given_up_at",
    summed: "attempts",
  },
};

const WRITE_MAIL = `
  INSERT INTO mails (id, account_id, email, kind, token, expires_at, details, created_at,
    next_attempt_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`;

// Both run once per second, mostly when nothing is due: a read disturbs neither the writers nor the
// row cache that metered batches use.
const ANY_DUE = "SELECT 1 AS due FROM mails WHERE next_attempt_at <= $1 LIMIT 1";
const ANY_BEYOND = "SELECT 1 AS beyond FROM mails WHERE next_attempt_at > $1 LIMIT 1";

// The time of the next attempt is also the lease: of two nodes only one updates it.
const CLAIM_MAILS = `
  UPDATE mails SET next_attempt_at = $2, attempts = attempts + 1
  WHERE next_attempt_at <= $1 AND id IN
    (SELECT id FROM mails WHERE next_attempt_at <= $1 ORDER BY next_attempt_at, id LIMIT $3)
  RETURNING id, kind, token, expires_at, details, created_at, attempts,
    coalesce(email, (SELECT a.email FROM accounts a WHERE a.id = mails.account_id)) AS email`;

const RESCHEDULE_MAIL = `
  UPDATE mails SET next_attempt_at = $2, last_error = coalesce($3, last_error)
  WHERE id = $1 AND next_attempt_at IS NOT NULL`;

const RESCHEDULE_STUCK_MAILS = "UPDATE mails SET next_attempt_at = $1 WHERE next_attempt_at > $2";

const MARK_DELIVERED = `
  UPDATE mails SET delivered_at = $2, token = NULL, next_attempt_at = NULL
  WHERE id = $1 AND next_attempt_at IS NOT NULL`;

const MARK_GIVEN_UP = `
  UPDATE mails SET given_up_at = $2, last_error = $3, token = NULL, next_attempt_at = NULL
  WHERE id = $1 AND next_attempt_at IS NOT NULL`;

const LIST_MAILS = `
  SELECT m.id, m.kind, coalesce(m.email, a.email) AS email, m.created_at, m.attempts,
    m.next_attempt_at, m.last_error, m.delivered_at, m.given_up_at
  FROM mails m LEFT JOIN accounts a ON a.id = m.account_id
  WHERE $1 = 1 OR m.delivered_at IS NULL
  ORDER BY m.id`;

// Each half reads only the rows that it counts, through a partial index on them.
const OUTBOX_STATE = `
  SELECT w.waiting, w.oldest,
    (SELECT count(*) FROM mails WHERE given_up_at IS NOT NULL) AS given_up
  FROM (
    SELECT count(*) AS waiting, min(created_at) AS oldest
    FROM mails WHERE next_attempt_at IS NOT NULL
  ) w`;

export function mailStore(engine: Engine): MailStore {
  return {
    async claim({ now, until, limit }) {
      if ((await engine.query(ANY_DUE, now)).length === 0) return [];
      const rows = await engine.query(CLAIM_MAILS, now, until, limit);
      return rows.map(claimedMail).sort((one, other) => (one.id < other.id ? -1 : 1));
    },

    async reschedule(id, until, error) {
      await engine.query(RESCHEDULE_MAIL, id, until, error ?? null);
    },

    async rescheduleStuck(now, waitingBeyond) {
      if ((await engine.query(ANY_BEYOND, waitingBeyond)).length === 0) return;
      await engine.query(RESCHEDULE_STUCK_MAILS, now, waitingBeyond);
    },

    async markDelivered(id, at) {
      await engine.query(MARK_DELIVERED, id, at);
    },

    async markGivenUp(id, at, error) {
      await engine.query(MARK_GIVEN_UP, id, at, error);
    },

    async outboxState() {
      const [row = {}] = await engine.query(OUTBOX_STATE);
      return {
        waiting: integerOf(row, "waiting"),
        oldestWaitingAt: optionalTextOf(row, "oldest"),
        givenUp: integerOf(row, "given_up"),
      };
    },

    async list({ withDelivered }) {
      const rows = await engine.query(LIST_MAILS, withDelivered ? 1 : 0);
      return rows.map((row) => ({
        id: textOf(row, "id"),
        kind: textOf(row, "kind"),
        email: textOf(row, "email"),
        createdAt: textOf(row, "created_at"),
        attempts: integerOf(row, "attempts"),
        nextAttemptAt: optionalTextOf(row, "next_attempt_at"),
        lastError: optionalTextOf(row, "last_error"),
        deliveredAt: optionalTextOf(row, "delivered_at"),
        givenUpAt: optionalTextOf(row, "given_up_at"),
      }));
    },
  };
}

/** @returns the statement that adds a mail to the outbox, due at once. */
export function writeMail(mail: {
  readonly id: string;
  /** The recipient: an account or, where there is none yet, an address. */
  readonly to: { readonly accountId: string } | { readonly email: string };
  readonly kind: MailKind;
  readonly createdAt: string;
  readonly link?: NonNullable<OutgoingMail["link"]>;
  readonly details?: QuotaFigures | EndingKeyFigures;
}): Statement {
  const { id, to, kind, createdAt, link, details = null } = mail;
  const recipient = "email" in to ? ([null, to.email] as const) : ([to.accountId, null] as const);
  const secret = [link?.token ?? null, link?.expiresAt ?? null] as const;
  const text = details && JSON.stringify(details);
  return statement(WRITE_MAIL, id, ...recipient, kind, ...secret, text, createdAt);
}

function claimedMail(row: Row): ClaimedMail {
  const token = optionalTextOf(row, "token");
  const details = optionalTextOf(row, "details");
  const kind = textOf(row, "kind") as MailKind;
  const member = kind === "key_ends" ? "endingKey" : "quota";
  return {
    id: textOf(row, "id"),
    kind,
    email: textOf(row, "email"),
    link: token === undefined ? undefined : { token, expiresAt: textOf(row, "expires_at") },
    ...(details === undefined ? {} : { [member]: JSON.parse(details) as never }),
    createdAt: textOf(row, "created_at"),
    attempts: integerOf(row, "attempts"),
  };
}
