import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Client } from "pg";
import { administer } from "../../harness/postgres.ts";
import type { Customer } from "../../test/support/client.ts";
import { eventually } from "../../test/support/mails.ts";
import { databaseOf, newPostgresDatabase } from "../../test/support/postgres-databases.ts";
import { startPrimaryAndStandby, startStandby } from "../../test/support/primary-and-standby.ts";
import { startService, type TestService } from "../../test/support/service.ts";

// A failover to an asynchronous standby loses the last commits, and a restored backup those since
// it was taken. What a node has cached of them must not outlive them.

const EUR_USD = "/v1/rates/EUR/USD";
const NEW_PAIR = "/v1/rates/AAA/BBB";

const HAS_ALL = `
  SELECT 1 FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()`;

const INSERT_PAIR = `
  INSERT INTO rates (base, quote, rate, as_of, source)
  VALUES ('AAA', 'BBB', '1', '2026-01-01T00:00:00.000000000Z', 'import')`;

/** Only insertions, all of them cached: a key, an account with its key and session, and a rate. */
async function writeWhatIsLost(service: TestService, session: string, url: string) {
  const { apiKey: key } = await service.createKey(session);
  const stranger = await service.newCustomer("lost@example.org");
  await administer(url, INSERT_PAIR);
  assert.equal((await service.get(EUR_USD, { apiKey: key })).status, 200);
  assert.equal((await service.get(NEW_PAIR, { apiKey: stranger.apiKey })).status, 200);
  assert.equal((await service.get("/v1/rates/E/USD", { apiKey: key })).status, 400);
  return { key, stranger };
}

/** Asserts that nothing lost is served, and that it costs no other customer a read. */
async function assertLost(
  service: TestService,
  kept: Customer,
  { key, stranger }: Awaited<ReturnType<typeof writeWhatIsLost>>,
) {
  // All of these are one batch.
  const [others, lostKey, lostAccount, lostPair, uncharged] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => kept.read())),
    service.get(EUR_USD, { apiKey: key }),
    service.get(EUR_USD, { apiKey: stranger.apiKey }),
    service.get(NEW_PAIR, { apiKey: kept.apiKey }),
    service.get("/v1/rates/E/USD", { apiKey: key }),
  ]);
  assert.deepEqual(
    others.map(({ status }) => status),
    others.map(() => 200),
  );
  const statuses = [lostKey, lostAccount, lostPair, uncharged].map(({ status }) => status);
  assert.deepEqual(statuses, [401, 401, 404, 401]);
  const { session } = stranger;
  assert.equal((await service.get("/v1/account/usage", { session })).status, 401);
  assert.equal(await service.usedUnits(kept.session), 1 + 21);
}

suite("what nodes have cached", () => {
  test("is not served after a failover that lost it", async () => {
    await using cluster = await startPrimaryAndStandby({ isSynchronous: false });
    const { primary, standby } = cluster;
    const both = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
    await using service = await startService({ config: { database: databaseOf(both) } });
    const kept = await service.newCustomer("kept@example.org");
    assert.equal((await kept.read()).status, 200);
    await eventually("a standby that has all", async () => {
      return (await administer(primary.url(), HAS_ALL)).length === 1 || undefined;
    });
    await standby.stop();
    const lost = await writeWhatIsLost(service, kept.session, primary.url());

    await primary.kill();
    const { dataDirectory, port } = standby;
    await using promoted = await startStandby(primary.port, { dataDirectory, port });
    await promoted.promote();
    await eventually("the promotion", async () => {
      return (await service.get("/readyz")).status === 200 || undefined;
    });

    await assertLost(service, kept, lost);
  });

  // As pg_restore --data-only --disable-triggers does.
  test("is not served after a backup was restored over it beside the node", async () => {
    await using database = await newPostgresDatabase();
    const settings = { config: { database: databaseOf(database.url) } };
    await using service = await startService(settings);
    const kept = await service.newCustomer("kept@example.org");
    assert.equal((await kept.read()).status, 200);
    await using client = await connect(database.url);
    const { rows } = await client.query<{ name: string }>(TABLES);
    const names = rows.map(({ name }) => name);
    for (const name of names) await client.query(`CREATE TEMP TABLE old_${name} AS TABLE ${name}`);
    const lost = await writeWhatIsLost(service, kept.session, database.url);

    const insert = names.map((name) => `INSERT INTO ${name} TABLE old_${name};`);
    const [off, on] = ["DISABLE", "ENABLE"].map((verb) =>
      names.map((name) => `ALTER TABLE ${name} ${verb} TRIGGER ALL;`).join(" "),
    );
    await client.query(
      `BEGIN; ${off} TRUNCATE ${names.join(", ")}; ${insert.join(" ")} ${on} COMMIT`,
    );

    await assertLost(service, kept, lost);
  });
});

const TABLES = `
  SELECT relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`;

async function connect(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
