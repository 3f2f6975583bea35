import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { newBareDatabase } from "../support/postgres-databases.ts";
import { kurs, serve, temporaryDirectory } from "../support/process.ts";

// Opens the stores that earlier releases wrote (releases/write-release.ts): two accounts, one of
// them on the plan "pro", three keys, one of them revoked, six units of ada and one of bob, an
// imported rate, and a suspended pair.

const RELEASES = join(import.meta.dirname, "releases");

const versions = readdirSync(RELEASES).flatMap((name) => /^(.*)\.db\.gz$/.exec(name)?.[1] ?? []);

/** A data directory with the store of a release, restored as an operator would. */
async function storeOf(version: string) {
  const directory = await temporaryDirectory();
  const file = join(directory.path, "release.db");
  writeFileSync(file, gunzipSync(readFileSync(join(RELEASES, `${version}.db.gz`))));
  const dataDirectory = join(directory.path, "data");
  const restored = await kurs(["restore", file], { dataDirectory });
  assert.equal(restored.exitCode, 0, restored.stderr);
  return { ...directory, dataDirectory };
}

async function assertComplete(
  version: string,
  env: Readonly<Record<string, string>>,
  dataDirectory: string,
) {
  const keys = JSON.parse(readFileSync(join(RELEASES, `${version}.json`), "utf8"));
  await using server = await serve({ dataDirectory, env });
  const session = await server.logIn("ada@example.org");
  assert.equal(await server.usedUnits(session), 6);

  const gold = await server.readRate("XAU/USD", keys.ada);
  assert.deepEqual([gold.status, gold.body.rate], [200, "5021.50"]);
  assert.equal((await server.readRate("EUR/USD", keys.bob)).status, 200);
  assert.equal((await server.readRate("EUR/USD", keys.revoked)).status, 401);
  assert.equal((await server.readRate("EUR/JPY", keys.ada)).status, 503);

  assert.equal(await server.usedUnits(session), 8);
  const { body } = await server.get("/v1/account/usage", {
    session: await server.logIn("bob@example.org"),
  });
  const { plan, usage } = body as { plan: string; usage: Record<string, number> };
  assert.deepEqual([plan, usage.used_units, usage.quota_units], ["pro", 2, 5_000_000_000]);
  const doctor = await kurs(["doctor", "--thorough"], { dataDirectory, env });
  assert.match(doctor.stdout, /^ok +units +10 units of 2 accounts/m);
}

suite("the store of an earlier release", { concurrency: 2 }, () => {
  test("there is one", () => assert.ok(versions.includes("0.1.0")));

  for (const version of versions) {
    test(`${version} opens with every account, key, unit, plan and rate`, async () => {
      await using store = await storeOf(version);
      await assertComplete(version, {}, store.dataDirectory);
    });

    test(`${version} moves to PostgreSQL with all of them`, async () => {
      await using store = await storeOf(version);
      await using database = await newBareDatabase();
      const env = { DATABASE_URL: database.url };
      const { dataDirectory } = store;
      assert.equal((await kurs(["migrate"], { dataDirectory })).exitCode, 0);
      const copied = await kurs(["store", "copy"], { dataDirectory, env });
      assert.equal(copied.exitCode, 0, copied.stderr);
      await assertComplete(version, env, dataDirectory);
    });
  }
});
