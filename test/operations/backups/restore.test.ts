import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { suite, test } from "node:test";
import { NO_LIMITS, type OwnLimits } from "../../../src/customers/api-keys/limits.ts";
import { LIMIT_COLUMNS } from "../../../src/customers/api-keys/rows-sql.ts";
import { restoreSqlite } from "../../../src/operations/backups/restore.ts";
import {
  lockExclusive,
  lockShared,
  untilUnlocked,
} from "../../../src/platform/storage/sqlite/lock-file.ts";
import { KEY_LIMITS, newCustomer, newKey } from "../../contract/suite/customers.ts";
import { BY } from "../../contract/suite/origins.ts";
import { EUR_USD, pairOf, storeRates } from "../../contract/suite/rates-stored.ts";
import {
  copyOf,
  databaseIn,
  emptyStore,
  namesIn,
  query,
  stateOf,
  storeWithBackup,
} from "../../platform/storage/stored.ts";
import { assertRejected } from "../../support/assertions.ts";
import { kurs } from "../../support/command-line.ts";
import { eventually } from "../../support/mails.ts";
import { Program, serve, temporaryDirectory } from "../../support/process.ts";
import { startService } from "../../support/service.ts";
import { openSqliteStore, type Store } from "../../support/stores.ts";

const stored = await storeWithBackup();

const EVENT = "id, at, actor, actor_name, origin, action, account_id, details";

const KEPT = /^kurs\.db\.replaced-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

const restore = (dataDirectory: string, ...args: string[]) =>
  kurs(["restore", ...args], { dataDirectory });

/** Adds a row that an index does not have: pages are whole, and what is found is wrong. */
function addBesideIndex(file: string): void {
  const index = "FROM sqlite_schema WHERE name = 'rates_by_source'";
  const open = () => {
    const database = new DatabaseSync(file, { defensive: false });
    database.exec("PRAGMA writable_schema = ON");
    return database;
  };
  let entry: Record<string, SQLOutputValue> | undefined;
  {
    using database = open();
    entry = database.prepare(`SELECT type, name, tbl_name, rootpage, sql ${index}`).get();
    database.exec(`DELETE ${index}`);
  }
  {
    using database = open();
    database.exec(
      "INSERT INTO rates (base, quote, rate, as_of, source) VALUES ('A', 'B', '1', '2026', 'x')",
    );
    const add = "INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)";
    database.prepare(add).run(...Object.values(entry ?? {}));
  }
}

/** Gives every account a mail without a link, and a record of a mail about its quota. */
function addNotices(dataDirectory: string): void {
  const at = "2026-11-01T00:00:00.000Z";
  query(
    dataDirectory,
    `INSERT INTO mails (id, account_id, kind, created_at)
     SELECT 'notice ' || id, id, 'quota', ? FROM accounts`,
    at,
  );
  query(dataDirectory, "INSERT INTO quota_notices SELECT id, '2026-11', 80, ? FROM accounts", at);
}

