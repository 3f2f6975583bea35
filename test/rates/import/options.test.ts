import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { kurs, kursUnchecked } from "../../support/command-line.ts";
import { temporaryDirectory } from "../../support/process.ts";

const HEADER = "base,quote,rate,as_of\n";

/** A command line with its own database, which has one rate. */
async function cliWith(stored: string) {
  const directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const importText = (input: string, ...options: readonly string[]) =>
    kurs(["rates", "import", "-", ...options], { dataDirectory, input });
  await importText(HEADER + stored);
  return {
    dataDirectory,
    importText,
    output: async (...args: readonly string[]) => (await kurs(args, { dataDirectory })).stdout,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

suite("a dry run of an import", () => {
  const file = `${HEADER}${[
    "EUR,USD,1.15,2020-01-03T15:00:00Z",
    "EUR,USD,1.14,2020-01-01T15:00:00Z",
    "EUR,USD,9.99,2020-01-04T15:00:00Z",
    "EUR,USD,1.20,2020-01-05T15:00:00Z",
    "EUR,JPY,0,2020-01-03T15:00:00Z",
    "EUR,QQX,5,2020-01-03T15:00:00Z",
  ].join("\n")}\n`;

  test("prints what the import then does, and stores, holds and records nothing", async () => {
    await using cli = await cliWith("EUR,USD,1.10,2020-01-02T15:00:00Z\n");
    const before = [await cli.output("audit", "--json"), await cli.output("rates", "list")];

    const shown = await cli.importText(file, "--dry-run");

    assert.equal(shown.exitCode, 1);
    assert.deepEqual(shown.stdout.split("\n"), [
      "LINE  PAIR     BEFORE   NEW  AS OF                 SERVED",
      "   7  EUR/QQX    none     5  2020-01-03T15:00:00Z  yes",
      "   2  EUR/USD    1.10  1.15  2020-01-03T15:00:00Z  yes",
      "   3  EUR/USD    1.15  1.14  2020-01-01T15:00:00Z  no, it is older",
      "   5  EUR/USD    1.15  1.20  2020-01-05T15:00:00Z  yes",
      "would store 4 (1 older than the served rate), unchanged 0, would hold 1, would reject 1; " +
        "nothing was stored",
      "",
    ]);
    assert.deepEqual(shown.stderr.split("\n"), [
      "line 4: EUR/USD at 9.99 is too far from the stored rate: would be held",
      'line 6: rate "0" is not above zero',
      "warning: QQX is on no list of currencies (line 7): would be stored as given",
      "",
    ]);
    assert.deepEqual(
      [await cli.output("audit", "--json"), await cli.output("rates", "list")],
      before,
    );
    assert.equal(await cli.output("rates", "held"), "No rate is held.\n");

    const imported = await cli.importText(file);
    const older = "(1 older than the served rate)";
    assert.equal(imported.stdout, `stored 4 ${older}, unchanged 0, held 1, rejected 1\n`);
  });

  test("with --json prints the counts alone, marked as such", async () => {
    await using cli = await cliWith("EUR,USD,1.10,2020-01-02T15:00:00Z\n");
    const { stdout } = await cli.importText(file, "--dry-run", "--json");
    assert.deepEqual(JSON.parse(stdout), {
      dry_run: true,
      stored: 4,
      older: 1,
      unchanged: 0,
      held: 1,
      rejected: 1,
      unknown_symbols: ["QQX"],
    });
  });

  test("decides on a pair in more lines than are stored together as the import does", async () => {
    await using cli = await cliWith("EUR,USD,1.10,2020-01-02T15:00:00Z\n");
    const lines = Array.from({ length: 30_100 }, (_, index) => {
      const asOf = new Date(Date.UTC(2021, 0, 1) + index * 60_000).toISOString();
      return `EUR,USD,1.${10 + (index % 2)},${asOf}\n`;
    });
    lines.push("EUR,USD,1.1,2021-01-01T00:00:00Z\n");

    const { stdout, stderr } = await cli.importText(HEADER + lines.join(""), "--dry-run");

    assert.match(stdout, /\n30102 {2}EUR\/USD {4}1\.11 +1\.1 .* {2}no, it is older\n/);
    assert.match(stdout, /\nwould store 30101 \(1 older than the served rate\), unchanged 0, /);
    assert.equal(stderr, "");
  });

  test("makes no database where there is none", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    const args = ["rates", "import", "-", "--dry-run"];
    const { exitCode, stdout } = await kurs(args, { dataDirectory, input: file });
    assert.deepEqual([exitCode, stdout], [1, ""]);
  });
});

suite("a date alone", () => {
  const dates = `${HEADER}EUR,USD,1.11,2026-03-27\nEUR,JPY,121,2026-03-30\n`;
  const option = ["--published-at", "16:00 Europe/Berlin"];

  test("without --published-at is rejected with a reason that names the option", async () => {
    await using cli = await cliWith("");
    const { exitCode, stdout, stderr } = await cli.importText(dates);
    assert.deepEqual([exitCode, stdout], [1, "stored 0, unchanged 0, held 0, rejected 2\n"]);
    assert.equal(
      stderr.split("\n")[0],
      'line 2: as_of "2026-03-27" has no time: add it, or --published-at "16:00 Europe/Berlin" for all dates',
    );
  });

  test("means the time of day of --published-at, in winter and in summer; complete times stay", async () => {
    await using cli = await cliWith("");
    const json = '{"base":"EUR","quote":"CZK","rate":"25","as_of":"2026-10-26"}\n';
    const more = "EUR,CHF,0.9,2026-03-27T12:00:00Z\nEUR,NOK,11,2026-02-30\n";
    const imported = await cli.importText(dates + more, ...option);
    assert.equal(imported.stdout, "stored 3, unchanged 0, held 0, rejected 1\n");
    assert.equal(imported.stderr, 'line 5: as_of "2026-02-30" does not exist\n');
    assert.equal((await cli.importText(json, ...option)).exitCode, 0);

    const listed: readonly Record<string, string>[] = JSON.parse(
      await cli.output("rates", "list", "--json"),
    );
    assert.deepEqual(Object.fromEntries(listed.map(({ quote, as_of }) => [quote, as_of])), {
      CHF: "2026-03-27T12:00:00.000000000Z",
      USD: "2026-03-27T15:00:00.000000000Z",
      JPY: "2026-03-30T14:00:00.000000000Z",
      CZK: "2026-10-26T15:00:00.000000000Z",
    });
    assert.match(await cli.output("audit"), /published_at=16:00 Europe\/Berlin/);
  });

  test("a wrong --published-at is wrong use, and stores nothing", async () => {
    await using cli = await cliWith("");
    for (const time of ["16:00", "25:00 Europe/Berlin", "16:00 Europe/Bonn", "4 pm UTC", ""]) {
      const { exitCode, stderr } = await cli.importText(dates, "--published-at", time);
      assert.equal(exitCode, 2, time);
      assert.match(stderr, /must be a time of day and a time zone, such as "16:00 Europe\/Berlin"/);
    }
    assert.doesNotMatch(await cli.output("rates", "list"), /EUR/);
  });

  test("states the figure of a rate that was imported with --published-at", async () => {
    await using cli = await cliWith("");
    const { dataDirectory } = cli;
    const file = join(dataDirectory, "closing.csv");
    await writeFile(file, dates);
    await kurs(["rates", "import", file, ...option], { dataDirectory });
    const args = ["rates", "trace", "EUR", "JPY", "--file", file];
    const traced = await kursUnchecked(args, { dataDirectory });
    assert.equal(traced.exitCode, 0, traced.stdout + traced.stderr);
    assert.match(traced.stdout, /EUR,JPY,121,2026-03-30/);
  });
});

test("a file whose columns semicolons separate is read like one with commas, without decimal commas", async () => {
  await using cli = await cliWith("");
  const text =
    '"base";quote;"rate";as_of;note\n' +
    'EUR;USD;1.11;2026-03-27T12:00:00Z;"a; b"\n' +
    "EUR;CHF;1,11;2026-03-27T12:00:00Z;\n" +
    '"EUR";JPY;121;2026-03-27T12:00:00Z;with, comma\n';
  const { exitCode, stdout, stderr } = await cli.importText(text);
  assert.deepEqual([exitCode, stdout], [1, "stored 2, unchanged 0, held 0, rejected 1\n"]);
  assert.match(stderr, /^line 3: rate "1,11" is not a decimal number such as 1\.1476/);
});
