import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import { figureOf } from "../../../src/rates/served/figures.ts";
import type { SourcedRate } from "../../../src/rates/served/rules/update-policy.ts";
import type { RateUpdate } from "../../../src/rates/served/store.ts";
import { headersOf } from "../../support/rates.ts";
import type { Store } from "../../support/stores.ts";
import { contentsOf, type StoreTest } from "./database.ts";
import { eventsOf } from "./history.ts";
import { BY, NOW } from "./origins.ts";
import {
  fetchOf,
  newRate,
  pairOf,
  cautious as policy,
  storeRates,
  updateRates,
} from "./rates-stored.ts";

const FRIDAY = "2026-03-13T15:00:00Z";
const MONDAY = "2026-03-16T15:00:00Z";
const TUESDAY = "2026-03-17T15:00:00Z";

/** Every figure, by pair, source, kind, date and revision: `EUR/USD ecb 2026-03-13 #1: 1.1`. */
async function figuresIn(engine: Engine): Promise<string[]> {
  const rows = await engine.query(`
    SELECT * FROM figures ORDER BY base, quote, source, kind, date, as_of, revision`);
  return rows.map(({ base, quote, source, kind, date, revision, rate }) => {
    const series = `${base}/${quote} ${source}${kind === "middle" ? "" : ` ${kind}`}`;
    return `${series} ${date} #${revision}: ${rate}`;
  });
}

/** The rates of every figure, in the same order. */
const ratesIn = async (engine: Engine) =>
  (await figuresIn(engine)).map((figure) => figure.split(" ").at(-1));

/** What is held: of each pair the last one, and those that were set aside. */
const heldIn = async (store: Store) => [
  (await store.rates.listHeld()).map(({ rate }) => rate),
  (await store.contradictions.list()).map(({ rate, isJump }) => [rate, isJump]),
];

