import { join } from "node:path";
import { type Finding, findingsOf } from "../platform/shared/finding.ts";
import { counted } from "../platform/shared/text/counted.ts";
import { integerOf, textOf } from "../platform/storage/columns.ts";
import type { Engine } from "../platform/storage/engine.ts";
import { USABLE_KEY } from "./access/sql.ts";
import type { MailSettings } from "./outbox/mailer.ts";
import { mailStore } from "./outbox/sql.ts";
import type { MailRecord } from "./outbox/store.ts";
import { checkMailServer } from "./outbox/transport/create-mailer.ts";

export type { MailStore, OutboxState } from "./outbox/store.ts";

/**
 * Selects how many pairs of account and period have different units by period and by day
 * (`disagreeing`), and the sum by period (`units`). One statement reads at one instant, so that
 * both counts cover the same charges while a server runs.
 */
const COMPARE_UNITS = {
  // In the order of the key, an account's day 0, which has its units of the period, comes just
  // before its days: nothing is sorted. Units of an API key that is not stored count for no day.
  // The numbers of the keys have no gaps, as a rule; then a comparison proves that a key is stored,
  // and there is no search, which takes over a second for a million keys in no order.
  sqlite: `
    WITH numbers (first, last, have_gaps) AS MATERIALIZED (
      SELECT min(number), max(number), max(number) - min(number) + 1 <> count(number) FROM api_keys
    )
    SELECT count(*) FILTER (WHERE by_period <> by_day) AS disagreeing,
      coalesce(sum(by_period), 0) AS units
    FROM (
      SELECT sum(iif(day = 0, units, 0)) AS by_period,
        sum(iif(day > 0 AND api_key BETWEEN first AND last AND (
          NOT have_gaps OR EXISTS (SELECT 1 FROM api_keys WHERE number = api_key)
        ), units, 0)) AS by_day
      FROM numbers CROSS JOIN charged_units
      GROUP BY period, account
    )`,
  // A join of the two counts would need an index that the daily ones lack: for 300,000 accounts it
  // took minutes.
  postgres: `
    SELECT count(*) FILTER (WHERE difference <> 0) AS disagreeing,
      CAST(coalesce(sum(by_period), 0) AS bigint) AS units
    FROM (
      SELECT sum(units - by_day) AS difference, sum(units) AS by_period FROM (
        SELECT account_id, period, units, 0 AS by_day FROM period_usage
        UNION ALL SELECT account_id, substr(day, 1, 7), 0, units FROM daily_usage
      ) AS charges
      GROUP BY account_id, period
    ) AS accounts`,
};

// The triggers of usable_keys keep it as this says; another program can bypass them.
const WRONG_KEYS = `
  SELECT count(*) - count(u.digest) + (SELECT count(*) FROM usable_keys) - count(u.digest) AS wrong
  FROM api_keys k JOIN accounts a ON a.id = k.account_id
  LEFT JOIN usable_keys u ON u.digest = unhex(k.key_hash)
    AND u.api_key = k.number AND u.account = a.number AND u.plan = a.plan
    AND u.expires_at IS k.expires_at
    AND u.units_per_period IS k.units_per_period AND u.units_per_day IS k.units_per_day
  WHERE ${USABLE_KEY}`;

// The foreign key requires that an account's plan is stored, but other programs can bypass it.
const MISSING_PLANS = `
  SELECT used.plan, used.accounts
  FROM (SELECT plan, count(*) AS accounts FROM accounts GROUP BY plan) AS used
  WHERE NOT EXISTS (SELECT 1 FROM plans p WHERE p.name = used.plan)
  ORDER BY used.plan`;

// A unit from a grant is charged like every other one, and then counted as the grant's.
const WRONG_GRANTS = `
  SELECT count(*) AS wrong FROM (
    SELECT g.id FROM unit_grants g JOIN granted_usage u ON u.grant_id = g.id
    GROUP BY g.id, g.units HAVING sum(u.units) > g.units
    UNION ALL
    SELECT g.account_id FROM unit_grants g JOIN granted_usage u ON u.grant_id = g.id
    LEFT JOIN period_usage p ON p.account_id = g.account_id AND p.period = u.period
    GROUP BY g.account_id, u.period, p.units HAVING sum(u.units) > coalesce(p.units, 0)
  ) AS places`;

