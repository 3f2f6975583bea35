import assert from "node:assert/strict";
import { test } from "node:test";
import { newRateStore, recorded } from "../../bookkeeping/applicable-rates/store.ts";
import { serve } from "../../support/process.ts";
import { newSeriesCli, type SeriesCli } from "./cli.ts";

const servedIn = async (cli: Pick<SeriesCli, "output">) => {
  const rates = JSON.parse(await cli.output("rates list EUR --json"));
  const usd = rates.find(({ quote }: { quote: string }) => quote === "USD");
  return usd && `${usd.source} ${usd.rate}`;
};

test("a month's table and a named import stand beside the day's rate of the owner", async () => {
  await using cli = await newSeriesCli();
  await cli.import("EUR,USD,1.15,2026-02-27T15:00:00Z", " --source closing");
  await cli.ecb("2026-02-27", "24.400");
  await cli.inforeuro("2026-03", "1.1643");
  await using server = await serve({ dataDirectory: cli.dataDirectory });
  const { read } = await server.newCustomer("ada@example.org");
  const served = async () => {
    const { status, body, headers } = await read("EUR/USD");
    return [status, body.rate, String(headers["rate-source"]).split(";")[0]];
  };

  // The table is newer, but the pair is the ECB's.
  assert.deepEqual(await served(), [200, "1.1476", "ecb"]);
  const listed = JSON.parse(await cli.output("rates list EUR USD --json"));
  assert.deepEqual(
    listed.map(({ source, rate, date, valid_until, state }: Record<string, unknown>) => {
      return [source, rate, date, valid_until, state];
    }),
    [
      ["ecb", "1.1476", "2026-02-27", null, "served"],
      ["import:closing", "1.15", "2026-02-27", null, ""],
      ["inforeuro", "1.1643", "2026-03-01", "2026-03-31", ""],
    ],
  );
  const traced = await cli.output("rates trace EUR USD --source inforeuro");
  assert.match(traced, /^EUR\/USD 1\.1643 as of 2026-02-28T23:00:00Z\n/);
  assert.match(traced, /^series {5}middle figure of 2026-03-01, valid until 2026-03-31$/m);
  assert.match(traced, /^.*"value":1\.1643.*\n +\^{6}\n$/m);
  assert.match(await cli.output("rates trace EUR USD --source import:closing"), /1\.15 as of/);
  assert.match(await cli.output("rates verify"), /; series: 3 figures verified, 1 imported\n$/);
  // The figures of one date are compared: the table's is that of its first day.
  assert.match(
    await cli.output("rates compare EUR USD"),
    /\nEUR\/USD +2026-02-27 +1\.1476 +ecb +1\.15 +import:closing +0\.0024 +0\.2091\n$/,
  );

  assert.equal(
    await cli.output("rates own EUR USD inforeuro"),
    "EUR/USD belongs to inforeuro: 1.1643 as of 2026-02-28T23:00:00Z; " +
      "before: 1.1476 as of 2026-02-27T15:00:00Z from ecb\n",
  );

  assert.deepEqual(await served(), [200, "1.1643", "inforeuro"]);
  await cli.ecb("2026-03-02", "24.500");
  assert.deepEqual(await served(), [200, "1.1643", "inforeuro"]);
});

test("a table that is published in advance waits in its series, and is served when it begins", async () => {
  await using cli = await newSeriesCli();
  await cli.inforeuro("2026-03", "1.1643");

  const early = await cli.inforeuro("2026-04", "1.1702");

  assert.deepEqual([early.stored, early.skipped, early.rejections], [0, 1, []]);
  assert.equal(await servedIn(cli), "inforeuro 1.1643");
  assert.match(
    await cli.output("rates list EUR USD"),
    /^inforeuro .* 2026-04-01 {2}1\.1702 .*\nEUR\/USD is served at 1\.1643 as of 2026-02-28T23:00:00Z/m,
  );
  assert.match(await cli.output("rates verify"), /series: 2 figures verified\n$/);
  const state = (await cli.store.sources.list()).find(({ source }) => source === "inforeuro");
  assert.equal(state?.nextAttemptAt, "2026-03-31T22:00:00.000Z");

  cli.clock.advanceMs(Date.parse(state.nextAttemptAt) - cli.clock.nowMs());
  const begun = await cli.inforeuro("2026-04", "1.1702");

  assert.equal(cli.requests.at(-1)?.["if-none-match"], undefined);
  assert.equal(begun.stored, 1);
  assert.equal(await servedIn(cli), "inforeuro 1.1702");
  assert.match(await cli.output("rates list EUR USD"), / 1\.1702 .* 1 .* served\n$/);
});

test("a table that has not begun is listed as one that waits", async () => {
  await using store = await newRateStore();
  const august = recorded("hmrc.csv").toString();
  await store.archive("hmrc", Buffer.from(august.replaceAll("/2026", "/2126")));

  assert.match(await store.output("rates list GBP EUR"), /^hmrc .* 2126-08-01 .* waits$/m);
  const [listed] = JSON.parse(await store.output("rates list GBP EUR --json"));
  assert.deepEqual([listed.state, listed.valid_until], ["waits", "2126-08-31"]);
});

test("the first table of a source, published in advance, is no failure and serves nothing", async () => {
  await using cli = await newSeriesCli();

  const { stored, skipped } = await cli.inforeuro("2026-04", "1.1702");

  assert.deepEqual([stored, skipped], [0, 1]);
  assert.equal(await servedIn(cli), undefined);
});

test("a table of a month that is far ahead is a mistake, and nothing of it is stored", async () => {
  await using cli = await newSeriesCli();

  await assert.rejects(cli.inforeuro("2027-04", "1.1702"), /more than a day in the future/);

  assert.equal(
    await cli.failure("rates list EUR USD"),
    "kurs: no source has a figure of EUR/USD: see kurs rates list\n",
  );
});
