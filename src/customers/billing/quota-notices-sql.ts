import { writeEvent } from "../../platform/audit/sql.ts";
import { integerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import { type Engine, statement, type Transaction } from "../../platform/storage/engine.ts";
import { writeMail } from "../outbox/sql.ts";
import type { QuotaNoticeStore } from "./quota-notices.ts";
import { accountQuota, quotaOf } from "./quota-sql.ts";
import { QUOTA_THRESHOLDS, reachedThresholds } from "./rules.ts";
import { USAGE } from "./sql.ts";

const LAST_OF_PAGE = `
  SELECT max(id) AS last_id
  FROM (SELECT id FROM accounts WHERE id > $1 ORDER BY id LIMIT $2) AS page`;

const WANTS_MAILS = "quota_mails = 1 AND suspended_at IS NULL AND deleted_at IS NULL";

const isReached = (percent: number) => `used * 100 >= quota * ${percent}`;

const isDue = (percent: number) => `(
  ${isReached(percent)} AND NOT EXISTS (
    SELECT 1 FROM quota_notices n
    WHERE n.account_id = page.id AND n.period = $1 AND n.threshold = ${percent}
  ))`;

// Selects by the accounts' key and searches each one's units by theirs: no index exists for this
// that a charge would have to maintain. On SQLite a page of 500 takes 1 ms of processor time.
const DUE_IN_PAGE = `
  SELECT id FROM (
    SELECT a.id, ${accountQuota("$4")} AS quota,
      (SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $1) AS used
    FROM accounts a JOIN plans p ON p.name = a.plan
    WHERE a.id > $2 AND a.id <= $3 AND ${WANTS_MAILS}
  ) AS page
  WHERE quota > 0 AND ${isReached(Math.min(...QUOTA_THRESHOLDS))}
    AND (${QUOTA_THRESHOLDS.map(isDue).join(" OR ")})
  ORDER BY id`;

// Changes nothing. It locks the row until the notices are stored: they either precede a deletion,
// a suspension or the choice to get no mails, or are not written.
const LOCK_ACCOUNT = `
  UPDATE accounts SET quota_mails = quota_mails WHERE id = $1 AND ${WANTS_MAILS} RETURNING id`;

const WRITE_NOTICE = `
  INSERT INTO quota_notices (account_id, period, threshold, written_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account_id, period, threshold) DO NOTHING RETURNING threshold`;

export function quotaNoticeStore(engine: Engine): QuotaNoticeStore {
  return {
    async page({ period, now }, afterId, limit) {
      const [end = {}] = await engine.query(LAST_OF_PAGE, afterId, limit);
      const lastId = optionalTextOf(end, "last_id");
      if (lastId === undefined) return { dueIds: [], lastId };
      const due = await engine.query(DUE_IN_PAGE, period, afterId, lastId, now);
      return { dueIds: due.map((row) => textOf(row, "id")), lastId };
    },

    write: (accountId, period, origin) =>
      engine.transaction(function* (): Transaction<void> {
        if ((yield statement(LOCK_ACCOUNT, accountId)).length === 0) return;
        const [row] = yield statement(USAGE, accountId, period.name, origin.at);
        if (row === undefined) return;
        const quota = quotaOf(row);
        const quotaUnits = integerOf(row, "account_units");
        const reached = reachedThresholds({ ...quota, quotaUnits });
        for (const threshold of reached) {
          const notice = [accountId, period.name, threshold, origin.at] as const;
          const isNew = (yield statement(WRITE_NOTICE, ...notice)).length === 1;
          if (!isNew) continue;
          const details = { period: period.name, threshold };
          yield writeEvent("quota.threshold_reached", origin, { accountId, details });
          // Of those reached at once, the highest says what the others would say.
          if (threshold !== reached.at(-1)) continue;
          yield writeMail({
            id: origin.newId(),
            to: { accountId },
            kind: "quota_reached",
            createdAt: origin.at,
            quota: {
              threshold,
              used_units: quota.usedUnits,
              quota_units: quota.quotaUnits,
              resets_at: period.end,
            },
          });
        }
      }),
  };
}