const WRITTEN_BY_OTHERS = "another program has written to the database, or it is damaged.";

/**
 * Finds what is wrong with the accounts, keys, units and mails in a store; writes nothing.
 *
 * @param isThorough also compares the keys that may read, which only SQLite has in a table.
 */
export async function findInCustomers(
  engine: Engine,
  database: keyof typeof COMPARE_UNITS,
  isThorough: boolean,
): Promise<readonly Finding[]> {
  const [keys] = isThorough && database === "sqlite" ? await engine.query(WRONG_KEYS) : [];
  const [units = {}] = await engine.query(COMPARE_UNITS[database]);
  return [
    ...(keys === undefined ? [] : [checkKeys(integerOf(keys, "wrong"))]),
    checkUnits(integerOf(units, "disagreeing"), integerOf(units, "units")),
    ...(await findWrongGrants(engine)),
    ...(await findMissingPlans(engine)),
    ...(await findFailedMails(engine)),
  ];
}

function checkKeys(wrong: number): Finding {
  const { ok, problem } = findingsOf("keys");
  if (wrong === 0) return ok("exactly the API keys in force may read");
  return problem(
    `${counted(wrong, "API key")} may read and should not, or the reverse: ${WRITTEN_BY_OTHERS} ` +
      "Stop the server and kurs restore a backup.",
  );
}

function checkUnits(disagreeing: number, units: number): Finding {
  const { ok, problem } = findingsOf("units");
  if (disagreeing === 0) return ok(`${counted(units, "unit")}: sums by period and by day agree`);
  return problem(
    `units by period and by day differ in ${counted(disagreeing, "place")}: ` +
      `${WRITTEN_BY_OTHERS} Compare with a backup.`,
  );
}

async function findWrongGrants(engine: Engine): Promise<readonly Finding[]> {
  const [row = {}] = await engine.query(WRONG_GRANTS);
  const wrong = integerOf(row, "wrong");
  const text =
    `more units were used of grants than granted, or charged, in ${counted(wrong, "place")}: ` +
    `${WRITTEN_BY_OTHERS} Compare with a backup.`;
  return wrong === 0 ? [] : [findingsOf("units").problem(text)];
}

async function findMissingPlans(engine: Engine): Promise<readonly Finding[]> {
  const { problem } = findingsOf("plans");
  return (await engine.query(MISSING_PLANS)).map((row) => {
    const [name, accounts] = [textOf(row, "plan"), integerOf(row, "accounts")];
    return problem(
      `${counted(accounts, "account")} ${accounts === 1 ? "is" : "are"} on the plan ` +
        `${JSON.stringify(name)}, which is not stored: their reads and usage get 503. Store it ` +
        `with kurs plans set ${name} UNITS, or move them with kurs accounts plan EMAIL PLAN.`,
    );
  });
}

async function findFailedMails(engine: Engine): Promise<readonly Finding[]> {
  const mails = await mailStore(engine).list({ withDelivered: false });
  const isFailed = ({ lastError, givenUpAt }: MailRecord) => (lastError ?? givenUpAt) !== undefined;
  const failed = mails.filter(isFailed).length;
  const text = `${counted(failed, "mail")} could not be delivered: see kurs mail list.`;
  return failed === 0 ? [] : [findingsOf("mail").warning(text)];
}

/** Logs in to the mail server, and sends nothing. */
export async function findInMailServer(settings: MailSettings): Promise<Finding> {
  const { ok, problem } = findingsOf("mail");
  const { smtpUrl, dataDirectory } = settings;
  if (smtpUrl === undefined) return ok(`mails are written to ${join(dataDirectory, "mail")}`);
  const { name, reason } = await checkMailServer(smtpUrl);
  if (reason === undefined) return ok(name);
  const advice = "Fix SMTP_URL or the mail server, then try kurs mail test ADDRESS.";
  return problem(`${name} does not accept mail: ${reason}. ${advice}`);
}
