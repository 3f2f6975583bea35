import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { kurs } from "../../support/command-line.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { startService } from "../../support/service.ts";

const HEADER = "base,quote,rate,as_of\n";
const TIME = "2020-01-06T15:00:00Z";
const STORED_TIME = "2020-01-06T15:00:00.000000000Z";
const RATES = `${HEADER}EUR,USD,1.100,${TIME}\nUSD,EUR,0.9090,${TIME}\n`;

/** A command line with its own database, in which the ECB is the only source that is switched on. */
async function newCli(text = RATES) {
  const directory = await temporaryDirectory();
  const how = { dataDirectory: directory.path, env: { RATE_SOURCES: "ecb" } };
  const run = (args: readonly string[], input = "") => kurs(args, { ...how, input });
  await run(["rates", "import", "-"], text);
  return {
    run,
    async stored(): Promise<readonly string[]> {
      const { stdout } = await run(["rates", "list", "--json"]);
      const rates = JSON.parse(stdout) as readonly Readonly<Record<string, string>>[];
      return rates.map(({ base, quote, rate, as_of }) => `${base}/${quote} ${rate} ${as_of}`);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

suite("kurs rates delete", { concurrency: 4 }, () => {
  test("prints the deleted rate in full, and the inverse pair stays", async () => {
    await using cli = await newCli();

    const { exitCode, stdout, stderr } = await cli.run(["rates", "delete", " eur ", "usd"]);

    const text = "EUR/USD is deleted: 1.100 as of 2020-01-06T15:00:00Z from import\n";
    assert.deepEqual([exitCode, stdout, stderr], [0, text, ""]);
    assert.deepEqual(await cli.stored(), [`USD/EUR 0.9090 ${STORED_TIME}`]);
  });

  test("with --json prints one line that an import stores again, digit for digit", async () => {
    await using cli = await newCli();
    const before = await cli.stored();

    const { exitCode, stdout } = await cli.run(["rates", "delete", "EUR", "USD", "--json"]);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^\{[^\n]+\}\n$/);
    assert.deepEqual(JSON.parse(stdout), {
      base: "EUR",
      quote: "USD",
      rate: "1.100",
      as_of: STORED_TIME,
      type: "direct",
      source: "import",
      suspended_at: null,
      held_rate: null,
    });
    assert.equal((await cli.stored()).length, 1);

    const imported = await cli.run(["rates", "import", "-"], stdout);
    assert.deepEqual([imported.exitCode, imported.stderr], [0, ""]);
    assert.deepEqual(await cli.stored(), before);
  });

  test("deletes the held rate of the pair as well, and prints it", async () => {
    await using cli = await newCli();
    const newer = "2020-01-07T15:00:00.5Z";
    await cli.run(["rates", "import", "-"], `${HEADER}EUR,USD,110,${newer}\nUSD,EUR,90,${newer}\n`);

    const { stdout } = await cli.run(["rates", "delete", "EUR", "USD"]);
    const inverse = await cli.run(["rates", "delete", "USD", "EUR", "--json"]);

    const lines = [
      "EUR/USD is deleted: 1.100 as of 2020-01-06T15:00:00Z from import",
      "the held rate of EUR/USD is deleted: 110 as of 2020-01-07T15:00:00.500000000Z from import",
      "",
    ];
    assert.deepEqual(stdout.split("\n"), lines);
    assert.deepEqual(JSON.parse(inverse.stdout).held_rate, {
      rate: "90",
      as_of: "2020-01-07T15:00:00.500000000Z",
      source: "import",
    });
    assert.equal((await cli.run(["rates", "held"])).stdout, "No rate is held.\n");
    assert.deepEqual(await cli.stored(), []);
  });

  test("of an unknown pair fails in one line, and deletes nothing", async () => {
    await using cli = await newCli();
    await cli.run(["rates", "delete", "EUR", "USD"]);

    for (const quote of ["USD", "XXX"]) {
      const ended = await cli.run(["rates", "delete", "EUR", quote, "--json"]);
      const { exitCode, stdout, stderr } = ended;
      const message = `kurs: there is no stored rate for EUR/${quote}: see kurs rates list\n`;
      assert.deepEqual([exitCode, stdout, stderr], [1, "", message]);
    }
    assert.deepEqual(await cli.stored(), [`USD/EUR 0.9090 ${STORED_TIME}`]);
  });

  test("says that a suspension ends with the rate", async () => {
    await using cli = await newCli();
    await cli.run(["rates", "suspend", "EUR", "USD"]);

    const { exitCode, stderr } = await cli.run(["rates", "delete", "EUR", "USD"]);

    assert.equal(exitCode, 0);
    assert.equal(stderr, "EUR/USD was suspended: if it is stored again, it is served\n");
    await cli.run(["rates", "import", "-"], RATES);
    assert.match((await cli.run(["rates", "list", "EUR"])).stdout, / import\n$/);
  });
});

suite("kurs rates delete, of a pair that a source publishes", { concurrency: 2 }, () => {
  const again =
    "ecb publishes EUR/USD: its next fetch may store it again. To keep it out of service, " +
    "suspend it once it is stored: kurs rates suspend EUR USD\n";
  for (const [what, rateSources, expected] of [
    ["says that the next fetch may store it again, and how to keep it out", "ecb", again],
    ["says nothing of a fetch if the source is switched off", "cnb", ""],
  ] as const) {
    test(what, async () => {
      await using directory = await temporaryDirectory();
      const dataDirectory = directory.path;
      // A server stores the bundled snapshot, which has the ECB's rates, and fetches nothing.
      await (await startService({ dataDirectory }))[Symbol.asyncDispose]();

      const env = { RATE_SOURCES: rateSources };
      const ended = await kurs(["rates", "delete", "EUR", "USD"], { dataDirectory, env });

      assert.deepEqual([ended.exitCode, ended.stderr], [0, expected]);
      assert.match(
        ended.stdout,
        /^EUR\/USD is deleted: 1\.1476 as of 2026-03-13T15:00:00Z from ecb\n$/,
      );
    });
  }
});
