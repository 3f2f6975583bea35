import assert from "node:assert/strict";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import type { Instant } from "../../../src/platform/shared/instant.ts";
import type { Figure, FigureKind } from "../../../src/rates/served/figures.ts";
import { parseAcceptDatetime, parsePastDate } from "../../../src/rates/served/rules/past.ts";
import type { RateRead, RateReadOutcome } from "../../../src/reads/metering/store.ts";
import { headersOf } from "../../support/rates.ts";
import type { Store } from "../../support/stores.ts";
import { newCustomer, usedUnits } from "./customers.ts";
import type { StoreTest } from "./database.ts";
import { BY, NOW, newHash } from "./origins.ts";
import { newRate, newRead, pairOf, storeRates } from "./rates-stored.ts";

/** A figure of a source: its own date, its time and its rate. */
type Stated = readonly [date: string, time: string, rate: string, kind?: FigureKind];

/** Of the owner. The 14th and 15th are a weekend, the 13th is amended, the last one is held. */
const ECB: readonly Stated[] = [
  ["2026-03-12", "2026-03-12T15:00:00Z", "24.12"],
  ["2026-03-13", "2026-03-13T15:00:00Z", "24.130"],
  ["2026-03-13", "2026-03-13T15:00:00Z", "24.131"],
  ["2026-03-13", "2026-03-13T15:00:00Z", "99", "selling"],
  ["2026-03-16", "2026-03-16T15:00:00.5Z", "24.16"],
  ["2026-03-17", "2026-03-17T15:00:00Z", "24.17"],
  ["2026-03-18", "2026-03-18T15:00:00Z", "271"],
];

/** Two desks' figures, each dated in its own time zone. */
const DESKS: readonly Stated[] = [
  ["2026-03-11", "2026-03-11T23:00:00-11:00", "2"],
  ["2026-03-12", "2026-03-12T00:30:00+14:00", "1"],
];

async function add(store: Store, source: string, pair: string, stated: readonly Stated[]) {
  const hash = newHash();
  for (const [date, time, rate, kind = "middle"] of stated) {
    const place = { date, kind, validUntil: undefined, place: 0 };
    const figure: Figure = { ...newRate(pair, rate, time, source), ...place };
    const document = { hash, bytes: 1, compressed: Buffer.from(hash) };
    const documents = [{ name: "rates.xml", receivedAt: NOW, stored: document }];
    await store.figures.addFigures([figure], { source, receivedAt: NOW, documents }, NOW);
  }
  return hash;
}

/** A read of a date, or of a time of March 2026 as Accept-Datetime has it. */
function pastRead(
  keyHash: string,
  asked: string,
  pair = "EUR/CZK",
  servedKinds: Readonly<Record<string, FigureKind>> = {},
): RateRead {
  const time = asked.includes("T") ? new Date(`${asked}Z`).toUTCString() : undefined;
  const moment = time === undefined ? parsePastDate(asked) : parseAcceptDatetime(time);
  assert.ok(moment !== undefined, asked);
  return { ...newRead(keyHash, { pair }), past: { ...moment, servedKinds } };
}

const foundBy = (outcome: RateReadOutcome) => {
  const found = outcome?.found;
  return typeof found === "object" && "rate" in found ? String(found.rate) : found;
};

const asked: readonly (readonly [why: string, moment: string, found: string, pair?: string])[] = [
  ["the second of a figure", "2026-03-13T15:00:00", "24.131"],
  ["the second before it", "2026-03-13T14:59:59", "24.12"],
  ["the second in which it begins later", "2026-03-16T15:00:00", "24.131"],
  ["a weekend", "2026-03-15T12:00:00", "24.131"],
  ["before the first figure", "2026-03-12T14:59:59", "no_figure"],
  ["after a figure that is held", "2026-03-19T12:00:00", "24.17"],
  ["the future", "2999-01-01T00:00:00", "24.17"],
  ["the date of a figure", "2026-03-16", "24.16"],
  ["the date of a weekend", "2026-03-15", "24.131"],
  ["the date of a figure that is held", "2026-03-18", "24.17"],
  ["the date before the first", "2026-03-11", "no_figure"],
  ["a future date", "2999-12-31", "24.17"],
  ["a time, by which figures follow", "2026-03-12T10:30:00", "2", "EUR/XXX"],
  ["a date, by which they follow otherwise", "2026-03-12", "1", "EUR/XXX"],
  ["a pair whose inverse is served", "2026-03-15", "only_inverse", "CZK/EUR"],
  ["a pair that is not stored", "2026-03-15", "unsupported", "AAA/BBB"],
];