suite("kurs restore", { concurrency: 3 }, () => {
  test("keeps the replaced database with its WAL and prints what is lost", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    assert.ok(statSync(join(directory.path, "kurs.db-wal")).size > 0);

    const { exitCode, stdout, stderr } = await restore(directory.path, stored.backup);

    assert.deepEqual([exitCode, stderr], [0, ""]);
    assert.match(stdout, /^lost since then: 1 account, 0 keys, 7 units charged, 0 changed/m);
    const [database, kept = "", ...rest] = namesIn(directory.path);
    assert.deepEqual([database, ...rest], ["kurs.db", "kurs.lock", "mail"]);
    assert.match(kept, KEPT);
    assert.ok(stdout.includes(`is kept: ${join(directory.path, kept)}\n`), stdout);
    assert.equal(stateOf(join(directory.path, kept)).units, 12);
    assert.equal(stateOf(join(directory.path, "kurs.db")).units, 5);
    assert.equal(statSync(join(directory.path, kept)).nlink, 1);
  });

  test("accounts suspended or deleted after the backup stay so, and the audit log loses nothing", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    const dataDirectory = directory.path;
    await using other = await temporaryDirectory();
    const backup = join(other.path, "backup.db");
    {
      await using service = await startService({ dataDirectory });
      for (const name of ["eve", "mallory", "ivan"]) {
        await service.newCustomer(`${name}@example.org`);
      }
    }
    const run = async (command: string, input = "") => {
      const env = { SMTP_URL: "smtp://127.0.0.1:9" };
      const ended = await kurs(command.split(" "), { dataDirectory, env, input });
      assert.equal(ended.exitCode, 0, ended.stderr);
    };
    await run("accounts suspend ivan@example.org");
    await run("accounts invite dan@example.org");
    // Its events belong to the history of its pair.
    await run("rates import -", "base,quote,rate,as_of\nEUR,CHF,0.9142,2020-03-13T15:00:00Z\n");
    await run("rates suspend EUR CHF");
    addNotices(dataDirectory);
    await run(`backup ${backup}`);
    assert.equal(query(backup, "SELECT 1 FROM invitations").length, 1);
    await run("rates resume EUR CHF");
    await run("accounts resume ivan@example.org");
    await run("accounts suspend eve@example.org");
    await run("accounts delete mallory@example.org --yes");
    const eventsBefore = query(dataDirectory, `SELECT ${EVENT} FROM events ORDER BY id`);

    const restored = await restore(dataDirectory, backup);

    assert.deepEqual([restored.exitCode, restored.stderr], [0, ""]);
    assert.match(restored.stdout, /^lost since then: 0 accounts, 0 keys, .* 0 changed passwords$/m);
    assert.match(
      restored.stdout,
      /^1 account deleted and 2 suspended or resumed since then: still so$/m,
    );
    const events = query(dataDirectory, `SELECT ${EVENT} FROM events ORDER BY id`);
    const [added, ...rest] = events.filter(({ action }) => action === "store.restored");
    assert.deepEqual(rest, []);
    assert.match(String(added?.details), /^\{"file":"backup\.db","taken_at":"20\S+Z"\}$/);
    assert.deepEqual(
      events.filter(({ id }) => id !== added?.id),
      eventsBefore,
    );
    const suspended = query(dataDirectory, "SELECT email FROM accounts WHERE suspended_at > ''");
    assert.equal(suspended.map(({ email }) => email).join(), "eve@example.org");
    // It may have been used since.
    assert.deepEqual(query(dataDirectory, "SELECT 1 FROM invitations"), []);
    for (const table of ["accounts", "api_keys", "events"]) {
      const text = JSON.stringify(query(dataDirectory, `SELECT * FROM ${table}`));
      assert.ok(!text.includes("mallory"), table);
    }
    for (const table of ["mails", "quota_notices"]) {
      const left = `SELECT 1 FROM ${table} JOIN accounts a ON a.id = account_id AND deleted_at > ''`;
      assert.deepEqual(query(dataDirectory, left), [], table);
    }
    const erased = query(dataDirectory, "SELECT name, key_prefix FROM api_keys WHERE name = ''");
    assert.equal(erased.length, 1);
    assert.equal(stateOf(databaseIn(dataDirectory)).integrity, "ok");
  });

  for (const [what, args, status] of [
    ["stay revoked", [], 401],
    ["are valid again with --revive-keys", ["--revive-keys"], 200],
  ] as const) {
    test(`keys that were revoked after the backup ${what}`, async () => {
      await using directory = await copyOf(stored.dataDirectory);
      const dataDirectory = directory.path;
      const { stdout } = await restore(dataDirectory, stored.backup, ...args);
      assert.match(stdout, status === 401 ? /^1 key .*: still revoked$/m : /^1 .*: valid again$/m);
      await using service = await startService({ dataDirectory });
      const read = (apiKey: string) => service.readRate("X00001/USD", apiKey);
      assert.equal((await read(stored.customer.late.apiKey)).status, status);
      assert.equal((await read(stored.customer.early.apiKey)).status, 401);
      assert.equal((await read(stored.customer.apiKey)).status, 200);
    });
  }

  test("says what it cannot tell of a database that is too damaged to be read", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    rmSync(join(directory.path, "kurs.db-wal"));
    writeFileSync(databaseIn(directory.path), Buffer.alloc(200_000, 0xff));

    const { exitCode, stdout } = await restore(directory.path, stored.backup);

    assert.equal(exitCode, 0);
    assert.match(stdout, /^it cannot be read: keys revoked and passwords changed since/m);
  });

  test("an obsolete journal of a killed restore is removed with the old database", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    const file = join(directory.path, "kurs.db");
    {
      using database = new DatabaseSync(file);
      database.exec("PRAGMA journal_mode = DELETE");
    }
    // As SQLite leaves it in exclusive mode: without a header it has no effect.
    writeFileSync(`${file}-journal`, Buffer.alloc(1024));

    assert.equal((await restore(directory.path, stored.backup)).exitCode, 0);

    assert.ok(!namesIn(directory.path).some((name) => name.includes("journal")));
    assert.equal(stateOf(file).units, 5);
  });

  test("is rejected while a server or another program has the database open", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    const dataDirectory = directory.path;
    await using server = await serve({ dataDirectory });
    const session = await server.logIn("ada@example.org");
    assertRejected(await restore(dataDirectory, stored.backup), /A server or a command has/);
    assert.equal(await server.usedUnits(session), 12);
    await server.stop();

    using other = new DatabaseSync(join(dataDirectory, "kurs.db"));
    other.prepare("SELECT 1 FROM plans").get();
    assertRejected(await restore(dataDirectory, stored.backup), /Another program has \S+ open/);
    assert.ok(!namesIn(dataDirectory).some((name) => /replaced|restoring/.test(name)));
    assert.equal(other.prepare("SELECT sum(units) AS units FROM period_usage").get()?.units, 12);
  });

  test("keeps other processes waiting until it has finished; SIGTERM ends those that wait", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    const dataDirectory = directory.path;
    const before = namesIn(dataDirectory);
    const alone = lockExclusive(dataDirectory);
    await using started = new AsyncDisposableStack();
    const start = async (...args: string[]) => {
      const program = started.use(new Program(args, { dataDirectory, env: { PORT: "0" } }));
      await program.waitFor("its wait", () => waiting.test(writtenBy(program)) || undefined);
      return program;
    };
    const waiting = /waiting until/;
    const writtenBy = ({ stdout, stderr }: Program) => stdout + stderr;
    const server = await start("serve");
    for (const args of [["serve"], ["rates", "import", "-"]]) {
      const program = await start(...args);
      program.signal("SIGTERM");
      const { exitCode, signal } = await program.end();
      assert.deepEqual([exitCode, signal], args[0] === "serve" ? [0, null] : [null, "SIGTERM"]);
      assert.doesNotMatch(writtenBy(program), /"listening"|^stored/m);
    }
    assert.deepEqual(namesIn(dataDirectory), [...before, "kurs.lock-journal"].sort());
    assert.doesNotMatch(server.stdout, /"listening"/);
    alone[Symbol.dispose]();
    await server.waitFor("listening", () => server.stdout.includes("listening") || undefined);
  });

  test("that fails on the disk leaves the database in its place, under one name only", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    const { path } = directory;
    // It cannot be removed as a file.
    rmSync(join(path, "kurs.db-shm"), { force: true });
    mkdirSync(join(path, "kurs.db-shm"));

    const { exitCode, stdout, stderr } = await restore(path, stored.backup);

    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.match(stderr, /^kurs: [^\n]+\n$/);
    rmSync(join(path, "kurs.db-shm"), { recursive: true });
    assert.ok(!namesIn(path).some((name) => KEPT.test(name)));
    assert.equal(statSync(join(path, "kurs.db")).nlink, 1);
    assert.equal(stateOf(join(path, "kurs.db")).units, 12);
  });

  test("rejects a file that is not a backup and does not change the database", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    await using place = await temporaryDirectory();
    const dataDirectory = directory.path;
    const before = namesIn(dataDirectory);
    const file = (name: string, bytes: Uint8Array | string) => {
      writeFileSync(join(place.path, name), bytes);
      return join(place.path, name);
    };
    const good = readFileSync(stored.backup);
    const damaged = Buffer.from(good).fill(0xff, 20 * 4096, 60 * 4096);
    const lacking = file("lacking.db", good);
    addBesideIndex(lacking);
    const newer = file("newer.db", good);
    query(newer, "PRAGMA user_version = 99");
    query(join(place.path, "another.db"), "CREATE TABLE notes (text)");
    // Its last page is not one of the schema.
    const long = file("long.db", good);
    query(long, "CREATE TABLE notes AS SELECT randomblob(9000) AS text");

    for (const [path, line] of [
      [file("text.db", "not a database ".repeat(1000)), /text\.db is not a Kurs database/],
      [file("empty.db", ""), /empty\.db is not a Kurs database: name a backup\.$/m],
      [join(place.path, "another.db"), /another\.db is not a Kurs database/],
      [file("damaged.db", damaged), /damaged\.db is damaged \(.+\): restore another backup/],
      [lacking, /lacking\.db is damaged \(.+ in index rates_by_source\)/],
      [file("half.db", good.subarray(0, good.length / 2)), /half\.db is damaged/],
      [
        file("short.db", readFileSync(long).subarray(0, -1)),
        /short\.db is damaged \(its last page is cut short\)/,
      ],
      [newer, /newer\.db was written by a newer Kurs \(its schema is 99, this program knows \d+\)/],
      [join(place.path, "none.db"), /There is no file \S+none\.db\.$/m],
      [place.path, /is not a file: name a backup/],
      [join(dataDirectory, "kurs.db"), /is the database itself: name a backup of it/],
    ] as const) {
      assertRejected(await restore(dataDirectory, path), line);
      assert.deepEqual(namesIn(dataDirectory), before.includes("kurs.lock") ? before : []);
    }
    assert.equal(stateOf(join(dataDirectory, "kurs.db")).units, 12);
  });
});

