import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ecbDay } from "../../support/fake-publisher.ts";
import { newRateCli } from "../../support/rate-cli.ts";

const STORED_TIME = "2020-01-06T15:00:00.000000000Z";
const RATES = `EUR,USD,1.100,${STORED_TIME}\nUSD,EUR,0.9090,${STORED_TIME}`;

async function newCli() {
  const cli = await newRateCli();
  await cli.import(RATES);
  return cli;
}

suite("kurs rates delete", { concurrency: 4 }, () => {
  test("prints the deleted rate in full, or as one line that an import stores again", async () => {
    await using cli = await newCli();
    const before = await cli.output("rates list EUR");

    const text = await cli.output("rates delete usd eur");
    const json = await cli.output("rates delete EUR USD --json");

    assert.equal(text, "USD/EUR is deleted: 0.9090 as of 2020-01-06T15:00:00Z from import\n");
    assert.match(json, /^\{[^\n]+\}\n$/);
    assert.deepEqual(JSON.parse(json), {
      base: "EUR",
      quote: "USD",
      rate: "1.100",
      as_of: STORED_TIME,
      type: "direct",
      source: "import",
      suspended_at: null,
      held_rate: null,
    });
    assert.match(await cli.output("rates list"), /^No rates are stored\./);
    const { exitCode, stderr } = await cli.run("rates import -", { input: json });
    assert.deepEqual([exitCode, stderr], [0, ""]);
    assert.equal(await cli.output("rates list EUR"), before);
  });

  test("prints the held rate of the pair as well", async () => {
    await using cli = await newCli();
    await cli.import("EUR,USD,110,2020-01-07T15:00:00.5Z\nUSD,EUR,90,2020-01-07T15:00:00.5Z");

    const text = await cli.output("rates delete EUR USD");
    const json = await cli.output("rates delete USD EUR --json");

    assert.match(
      text,
      /\nthe held rate of EUR\/USD is deleted: 110 as of 2020-01-07T15:00:00\.500000000Z from import\n$/,
    );
    assert.deepEqual(JSON.parse(json).held_rate, {
      rate: "90",
      as_of: "2020-01-07T15:00:00.500000000Z",
      source: "import",
    });
  });

  test("of an unknown pair fails in one line", async () => {
    await using cli = await newCli();
    assert.equal(
      await cli.failure("rates delete EUR XXX --json"),
      "kurs: there is no stored rate for EUR/XXX: see kurs rates list\n",
    );
  });

  test("says that a suspension ends with the rate", async () => {
    await using cli = await newCli();
    await cli.output("rates suspend EUR USD");

    const { exitCode, stderr } = await cli.run("rates delete EUR USD");

    assert.equal(exitCode, 0);
    assert.equal(stderr, "EUR/USD was suspended: if it is stored again, it is served\n");
    await cli.import(RATES);
    assert.match(await cli.output("rates list EUR"), / import\n$/);
  });

  test("says of a source that is on that its next fetch may store the pair again", async () => {
    const again =
      "ecb publishes EUR/USD: its next fetch may store it again. To keep it out of service, " +
      "suspend it once it is stored: kurs rates suspend EUR USD\n";
    for (const [rateSources, expected] of [
      ["ecb", again],
      ["cnb", ""],
    ] as const) {
      await using cli = await newRateCli();
      await cli.refresh("ecb", [ecbDay("2026-03-30", { USD: "1.1476" })]);
      const env = { RATE_SOURCES: rateSources };
      const { exitCode, stdout, stderr } = await cli.run("rates delete EUR USD", { env });
      assert.deepEqual([exitCode, stderr], [0, expected]);
      assert.match(stdout, /^EUR\/USD is deleted: 1\.1476 as of 2026-03-30T14:00:00Z from ecb\n$/);
    }
  });
});
