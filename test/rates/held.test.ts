import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { kurs } from "../support/command-line.ts";
import { temporaryDirectory } from "../support/process.ts";

const HEADER = "base,quote,rate,as_of\n";
const MONDAY = "2020-01-06T15:00:00Z";
const TUESDAY = "2020-01-07T15:00:00Z";
const GOOD = `${HEADER}PEPE,USD,0.0000108,${MONDAY}\nEUR,USD,1.10,${MONDAY}\n`;
const GARBAGE = `${HEADER}PEPE,USD,38.87,${TUESDAY}\nEUR,USD,1.110,${TUESDAY}\n`;

/** A database with valid rates and a later import with a garbage value for one of them. */
async function newCli() {
  const directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const run = (args: readonly string[], input = "") => kurs(args, { dataDirectory, input });
  await run(["rates", "import", "-"], GOOD);
  const ended = await run(["rates", "import", "-"], GARBAGE);
  return {
    run,
    /** The result of the second import. */
    ended,
    async served(): Promise<readonly string[]> {
      const { stdout } = await run(["rates", "list", "--json"]);
      const rates = JSON.parse(stdout) as readonly Readonly<Record<string, string>>[];
      return rates.map(({ base, quote, rate }) => `${base}/${quote} ${rate}`);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

suite("held imports", { concurrency: 4 }, () => {
  test("an import holds a jump with its line and exit code 1, and stores the rest", async () => {
    await using cli = await newCli();

    const { exitCode, stdout, stderr } = cli.ended;

    assert.deepEqual([exitCode, stdout], [1, "stored 1, unchanged 0, held 1, rejected 0\n"]);
    assert.match(
      stderr,
      /^line 2: PEPE\/USD at 38\.87 is too far from the stored rate: held, .+\n$/,
    );
    assert.match(stderr, /kurs rates release PEPE USD/);
    assert.deepEqual(await cli.served(), ["EUR/USD 1.110", "PEPE/USD 0.0000108"]);
  });

  test("a held import is served once it is released, also with a real process", async () => {
    await using cli = await newCli();
    const held = await cli.run(["rates", "held"]);
    assert.equal(held.exitCode, 0);
    assert.match(held.stdout, /^PAIR +HELD +SERVED .+\nPEPE\/USD +38\.87 +0\.0000108 .+ import\n$/);

    const released = await cli.run(["rates", "release", "pepe", "usd"]);

    assert.deepEqual([released.exitCode, released.stdout], [0, "PEPE/USD is served at 38.87\n"]);
    assert.deepEqual(await cli.served(), ["EUR/USD 1.110", "PEPE/USD 38.87"]);
    assert.equal((await cli.run(["rates", "held"])).stdout, "No rate is held.\n");
  });

  test("a held import that is dropped is deleted and cannot be dropped again", async () => {
    await using cli = await newCli();

    const dropped = await cli.run(["rates", "drop", "PEPE", "USD"]);
    const again = await cli.run(["rates", "drop", "PEPE", "USD"]);

    assert.equal(dropped.exitCode, 0);
    assert.deepEqual([again.exitCode, again.stdout], [1, ""]);
    assert.equal(again.stderr, "kurs: no rate of PEPE/USD is held: see kurs rates held\n");
    assert.deepEqual(await cli.served(), ["EUR/USD 1.110", "PEPE/USD 0.0000108"]);
  });

  for (const command of ["release", "drop"]) {
    test(`${command} with an invalid symbol is wrong use, and the held rate stays held`, async () => {
      await using cli = await newCli();

      const { exitCode, stdout } = await cli.run(["rates", command, "P", "USD"]);

      assert.deepEqual([exitCode, stdout], [2, ""]);
      const held = JSON.parse((await cli.run(["rates", "held", "--json"])).stdout);
      assert.deepEqual([held.length, held[0].rate, held[0].served_rate], [1, "38.87", "0.0000108"]);
    });
  }
});