test("a lock whose end is awaited in several tries is announced once", async () => {
  await using directory = await temporaryDirectory();
  const alone = lockExclusive(directory.path);
  const [messages, tries] = [[] as string[], [] as number[]];
  const open = () => {
    tries.push(tries.length);
    return lockShared(directory.path, 0);
  };

  const opening = untilUnlocked(open, (message) => messages.push(message));
  await eventually("three tries", () => tries.length === 3 || undefined);
  alone[Symbol.dispose]();
  (await opening)[Symbol.dispose]();

  assert.equal(messages.length, 1);
  assert.match(messages[0] ?? "", /^waiting until another process has restored/);
});

// Not in the suite: it replaces a method that the tests which run at once use.
test("a lock is not awaited where the system cannot lock files", async (context) => {
  await using directory = await temporaryDirectory();
  // SQLite's result for ENOLCK.
  context.mock.method(DatabaseSync.prototype, "exec", () => {
    throw Object.assign(new Error("database is locked"), { errcode: 5 });
  });
  const message = /^The file system of \S+ cannot lock files: use a local disk, or mount it with /;
  const open = () => lockShared(directory.path, 60_000);

  await assert.rejects(untilUnlocked(open, assert.fail), { message });
  assert.throws(() => lockExclusive(directory.path), { message });
  assert.deepEqual(namesIn(directory.path), ["kurs.lock"]);
});

