import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ecbDay } from "../../support/fake-publisher.ts";
import { contradictory, newRateStore, recorded } from "./store.ts";

// A store need not have what its documents have: what lies between two stored figures of one
// document is closed only where that document has nothing at all.

const MARCH = recorded("ecb-2026-03.xml").toString();

const BACKFILL = "kurs rates backfill ecb --from 2026-03-05 --to 2026-03-05 fetches it";

const notStored = (figure: string, nearer = "2026-03-05") =>
  `not known: the document with ecb's figure of EUR/USD for ${figure} has one for ${nearer}, too, ` +
  `and that one is not stored: ${BACKFILL.replaceAll("2026-03-05", nearer)}`;

const before = (rule: string) => `rates for EUR USD 2026-03-06 --source ecb --rule ${rule}`;

/** The document with another figure of the dollar for a date. */
const withUsd = (document: string, date: string, rate: string) =>
  document.replace(
    new RegExp(`(<Cube time="${date}">[^]*?"USD" rate=")[0-9.]+`),
    (_, start: string) => start + rate,
  );

suite("a date between two stored figures of one document", { concurrency: 4 }, () => {
  test("is not passed over where the document has it: two narrow backfills", async () => {
    await using store = await newRateStore();
    await store.archive("ecb", MARCH, (date) => date <= "2026-03-03" || date >= "2026-03-06");

    for (const gaps of ["", " --accept-gaps"]) {
      assert.equal(await store.failure(before("before") + gaps), notStored("2026-03-03"));
      assert.equal(
        await store.failure(`rates for EUR USD 2026-03-05 --source ecb --rule on-or-next${gaps}`),
        notStored("2026-03-06"),
      );
    }
    const on = await store.failure("rates for EUR USD 2026-03-05 --source ecb --rule on");
    assert.match(on, /^not known: ecb was due to publish EUR\/USD for 2026-03-05, and no such /);
  });

  test("is not passed over where HISTORY_DAYS has removed it between two amended ones", async () => {
    await using store = await newRateStore();
    await store.archive("ecb", MARCH);
    store.clock.advanceMs(86_400_000);
    const amended = withUsd(withUsd(MARCH, "2026-03-03", "1.1599"), "2026-03-06", "1.1588");
    await store.archive("ecb", amended);
    const removed = store.store.history.removeBefore("2026-10-02T00:00:00.000Z");
    for await (const step of removed) assert.equal(step, undefined);

    assert.equal(await store.failure(before("before")), notStored("2026-03-03"));
    const kept = await store.output("rates for EUR USD 2026-03-03 --source ecb --rule on");
    assert.match(kept, /^EUR\/USD 1\.1599 for /);
  });

  test("is not known where the document has a line for it that cannot be read", async () => {
    for (const rate of ["N/A", "0"]) {
      await using store = await newRateStore();
      await store.archive("ecb", withUsd(MARCH, "2026-03-05", rate));

      assert.equal(
        await store.failure(`${before("before")} --accept-gaps`),
        "not known: the document with ecb's figure of EUR/USD for 2026-03-04 has a line for " +
          "2026-03-05 that cannot be read: import that figure, and pass --source import",
      );
    }
  });

  test("is not passed over where a nearer figure is of a day off by the calendar", async () => {
    await using store = await newRateStore();
    const saturday = MARCH.replace('<Cube time="2026-03-06">', '<Cube time="2026-03-07">');
    await store.archive("ecb", saturday, (date) => date <= "2026-03-05");

    assert.equal(
      await store.failure("rates for EUR USD 2026-03-08 --source ecb --rule on-or-before"),
      notStored("2026-03-05", "2026-03-07"),
    );
  });
});

const TWO_HELD =
  "not known: bcra states 2 figures of BRL/ARS for 2026-03-19, 27.10 and 271.00, and they are held: " +
  "kurs rates release BRL ARS 27.10 --date 2026-03-19 takes the first, and kurs rates drop BRL ARS takes none";

test("a figure that a later document contradicts is neither named nor proven until it is released", async () => {
  await using store = await newRateStore();
  store.clock.set("2026-03-19T21:00:00.000Z");
  const fetch = (...rates: readonly string[]) =>
    store.refresh("bcra", [contradictory("2026-03-19", ...rates)]);
  const command = "BRL ARS 2026-03-19 --source bcra --rule on";
  await fetch("27.10");
  assert.match(await store.output(`rates for ${command}`), /^BRL\/ARS 27\.10 for /);
  await fetch("27.10", "271.00");
  assert.equal(await store.failure(`rates for ${command}`), TWO_HELD);
  assert.equal(await store.failure(`rates evidence ${command} --out -`), TWO_HELD);
  await store.output("rates release BRL ARS 27.10 --date 2026-03-19");
  assert.match(await store.output(`rates for ${command}`), /^BRL\/ARS 27\.10 for /);
});

