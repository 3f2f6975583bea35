import assert from "node:assert/strict";
import { test } from "node:test";
import { kursUnchecked } from "../../support/command-line.ts";
import { body, cnbDay, ecbDay, playPublisher, sourceAt } from "../../support/fake-publisher.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { TestClock } from "../../support/service.ts";
import { watchRows } from "../../support/statements.ts";

const DAY = "2026-11-20";
const ECB = { USD: "1.1600", CZK: "24.300", HUF: "390.00", ISK: "144.20" };
/** The forint's figure under the code of the króna, whose own is 0.1685. */
const MIXED_UP = { USD: "20.950", HUF: "0.0623", ISK: "0.0623" };

/** A store with two played publishers, of which ecb is fetched first. */
async function setUp(env: Readonly<Record<string, string>>) {
  await using starting = new AsyncDisposableStack();
  const ecb = starting.use(await playPublisher(body(ecbDay(DAY, ECB))));
  const cnb = starting.use(await playPublisher(body(cnbDay(DAY, MIXED_UP))));
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const clock = new TestClock(`${DAY}T16:00:00.000Z`);
  const addresses: Readonly<Record<string, string>> = { ecb: ecb.address, cnb: cnb.address };
  const sourcesOf = (keys: readonly string[]) =>
    keys.map((key) => sourceAt(key, [addresses[key] ?? ""], clock));
  const run = async (command: string, input = ""): Promise<string> => {
    const settings = { RATE_SOURCES: "ecb,cnb", ...env };
    const options = { dataDirectory, clock, sourcesOf, input, env: settings };
    const { stdout, stderr } = await kursUnchecked(command.split(" "), options);
    return stdout + stderr;
  };
  await run("migrate");
  const disposable = starting.move();
  return { cnb, run, [Symbol.asyncDispose]: () => disposable.disposeAsync() };
}

test("a figure of one currency under the code of another one is held, with both documents to look at", async () => {
  await using setup = await setUp({ RATE_MAX_DISAGREEMENT: "0.02" });
  const { run } = setup;
  await run("rates fetch ecb");
  assert.match(await run("rates fetch cnb --dry-run"), /^ISK\/CZK +none +0\.0623 +held$/m);
  assert.equal(await run("rates fetch cnb"), "cnb: stored 2, held 1, skipped 0, rejected 0\n");

  const [held] = JSON.parse(await run("rates held --json"));
  const { rate, served_rate: served, reason, percent, figures, document } = held;
  assert.deepEqual([rate, served, reason, percent], ["0.0623", null, "disagreement", "170.49"]);
  const ofEcb = { source: "ecb", date: DAY, document: figures[0].document };
  assert.deepEqual(figures, [
    { base: "EUR", quote: "ISK", rate: "144.20", ...ofEcb },
    { base: "EUR", quote: "CZK", rate: "24.300", ...ofEcb },
  ]);
  const text = await run("rates held");
  assert.match(text, /^ISK\/CZK +0\.0623 +none .* cnb +differs from ecb by 170\.49 %$/m);
  for (const [named, digest] of Object.entries({
    "ISK/CZK 0.0623 by cnb": document,
    "EUR/ISK 144.20 by ecb": ofEcb.document,
  })) {
    const trace = `rates trace --document ${digest}`;
    assert.ok(text.includes(`\n  ${named}: kurs ${trace}\n`));
    assert.match(await run(trace), new RegExp(`\\b${named.slice(-3)}\\b`));
  }
  const why = /held, as it differs from ecb by 170\.49 %: .*kurs rates release ISK CZK/;
  assert.match(await run(`rates for ISK CZK ${DAY} --source cnb --rule on`), why);
  const pairs = /(?:^(?:EUR\/(?:CZK|HUF|ISK|USD)|HUF\/CZK|USD\/CZK) .*\n){6}$/m;
  assert.match(await run("rates list"), pairs);

  assert.equal(await run("rates release ISK CZK"), "ISK/CZK is served at 0.0623\n");
  assert.match(await run("rates fetch cnb"), /held 0, skipped 3/);
});

test("a dropped figure is held when it comes again, also once an import, which is not compared, is served", async () => {
  await using setup = await setUp({ RATE_MAX_DISAGREEMENT: "0.02" });
  const { run, cnb } = setup;
  await run("rates fetch");
  assert.equal(await run("rates drop ISK CZK"), "the held rate of ISK/CZK is deleted\n");
  assert.match(await run("rates fetch cnb"), /stored 0, held 1, skipped 2/);

  const line = `base,quote,rate,as_of\nISK,CZK,0.0623,${DAY}T12:00:00Z\n`;
  assert.match(await run("rates import -", line), /^stored 1, unchanged 0, held 0/);
  assert.match(await run("rates held"), /^ISK\/CZK +0\.0623 +0\.0623 .* cnb +jump$/m);
  cnb.behave(body(cnbDay(DAY, { ...MIXED_UP, ISK: "0.1685" })));
  // From the imported rate it is a jump: the limit on jumps applies as before.
  assert.match(await run("rates fetch cnb"), /stored 0, held 1, skipped 2/);
  assert.match(await run("rates held"), /^ISK\/CZK +0\.1685 +0\.0623 .* jump$/m);
});

test("without the setting nothing is compared, and the figure is served", async () => {
  for (const limit of ["", "9"]) {
    await using setup = await setUp({ RATE_MAX_DISAGREEMENT: limit });
    let comparisons = 0;
    using _watched = watchRows((_rows, sql) => {
      if (/RECURSIVE wanted/.test(sql)) comparisons += 1;
    });
    assert.match(await setup.run("rates fetch"), /^cnb: stored 3, held 0, /m);
    assert.equal(comparisons > 0, limit !== "", limit);
  }
});