/** Accounts with a key, and pairs with a rate. */
const ROWS = `
  INSERT INTO accounts (id, email, password_hash, plan, created_at)
  SELECT 'id of ' || value, value || '@example.org', 'hash', 'free', '2026-01-01T00:00:00.000Z'
  FROM json_each('["ada", "eve", "mallory"]');
  INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at)
  SELECT printf('%064x', rowid), 'key of ' || substr(id, 7), id, 'key', 'svc_live_', created_at
  FROM (SELECT row_number() OVER (ORDER BY id) AS rowid, * FROM accounts);
  INSERT INTO rates (base, quote, rate, as_of, source) VALUES
    ('EUR', 'CHF', '0.9', '2026-01-01T00:00:00.000000000Z', 'import'),
    ('EUR', 'USD', '1.1', '2026-01-01T00:00:00.000000000Z', 'import')`;

const later = { ...BY, at: "2026-11-22T12:00:00.000Z" };

/** A database with its backup, which is restored without the command. */
async function newDatabase() {
  const directory = await emptyStore();
  const dataDirectory = directory.path;
  const backup = join(dataDirectory, "backup.db");
  return {
    ...{ ...directory, dataDirectory, backup },
    execute(sql: string): void {
      using database = new DatabaseSync(databaseIn(dataDirectory));
      database.exec(sql);
    },
    async change(act: (store: Store) => Promise<unknown>): Promise<void> {
      await using store = openSqliteStore(dataDirectory, 1000);
      await act(store);
    },
    backUp: (file = backup) => cpSync(databaseIn(dataDirectory), file),
    restore: (reviveKeys = false, file = backup, now = later.at) =>
      restoreSqlite(dataDirectory, file, { now, reviveKeys, origin: later }).forgotten,
    rows: (sql: string) => query(dataDirectory, sql).map((row) => Object.values(row)),
    /** Of the rates. */
    version: () =>
      Number(query(dataDirectory, "SELECT version FROM versions WHERE name = 'rates'")[0]?.version),
  };
}

