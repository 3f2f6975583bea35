import { optionalIntegerOf, textOf } from "../../platform/storage/columns.ts";
import { type Engine, statement, type Transaction } from "../../platform/storage/engine.ts";
import { LOCK_OWNER } from "../access/sql.ts";
import { writeMail } from "../outbox/sql.ts";
import type { EndNoticeStore } from "./quota-notices.ts";
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
    AND (end_notice_days IS NULL OR end_notice_days > $3)
  RETURNING (
    SELECT ${KEY_LABEL} FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1
  ) AS label`;

export function endNoticeStore(engine: Engine): EndNoticeStore {
  return {
    async page(after, until, limit) {
      const rows = await engine.query(ENDING_KEYS, after.expiresAt, after.id, until, limit);
      return rows.map((row) => ({
        id: textOf(row, "id"),
        accountId: textOf(row, "account_id"),
        createdAt: textOf(row, "created_at"),
        expiresAt: textOf(row, "expires_at"),
        noticeDays: optionalIntegerOf(row, "end_notice_days") ?? Infinity,
      }));
    },

    write: ({ accountId, id, expiresAt }, days, origin) =>
      engine.transaction(function* (): Transaction<void> {
        const owners = yield statement(LOCK_OWNER, accountId);
        // Also for a suspended account: else each look would try again.
        const [key] = yield statement(WRITE_NOTICE, id, expiresAt, days);
        if (owners.length === 0 || key === undefined) return;
        const mail = { id: origin.newId(), to: { accountId }, createdAt: origin.at } as const;
        const details = { label: textOf(key, "label"), ends_at: expiresAt };
        yield writeMail({ ...mail, kind: "key_ends", details });
      }),
  };
}
