import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { query } from "../../platform/storage/stored.ts";
import { kurs, kursUnchecked } from "../../support/command-line.ts";
import { temporaryDirectory } from "../../support/process.ts";

const HEADER = "base,quote,rate,as_of\n";

/** The figures of a data directory, by source, date and revision. */
const figuresIn = (dataDirectory: string) =>
  query(
    dataDirectory,
    `SELECT base || '/' || quote AS pair, source, date, revision, rate, line FROM figures
    WHERE source LIKE 'import%' ORDER BY pair, source, date, as_of, revision`,
  ).map(({ pair, source, date, revision, rate, line }) => {
    return `${pair} ${source} ${date} #${revision}: ${rate} (line ${line})`;
  });

async function newCli() {
  const directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  return {
    dataDirectory,
    importText: (input: string, ...options: readonly string[]) =>
      kurs(["rates", "import", "-", ...options], { dataDirectory, input }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

suite("the series of imports", () => {
  test("an import of older figures stores them, serves none, and holds those that contradict each other", async () => {
    await using cli = await newCli();
    await cli.importText(`${HEADER}EUR,USD,1.15,2020-01-06T15:00:00Z\n`);
    const file = `${HEADER}${[
      "EUR,USD,1.11,2020-01-02T15:00:00Z",
      "EUR,USD,1.12,2020-01-03T15:00:00Z",
      "EUR,USD,1.125,2020-01-03T15:00:00Z",
      "EUR,USD,1.15,2020-01-06T15:00:00Z",
    ].join("\n")}\n`;

    const dry = await cli.importText(file, "--dry-run");
    const before = figuresIn(cli.dataDirectory);
    const first = await cli.importText(file);
    const again = await cli.importText(file, "--json");

    const older = "1 (1 older than the served rate), unchanged 1";
    assert.ok(dry.stdout.includes(`would store ${older}, would hold 2`), dry.stdout);
    assert.deepEqual(before, ["EUR/USD import 2020-01-06 #1: 1.15 (line 2)"]);
    assert.deepEqual([first.exitCode, first.stdout], [1, `stored ${older}, held 2, rejected 0\n`]);
    assert.match(first.stderr, /^line 3: EUR\/USD at 1\.12 contradicts.*\nline 4: .* at 1\.125 /);
    const { stored, unchanged, held } = JSON.parse(again.stdout);
    assert.deepEqual([stored, unchanged, held], [0, 2, 2]);
    const others = [
      "EUR/USD import 2020-01-02 #1: 1.11 (line 2)",
      "EUR/USD import 2020-01-06 #1: 1.15 (line 2)",
    ];
    assert.deepEqual(figuresIn(cli.dataDirectory), others);

    const released = await kurs(["rates", "release", "EUR", "USD", "1.1250"], cli);
    const decided = await cli.importText(file);

    assert.match(released.stdout, /2020-01-03, 1\.125, is in the series of import and not served/);
    assert.deepEqual(decided.stdout, "stored 0, unchanged 4, held 0, rejected 0\n");
    const figure = "EUR/USD import 2020-01-03 #1: 1.125 (line 4)";
    assert.deepEqual(figuresIn(cli.dataDirectory), others.toSpliced(1, 0, figure));
    const { stdout } = await kurs(["rates", "list"], { dataDirectory: cli.dataDirectory });
    assert.match(stdout, /EUR\/USD +1\.15 +2020-01-06/);
  });

  test("--source gives an import a series of its own, which readers see as an import", async () => {
    await using cli = await newCli();
    const { dataDirectory } = cli;
    await cli.importText(`${HEADER}XAU,USD,2000.5,2020-01-02T15:00:00Z\n`);

    const second = `${HEADER}XAU,USD,2001.5,2020-01-03T15:00:00Z\n`;
    const named = await cli.importText(second, "--source", "closing-2");

    assert.equal(named.stdout, "stored 1, unchanged 0, held 0, rejected 0\n");
    assert.deepEqual(figuresIn(dataDirectory), [
      "XAU/USD import 2020-01-02 #1: 2000.5 (line 2)",
      "XAU/USD import:closing-2 2020-01-03 #1: 2001.5 (line 2)",
    ]);
    const verified = await kurs(["rates", "verify"], { dataDirectory });
    assert.equal(verified.exitCode, 0, verified.stdout);
    const traced = await kursUnchecked(["rates", "trace", "XAU", "USD"], { dataDirectory });
    assert.match(traced.stdout, /import:closing-2/);
    assert.match(traced.stdout, /the file is not stored: pass it to kurs rates trace/);
    const [row] = query(dataDirectory, "SELECT headers FROM rates WHERE base = 'XAU'");
    const source = 'import:closing-2;name="Imported by the operator"';
    assert.deepEqual(JSON.parse(String(row?.headers)).slice(0, 2), ["rate-source", source]);
  });

  test("--source rejects names of other sources and other characters, and stores nothing", async () => {
    await using cli = await newCli();
    const input = `${HEADER}EUR,USD,1.1,2020-01-02T15:00:00Z\n`;
    for (const [name, reason] of [
      ["ecb", /--source "ecb": another source has this name, choose a different one/],
      ["snapshot", /another source has this name/],
      ["x", /must be 2 to 32 characters of a-z, 0-9 and -/],
      ["Closing", /must be 2 to 32 characters/],
      // The option that follows, if the name was forgotten.
      ["--dry-run", /must be 2 to 32 characters/],
      ["a:b", /must be 2 to 32 characters/],
      ["a".repeat(33), /must be 2 to 32 characters/],
    ] as const) {
      const { exitCode, stdout, stderr } = await cli.importText(input, "--source", name);
      assert.deepEqual([exitCode, stdout], [2, ""], name);
      assert.match(stderr, reason);
    }
  });

  test("a figure has the date that its line states, not that of the UTC day", async () => {
    await using cli = await newCli();
    const file = `${HEADER}EUR,JPY,121,2020-01-07\nEUR,JPY,122,2020-01-08T00:30:00+09:00\n`;

    await cli.importText(file, "--published-at", "00:00 Asia/Tokyo");

    assert.deepEqual(figuresIn(cli.dataDirectory), [
      "EUR/JPY import 2020-01-07 #1: 121 (line 2)",
      "EUR/JPY import 2020-01-08 #1: 122 (line 3)",
    ]);
  });
});

test("an import keeps the order of a pair's lines, and reports lines in the file's order", async () => {
  const lines = [
    "ZAR,USD,0.05,2020-01-02T15:00:00Z",
    "EUR,USD,1.10,2020-01-02T15:00:00Z",
    "ZAR,USD,0.60,2020-01-03T15:00:00Z",
    "EUR,USD,1.20,2020-01-03T15:00:00Z",
    "AUD,USD,0.60,2020-01-02T15:00:00Z",
    "EUR,USD,1.15,2020-01-02T14:00:00Z",
    "AUD,USD,2.60,2020-01-03T15:00:00Z",
    "EUR,USD,1.30,2020-01-04T15:00:00Z",
  ];
  await using cli = await newCli();
  const imported = await cli.importText(HEADER + lines.join("\n"));
  const counts = "stored 6 (1 older than the served rate), unchanged 0, held 2, rejected 0\n";
  assert.equal(imported.stdout, counts);
  const reported = imported.stderr.match(/^line \d+: \w+\/\w+/gm);
  assert.deepEqual(reported, ["line 4: ZAR/USD", "line 8: AUD/USD"]);

  const { stdout } = await kurs(["rates", "history", "EUR", "USD"], cli);
  assert.deepEqual(stdout.match(/1\.\d\d\b/g), ["1.10", "1.20", "1.30"]);
});