test("two figures that are held keep every rule from another date's, and the message decides", async () => {
  await using store = await newRateStore();
  store.clock.set("2026-03-19T21:00:00.000Z");
  const command = (date: string, rule: string) =>
    `rates for BRL ARS ${date} --source bcra --rule ${rule} --accept-gaps`;
  await store.refresh("bcra", [contradictory("2026-03-19", "27.10", "271.00")]);
  for (const isFirst of [true, false]) {
    if (!isFirst) {
      await store.archive("bcra", contradictory("2026-03-18", "271.00"));
    }
    for (const [date, rule] of [
      ["2026-03-19", "on"],
      ["2026-03-22", "on-or-before"],
      ["2026-03-20", "before"],
      ["2026-03-19", "on-or-next"],
      ["2026-03-19", "month"],
    ] as const) {
      assert.equal(await store.failure(command(date, rule)), TWO_HELD);
    }
  }
  assert.match(await store.output(command("2026-03-18", "on")), /^BRL\/ARS 271\.00 for /);

  await store.output("rates drop BRL ARS");
  assert.equal(
    await store.failure(command("2026-03-19", "on-or-before")),
    "not known: bcra states 2 figures of BRL/ARS for 2026-03-19, 27.10 and 271.00, and they are " +
      "dropped: import the right one, and pass --source import",
  );
});

test("a figure that is held for its jump, or dropped, keeps every rule from another date's", async () => {
  await using store = await newRateStore();
  const fetch = async (date: string, rate: string) => {
    store.clock.set(`${date}T15:30:00.000Z`);
    await store.refresh("ecb", [ecbDay(date, { USD: rate })]);
  };
  const held = (rate: string, date: string) =>
    `not known: ecb states ${rate} of EUR/USD for ${date}, and it is held, as it jumped from 1.1000: ` +
    "kurs rates held shows it, kurs rates release EUR USD takes it, and kurs rates drop EUR USD does not";
  const command = (asked: string) => `EUR USD ${asked.replace(" ", " --source ecb --rule ")}`;
  const failure = (asked: string) => store.failure(`rates for ${command(asked)} --accept-gaps`);
  const named = async (asked: string) =>
    (await store.output(`rates for ${command(asked)}`)).slice(0, 14);

  await fetch("2026-03-12", "1.1000");
  await fetch("2026-03-13", "2.2000");
  for (const asked of ["2026-03-13 on", "2026-03-15 on-or-before", "2026-03-16 before"]) {
    assert.equal(await failure(asked), held("2.2000", "2026-03-13"));
    const evidence = await store.failure(`rates evidence ${command(asked)} --out -`);
    assert.equal(evidence, held("2.2000", "2026-03-13"));
  }
  assert.equal(await named("2026-03-12 on"), "EUR/USD 1.1000");
  // The next one jumps, too: each waits for a decision of its own.
  await fetch("2026-03-16", "2.3000");
  const first =
    "not known: ecb states 2.2000 of EUR/USD for 2026-03-13, and it is held: kurs rates release " +
    "EUR USD 2.2000 --date 2026-03-13 takes it, and kurs rates drop EUR USD does not";
  assert.equal(await failure("2026-03-13 on"), first);
  assert.equal(await failure("2026-03-16 on"), held("2.3000", "2026-03-16"));
  await store.output("rates release EUR USD 2.3");
  assert.equal(await named("2026-03-16 on-or-before"), "EUR/USD 2.3000");
  assert.equal(await failure("2026-03-15 on-or-before"), first);
  await store.output("rates release EUR USD");
  assert.equal(await named("2026-03-15 on-or-before"), "EUR/USD 2.2000");

  await fetch("2026-03-17", "9.0000");
  await store.output("rates drop EUR USD");
  const dropped = /ecb states 9\.0000 of EUR\/USD for 2026-03-17, and it is dropped: import the/;
  for (const rule of ["on", "on-or-before"])
    assert.match(await failure(`2026-03-17 ${rule}`), dropped);
  assert.doesNotMatch(await store.output("rates history EUR USD --source ecb"), /9\.0000/);
  assert.doesNotMatch((await store.run("rates verify")).stdout, /lacks/);
  // What the publisher states again is held again, until it is released.
  await fetch("2026-03-17", "9.0000");
  assert.match(await failure("2026-03-17 on"), /states 9\.0000 .* it is held/);
  await store.output("rates release EUR USD");
  assert.equal(await named("2026-03-17 on"), "EUR/USD 9.0000");
});

test("a source without a calendar names no figure over dates of which HISTORY_DAYS removes", async () => {
  await using store = await newRateStore();
  await store.import("EUR,USD,1.1,2026-03-12T15:00:00Z");
  const command = "rates for EUR USD 2026-03-15 --source import --rule on-or-before";
  const env = { HISTORY_DAYS: "30" };

  assert.match(
    await store.output(command),
    /^calendar {3}its calendar is not known: dates without a figure count as closed$/m,
  );
  const ended = await store.run(command, { env });
  assert.deepEqual([ended.exitCode, ended.stdout], [1, ""]);
  assert.equal(
    ended.stderr,
    "kurs: not known: HISTORY_DAYS may have removed a nearer figure, and import has no calendar; " +
      "--rule on names the figure of one date, such as 2026-03-12\n",
  );
  const on = await store.run(command.replace("15 ", "12 ").replace("on-or-before", "on"), { env });
  assert.equal(on.exitCode, 0, on.stderr);
});
