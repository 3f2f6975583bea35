import { LAST_EVENT } from "../../platform/audit/sql.ts";
import { type Finding, findingsOf } from "../../platform/shared/finding.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { optionalTextOf } from "../../platform/storage/columns.ts";
import type { Engine } from "../../platform/storage/engine.ts";
import { isAhead } from "../cleanup/rules.ts";
import { trustedTimeStore } from "../cleanup/trusted-time-sql.ts";

/** Reported long before CLOCK_DIFFERENCE_MAX_MS, beyond which Kurs rejects sessions. */
const CLOCK_REPORTED_MS = 5000;

/**
 * Finds what is wrong with the content of a store of the program's schema; writes nothing.
 *
 * @param databaseNowMs the time on the database's machine; undefined where it is this machine.
 */
export type FindInContent = (engine: Engine, databaseNowMs?: number) => Promise<readonly Finding[]>;

/** @param engine for example SQLite 3.53.1. */
export function checkSchema(engine: string, schema: number, known: number): Finding {
  const { ok, warning, problem } = findingsOf("database");
  const found = `${engine}, schema ${schema}`;
  if (schema > known) {
    return problem(
      `${found}: a newer Kurs has written it (this program knows ${known}). Start that newer ` +
        "program.",
    );
  }
  if (schema === known) return ok(found);
  return warning(`${found}: the next start migrates it to ${known}; so does kurs migrate.`);
}

export async function findUnsafeSettings(engine: Engine): Promise<readonly Finding[]> {
  const { warning } = findingsOf("durability");
  return (await engine.unsafeSettings()).map((setting) =>
    warning(
      `PostgreSQL runs with ${setting}: a crash of its machine can lose acknowledged units and ` +
        "damage the database. Switch it on in postgresql.conf.",
    ),
  );
}

/** The times that a clock is compared with. */
interface KnownTimes {
  /** The newest event of the audit log. */
  readonly written: string | undefined;
  /** The newest time that a cleanup trusted. */
  readonly trusted: string | undefined;
  /** On the database's machine. */
  readonly databaseMs: number | undefined;
}

export async function readKnownTimes(engine: Engine, databaseMs?: number): Promise<KnownTimes> {
  const [last = {}] = await engine.query(LAST_EVENT);
  const trusted = await trustedTimeStore(engine).newest();
  return { written: optionalTextOf(last, "at"), trusted, databaseMs };
}

/** @param nowMs read after the known times: a running server writes newer ones. */
export function checkClock({ written, trusted, databaseMs }: KnownTimes, nowMs: number): Finding {
  const { ok, warning, problem } = findingsOf("clock");
  const now = timestamp(nowMs);
  const [newest = ""] = [written ?? "", trusted ?? ""].sort().reverse();
  if (newest > timestamp(nowMs + CLOCK_REPORTED_MS)) {
    return problem(
      `it is ${now} here, and ${newest} is stored: the clock was set back. Correct it.`,
    );
  }
  if (trusted !== undefined && isAhead(nowMs, trusted)) {
    return warning(
      `it is ${now} here, and the last cleanup ran at ${trusted}: nothing is removed by its ` +
        "age. Check the clock; if it is right, kurs clock accept.",
    );
  }
  const offMs = Math.abs((databaseMs ?? nowMs) - nowMs);
  if (offMs > CLOCK_REPORTED_MS) {
    const seconds = Math.round(offMs / 1000);
    return warning(`this clock and the database's are ${seconds} s apart: synchronise both.`);
  }
  return ok(`${now}: not behind the stored times`);
}