export function seriesSuite(test: StoreTest): void {
  test("each source has a series of its own, whoever owns the pair, and the owner's is served", async (store, engine) => {
    const rates = [
      newRate("EUR/USD", "1.10", FRIDAY, "ecb"),
      newRate("EUR/USD", "1.12", MONDAY, "cnb"),
      newRate("EUR/USD", "1.11", MONDAY, "import:closing"),
      newRate("EUR/USD", "1.09", MONDAY, "import"),
    ];

    const decisions = [];
    for (const rate of rates) decisions.push(...(await updateRates(store, [rate], policy)));

    assert.deepEqual(decisions, ["store", "foreign", "store", "store"]);
    assert.deepEqual(await figuresIn(engine), [
      "EUR/USD cnb 2026-03-16 #1: 1.12",
      "EUR/USD ecb 2026-03-13 #1: 1.10",
      "EUR/USD import 2026-03-16 #1: 1.09",
      "EUR/USD import:closing 2026-03-16 #1: 1.11",
    ]);
    assert.deepEqual(
      (await store.rates.list()).map(({ rate, source }) => [rate, source]),
      [["1.09", "import"]],
    );
  });

  test("older and held figures go to their series, and what is served stays byte for byte", async (store, engine) => {
    await updateRates(store, [newRate("EUR/USD", "1.10", MONDAY, "ecb")], policy);
    const { rates, observations, versions } = await contentsOf(engine);

    const decisions = await updateRates(
      store,
      [newRate("EUR/USD", "1.08", FRIDAY, "ecb"), newRate("EUR/USD", "11.0", TUESDAY, "ecb")],
      policy,
    );

    assert.deepEqual(decisions, ["older", "hold"]);
    assert.deepEqual(await figuresIn(engine), [
      "EUR/USD ecb 2026-03-13 #1: 1.08",
      "EUR/USD ecb 2026-03-16 #1: 1.10",
      "EUR/USD ecb 2026-03-17 #1: 11.0",
    ]);
    const after = await contentsOf(engine);
    assert.deepEqual([after.rates, after.observations], [rates, observations]);
    assert.deepEqual(after.versions, versions, "no cache is cleared for a figure");
  });

  test("a figure that comes again is no new one, and an amended one is the next revision", async (store, engine, other) => {
    const first = newRate("EUR/USD", "1.10", FRIDAY, "ecb");
    const how = { policy, headersOf, publication: fetchOf("ecb"), origin: BY };
    const update = (rate: string) => other.rates.update([{ ...first, rate: rate as Decimal }], how);

    assert.deepEqual((await store.rates.update([first], how)).isNew, [true]);
    assert.deepEqual((await update("1.10")).isNew, [false]);
    assert.deepEqual((await update("1.100")).isNew, [true], "a further zero is an amendment");
    assert.deepEqual((await update("1.10")).isNew, [true], "and so is its withdrawal");
    assert.deepEqual((await update("1.10")).isNew, [false]);

    assert.deepEqual(await figuresIn(engine), [
      "EUR/USD ecb 2026-03-13 #1: 1.10",
      "EUR/USD ecb 2026-03-13 #2: 1.100",
      "EUR/USD ecb 2026-03-13 #3: 1.10",
    ]);
  });

  test("one update may state a date several times, in more rows than a statement has", async (store, engine) => {
    const many = Array.from({ length: 1100 }, (_, index) =>
      newRate(`X${index % 550}/USD`, `1.${index}`, FRIDAY),
    );
    const rates = [newRate("EUR/USD", "1.1", FRIDAY), ...many, newRate("EUR/USD", "1.1", FRIDAY)];
    const publication = fetchOf("import");

    const { isNew } = await store.rates.update(rates, {
      ...{ policy: () => "store" as const, headersOf, publication, origin: BY },
    });

    assert.deepEqual([isNew[0], isNew.at(-1)], [true, false]);
    assert.equal(isNew.filter((one) => one).length, 1101);
    const figures = await figuresIn(engine);
    assert.equal(figures.length, 1101);
    assert.deepEqual(
      figures.filter((figure) => figure.startsWith("X17/")),
      ["X17/USD import 2026-03-13 #1: 1.17", "X17/USD import 2026-03-13 #2: 1.567"],
    );
  });

  test("a figure has the publisher's own date, its kind, its validity and its place", async (store, engine) => {
    const moscow = newRate("USD/RUB", "80.1", "2026-03-12T21:00:00Z", "ecb");
    const further = [
      { ...moscow, rate: "79.5" as Decimal, kind: "buying", place: 1 },
      { ...moscow, rate: "81.5" as Decimal, kind: "selling", validUntil: "2026-03-31" },
    ] satisfies RateUpdate["further"];

    const served = { ...moscow, date: "2026-03-13", place: 0, line: 7 };
    const decisions = await updateRates(store, [served], policy, {
      publication: fetchOf("ecb"),
      further,
    });

    assert.deepEqual(decisions, ["store"]);
    assert.deepEqual(await figuresIn(engine), [
      "USD/RUB ecb buying 2026-03-12 #1: 79.5",
      "USD/RUB ecb 2026-03-13 #1: 80.1",
      "USD/RUB ecb selling 2026-03-12 #1: 81.5",
    ]);
    const rows = await engine.query("SELECT * FROM figures ORDER BY kind");
    assert.deepEqual(
      rows.map(({ valid_until, place, line, publication, stored_at }) => {
        return [valid_until, place, line, publication, stored_at];
      }),
      [
        [null, 1, null, 1, NOW],
        [null, 0, 7, 1, NOW],
        ["2026-03-31", null, null, 1, NOW],
      ],
    );
    assert.deepEqual((await store.rates.list()).length, 1, "one kind is served");
  });

  test("a transaction that fails leaves no figure", async (store, engine) => {
    await storeRates(store, [newRate("EUR/USD", "1.10", FRIDAY)]);
    const before = await contentsOf(engine);
    const rates = [newRate("EUR/USD", "1.11", MONDAY), newRate("EUR/GBP", "0.8", MONDAY)];
    const further = [{ ...newRate("EUR/GBP", "0.8", MONDAY), kind: "other" as "buying" }];

    await assert.rejects(updateRates(store, rates, policy, { further }), /kind|check/i);

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("figures alone are added to their series, and nothing of them is served", async (store, engine) => {
    const figure = (rate: string, date: string) => ({
      ...newRate("EUR/USD", rate, `${date}T15:00:00Z`, "ecb"),
      ...{ date, kind: "middle" as const, validUntil: undefined },
    });
    const archive = [figure("1.1789", "1999-01-04"), figure("1.1790", "1999-01-05")];

    const { publication, isNew } = await store.figures.addFigures(archive, fetchOf("ecb"), NOW);
    const again = await store.figures.addFigures(
      [figure("1.1790", "1999-01-05"), figure("1.1743", "1999-01-06")],
      publication,
      NOW,
    );

    assert.deepEqual(
      [isNew, again.isNew],
      [
        [true, true],
        [false, true],
      ],
    );
    assert.equal(again.publication, publication);
    assert.deepEqual(await figuresIn(engine), [
      "EUR/USD ecb 1999-01-04 #1: 1.1789",
      "EUR/USD ecb 1999-01-05 #1: 1.1790",
      "EUR/USD ecb 1999-01-06 #1: 1.1743",
    ]);
    const { rates, observations, held_rates } = await contentsOf(engine);
    assert.deepEqual([rates, observations, held_rates], [[], [], []]);
  });

  test("contradictions are held until one is released, all are dropped, or a later document has one", async (store, engine) => {
    const at = (rate: string, asOf: string) =>
      figureOf({ ...newRate("EUR/USD", rate, asOf, "ecb"), place: 0 });
    const hold = async (text: string, ...figures: SourcedRate[]) =>
      (await store.contradictions.hold(figures, fetchOf("ecb", [text]), BY)).outcomes;
    const how = { policy, headersOf, origin: BY, isServed: true };
    const monday = [at("1.1", MONDAY), at("11", MONDAY)] as const;
    const tuesday = [at("1.2", TUESDAY), at("12", TUESDAY)] as const;
    const friday = [at("1.3", FRIDAY), at("13", FRIDAY)] as const;

    assert.deepEqual(await hold("one", ...monday), ["held", "held"]);
    assert.deepEqual([await figuresIn(engine), await store.rates.list()], [[], []]);
    const held = (await store.contradictions.list()).map(({ rate, document }) => [rate, document]);
    assert.deepEqual(held, [
      ["1.1", "https://publisher.example/0"],
      ["11", "https://publisher.example/0"],
    ]);
    assert.equal(await store.contradictions.release(monday[1], how), true);
    assert.equal(await store.contradictions.release(monday[0], how), undefined);
    assert.deepEqual(await hold("two", ...monday), ["dropped", "released"]);

    await hold("three", ...tuesday);
    await store.figures.addFigures([tuesday[0]], fetchOf("ecb", ["four"]), NOW);
    assert.deepEqual(await store.contradictions.list(), []);
    assert.deepEqual(await hold("five", ...tuesday), ["released", "dropped"]);
    const series = { ...pairOf("EUR/USD"), source: "ecb", kind: "middle" } as const;
    const ofTuesday = (await store.series.contradictedOn(series, "2026-03-17")).map(
      ({ rate, decision, hash }) => `${rate} ${decision} ${hash}`,
    );
    const three = hash("sha256", "three");
    assert.deepEqual(ofTuesday, [`1.2 released ${three}`, `12 dropped ${three}`]);

    await hold("six", ...friday);
    const contradicted = async () => {
      const figures = await store.series.contradicted(series);
      return figures.map(({ date, rate, decision }) => `${date} ${rate} ${decision}`);
    };
    assert.deepEqual(await contradicted(), ["2026-03-13 1.3 held", "2026-03-13 13 held"]);
    assert.equal(await store.contradictions.drop(pairOf("EUR/USD"), BY), 2);
    assert.deepEqual(await contradicted(), ["2026-03-13 1.3 dropped", "2026-03-13 13 dropped"]);
    assert.equal(await store.contradictions.drop(pairOf("EUR/USD"), BY), 0);
    assert.deepEqual(await hold("six", ...friday), ["dropped", "dropped"]);
    // Another figure is no longer what was decided about.
    assert.deepEqual(await hold("seven", at("1.4", FRIDAY), friday[0]), ["held", "held"]);
    assert.equal(await store.contradictions.release(at("1.4", FRIDAY), how), false);
    assert.deepEqual(await figuresIn(engine), [
      "EUR/USD ecb 2026-03-13 #1: 1.4",
      "EUR/USD ecb 2026-03-16 #1: 11",
      "EUR/USD ecb 2026-03-17 #1: 1.2",
    ]);
    assert.deepEqual(
      (await store.rates.list()).map(({ rate }) => rate),
      ["11"],
    );
    // One for each that begins to be held, none when its document comes again.
    for (const [action, rates] of [
      ["rate.held", ["1.1", "11", "1.2", "12", "1.3", "13", "1.4", "1.3"]],
      ["rate.released", ["11", "1.4"]],
      ["rate.dropped", ["1.3", "13"]],
    ] as const) {
      const events = rates.map((rate) => `EUR/USD ${rate}`);
      assert.deepEqual(await eventsOf(engine, action), events);
    }
    for await (const _ of store.history.removeBefore("2100-01-01T00:00:00.000Z"));
    assert.deepEqual(await hold("six", ...friday), ["dropped", "dropped"]);
  });

  test("a figure with another validity is a revision of its own", async (store, engine) => {
    const until = (validUntil: string) => ({
      ...figureOf(newRate("GBP/USD", "1.3367", MONDAY, "hmrc")),
      validUntil,
    });
    const add = (validUntil: string) =>
      store.figures.addFigures([until(validUntil)], fetchOf("hmrc", [validUntil]), NOW);
    const outcomes = [await add("2026-03-31"), await add("2026-03-31"), await add("2026-03-20")];
    assert.deepEqual(
      outcomes.map(({ isNew }) => isNew),
      [[true], [false], [true]],
    );
    assert.equal((await figuresIn(engine)).length, 2);
  });

  test("a released rate is in its series once, a deleted one stays there, a dropped one leaves it until it comes again", async (store, engine) => {
    await updateRates(store, [newRate("EUR/USD", "1.10", FRIDAY, "ecb")], policy);
    await updateRates(store, [newRate("EUR/USD", "11.0", MONDAY, "ecb")], policy);
    const figures = ["EUR/USD ecb 2026-03-13 #1: 1.10", "EUR/USD ecb 2026-03-16 #1: 11.0"];

    await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, BY);
    assert.deepEqual(await figuresIn(engine), figures);
    await updateRates(store, [newRate("EUR/USD", "1.12", TUESDAY, "ecb")], policy);
    await store.rates.dropHeld(pairOf("EUR/USD"), BY);
    await store.rates.remove(pairOf("EUR/USD"), BY);
    assert.deepEqual(await figuresIn(engine), figures);
    const series = { ...pairOf("EUR/USD"), source: "ecb", kind: "middle" } as const;
    const [dropped] = await store.series.contradicted(series);
    assert.deepEqual([dropped?.rate, dropped?.decision], ["1.12", "dropped"]);

    const same = [newRate("EUR/USD", "1.12", TUESDAY, "ecb")];
    assert.deepEqual(await updateRates(store, same, policy), ["store"]);
    assert.deepEqual(await figuresIn(engine), [...figures, "EUR/USD ecb 2026-03-17 #1: 1.12"]);
  });

  test("a held figure leaves its series when a later rate is accepted: it stays held, or is corrected", async (store, engine) => {
    const pair = pairOf("EUR/USD");
    await updateRates(store, [newRate("EUR/USD", "1.10", FRIDAY, "ecb")], policy);
    await updateRates(store, [newRate("EUR/USD", "11.0", MONDAY, "ecb")], policy);
    await updateRates(store, [newRate("EUR/USD", "1.12", TUESDAY, "ecb")], policy);
    const figures = ["EUR/USD ecb 2026-03-13 #1: 1.10", "EUR/USD ecb 2026-03-17 #1: 1.12"];
    assert.deepEqual(await figuresIn(engine), figures);
    const held = async () =>
      (await store.contradictions.list()).map(({ rate, isJump }) => [rate, isJump]);
    assert.deepEqual([await store.rates.listHeld(), await held()], [[], [["11.0", true]]]);

    const [figure] = await store.contradictions.list();
    assert.ok(figure !== undefined);
    const how = { policy, headersOf, origin: BY, isServed: true };
    assert.equal(await store.contradictions.release(figure, how), false);
    const released = ["EUR/USD ecb 2026-03-16 #1: 11.0"];
    assert.deepEqual(await figuresIn(engine), [figures[0], ...released, figures[1]]);

    // Corrected for the same date: nobody has to decide.
    const later = "2026-03-18T15:00:00Z";
    await updateRates(store, [newRate("EUR/USD", "113", later, "ecb")], policy);
    await updateRates(store, [newRate("EUR/USD", "1.13", later, "ecb")], policy);
    assert.deepEqual(await held(), []);
    assert.equal((await figuresIn(engine)).at(-1), "EUR/USD ecb 2026-03-18 #1: 1.13");
    // Also where the correction is what is served, but not for another date, or by another source.
    const again = newRate("EUR/USD", "1.13", later, "ecb");
    await updateRates(store, [newRate("EUR/USD", "113", later, "ecb")], policy);
    assert.deepEqual(await updateRates(store, [again], policy), ["unchanged"]);
    assert.deepEqual([await store.rates.listHeld(), await held()], [[], []]);
    assert.equal((await figuresIn(engine)).at(-1), "EUR/USD ecb 2026-03-18 #1: 1.13");
    await updateRates(store, [newRate("EUR/USD", "114", "2026-03-19T15:00:00Z", "ecb")], policy);
    await updateRates(store, [again], policy);
    assert.equal((await store.rates.listHeld()).length, 1);
    await store.rates.remove(pair, BY);
    assert.equal((await figuresIn(engine)).at(-1), "EUR/USD ecb 2026-03-18 #1: 1.13");
  });

  test("of jumps in a row, in one update or in several, each stays held, and the earlier is in no series", async (store, engine) => {
    const jumpsOf = (pair: string) => [
      newRate(pair, "11.0", MONDAY, "ecb"),
      newRate(pair, "2.0", TUESDAY, "ecb"),
    ];
    for (const pair of ["EUR/CHF", "EUR/USD"]) {
      await updateRates(store, [newRate(pair, "1.10", FRIDAY, "ecb")], policy);
    }
    await updateRates(store, jumpsOf("EUR/CHF"), policy);
    for (const jump of jumpsOf("EUR/USD")) await updateRates(store, [jump], policy);

    const heldOf = async () => [
      (await store.rates.listHeld()).map(({ quote, rate, date }) => `${quote} ${rate} ${date}`),
      (await store.contradictions.list()).map(({ quote, rate }) => `${quote} ${rate}`),
    ];
    const last = ["CHF 2.0 2026-03-17", "USD 2.0 2026-03-17"];
    assert.deepEqual(await heldOf(), [last, ["CHF 11.0", "USD 11.0"]]);
    const pair = pairOf("EUR/USD");
    const release = (rate: string) => store.rates.releaseHeld(pair, headersOf, BY, rate as Decimal);
    assert.equal(await release("11.0"), undefined);
    assert.equal((await release("2.0"))?.rate, "2.0");
    assert.equal(await store.contradictions.drop(pair, BY), 1);
    assert.deepEqual(await heldOf(), [last.slice(0, 1), ["CHF 11.0"]]);
    assert.deepEqual(await figuresIn(engine), [
      "EUR/CHF ecb 2026-03-13 #1: 1.10",
      "EUR/CHF ecb 2026-03-17 #1: 2.0",
      "EUR/USD ecb 2026-03-13 #1: 1.10",
      "EUR/USD ecb 2026-03-17 #1: 2.0",
    ]);

    // Of one date the last.
    await updateRates(store, [newRate("EUR/CHF", "3.0", "2026-03-17T16:00:00Z", "ecb")], policy);
    const ofChf = { ...pairOf("EUR/CHF"), source: "ecb", kind: "middle" } as const;
    assert.deepEqual(
      (await store.series.contradicted(ofChf)).map(({ rate }) => rate),
      ["11.0"],
    );
    // Also where the pair is given to another source.
    const other = figureOf(newRate("EUR/CHF", "1.11", TUESDAY, "cnb"));
    await store.figures.addFigures([other], fetchOf("cnb", ["1.11"]), NOW);
    const how = { maxRateJump: "0.5" as Decimal, headersOf, origin: BY };
    assert.equal((await store.series.own({ ...other, source: "cnb" }, how)).decision, "serve");
    assert.deepEqual(await heldOf(), [[], ["CHF 11.0", "CHF 3.0"]]);
  });

  test("a held figure that comes again stays held, and in no series, until it is decided or fits", async (store, engine) => {
    const jumps = [
      newRate("EUR/USD", "2.0", MONDAY, "ecb"),
      newRate("EUR/USD", "11", TUESDAY, "ecb"),
    ];
    const [monday, tuesday] = jumps as [SourcedRate, SourcedRate];
    await updateRates(store, [newRate("EUR/USD", "1.10", FRIDAY, "ecb")], policy);
    await updateRates(store, jumps, policy);
    const waiting = () => heldIn(store);
    const series = () => ratesIn(engine);

    // As the newest; as an earlier day of a document; by a backfill, with a further zero.
    assert.deepEqual(await updateRates(store, [monday], policy), ["hold"]);
    await updateRates(store, [newRate("EUR/GBP", "0.8", MONDAY, "ecb")], policy, {
      further: [monday],
    });
    const again = [figureOf({ ...monday, rate: "2.00" as Decimal })];
    const added = await store.figures.addFigures(again, fetchOf("ecb", ["2"]), NOW);
    assert.deepEqual(added.isNew, [false]);
    assert.deepEqual(await waiting(), [["11"], [["2.0", true]]]);
    assert.deepEqual(await eventsOf(engine, "rate.held"), ["EUR/USD 2.0", "EUR/USD 11"]);

    // Older than the served rate.
    assert.ok(await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, BY));
    assert.deepEqual(await updateRates(store, [monday], policy), ["hold"]);
    assert.deepEqual(await waiting(), [[], [["2.0", true]]]);
    assert.deepEqual(await series(), ["0.8", "1.10", "11"]);

    // It fits the served rate by now.
    await updateRates(store, [newRate("EUR/CHF", "1.10", FRIDAY, "ecb")], policy);
    const franc = (one: SourcedRate) => ({ ...one, ...pairOf("EUR/CHF") });
    await updateRates(store, [franc(monday), franc(tuesday)], policy);
    const sunday = newRate("EUR/CHF", "1.6", "2026-03-15T15:00:00Z", "ecb");
    assert.deepEqual(await updateRates(store, [sunday, franc(monday)], policy), ["store", "store"]);
    assert.deepEqual((await waiting())[1], [
      ["11", true],
      ["2.0", true],
    ]);
    assert.deepEqual((await series()).slice(0, 3), ["1.10", "1.6", "2.0"]);
  });

  test("one of several figures that jumps alone, and an earlier time's beside a later one, stay held until they are decided", async (store, engine) => {
    const waiting = () => heldIn(store);
    const series = () => ratesIn(engine);
    const stateAlone = (pair: string, rate: string, asOf: string) =>
      updateRates(store, [newRate(pair, rate, asOf, "ecb")], policy);
    const contradict = async (pair: string) => {
      const several = ["6.5", "6.6"].map((rate) => figureOf(newRate(pair, rate, MONDAY, "ecb")));
      await store.contradictions.hold(several, fetchOf("ecb", [pair]), BY);
    };

    // Each alone, one after the other; then a later rate is accepted.
    await stateAlone("EUR/USD", "1.10", FRIDAY);
    await contradict("EUR/USD");
    for (const rate of ["6.5", "6.6"]) {
      assert.deepEqual(await stateAlone("EUR/USD", rate, MONDAY), ["hold"]);
      assert.deepEqual(
        [await waiting(), await series()],
        [
          [[rate], []],
          ["1.10", rate],
        ],
      );
    }
    assert.deepEqual(await stateAlone("EUR/USD", "1.11", TUESDAY), ["store"]);
    assert.deepEqual(await waiting(), [[], [["6.6", true]]]);
    assert.deepEqual(await series(), ["1.10", "1.11"]);
    assert.equal(await store.contradictions.drop(pairOf("EUR/USD"), BY), 1);

    // With a later rate in the same update.
    await stateAlone("EUR/CHF", "0.93", FRIDAY);
    await contradict("EUR/CHF");
    const both = [
      newRate("EUR/CHF", "6.5", MONDAY, "ecb"),
      newRate("EUR/CHF", "0.94", TUESDAY, "ecb"),
    ];
    assert.deepEqual(await updateRates(store, both, policy), ["hold", "store"]);
    assert.deepEqual(await series(), ["0.93", "0.94", "1.10", "1.11"]);
    assert.equal((await store.contradictions.list()).length, 2);
    assert.equal(await store.contradictions.drop(pairOf("EUR/CHF"), BY), 2);

    // Of two times of a date the earlier is stated last.
    await stateAlone("EUR/GBP", "0.80", FRIDAY);
    assert.deepEqual(await stateAlone("EUR/GBP", "2.2", MONDAY), ["hold"]);
    assert.deepEqual(await stateAlone("EUR/GBP", "2.0", "2026-03-16T09:00:00Z"), ["hold"]);
    assert.deepEqual(await waiting(), [["2.0"], [["2.2", true]]]);
    assert.deepEqual((await eventsOf(engine, "rate.held")).slice(-2), [
      "EUR/GBP 2.2",
      "EUR/GBP 2.0",
    ]);
    assert.deepEqual(await stateAlone("EUR/GBP", "0.81", TUESDAY), ["store"]);
    assert.deepEqual(await stateAlone("EUR/GBP", "2.2", MONDAY), ["hold"]);
    const times = [
      ["2.0", true],
      ["2.2", true],
    ];
    assert.deepEqual(await waiting(), [[], times]);
    assert.deepEqual((await series()).slice(2, 4), ["0.80", "0.81"]);
  });

  test("a preview returns the decisions and which figures are new to their series, and stores none", async (store, engine) => {
    const served = newRate("EUR/USD", "1.10", MONDAY, "ecb");
    const jump = newRate("EUR/USD", "11", TUESDAY, "ecb");
    await updateRates(store, [served], policy);
    const older = newRate("EUR/USD", "1.08", FRIDAY, "ecb");
    const foreign = newRate("EUR/USD", "1.11", MONDAY, "cnb");
    await updateRates(store, [older], policy);
    const before = await contentsOf(engine);

    const decided = await store.rates.previewUpdate([older, foreign, foreign, jump], policy);

    assert.deepEqual(
      decided.map(({ decision, isNew }) => [decision, isNew]),
      [
        ["older", false],
        ["foreign", true],
        ["foreign", false],
        ["hold", true],
      ],
    );
    assert.deepEqual([decided[3]?.next, decided[3]?.current], [jump, served]);
    assert.deepEqual(await contentsOf(engine), before);
  });

  test("figures that two nodes store at once are each stored once", async (store, engine, other, {
    openStore,
  }) => {
    const stores = [store, other, openStore()];
    const rates = Array.from({ length: 40 }, (_, index) =>
      newRate(`X${index}/USD`, "1.1", FRIDAY, "cnb"),
    );

    const outcomes = await Promise.all(
      stores.map((store) =>
        store.rates.update(rates, { policy, headersOf, publication: fetchOf("cnb"), origin: BY }),
      ),
    );

    const added = outcomes.flatMap(({ isNew }) => isNew).filter((one) => one).length;
    assert.equal(added, 40);
    assert.equal((await figuresIn(engine)).length, 40);
  });

  test("old figures are removed, except the newest of each series and that of a held rate", async (store, engine) => {
    const on = (day: number) => `2026-11-${String(day).padStart(2, "0")}T12:00:00.000Z`;
    const storeOn = (day: number, rates: Parameters<typeof storeRates>[1], source: string) =>
      updateRates(store, rates, policy, {
        publication: fetchOf(source, [`${source} ${day}`], on(day)),
        origin: { ...BY, at: on(day) },
      });
    const dated = (day: number, rate: string, source: string, pair = "EUR/USD") =>
      newRate(pair, rate, on(day), source);
    await storeOn(1, [dated(1, "1.1", "ecb"), dated(1, "0.8", "ecb", "EUR/GBP")], "ecb");
    await storeOn(2, [dated(2, "9.9", "ecb")], "ecb"); // held
    await storeOn(3, [dated(3, "1.3", "cnb"), dated(3, "0.9", "cnb", "EUR/GBP")], "cnb");
    await storeOn(4, [dated(4, "1.4", "cnb")], "cnb");
    await storeOn(5, [dated(1, "1.0", "cnb")], "cnb"); // of an earlier day
    await storeOn(9, [dated(9, "9.8", "ecb")], "ecb"); // held, beside the one of day 2
    await storeOn(9, [dated(9, "1.9", "cnb")], "cnb");

    await Array.fromAsync(store.history.removeBefore(on(5)));

    assert.deepEqual(await figuresIn(engine), [
      "EUR/GBP cnb 2026-11-03 #1: 0.9",
      "EUR/GBP ecb 2026-11-01 #1: 0.8",
      "EUR/USD cnb 2026-11-01 #1: 1.0",
      "EUR/USD cnb 2026-11-09 #1: 1.9",
      "EUR/USD ecb 2026-11-09 #1: 9.8",
    ]);
    const { publications, documents } = await contentsOf(engine);
    const days = publications?.map(({ received_at }) => Number(String(received_at).slice(8, 10)));
    assert.deepEqual(
      days?.sort((one, next) => one - next),
      [1, 2, 3, 5, 9, 9],
    );
    assert.equal(documents?.length, 6);
  });
}
