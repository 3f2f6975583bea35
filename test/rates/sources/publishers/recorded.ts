import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceLine } from "../../../../src/rates/served/rules/rate.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";
import {
  documentsOf,
  type Publisher,
  requestsOf,
  requireRates,
} from "../../../../src/rates/sources/publishers/publisher.ts";
import type { Dates } from "../../../../src/rates/sources/rules/archive-ranges.ts";
import { emerging } from "./rows/emerging.ts";
import { eurasia } from "./rows/eurasia.ts";
import { europe } from "./rows/europe.ts";
import { overseas } from "./rows/overseas.ts";
import type { Row } from "./rows/row.ts";

/** A time when each of the recorded publications was known. */
export const RECEIVED_MS = Date.parse("2026-09-23T23:51:53.250Z");

const ROWS: Readonly<Record<string, Row>> = { ...europe, ...eurasia, ...overseas, ...emerging };

export function recordedOf(key: string): Row {
  const recorded = ROWS[key];
  if (recorded === undefined) throw new Error(`name a recorded response of ${key} in rows/`);
  return recorded;
}

/** A body in the layout of each of the publisher's addresses, with a few of its rates. */
export function bodiesOf(key: string): readonly Buffer[] {
  const folder = join(import.meta.dirname, "fixtures");
  return recordedOf(key).files.map((name) => readFileSync(join(folder, name)));
}

export function publisherOf(key: string): Publisher {
  const publisher = publishers.find((known) => known.key === key);
  if (publisher === undefined) throw new Error(`no publisher ${key}`);
  return publisher;
}

/** The addresses that the publisher's documents have on a day. */
export function addressesOf(key: string, nowMs = RECEIVED_MS): readonly string[] {
  return requestsOf(publisherOf(key), nowMs, "").map(({ address }) => address);
}

/** The addresses that a publisher's archive has for some dates; none without one. */
export function archiveAddressesOf(key: string, dates: Dates): readonly string[] {
  const requests = publisherOf(key).archive?.requests(dates, "") ?? [];
  return requests.map(({ address }) => address);
}

export function parse(
  key: string,
  bodies: readonly (string | Uint8Array)[] = bodiesOf(key),
  receivedMs = RECEIVED_MS,
): readonly SourceLine[] {
  const publisher = publisherOf(key);
  const addresses = addressesOf(key, receivedMs);
  const responses = bodies.map((body, index) => {
    return { address: addresses[index] ?? "", body: Buffer.from(body), receivedMs };
  });
  for (const some of documentsOf(publisher, responses)) requireRates(publisher.parse(some));
  return newest(publisher.parse(responses));
}

/** The newest quotation of each pair and kind, the first of several, and all rejections. */
function newest(lines: readonly SourceLine[]): readonly SourceLine[] {
  const kept = new Map<unknown, SourceLine>();
  for (const line of lines) {
    const key = "reason" in line ? line : `${line.base}/${line.quote} ${line.kind}`;
    const other = kept.get(key);
    const isNewer = "asOf" in line && other !== undefined && "asOf" in other;
    if (other === undefined || (isNewer && line.asOf > other.asOf)) kept.set(key, line);
  }
  return [...kept.values()];
}

/** Parses the publisher's bodies with one part, which must exist, replaced. */
export function parseWith(key: string, from: string, to: string): readonly SourceLine[] {
  let found = false;
  // Latin-1 keeps every byte unchanged, whatever the encoding of the body.
  const bytes = (text: string) => Buffer.from(text).toString("latin1");
  const bodies = bodiesOf(key).map((body) => {
    const text = body.toString("latin1");
    found ||= text.includes(bytes(from));
    return Buffer.from(text.replaceAll(bytes(from), bytes(to)), "latin1");
  });
  if (!found) throw new Error(`${key} has no ${from}`);
  return parse(key, bodies);
}

/** The quotations as `BASE/QUOTE rate`, with the kind where they have one. */
export function figuresOf(lines: readonly SourceLine[]): readonly string[] {
  return lines.flatMap((line) => {
    if ("reason" in line) return [];
    const { base, quote, rate, kind } = line;
    return [`${base}/${quote} ${rate}${kind === undefined ? "" : ` ${kind}`}`];
  });
}

/** The distinct times of the quotations, the earliest first. */
export function momentsOf(lines: readonly SourceLine[]): readonly string[] {
  const moments = lines.flatMap((line) => ("reason" in line ? [] : [line.asOf]));
  return [...new Set(moments)].sort();
}

/** The distinct dates or periods of validity: the publisher's own date, and the last one. */
export function validityOf(lines: readonly SourceLine[]): readonly string[] {
  const periods = lines.flatMap((line) => {
    if ("reason" in line) return [];
    return [line.validUntil === undefined ? `${line.date}` : `${line.date} to ${line.validUntil}`];
  });
  return [...new Set(periods)].sort();
}

export function rejectionsOf(lines: readonly SourceLine[]): readonly string[] {
  return lines.flatMap((line) => ("reason" in line ? [line.reason] : []));
}
