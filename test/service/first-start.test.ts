import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { migrateSqlite } from "../../src/platform/storage/sqlite/open.ts";
import { databaseIn } from "../platform/storage/stored.ts";
import { kurs as kursHere } from "../support/command-line.ts";
import { kurs, type LogLine, serve, temporaryDirectory } from "../support/process.ts";

const SNAPSHOT = [
  "ecb of 2026-03-13",
  "cnb of 2026-04-02",
  "nbp of 2026-03-05",
  "nbp of 2026-03-04",
  "norges of 2026-03-24",
  "dnb of 2026-03-13",
  "nbrm of 2026-03-13",
];

const snapshotsIn = (lines: readonly LogLine[]) =>
  lines.flatMap((line) => ("snapshot" in line ? [line] : []));

suite("the first start", { concurrency: 4 }, () => {
  test("§2 rates: loads the snapshot into an empty store, serves it and logs its dates as a warning", async () => {
    await using directory = await temporaryDirectory();
    await using server = await serve({ dataDirectory: directory.path });
    const { apiKey } = await server.newCustomer("ada@example.org");

    const [line, ...others] = snapshotsIn(server.logLines());
    assert.deepEqual(others, []);
    assert.deepEqual(line?.snapshot, SNAPSHOT);
    assert.equal(line?.level, "warn");
    assert.match(String(line?.msg), /bundled snapshot/);

    const { body } = await server.get("/v1/rates/EUR/USD", { apiKey });
    assert.deepEqual(body, {
      base: "EUR",
      quote: "USD",
      rate: "1.1476",
      as_of: "2026-03-13T15:00:00.000000000Z",
      type: "direct",
    });
  });

  test("fails when the snapshot cannot be stored: a server without rates would serve nothing", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    migrateSqlite(dataDirectory, 1000);
    {
      using database = new DatabaseSync(databaseIn(dataDirectory));
      database.exec("ALTER TABLE publications RENAME TO lost");
    }

    const env = { PORT: "0" };
    const { exitCode, stdout, stderr } = await kurs(["serve"], { dataDirectory, env });

    assert.equal(exitCode, 1);
    assert.match(stderr, /no such table: publications/);
    assert.doesNotMatch(stdout, /"listening"/);
  });

  test("prints the line that makes a first key, until there is an account", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    const openAccount = async (email: string) => {
      await using server = await serve({ dataDirectory });
      await server.newCustomer(email);
      return server.program.stderr;
    };

    const first = await openAccount("ada@example.org");
    const second = await openAccount("bob@example.org");

    const create = "keys create you@example.org --name first --new-account";
    assert.ok(first.includes(`KEY=$(DATA_DIR='${dataDirectory}' `), first);
    assert.ok(first.endsWith(` ${create})\n`), first);
    assert.match(second, /^Kurs .* commands [^\n]*--help\n$/s);
  });

  test("does not load the snapshot if it is that of a command, or the store has a rate", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    const listed = async () => {
      const { stdout } = await kursHere(["rates", "list", "--json"], { dataDirectory });
      return (JSON.parse(stdout) as { rate: string }[]).map(({ rate }) => rate);
    };
    await kursHere(["migrate"], { dataDirectory });
    assert.deepEqual(await listed(), []);
    const input = "base,quote,rate,as_of\nEUR,USD,1.10,2020-01-02T15:00:00Z\n";
    await kursHere(["rates", "import", "-"], { dataDirectory, input });

    await using server = await serve({ dataDirectory });

    assert.deepEqual(snapshotsIn(server.logLines()), []);
    assert.deepEqual(await listed(), ["1.10"]);
  });

  test("is not repeated: the second start keeps accounts, keys, units, plans and rates", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    await using first = await serve({ dataDirectory });
    const { session, apiKey } = await first.newCustomer("ada@example.org");
    const revoked = await first.createKey(session);
    await first.revokeKey(session, revoked.id);
    await kursHere(["plans", "set", "free", "3"], { dataDirectory });
    const imported = "base,quote,rate,as_of\nEUR,USD,1.1510,2026-03-16T15:00:00Z\n";
    await kursHere(["rates", "import", "-"], { dataDirectory, input: imported });
    for (let reads = 0; reads < 2; reads += 1) await first.get("/v1/rates/EUR/USD", { apiKey });
    const list = await first.get("/v1/account/api-keys", { session });
    assert.equal((await first.stop()).exitCode, 0);

    await using second = await serve({ dataDirectory });

    assert.deepEqual(snapshotsIn(second.logLines()), []);
    assert.equal(await second.usedUnits(session), 2);
    assert.deepEqual((await second.get("/v1/account/api-keys", { session })).body, list.body);
    const rate = await second.get("/v1/rates/EUR/USD", { apiKey });
    assert.deepEqual([rate.status, rate.body.rate], [200, "1.1510"]);
    assert.equal((await second.get("/v1/rates/EUR/USD", { apiKey })).status, 429);
    assert.equal((await second.get("/v1/rates/EUR/USD", { apiKey: revoked.apiKey })).status, 401);
    assert.match(await second.logIn("ada@example.org"), /^svc_sess_/);
    assert.equal(await second.usedUnits(session), 3);
  });

  test("sets the free plan to PLAN_FREE_UNITS, and a start without it keeps the plan", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    const freeUnits = async () => {
      const { stdout } = await kursHere(["plans", "list", "--json"], { dataDirectory });
      return (JSON.parse(stdout) as { units_per_period: number }[])[0]?.units_per_period;
    };
    await (await serve({ dataDirectory, env: { PLAN_FREE_UNITS: "7" } })).stop();
    assert.equal(await freeUnits(), 7);
    await (await serve({ dataDirectory })).stop();
    assert.equal(await freeUnits(), 7);
  });
});
