import { hash } from "node:crypto";
import { billingPeriodAt, utcDay } from "../../../src/customers/billing/rules.ts";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import { parseInstant } from "../../../src/platform/shared/instant.ts";
import type { Publication } from "../../../src/rates/served/history.ts";
import { type Pair, parsePair } from "../../../src/rates/served/rules/symbol.ts";
import {
  createUpdatePolicy,
  type SourcedRate,
  type UpdatePolicy,
} from "../../../src/rates/served/rules/update-policy.ts";
import type { RateUpdate } from "../../../src/rates/served/store.ts";
import type { RateRead } from "../../../src/reads/metering/store.ts";
import { headersOf } from "../../support/rates.ts";
import type { Store } from "../../support/stores.ts";
import { BY, NOW } from "./origins.ts";

export function pairOf(text: string): Pair {
  const [base = "", quote = ""] = text.split("/");
  const pair = parsePair(base, quote);
  if (pair === undefined) throw new Error(`${text} is not a pair`);
  return pair;
}

/** A rate to store. */
export function newRate(pair: string, rate: string, time: string, source = "import") {
  const asOf = parseInstant(time);
  if (asOf === undefined) throw new Error(`${time} is not an instant`);
  return { ...pairOf(pair), rate: rate as Decimal, asOf, source };
}

export const EUR_USD = newRate("EUR/USD", "1.1476", "2026-03-13T15:00:00Z");

/** A read, by default of EUR/USD at NOW. @param change an empty pair reads only the quota. */
export function newRead(keyHash: string, change: { pair?: string; time?: string } = {}) {
  const { pair = "EUR/USD", time = NOW } = change;
  const nowMs = Date.parse(time);
  const read: RateRead = {
    keyHash,
    pair: pair === "" ? undefined : pairOf(pair),
    period: billingPeriodAt(nowMs),
    day: utcDay(nowMs),
    nowMs,
  };
  return read;
}

/** Stores any rate that is not older than the stored one, whatever the jump. */
const decide = createUpdatePolicy({ rateSources: [], maxRateJump: "1000000" as Decimal });

/** The most careful policy: only a pair's owner replaces its rate, and a jump is held. */
export const cautious = createUpdatePolicy({
  rateSources: ["ecb", "cnb"],
  maxRateJump: "0.5" as Decimal,
});

/** What brings the rates of these tests: an import of its own each time, of unknown digest. */
export const PUBLICATION: Publication = {
  source: "import",
  receivedAt: NOW,
  documents: [{ name: "rates.csv", receivedAt: NOW, stored: undefined }],
};

/**
 * A fetch that brought documents with these texts, whose characters are bytes. The store does not
 * unpack their contents.
 */
export function fetchOf(source: string, texts = [source], receivedAt = NOW): Publication {
  const documents = texts.map((text, place) => {
    const compressed = Buffer.from(text, "latin1");
    const stored = { hash: hash("sha256", compressed), bytes: text.length, compressed };
    return { name: `https://publisher.example/${place}`, receivedAt, stored };
  });
  return { source, receivedAt, documents };
}

/** Stores rates at NOW as the policy decides. */
export const updateRates = async (
  store: Store,
  rates: readonly SourcedRate[],
  policy: UpdatePolicy,
  change: Partial<RateUpdate> = {},
) => {
  const how = { policy, headersOf, publication: PUBLICATION, origin: BY, ...change };
  return (await store.rates.update(rates, how)).decisions;
};

export const storeRates = (store: Store, rates: readonly SourcedRate[]) =>
  updateRates(store, rates, decide);
