import { utcDay } from "../../../customers/billing/rules.ts";
import { type Instant, timestamp } from "../../../platform/shared/instant.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { isAhead } from "../../cleanup/rules.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** The state of a store. */
export interface StoreFacts {
  /** For example SQLite 3.53.1. */
  readonly engine: string;
  readonly schema: number;
  readonly knownSchema: number;
  /** How the pages were checked; undefined where the database checks them itself. */
  readonly pageCheck: string | undefined;
  readonly damage: readonly string[];
  /** How many keys may read and should not, or the reverse; undefined where it was not checked. */
  readonly wrongKeys: number | undefined;
  /** Undefined where the schema is not the program's or the database is damaged. */
  readonly totals: UsageTotals | undefined;
  /** The time on the database's own machine; undefined where it is this machine. */
  readonly databaseNowMs: number | undefined;
  /** With these, a crash of the database's machine can lose or damage data: `fsync = off`. */
  readonly unsafeSettings: readonly string[];
}

export interface UsageTotals {
  /** How many pairs of account and period have different units by period and by day. */
  readonly disagreeing: number;
  readonly accounts: number;
  readonly units: number;
  /** The newest stored time and day; undefined in an empty store. */
  readonly newestTime: string | undefined;
  readonly newestDay: string | undefined;
  /** The newest time that a cleanup trusted; undefined before the first. */
  readonly trustedTime: string | undefined;
  /** The stored rates, by source. */
  readonly rates: readonly RatesOfSource[];
  /** Plans of accounts that are not stored. */
  readonly missingPlans: readonly { readonly name: string; readonly accounts: number }[];
}

export interface RatesOfSource {
  readonly source: string;
  readonly pairs: number;
  readonly newestAsOf: Instant;
}

/** Reported long before CLOCK_DIFFERENCE_MAX_MS, beyond which Kurs rejects sessions. */
const CLOCK_REPORTED_MS = 5000;

export function checkStore(facts: StoreFacts, nowMs: number): Finding[] {
  return [
    ...checkSchema(facts),
    ...checkDamage(facts),
    ...checkDurability(facts),
    ...checkKeys(facts),
    ...(facts.totals === undefined ? [] : checkUsageTotals(facts.totals)),
    ...(facts.totals === undefined ? [] : checkPlans(facts.totals)),
    ...checkClock(facts, nowMs),
  ];
}

function checkSchema({ engine, schema, knownSchema }: StoreFacts): Finding[] {
  const { ok, warning, problem } = findingsOf("database");
  const found = `${engine}, schema ${schema}`;
  if (schema > knownSchema) {
    const known = `this program knows ${knownSchema}`;
    return [problem(`${found}: a newer Kurs has written it (${known}). Start that newer program.`)];
  }
  if (schema < knownSchema) {
    return [
      warning(`${found}: the next start migrates it to ${knownSchema}; so does kurs migrate.`),
    ];
  }
  return [ok(found)];
}

function checkDamage({ pageCheck, damage }: StoreFacts): Finding[] {
  const { ok, problem } = findingsOf("integrity");
  if (damage.length > 0) {
    const advice = "Stop the server, keep a copy of the files, and kurs restore a backup.";
    return [problem(`the database is damaged: ${damage.join("; ")}. ${advice}`)];
  }
  return pageCheck === undefined ? [] : [ok(`the database is undamaged (${pageCheck})`)];
}

function checkDurability({ unsafeSettings }: StoreFacts): Finding[] {
  const { warning } = findingsOf("durability");
  return unsafeSettings.map((setting) =>
    warning(
      `PostgreSQL runs with ${setting}: a crash of its machine can lose acknowledged units and ` +
        "damage the database. Switch it on in postgresql.conf.",
    ),
  );
}

function checkKeys({ wrongKeys }: StoreFacts): Finding[] {
  const { ok, problem } = findingsOf("keys");
  if (wrongKeys === undefined) return [];
  if (wrongKeys === 0) return [ok("exactly the API keys in force may read")];
  return [
    problem(
      `${counted(wrongKeys, "API key")} may read and should not, or the reverse: another program ` +
        "has written to the database, or it is damaged. Stop the server and kurs restore a backup.",
    ),
  ];
}

function checkUsageTotals({ disagreeing, accounts, units }: UsageTotals): Finding[] {
  const { ok, problem } = findingsOf("units");
  if (disagreeing === 0) {
    const charged = `${counted(units, "unit")} of ${counted(accounts, "account")}`;
    return [ok(`${charged}: sums by period and by day agree`)];
  }
  return [
    problem(
      `units by period and by day differ in ${counted(disagreeing, "place")}: another program ` +
        "has written to the database, or it is damaged. Compare with a backup.",
    ),
  ];
}

function checkPlans({ missingPlans }: UsageTotals): Finding[] {
  const { problem } = findingsOf("plans");
  return missingPlans.map(({ name, accounts }) =>
    problem(
      `${counted(accounts, "account")} ${accounts === 1 ? "is" : "are"} on the plan ` +
        `${JSON.stringify(name)}, which is not stored: their reads and usage get 503. Store it ` +
        `with kurs plans set ${name} UNITS, or move them with kurs accounts plan EMAIL PLAN.`,
    ),
  );
}

function checkClock({ totals, databaseNowMs }: StoreFacts, nowMs: number): Finding[] {
  const { ok, warning, problem } = findingsOf("clock");
  const now = timestamp(nowMs);
  const newest = totals?.newestTime;
  const latest = timestamp(nowMs + CLOCK_REPORTED_MS);
  if (newest !== undefined && newest > latest) {
    return [
      problem(`it is ${now} here, and ${newest} is stored: the clock was set back. Correct it.`),
    ];
  }
  if (totals?.newestDay !== undefined && totals.newestDay > utcDay(nowMs + CLOCK_REPORTED_MS)) {
    const day = totals.newestDay;
    return [problem(`it is ${now} here, and units of ${day} are stored: correct the clock.`)];
  }
  const trusted = totals?.trustedTime;
  if (trusted !== undefined && isAhead(nowMs, trusted)) {
    return [
      warning(
        `it is ${now} here, and the last cleanup ran at ${trusted}: nothing is removed by its ` +
          "age. Check the clock; if it is right, kurs clock accept.",
      ),
    ];
  }
  const offMs = databaseNowMs === undefined ? 0 : Math.abs(databaseNowMs - nowMs);
  if (offMs > CLOCK_REPORTED_MS) {
    const seconds = Math.round(offMs / 1000);
    return [warning(`this clock and the database's are ${seconds} s apart: synchronise both.`)];
  }
  return [ok(`${now}: not behind the stored times`)];
}
