import { optionalIntegerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import { type Engine, statement, type Transaction } from "../../platform/storage/engine.ts";
import { LOCK_OWNER } from "../access/sql.ts";
import { writeMail } from "../outbox/sql.ts";
import { type EndNoticeStore, lastsLonger } from "./end-notices.ts";
import { KEY_LABEL } from "./thresholds-sql.ts";

const ENDING_KEYS = `
  SELECT id, account_id, expires_at, created_at, end_notice_days FROM api_keys
  WHERE revoked_at IS NULL AND expires_at >= $1 AND (expires_at > $1 OR id > $2)
    AND expires_at <= $3
  ORDER BY expires_at, id LIMIT $4`;

// A statement that moves the end of a key sets end_notice_days to NULL.
const WRITE_NOTICE = `
  UPDATE api_keys SET end_notice_days = $3
  WHERE id = $1 AND expires_at = $2 AND revoked_at IS NULL
    AND (end_notice_days IS NULL OR end_notice_days > $3) RETURNING id`;

const MAILED_KEY = `
  SELECT ${KEY_LABEL}, n.key_prefix AS replaced_by, n.created_at AS replaced_at
  FROM api_keys k JOIN accounts a ON a.id = k.account_id
  LEFT JOIN api_keys n ON n.id > k.id AND n.id =
    (SELECT max(id) FROM api_keys WHERE line = coalesce(k.line, k.id) AND revoked_at IS NULL)
  WHERE k.id = $1`;

export function endNoticeStore(engine: Engine): EndNoticeStore {
  return {
    async page({ expiresAt, keyId }, until, limit) {
      const rows = await engine.query(ENDING_KEYS, expiresAt, keyId, until, limit);
      return rows.map((row) => ({
        keyId: textOf(row, "id"),
        accountId: textOf(row, "account_id"),
        createdAt: textOf(row, "created_at"),
        expiresAt: textOf(row, "expires_at"),
        noticeDays: optionalIntegerOf(row, "end_notice_days") ?? Infinity,
      }));
    },

    write: ({ accountId, keyId, expiresAt }, days, origin) =>
      engine.transaction(function* (): Transaction<void> {
        const isOpen = (yield statement(LOCK_OWNER, accountId)).length === 1;
        const marked = yield statement(WRITE_NOTICE, keyId, expiresAt, days);
        if (!isOpen || marked.length === 0) return;
        const [key = {}] = yield statement(MAILED_KEY, keyId);
        const replacedAt = optionalTextOf(key, "replaced_at");
        if (replacedAt !== undefined && !lastsLonger(replacedAt, expiresAt, days)) return;
        const endingKey = {
          label: textOf(key, "label"),
          ends_at: expiresAt,
          replaced_by: optionalTextOf(key, "replaced_by"),
        };
        const mail = { id: origin.newId(), to: { accountId }, createdAt: origin.at } as const;
        yield writeMail({ ...mail, kind: "key_ends", details: endingKey });
      }),
  };
}
