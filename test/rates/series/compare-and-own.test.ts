import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { newSeriesCli, type SeriesCli, threeSources } from "./cli.ts";

suite("a comparison of sources", { concurrency: 4 }, () => {
  test("shows the exact difference of each pair, and every figure as JSON", async () => {
    await using cli = await threeSources();

    const table = await cli.output("rates compare");

    assert.equal(
      table,
      "PAIR     DATE        LOWEST  SOURCE  HIGHEST  SOURCE  DIFFERENCE  PERCENT\n" +
        "EUR/CZK  2026-03-13  24.400  ecb      24.410  cnb          0.010   0.0410\n",
    );
    for (const pairs of ["EUR", "EUR CZK", "eur czk --above 0.0409%", "--above 0.0409"]) {
      assert.equal(await cli.output(`rates compare ${pairs}`), table, pairs);
    }
    const [compared, ...others] = JSON.parse(await cli.output("rates compare EUR CZK --json"));
    const { figures, ...comparison } = compared;
    assert.deepEqual(comparison, {
      base: "EUR",
      quote: "CZK",
      date: "2026-03-13",
      lowest: "ecb",
      highest: "cnb",
      difference: "0.010",
      percent: "0.0410",
    });
    assert.deepEqual(
      figures.map(({ source, rate }: Record<string, string>) => `${source} ${rate}`),
      ["cnb 24.410", "ecb 24.400"],
    );
    assert.deepEqual(others, []);
  });

  test("measures a difference by the lowest figure", async () => {
    await using cli = await newSeriesCli();
    await cli.ecb("2026-03-13", "100");
    await cli.cnb("2026-03-13", "101");
    // It is 0.9901 % of the highest.
    assert.match(await cli.output("rates compare EUR CZK --above 0.995%"), / 1 +1\.0000\n$/);
  });

  test("without a difference says so, and is no failure", async () => {
    await using cli = await threeSources();
    const none = async (args: string) => {
      const { exitCode, stdout, stderr } = await cli.run(`rates compare ${args}`.trim());
      assert.deepEqual([exitCode, stdout], [0, ""], args);
      return stderr;
    };

    assert.equal(
      await none("EUR --above 0.5%"),
      "No figures differ by more than 0.5 %: compared 1 pair.\n",
    );
    const nothing = "No two sources have figures of one pair and date.\n";
    assert.equal(await none("USD"), nothing);
    assert.equal(await none("GBP CZK"), nothing);
    assert.equal(await cli.output("rates compare --above 1 --json"), "[]\n");
    await using empty = await newSeriesCli();
    assert.equal((await empty.run("rates compare")).stderr, nothing);
  });
});

const served = async (cli: Pick<SeriesCli, "output">) => {
  const rates = JSON.parse(await cli.output("rates list EUR --json"));
  const { rate, source } = rates.find(({ quote }: { quote: string }) => quote === "CZK");
  return `${source} ${rate}`;
};

suite("a pair that is given to another source", { concurrency: 4 }, () => {
  test("serves its newest figure, and stays with it", async () => {
    await using cli = await threeSources();
    await cli.cnb("2026-03-16", "24.500");
    assert.equal(await served(cli), "ecb 24.400");

    assert.equal(
      await cli.output("rates own EUR CZK cnb"),
      "EUR/CZK belongs to cnb: 24.500 as of 2026-03-16T13:30:00Z; " +
        "before: 24.400 as of 2026-03-13T15:00:00Z from ecb\n",
    );

    assert.equal(await served(cli), "cnb 24.500");
    await cli.ecb("2026-03-16", "24.510");
    assert.equal(await served(cli), "cnb 24.500");
    await cli.cnb("2026-03-17", "24.600");
    assert.equal(await served(cli), "cnb 24.600");
    assert.match(await cli.output("rates list EUR CZK"), /^ecb .* 24\.510 /m);
    assert.equal(
      await cli.failure("rates own EUR CZK cnb"),
      "kurs: EUR/CZK belongs to cnb already\n",
    );
    const events = (await cli.output("audit --json")).trimEnd().split("\n");
    const owned = events
      .map((line) => JSON.parse(line))
      .filter(({ action }) => action === "rate.owned");
    const details = {
      pair: "EUR/CZK",
      rate: "24.500",
      as_of: "2026-03-16T13:30:00.000000000Z",
      source: "cnb",
      former_source: "ecb",
    };
    assert.deepEqual(
      owned.map((event) => [event.actor, event.details]),
      [["operator", details]],
    );
  });

  test("by an older figure, or one of a source that is switched off, is rejected", async () => {
    await using cli = await threeSources();
    assert.equal(
      await cli.failure("rates own EUR CZK cnb"),
      "kurs: cnb cannot own EUR/CZK yet: its newest figure, as of 2026-03-13T13:30:00Z, is " +
        "older than the served 24.400 as of 2026-03-13T15:00:00Z from ecb\n",
    );
    await cli.cnb("2026-03-16", "24.500");
    assert.match(
      await cli.failure("rates own EUR CZK cnb", { RATE_SOURCES: "ecb" }),
      /^kurs: cnb cannot own EUR\/CZK: it is not in RATE_SOURCES, .*\n$/,
    );
    assert.equal(await served(cli), "ecb 24.400");
  });

  test("may be an import's, which is in no RATE_SOURCES", async () => {
    await using cli = await newSeriesCli();
    await cli.import("EUR,CZK,24.43,2026-03-13T15:00:00Z");
    await cli.ecb("2026-03-13", "24.400");
    const text = await cli.output("rates own EUR CZK import");
    assert.match(text, /^EUR\/CZK belongs to import: 24\.43 .* from ecb$/m);
  });

  test("by a figure that jumps is held until the operator releases it", async () => {
    await using cli = await threeSources();
    await cli.cnb("2026-03-16", "99");

    const { exitCode, stdout, stderr } = await cli.run("rates own EUR CZK cnb");

    assert.deepEqual([exitCode, stderr], [1, ""]);
    assert.equal(
      stdout,
      "EUR/CZK 99 from cnb is held: it jumps too far from 24.400; " +
        "kurs rates release EUR CZK serves it and gives the pair to cnb\n",
    );
    assert.equal(await served(cli), "ecb 24.400");
    assert.match(await cli.output("rates list EUR CZK"), /^cnb .* 99 .* held$/m);
    await cli.output("rates release EUR CZK");
    assert.equal(await served(cli), "cnb 99");
  });
});