test("a restore revives no account, key, pair or signing key", async () => {
  await using database = await newDatabase();
  database.execute(`${ROWS};
    UPDATE rates SET headers = '["signature","x"]', signing_key = 'leaked';
    INSERT INTO signing_keys VALUES ('leaked', 'public', '2026-01-01T00:00:00.000Z')`);
  database.backUp();
  await database.change(async (store) => {
    await store.administration.suspend("eve@example.org", BY);
    await store.administration.delete("mallory@example.org", BY);
    await store.keys.revoke("id of ada", "key of ada", BY);
    await store.rates.suspend(pairOf("EUR/CHF"), BY);
  });

  const { revocations, deletions, suspensions, pairs } = database.restore() ?? assert.fail();

  assert.deepEqual([revocations, deletions, suspensions, pairs], [1, 1, 1, 1]);
  for (const [sql, ...left] of [
    ["SELECT id FROM accounts WHERE suspended_at IS NULL AND deleted_at IS NULL", "id of ada"],
    ["SELECT email FROM accounts WHERE email LIKE 'mallory%'"],
    ["SELECT api_key FROM usable_keys"],
    ["SELECT quote FROM rates WHERE suspended_at IS NULL", "USD"],
    ["SELECT 1 FROM rates WHERE coalesce(headers, signing_key) > ''"],
    ["SELECT id FROM signing_keys"],
    [`SELECT action FROM events WHERE pair = 'EUR/CHF' AND at = '${later.at}'`, "rate.suspended"],
  ] as const) {
    assert.deepEqual(database.rows(sql).flat(), left, sql);
  }
});

const ENDED = "2026-11-21T12:30:00.000Z";

for (const reviveKeys of [false, true]) {
  test(`a restore${reviveKeys ? " that revives keys" : ""} keeps what limits each key, and none that has ended is valid`, async () => {
    await using database = await newDatabase();
    const { dataDirectory, change } = database;
    const keys = () =>
      query(dataDirectory, `SELECT id, ${LIMIT_COLUMNS} FROM api_keys ORDER BY id`).map((row) => ({
        ...row,
      }));
    const keep = (limits: OwnLimits) => limits;
    const old = { accountId: "", keyId: "", endsAt: later.at };
    await change(async (store) => {
      const { accountId, key } = await newCustomer(store, 10);
      Object.assign(old, { accountId, keyId: key.id });
      await store.keys.setLimits(accountId, key.id, () => ({ ...NO_LIMITS, unitsPerDay: 5 }), BY);
      await store.keys.rotate(old, newKey(""), keep, KEY_LIMITS, BY);
    });
    database.backUp();
    await change(async (store) => {
      const ended = { ...NO_LIMITS, expiresAt: ENDED, unitsPerPeriod: 7 };
      await store.keys.setLimits(old.accountId, String(keys()[1]?.id), () => ended, BY);
      await store.keys.rotate({ ...old, endsAt: ENDED }, newKey(""), keep, KEY_LIMITS, BY);
    });
    const [first, second] = keys();

    database.restore(reviveKeys);

    assert.deepEqual(keys(), [first, second]);
    assert.deepEqual([first?.expires_at, first?.units_per_period], [ENDED, 7]);
    assert.deepEqual([second?.expires_at, second?.line], [ENDED, old.keyId]);
    const usable = "SELECT expires_at, units_per_period, units_per_day FROM usable_keys";
    for (const row of database.rows(usable)) assert.deepEqual(row, [ENDED, 7, null]);
  });
}

