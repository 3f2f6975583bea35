import { writeEvent } from "../../platform/audit/sql.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { integerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { writeMail } from "../outbox/sql.ts";
import type { QuotaNoticeStore } from "./quota-notices.ts";
import { accountQuota, quotaOf } from "./quota-sql.ts";
import {
  type BillingPeriod,
  DEFAULT_THRESHOLDS,
  isReached,
  type Quota,
  sumOfUnits,
  type Threshold,
  thresholdName,
  timeWithin,
} from "./rules.ts";
import { type UnitStatements, USAGE } from "./sql.ts";
import { findLine, type Line, THRESHOLDS, thresholdsOf } from "./thresholds-sql.ts";

const LAST_OF_PAGE = `
  SELECT max(id) AS last_id
  FROM (SELECT id FROM accounts WHERE id > $1 ORDER BY id LIMIT $2) AS page`;

const WANTS_MAILS = "quota_mails = 1 AND suspended_at IS NULL AND deleted_at IS NULL";

const reaches = (percent = 0) => `used * 100 >= quota * ${percent}`;

const isDue = ({ percent }: Threshold) => `(
  ${reaches(percent)} AND NOT EXISTS (
    SELECT 1 FROM quota_notices n
    WHERE n.account_id = page.id AND n.period = $1 AND n.threshold = '${percent}%'
  ))`;

// Selects by the accounts' key and searches each one's units by theirs: no index exists for this
// that a charge would have to maintain. On SQLite a page of 500 takes 1 ms of processor time. An
// account may have granted units beside this quota, and any own thresholds.
const CANDIDATES_IN_PAGE = `
  SELECT id FROM (
    SELECT a.id, a.thresholds, ${accountQuota("$4")} AS quota,
      (SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $1) AS used
    FROM accounts a JOIN plans p ON p.name = a.plan
    WHERE a.id > $2 AND a.id <= $3 AND ${WANTS_MAILS}
  ) AS page
  WHERE thresholds IS NOT NULL AND used > 0
    OR thresholds IS NULL AND ${reaches(DEFAULT_THRESHOLDS[0]?.percent)} AND used > 0
      AND (${DEFAULT_THRESHOLDS.map(isDue).join(" OR ")})
  ORDER BY id`;

// Changes nothing. It locks the row until the notices are stored: they either precede a deletion,
// a suspension or the choice to get no mails, or are not written.
const LOCK_ACCOUNT = `
  UPDATE accounts SET quota_mails = quota_mails WHERE id = $1 AND ${WANTS_MAILS} RETURNING id`;

const NOTICED = "SELECT threshold FROM quota_notices WHERE account_id = $1 AND period = $2";

const WRITE_NOTICE = `
  INSERT INTO quota_notices (account_id, period, threshold, written_at) VALUES ($1, $2, $3, $4)`;

/** A threshold that was reached and is not noticed yet, of the account or of a key's line. */
interface Due extends Threshold {
  readonly name: string;
  readonly line: Line | undefined;
}

/** Finds what an account must be told of its usage in a period. */
function* findDue(
  accountId: string,
  period: BillingPeriod,
  at: string,
  monthOfKeys: string,
): Transaction<{ readonly account: Quota; readonly due: readonly Due[] }> {
  const due: Due[] = [];
  const [usage] = yield statement(USAGE, accountId, period.name, timeWithin(period, at));
  const account = usage === undefined ? { quotaUnits: 0, usedUnits: 0 } : quotaOf(usage);
  const noticed = yield statement(NOTICED, accountId, period.name);
  const names = new Set(noticed.map((row) => row.threshold));
  let days: readonly Row[] | undefined;
  for (const threshold of thresholdsOf((yield statement(THRESHOLDS, accountId))[0])) {
    const { api_key_id: keyId } = threshold;
    const line = keyId === undefined ? undefined : yield* findLine(accountId, keyId, at);
    const name = thresholdName(threshold, line && textOf(line.newest, "line"));
    if (names.has(name) || (keyId !== undefined && line === undefined)) continue;
    if (line !== undefined) days ??= yield statement(monthOfKeys, accountId, period.name, "", "~");
    const quota = line === undefined ? account : quotaOfLine(line, days ?? []);
    if (isReached(threshold, quota)) due.push({ ...threshold, name, line });
  }
  return { account, due };
}

function quotaOfLine({ keyIds, unitsPerPeriod = 0 }: Line, days: readonly Row[]): Quota {
  const own = days.filter((row) => keyIds.has(textOf(row, "api_key_id")));
  const usedUnits = sumOfUnits(own.map((row) => ({ units: integerOf(row, "units") })));
  return { quotaUnits: unitsPerPeriod, usedUnits };
}

export function quotaNoticeStore(
  engine: Engine,
  { monthOfKeys }: Pick<UnitStatements, "monthOfKeys">,
): QuotaNoticeStore {
  return {
    async page({ period, now }, afterId, limit) {
      const [end = {}] = await engine.query(LAST_OF_PAGE, afterId, limit);
      const lastId = optionalTextOf(end, "last_id");
      if (lastId === undefined) return { candidateIds: [], lastId };
      const found = await engine.query(CANDIDATES_IN_PAGE, period, afterId, lastId, now);
      return { candidateIds: found.map((row) => textOf(row, "id")), lastId };
    },

    async write(accountId, period, origin) {
      const find = () => findDue(accountId, period, origin.at, monthOfKeys);
      // Without a lock and a commit: an account may be a candidate at each look.
      if ((await readThrough(engine, find())).due.length === 0) return;
      await engine.transaction(function* (): Transaction<void> {
        if ((yield statement(LOCK_ACCOUNT, accountId)).length === 0) return;
        const { account, due } = yield* find();
        if (due.length > 0) yield* writeNotices(accountId, period, origin, account, due);
      });
    },
  };
}

/** Runs steps that only read, each by itself. */
async function readThrough<Result>(engine: Engine, steps: Transaction<Result>): Promise<Result> {
  let step = steps.next([]);
  while (step.done !== true) {
    step = steps.next(await engine.query(step.value.sql, ...step.value.parameters));
  }
  return step.value;
}

/** Writes an event for each threshold, and one mail about all of them. */
function* writeNotices(
  accountId: string,
  period: BillingPeriod,
  origin: Origin,
  account: Quota,
  due: readonly Due[],
): Transaction<void> {
  for (const { name, percent, units = 0, line } of due) {
    yield statement(WRITE_NOTICE, accountId, period.name, name, origin.at);
    const amount = percent === undefined ? { units } : { threshold: percent };
    const { id = "", key_prefix = "" } = line?.newest ?? {};
    const key = line && { api_key_id: String(id), key_prefix: String(key_prefix) };
    const details = { period: period.name, ...amount, ...key };
    yield writeEvent("quota.threshold_reached", origin, { accountId, details });
  }
  const ofAccount = due.filter(({ line }) => line === undefined);
  yield writeMail({
    id: origin.newId(),
    to: { accountId },
    kind: "quota_reached",
    createdAt: origin.at,
    details: {
      threshold: Math.max(0, ...ofAccount.map(({ percent = 0 }) => percent)),
      reached: due.map(describeThreshold),
      used_units: account.usedUnits,
      quota_units: account.quotaUnits,
      resets_at: period.end,
    },
  });
}

function describeThreshold({ percent, units = 0, line }: Due): string {
  const key = line && `the API key ${textOf(line.newest, "label")}`;
  if (percent !== undefined) return `${percent} % of the ${key ? `limit of ${key}` : "quota"}`;
  return `${counted(units, "unit", units.toLocaleString("en-US"))}${key ? ` of ${key}` : ""}`;
}
