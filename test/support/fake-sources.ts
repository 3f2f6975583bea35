import { setTimeout as after } from "node:timers/promises";
import { publishers } from "../../src/rates/publishers/catalogue.ts";
import type { Publisher } from "../../src/rates/publishers/publisher.ts";
import type { RateSource } from "../../src/rates/source.ts";
import type { HttpLimits } from "../../src/rates/sources/http-get.ts";
import { createPublisherSource } from "../../src/rates/sources/publisher-source.ts";
import type { Clock } from "../../src/shared/clock.ts";
import type { TestService } from "./service.ts";

export const USER_AGENT = "Kurs/test (self-hosted currency-rate service)";

/** The timeout is so long that a test which reaches it fails. */
const LIMITS: HttpLimits = { timeoutMs: 600_000, bodyBytesMax: 1024 * 1024, redirectsMax: 5 };

/** A publisher of the catalogue with other addresses. */
export function publisherAt(key: string, addresses: readonly string[]): Publisher {
  const publisher = publishers.find((known) => known.key === key);
  if (publisher === undefined) throw new Error(`no publisher ${key}`);
  return { ...publisher, addresses };
}

/** The source of a publisher of the catalogue, with the addresses of a test. */
export function sourceAt(
  key: string,
  addresses: readonly string[],
  clock: Clock,
  limits = LIMITS,
): RateSource {
  const settings = { userAgent: USER_AGENT, limits, clock };
  return createPublisherSource(publisherAt(key, addresses), settings);
}

type Figures = Readonly<Record<string, string>>;

/** A table in the NBP's layout, each rate as it appears in the JSON. */
export function nbpTable(date: string, figures: Figures): string {
  const rates = Object.entries(figures).map(([code, mid]) => `{"code":"${code}","mid":${mid}}`);
  return `[{"table":"A","effectiveDate":"${date}","rates":[${rates.join(",")}]}]`;
}

/** The CNB's daily layout, every rate for one unit. */
export function cnbDay(date: string, figures: Figures): string {
  const rates = Object.entries(figures).map(([code, rate]) => {
    return `{"validFor":"${date}","currencyCode":"${code}","amount":1,"rate":${rate}}`;
  });
  return `{"rates":[${rates.join(",")}]}`;
}

export const FETCHED = "a source was fetched";
export const FAILED = "a source failed: serving what is stored";

/** Waits until the service's log has a line about a source. @returns the line. */
export async function logged({ logLines }: TestService, msg: string, source: string) {
  const deadlineMs = performance.now() + 120_000;
  while (performance.now() < deadlineMs) {
    const lines = logLines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const found = lines.find((line) => line.msg === msg && line.source === source);
    if (found !== undefined) return found;
    await after(5);
  }
  throw new Error(`no log line "${msg}" of ${source}: ${logLines.join("")}`);
}