export function pastReadSuite(test: StoreTest): void {
  test("a read of a past time finds the owner's last figure by then, for one unit each", async (store, engine) => {
    const hash = await add(store, "ecb", "EUR/CZK", ECB);
    await add(store, "cnb", "EUR/CZK", [["2026-03-13", "2026-03-13T13:30:00Z", "24.5"]]);
    await storeRates(store, [newRate("EUR/CZK", "24.17", "2026-03-17T15:00:00Z", "ecb")]);
    // Held, too: an amendment of the served one.
    await add(store, "ecb", "EUR/CZK", [["2026-03-17", "2026-03-17T15:00:00Z", "2417"]]);
    await add(store, "import", "EUR/XXX", DESKS);
    await storeRates(store, [
      { ...newRate("EUR/XXX", "2", "2026-03-12T10:00:00Z"), date: "2026-03-11" },
    ]);
    const { accountId, keyHash } = await newCustomer(store, 100);
    const readOf = ([, moment, , pair]: (typeof asked)[number]) => pastRead(keyHash, moment, pair);

    const outcomes = await engine.readBatch([
      newRead(keyHash, { pair: "EUR/CZK" }),
      ...asked.map(readOf),
    ]);

    const found = outcomes.slice(1).map((outcome, index) => [asked[index]?.[0], foundBy(outcome)]);
    assert.deepEqual(
      found,
      asked.map(([why, , expected]) => [why, expected]),
    );
    assert.equal(foundBy(outcomes[0]), "24.17", "a plain read in the same batch");
    assert.equal(await usedUnits(store, accountId), 1 + asked.length);
    const [exact] = await engine.readBatch([pastRead(keyHash, "2026-03-13T16:00:00")]);
    assert.deepEqual(exact?.found, {
      ...pairOf("EUR/CZK"),
      rate: "24.131" as Decimal,
      asOf: "2026-03-13T15:00:00.000000000Z" as Instant,
      ...{ source: "ecb", date: "2026-03-13", document: hash },
    });
    const [selling] = await engine.readBatch([
      pastRead(keyHash, "2026-03-15", "EUR/CZK", { ecb: "selling" }),
    ]);
    assert.equal(foundBy(selling), "99", "the kind that its source serves");
  });

  test("a read of a past time follows the pair: a new owner's series, a suspension, a used-up quota", async (store, engine) => {
    await add(store, "cnb", "EUR/CZK", [["2026-03-16", "2026-03-16T13:30:00Z", "24.6"]]);
    await storeRates(store, [newRate("EUR/CZK", "24.1", "2026-03-12T15:00:00Z", "ecb")]);
    const { accountId, keyHash, key } = await newCustomer(store, 4);
    const read = async (moment: string) =>
      foundBy((await engine.readBatch([pastRead(keyHash, moment)]))[0]);
    assert.equal(await read("2026-03-13"), "24.1");

    const series = { ...pairOf("EUR/CZK"), source: "cnb", kind: "middle" } as const;
    const how = { maxRateJump: "1" as Decimal, headersOf, origin: BY };
    assert.equal((await store.series.own(series, how)).decision, "serve");

    assert.deepEqual([await read("2026-03-13"), await read("2026-03-16")], ["no_figure", "24.6"]);
    await store.rates.suspend(pairOf("EUR/CZK"), BY);
    assert.deepEqual(
      [await read("2026-03-16"), await read("2026-03-16")],
      ["suspended", "exhausted"],
    );
    await store.keys.revoke(accountId, key.id, BY);
    assert.equal(await read("2026-03-16"), undefined);
    assert.equal(await usedUnits(store, accountId), 4);
  });
}