test("a database from before keys had limits is replaced by a backup that has them", async () => {
  await using database = await newDatabase();
  database.backUp();
  database.execute(`
    DROP TRIGGER insert_usable_key; DROP TRIGGER change_usable_key; DROP TRIGGER change_usable_keys;
    DROP INDEX api_keys_by_end;
    ALTER TABLE api_keys DROP COLUMN expires_at;
    PRAGMA user_version = 25`);

  assert.ok(database.restore());
});

test("a restore revives no grant, names those that it loses, and keeps quotas and earlier terms", async () => {
  await using database = await newDatabase();
  const [ada, eve] = ["ada@example.org", "eve@example.org"];
  const grant = (units: number, reference: string) => ({ units, reference, expiresAt: undefined });
  let [revoked = "", kept = ""] = ["", ""];
  database.execute(ROWS);
  await database.change(async (store) => {
    revoked = (await store.grants.add(ada, grant(1, "revoked since"), BY))?.id ?? "";
    kept = (await store.grants.add(ada, grant(2, "kept"), BY))?.id ?? "";
    await store.accounts.setQuota(eve, { units: 3, until: undefined }, BY);
  });
  database.backUp();
  await database.change(async (store) => {
    await store.grants.revoke(revoked, BY);
    await store.grants.add(eve, grant(4, "invoice 4711"), BY);
    const both = (await store.grants.add(eve, grant(5, "revoked"), BY))?.id ?? "";
    await store.grants.revoke(both, BY);
    await store.accounts.setQuota(ada, { units: 6, until: later.at }, BY);
    await store.accounts.setQuota(eve, undefined, BY);
    await store.accounts.setCustomerNumber(eve, "K-1", BY);
    await store.plans.set({ name: "free", unitsPerPeriod: 7 }, BY);
    await store.administration.delete("mallory@example.org", BY);
  });

  const { exitCode, stdout } = await restore(database.dataDirectory, database.backup);

  assert.equal(exitCode, 0);
  const lost = "1 grant of units lost since then:\n  4 units of eve@example.org, for ";
  assert.ok(stdout.includes(`${lost}invoice 4711\n`), stdout);
  assert.deepEqual(database.rows("SELECT id, revoked_at FROM unit_grants ORDER BY units"), [
    [revoked, BY.at],
    [kept, null],
  ]);
  const accounts = "SELECT quota_units, quota_until, customer_number FROM accounts ORDER BY id";
  assert.deepEqual(database.rows(accounts).slice(0, 2), [
    [6, later.at, null],
    [null, null, "K-1"],
  ]);
  const terms = "SELECT account_id, through_period, quota_units FROM account_terms ORDER BY 1";
  assert.deepEqual(database.rows(terms), [
    ["id of ada", "2026-10", null],
    ["id of eve", "2026-10", null],
  ]);
  const plans = database.rows("SELECT plan, units_per_period FROM plan_terms");
  assert.deepEqual(plans, [["free", 1000]]);
});

test("a restore leaves a pair as it was suspended before the backup, and adds no event of it", async () => {
  await using database = await newDatabase();
  await database.change(async (store) => {
    await storeRates(store, [EUR_USD]);
    await store.rates.suspend(EUR_USD, BY);
  });
  database.backUp();
  const stateOfPair = () =>
    ["SELECT suspended_at FROM rates", "SELECT id, at FROM events WHERE pair = 'EUR/USD'"].map(
      database.rows,
    );
  const before = stateOfPair();

  assert.equal(database.restore()?.pairs, 0);

  assert.deepEqual(stateOfPair(), before);
});

test("the version of the rates returns neither to the replaced database's nor below the backup's", async () => {
  await using database = await newDatabase();
  const newer = join(database.dataDirectory, "newer.db");
  const setVersion = (version: number) =>
    database.execute(`UPDATE versions SET version = ${version} WHERE name = 'rates'`);
  await database.change((store) => storeRates(store, [EUR_USD]));
  database.backUp();
  setVersion(70);
  database.backUp(newer);

  database.restore();
  assert.equal(database.version(), 71);
  setVersion(5);
  database.restore(false, newer, "2026-11-22T12:00:01.000Z");
  assert.equal(database.version(), 70);
});
