import assert from "node:assert/strict";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import { pairName } from "../../../src/rates/served/rules/symbol.ts";
import {
  createUpdatePolicy,
  type SourcedRate,
} from "../../../src/rates/served/rules/update-policy.ts";
import { headersOf } from "../../support/rates.ts";
import type { StoreTest } from "./database.ts";
import { BY } from "./origins.ts";
import { newRate, pairOf, storeRates, updateRates } from "./rates-stored.ts";

const policy = createUpdatePolicy({ rateSources: [], maxRateJump: "0.5" as Decimal });
const maxDisagreement = "0.05" as Decimal;

/** A figure of a day and hour in March: "ecb EUR/USD 1.25 12T15 selling". */
function figureOf(text: string) {
  const [source, pair = "", rate = "", time = "13T15", kind, validUntil] = text.split(" ");
  return {
    ...newRate(pair, rate, `2026-03-${time}:00:00Z`, source),
    kind,
    validUntil,
  } as SourcedRate;
}

const LEGS = ["ecb EUR/USD 1.25", "ecb EUR/CZK 25"];

/** What is stored of others, cnb's new figure, and what it is held for with a limit of 5 %. */
const cases: readonly (readonly [what: string, others: string[], next: string, held?: string])[] = [
  ["the same pair", ["ecb EUR/USD 1.00"], "EUR/USD 1.12", "12.00: EUR/USD"],
  ["exactly the limit", ["ecb EUR/USD 1.00"], "EUR/USD 1.05"],
  ["one digit more", ["ecb EUR/USD 1.00"], "EUR/USD 1.0500000001", "5.00: EUR/USD"],
  ["exactly the limit below", ["ecb EUR/USD 1.05"], "EUR/USD 1.00"],
  ["the inverse", ["ecb USD/EUR 0.8"], "EUR/USD 1.3126", "5.01: USD/EUR"],
  // No decimal of any length is a third.
  ["an inverse by the limit", ["ecb USD/EUR 3"], "EUR/USD 0.35"],
  ["a common currency", LEGS, "USD/CZK 21.01", "5.05: EUR/USD EUR/CZK"],
  ["a common currency by the limit", LEGS, "USD/CZK 21"],
  ["the dollar", ["a USD/HUF 9", "a CZK/USD 1"], "HUF/CZK 1", "800.00: USD/HUF CZK/USD"],
  ["the pair rather than its legs", [...LEGS, "ecb USD/CZK 22"], "USD/CZK 22"],
  ["the legs of two publishers", ["ecb EUR/USD 1.25", "nbp EUR/CZK 25"], "USD/CZK 90"],
  ["another date", ["ecb EUR/USD 1.00 12T15"], "EUR/USD 9"],
  ["its own figure", ["cnb EUR/USD 1.00 13T09"], "EUR/USD 1.4"],
  ["an import", ["import:desk EUR/USD 1.00"], "EUR/USD 1.12"],
  ["a buying rate", ["ecb EUR/USD 1.00 13T15 buying"], "EUR/USD 1.12"],
  ["a selling rate of its own", ["ecb EUR/USD 1.00"], "EUR/USD 1.12 13T15 selling"],
  ["a table for a month", ["a EUR/USD 1.00 13T15 middle 2026-04-12"], "EUR/USD 1.12"],
  ["the newest", ["a EUR/USD 1.4 13T09", "a EUR/USD 1"], "EUR/USD 1.2", "20.00: EUR/USD"],
  ["the amended", ["a EUR/USD 1.4", "a EUR/USD 1"], "EUR/USD 1.2", "20.00: EUR/USD"],
  ["the greatest", ["a EUR/USD 1.1", "b EUR/USD 1"], "EUR/USD 1.2", "20.00: EUR/USD"],
];

export function disagreementSuite(test: StoreTest): void {
  for (const [what, others, next, reason] of cases) {
    const title = reason === undefined ? "not held for" : "held for";
    test(`a new figure is ${title} ${what}`, async (store) => {
      for (const other of others) await storeRates(store, [figureOf(other)]);
      const rate = figureOf(`cnb ${next}`);
      await store.rates.remove(rate, BY);

      const preview = await store.rates.previewUpdate([rate], policy, maxDisagreement);
      const decisions = await updateRates(store, [rate], policy, { maxDisagreement });

      const decided = [reason === undefined ? "store" : "hold"];
      assert.deepEqual([decisions, preview.map(({ decision }) => decision)], [decided, decided]);
      const held = (await store.rates.listHeld()).map(({ disagreement }) => {
        const { percent, figures = [] } = disagreement ?? {};
        return `${percent}: ${figures.map(pairName).join(" ")}`;
      });
      assert.deepEqual(held, reason === undefined ? [] : [reason]);
    });
  }

  test("a held figure is released where nothing was served, and until then no reason to hold another", async (store) => {
    await storeRates(store, [figureOf("ecb EUR/USD 1.00")]);
    await store.rates.remove(pairOf("EUR/USD"), BY);
    const wrong = figureOf("cnb EUR/USD 2.00");
    const update = (rate: SourcedRate) => updateRates(store, [rate], policy, { maxDisagreement });
    assert.deepEqual(await update(wrong), ["hold"]);
    assert.deepEqual(await update(figureOf("nbp USD/EUR 1.01")), ["store"]);

    const released = await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, BY);
    const [served] = await store.rates.list("EUR");
    assert.deepEqual([released?.rate, served?.rate, served?.source], ["2.00", "2.00", "cnb"]);
    assert.deepEqual(await update(wrong), ["unchanged"]);
  });
}
