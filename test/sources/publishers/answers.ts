import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishers } from "../../../src/sources/publishers/catalogue.ts";
import type { Publisher, SourceLine } from "../../../src/sources/publishers/publisher.ts";

/** The afternoon when the recorded publications were the latest. */
export const RECEIVED_MS = Date.parse("2026-04-01T18:00:00.250Z");

// Named .txt: as .json the formatter would remove the trailing zeros.
const FIXTURES: Readonly<Record<string, readonly string[]>> = {
  ecb: ["ecb.xml"],
  ust: ["ust.json.txt"],
  cnb: ["cnb.json.txt"],
  nbp: ["nbp-a.json.txt", "nbp-b.json.txt"],
  norges: ["norges.csv"],
  boc: ["boc.json.txt"],
  riksbank: ["riksbank.json.txt"],
  cbr: ["cbr.xml"],
  kraken: ["kraken-pairs.json.txt", "kraken-ticker.json.txt"],
};

/** A body in the layout of each of the publisher's addresses, with a few of its rates. */
export function bodiesOf(key: string): readonly Buffer[] {
  const names = FIXTURES[key] ?? [];
  return names.map((name) => readFileSync(join(import.meta.dirname, "fixtures", name)));
}

export function publisherOf(key: string): Publisher {
  const publisher = publishers.find((known) => known.key === key);
  if (publisher === undefined) throw new Error(`no publisher ${key}`);
  return publisher;
}

export function parse(
  key: string,
  bodies: readonly (string | Uint8Array)[] = bodiesOf(key),
  receivedMs = RECEIVED_MS,
): readonly SourceLine[] {
  return publisherOf(key).parse(bodies.map((body) => ({ body: Buffer.from(body), receivedMs })));
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

/** The quotations as `BASE/QUOTE rate`. */
export function figuresOf(lines: readonly SourceLine[]): readonly string[] {
  return lines.flatMap((line) =>
    "reason" in line ? [] : [`${line.base}/${line.quote} ${line.rate}`],
  );
}

/** The distinct times of the quotations, the earliest first. */
export function momentsOf(lines: readonly SourceLine[]): readonly string[] {
  const moments = lines.flatMap((line) => ("reason" in line ? [] : [line.asOf]));
  return [...new Set(moments)].sort();
}

export function rejectionsOf(lines: readonly SourceLine[]): readonly string[] {
  return lines.flatMap((line) => ("reason" in line ? [line.reason] : []));
}
