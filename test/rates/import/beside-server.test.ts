import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import { createRateImport } from "../../../src/rates/import/import.ts";
import { createUpdatePolicy } from "../../../src/rates/served/rules/update-policy.ts";
import type { RateLine } from "../../../src/rates/sources/source.ts";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import { BY } from "../../contract/suite/origins.ts";
import { kursUnchecked } from "../../support/command-line.ts";
import { eventually } from "../../support/mails.ts";
import { kurs, Program, temporaryDirectory } from "../../support/process.ts";
import { headersOf } from "../../support/rates.ts";
import { TestClock } from "../../support/service.ts";

const HEADER = "base,quote,rate,as_of\n";
const TIME = "2020-01-02T15:00:00Z";

/** An import in this process, into a store of its own. */
async function newImport(sleep: (milliseconds: number) => Promise<void>) {
  await using starting = new AsyncDisposableStack();
  const database = starting.use(await createSqliteDatabase());
  const store = database.openStore();
  const storeRateLines = createRateImport({
    store,
    clock: new TestClock("2026-11-21T12:00:00.000Z"),
    origin: () => BY,
    policy: createUpdatePolicy({ rateSources: [], maxRateJump: "0.5" as Decimal }),
    headersOf,
    sleep,
  });
  const reports = {
    onRejected: (line: number, reason: string) => assert.fail(`line ${line}: ${reason}`),
    onHeld: () => undefined,
    onContradiction: () => undefined,
    onUnknownSymbol: () => undefined,
    onEnded: () => undefined,
  };
  const disposable = starting.move();
  return {
    database,
    store,
    run: (batches: AsyncIterable<readonly RateLine[]>) =>
      storeRateLines(
        batches,
        { name: "rates.csv", source: "import", digest: () => undefined },
        reports,
      ),
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

/** Valid lines of different pairs from a line on. */
const linesFrom = (first: number, count: number): readonly RateLine[] =>
  Array.from({ length: count }, (_, index) => {
    const line = first + index;
    return { line, base: `P${line}`, quote: "USD", rate: "1.5", asOf: TIME };
  });

test("an import pauses after every 100 rates only while a server also writes", async () => {
  let serverWrites = true;
  const pauses: [stored: number, milliseconds: number][] = [];
  await using imports = await newImport(async (milliseconds) => {
    pauses.push([(await imports.store.rates.list()).length, milliseconds]);
    if (serverWrites) await server.plans.set({ name: "pro", unitsPerPeriod: pauses.length }, BY);
  });
  const server = imports.database.openStore();
  const lines = async function* () {
    yield linesFrom(2, 250);
  };

  const { unknownSymbols: _, ...counts } = await imports.run(lines());
  const none = { older: 0, unchanged: 0, held: 0, rejected: 0 };
  assert.deepEqual(counts, { stored: 250, ...none, furtherUnknown: 230 });
  assert.deepEqual(pauses.splice(0), [
    [100, 8],
    [200, 8],
    [250, 8],
  ]);

  // The first transaction cannot know yet that it is the only writer; the second stores the rest.
  serverWrites = false;
  const again = await imports.run(lines());
  assert.deepEqual([again.stored, again.unchanged], [0, 250]);
  assert.deepEqual(pauses, [[250, 8]]);
});

test("an import stores the lines of a pipe that stays open without waiting for more", async () => {
  await using imports = await newImport(async () => undefined);
  const storedRates = async (count: number) => {
    await eventually(`${count} stored rates`, async () => {
      return (await imports.store.rates.list()).length === count ? true : undefined;
    });
  };
  // Ends only when its lines were stored.
  const openPipe = async function* () {
    yield linesFrom(2, 2);
    yield linesFrom(4, 1);
    await storedRates(3);
    yield linesFrom(5, 1);
    await storedRates(4);
  };

  assert.equal((await imports.run(openPipe())).stored, 4);
});

/** Imports a line from a pipe whose writing end closes only after the import has ended. */
function importFromOpenPipe(dataDirectory: string): Program {
  const pipe = `
    mkfifo "$0/pipe" && exec 9<>"$0/pipe"
    printf '%s\\n' base,quote,rate,as_of EUR,USD,1.20,2020-01-03T15:00:00Z >&9
    exec "$@" <"$0/pipe"`;
  const through = ["sh", "-c", pipe, dataDirectory];
  return new Program(["rates", "import", "-"], { dataDirectory, through });
}

test("an import whose store fails ends although its input stays open", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const input = `${HEADER}EUR,USD,1.10,${TIME}\n`;
  await kurs(["rates", "import", "-"], { dataDirectory, input });
  {
    using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
    const fails = "BEGIN SELECT RAISE(ABORT, 'the test fails it'); END";
    database.exec(`CREATE TRIGGER failing BEFORE INSERT ON observations ${fails}`);
  }
  await using program = importFromOpenPipe(dataDirectory);

  const { exitCode, stderr } = await program.end();

  assert.equal(exitCode, 1);
  assert.match(stderr, /the test fails it/);
});

for (const killed of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
  test(`${killed} ends an import with its event, and the same import again proves what it stored`, async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    await kurs(["migrate"], { dataDirectory });
    await using program = importFromOpenPipe(dataDirectory);
    const rows = (sql: string) => {
      using database = new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 });
      return database.prepare(sql).all();
    };
    await eventually("a stored rate", () =>
      rows("SELECT 1 FROM rates WHERE source = 'import'").length === 1 ? true : undefined,
    );

    program.signal(killed);
    const { exitCode, signal, stdout, stderr } = await program.end();

    const isKilled = killed === "SIGKILL";
    assert.deepEqual([exitCode, signal, stdout], isKilled ? [null, killed, ""] : [1, null, ""]);
    const sentence = "stopped: the rates of 1 line are stored; the same command stores the rest";
    assert.equal(stderr, isKilled ? "" : `kurs: ${sentence}\n`);
    const events = rows("SELECT details FROM events WHERE action = 'rates.imported' ORDER BY id");
    const [begun, ...others] = events.map(({ details }) => JSON.parse(String(details)));
    const details = { file: "-", source: "import" };
    assert.deepEqual(begun, { ...details, started: true });
    assert.deepEqual(others, isKilled ? [] : [{ ...details, stopped: true }]);

    const file = join(dataDirectory, "rates.csv");
    await writeFile(file, `${HEADER}EUR,CHF,0.9,${TIME}\nEUR,USD,1.20,2020-01-03T15:00:00Z\n`);
    for (const command of ["rates import", "rates trace EUR USD --file"]) {
      const ended = await kursUnchecked([...command.split(" "), file], { dataDirectory });
      assert.equal(ended.exitCode, 0, ended.stderr);
    }
  });
}

test("an import whose output nobody reads stores its rates, and fails for its rejected line", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const file = join(dataDirectory, "rates.csv");
  await writeFile(file, `${HEADER}EUR,USD,0,${TIME}\nEUR,CHF,0.9,${TIME}\n`);
  const exitCode = join(dataDirectory, "exit-code");
  const through = ["sh", "-c", '{ "$@"; echo $? > "$KURS_EXIT_CODE"; } | true', "sh"];
  const env = { PATH: process.env.PATH ?? "", KURS_EXIT_CODE: exitCode };
  const args = ["rates", "import", file];
  await using program = new Program(args, { dataDirectory, env, through });

  await program.end();

  assert.equal(await readFile(exitCode, "utf8"), "1\n");
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
  const stored = database.prepare("SELECT base, quote, rate FROM rates").all();
  assert.deepEqual({ ...stored[0] }, { base: "EUR", quote: "CHF", rate: "0.9" });
  assert.equal(stored.length, 1);
});
