import assert from "node:assert/strict";
import { test } from "node:test";
import { kurs } from "../../support/command-line.ts";
import { body, ecbDay, playPublisher, sourceAt } from "../../support/fake-publisher.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { startService, TestClock } from "../../support/service.ts";
import { bodiesOf } from "./publishers/recorded.ts";

const GOOD = body(ecbDay("2026-11-20", { USD: "1.1600", ISK: "144.20" }));

/** The command line in this process; a test server takes the place of the ECB. */
async function newCli() {
  await using starting = new AsyncDisposableStack();
  const publisher = starting.use(await playPublisher(GOOD));
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  assert.equal((await kurs(["migrate"], { dataDirectory })).exitCode, 0);
  const clock = new TestClock("2026-11-20T16:00:00.000Z");
  const sourcesOf = (keys: readonly string[]) =>
    keys.map((key) => sourceAt(key, [publisher.address], clock));
  const run = (...args: string[]) =>
    kurs(args, { dataDirectory, clock, sourcesOf, env: { RATE_SOURCES: "ecb" } });
  const disposable = starting.move();
  return {
    publisher,
    clock,
    run,
    /** Fetches what the ECB publishes at a time. @returns the counts. */
    async fetchAt(time: string, figures: Readonly<Record<string, string>>): Promise<string> {
      clock.set(time);
      publisher.behave(body(ecbDay(time.slice(0, 10), figures)));
      return (await run("rates", "fetch")).stdout;
    },
    /** The exit code of the status at a time, and the beginning of the ECB's line. */
    async statusAt(time: string): Promise<string> {
      clock.set(time);
      const { exitCode, stdout } = await run("rates", "status");
      return `${exitCode}: ${stdout.split("\n")[1]?.split(/ {2,}/).slice(1, 5).join(", ")}`;
    },
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

test("a source that was never fetched, or whose fetch failed, is stale, with exit code 1", async () => {
  await using cli = await newCli();
  const { exitCode, stdout } = await cli.run("rates", "status");
  assert.equal(exitCode, 1);
  assert.match(
    stdout,
    /^SOURCE +STATE +PAIRS +NEWEST RATE +MISSED .*\necb +stale +0 +none +1 +never /,
  );
  const [state] = JSON.parse((await cli.run("rates", "status", "--json")).stdout);
  assert.deepEqual([state.source, state.missed_publications, state.newest_as_of], ["ecb", 1, null]);

  {
    cli.publisher.behave((response) => void response.writeHead(500).end());
    const { exitCode, stdout } = await cli.run("rates", "fetch", "ecb");
    assert.equal(exitCode, 1);
    assert.match(stdout, /^ecb: failed: 127\.0\.0\.1:[0-9]+ responded with 500\n$/);
    assert.match((await cli.run("rates", "status")).stdout, /responded with 500\n$/);
  }
});

test("a fetch names the line and the pair of what it rejects", async () => {
  await using cli = await newCli();
  const figures = { USD: "1.1600", ISK: "0", US$: "1.1600", JPY: "182,85" };
  cli.publisher.behave(body(ecbDay("2026-11-20", figures).replaceAll("/><", "/>\n<")));

  const { stdout, stderr } = await cli.run("rates", "fetch");

  assert.equal(stdout, "ecb: stored 1, held 0, skipped 0, rejected 3\n");
  assert.equal(
    stderr,
    `ecb: line 5: "EUR/ISK": rate "0" is not above zero
ecb: line 6: "EUR/US$": quote "US$" is not a symbol of 2 to 10 letters A-Z or digits
ecb: line 7: "EUR/JPY": rate "182,85" is not a decimal number such as 1.1476, of at most 64 characters
`,
  );
});

test("a fetched source is fresh, with exit code 0, until it misses a publication, and not on a holiday", async () => {
  await using cli = await newCli();
  const figures = { USD: "1.1500", ISK: "144.20" };
  const counts = "ecb: stored 2, held 0, skipped 0, rejected 0\n";
  assert.equal(await cli.fetchAt("2026-04-02T15:00:00.000Z", figures), counts);
  for (const [time, status] of [
    ["2026-04-02T15:00:00.000Z", "0: fresh, 2, 60 min old, 0"],
    ["2026-04-06T18:00:00.000Z", "0: fresh, 2, 4 d old, 0"],
    ["2026-04-07T16:04:59.000Z", "0: fresh, 2, 5 d old, 0"],
    ["2026-04-07T16:05:00.000Z", "1: stale, 2, 5 d old, 1"],
    ["2027-04-07T16:05:00.000Z", "1: stale, 2, 370 d old, 99+"],
  ] as const) {
    assert.equal(await cli.statusAt(time), status);
  }
});

test("the status fails for a pair that left its publisher's table, and names it until it is suspended", async () => {
  await using cli = await newCli();
  await cli.fetchAt("2026-10-01T16:00:00.000Z", { USD: "1.1500", ISK: "144.20" });
  const both = await cli.run("rates", "status");
  await cli.fetchAt("2026-11-26T18:10:00.000Z", { USD: "1.1510" });

  const one = await cli.run("rates", "status");
  const [state] = JSON.parse((await cli.run("rates", "status", "--json")).stdout);
  await cli.run("rates", "suspend", "EUR", "ISK");
  const none = await cli.run("rates", "status");

  assert.deepEqual([both.exitCode, one.exitCode, none.exitCode], [0, 1, 0]);
  assert.match(
    one.stdout,
    /\necb +fresh +2 .*\necb has missed up to 40 publications of 1 pair: EUR\/ISK\n$/,
  );
  for (const { stdout } of [both, none]) assert.doesNotMatch(stdout, /ISK/);
  const { missed_publications: missed, missed_pairs: pairs, missed_pair_names: names } = state;
  assert.deepEqual([missed, pairs, names], [0, 1, ["EUR/ISK"]]);
});

test("a fetch warns of a currency that has ended, whose figure is not served", async () => {
  await using cli = await newCli();
  cli.clock.set("2026-10-01T16:00:00.000Z");
  cli.publisher.behave(body(ecbDay("2026-10-01", { USD: "1.1500", BGN: "1.9558" })));
  const { exitCode, stdout, stderr } = await cli.run("rates", "fetch");
  assert.deepEqual([exitCode, stdout], [0, "ecb: stored 1, held 0, skipped 1, rejected 0\n"]);
  assert.match(stderr, /^ecb: BGN ended on 2026-01-01: .*: its figure is stored, and not served$/m);
  assert.doesNotMatch((await cli.run("rates", "list")).stdout, /BGN/);
});

test("a dry run prints what would change and stores nothing", async () => {
  await using cli = await newCli();
  await cli.run("rates", "fetch");
  cli.clock.set("2026-11-23T16:00:00.000Z");
  const figures = { USD: "1.1650", ISK: "1442.0", SEK: "10.90" };
  cli.publisher.behave(body(ecbDay("2026-11-23", figures)));

  const { exitCode, stdout } = await cli.run("rates", "fetch", "--dry-run");

  assert.equal(exitCode, 0);
  const rows = [
    "PAIR     STORED     NEW  WOULD BE",
    "EUR/USD  1.1600  1.1650  stored",
    "EUR/ISK  144.20  1442.0  held",
    "EUR/SEK    none   10.90  added",
    "ecb: 0 of 3 stay as they are",
  ];
  assert.equal(stdout, `${rows.join("\n")}\n`);
  assert.match((await cli.run("rates", "list")).stdout, /EUR\/USD +1\.1600 /);
  assert.match((await cli.run("rates", "held")).stdout, /^No rate is held\./);
  assert.match((await cli.run("rates", "status")).stdout, /2026-11-20T16:00:00\.000Z/);
});

test("a dry run of a table that has not begun says that its figures wait", async () => {
  await using cli = await newCli();
  cli.clock.set("2026-07-30T12:00:00.000Z");
  cli.publisher.behave(body(String(bodiesOf("hmrc")[0])));

  const early = await cli.run("rates", "fetch", "hmrc", "--dry-run");
  cli.clock.set("2026-08-01T12:00:00.000Z");
  const begun = await cli.run("rates", "fetch", "hmrc", "--dry-run");

  assert.equal(early.stdout, "hmrc: 6 figures would wait until the table begins\n");
  assert.match(begun.stdout, /\nhmrc: 0 of 6 stay as they are\n$/);
});

test("a held rate is listed, released or dropped; a pair without one is an error", async () => {
  await using cli = await newCli();
  await cli.run("rates", "fetch");
  const figures = { USD: "11.600", ISK: "14.420" };
  assert.match(await cli.fetchAt("2026-11-23T16:00:00.000Z", figures), /stored 0, held 2/);

  const held = await cli.run("rates", "held");
  const [isk] = JSON.parse((await cli.run("rates", "held", "--json")).stdout);
  assert.match(held.stdout, /^PAIR +HELD +SERVED .*\nEUR\/ISK +14\.420 +144\.20 /);
  assert.deepEqual([isk.rate, isk.served_rate, isk.source], ["14.420", "144.20", "ecb"]);

  const released = await cli.run("rates", "release", "eur", "usd");
  const dropped = await cli.run("rates", "drop", "EUR", "ISK");
  assert.deepEqual([released.exitCode, released.stdout], [0, "EUR/USD is served at 11.600\n"]);
  assert.equal(dropped.exitCode, 0);
  const listed = (await cli.run("rates", "list", "EUR")).stdout;
  assert.match(listed, /EUR\/ISK +144\.20 .*\nEUR\/USD +11\.600 /);
  for (const command of ["release", "drop"]) {
    const again = await cli.run("rates", command, "EUR", "USD");
    assert.deepEqual([again.exitCode, again.stdout], [1, ""]);
    assert.match(again.stderr, /^kurs: no rate of EUR\/USD is held: see kurs rates held\n$/);
  }
});

test("an unknown source is wrong use, and the message names the known ones", async () => {
  await using cli = await newCli();
  const { exitCode, stderr } = await cli.run("rates", "fetch", "ecb", "bank");
  assert.equal(exitCode, 2);
  assert.match(stderr, /unknown source bank; known sources: ecb, cnb, nbp, norges, dnb, nbrm, /);
  assert.equal(cli.publisher.requests.length, 0);
});

test("a stale source is fetched at startup while the snapshot is already served", async () => {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await using publisher = await playPublisher((response, headers) => {
    asked.resolve();
    released.promise.then(() => GOOD(response, headers), assert.fail);
  });
  const clock = new TestClock("2026-11-20T16:00:00.000Z");
  const sources = [sourceAt("ecb", [publisher.address], clock)];
  const config = { rateSources: ["ecb"] };
  await using service = await startService({ clock, sources, config });
  const { apiKey } = await service.newCustomer();
  const readUsd = async () => (await service.get("/v1/rates/EUR/USD", { apiKey })).body.rate;

  await asked.promise;
  assert.equal(await readUsd(), "1.1476");
  released.resolve();

  // Each iteration is a request: the loop ends with the fetch, or when the quota is used up.
  while ((await readUsd()) === "1.1476");
  assert.equal(await readUsd(), "1.1600");
});
