import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, test } from "node:test";
import { emptyStore } from "../../platform/storage/stored.ts";
import type { Client } from "../../support/client.ts";
import { kurs } from "../../support/command-line.ts";
import { type Server, serve, temporaryDirectory } from "../../support/process.ts";

let server: Server;
let client: Client;
let dataDirectory: string;
/** A data directory whose store no test changes. */
let unusedDirectory: string;
const resources = new AsyncDisposableStack();
const run = (...args: readonly string[]) => kurs(args, { dataDirectory });

before(async () => {
  dataDirectory = resources.use(await temporaryDirectory()).path;
  server = resources.use(await serve({ dataDirectory }));
  client = server;
  unusedDirectory = resources.use(await emptyStore()).path;
});
after(() => resources.disposeAsync());

/** An account with a key on a plan of its own. */
async function newCustomer(name: string, units: number) {
  const email = `${name}@example.org`;
  const { session, apiKey } = await client.newCustomer(email);
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 });
  database.prepare("INSERT INTO plans (name, units_per_period) VALUES (?, ?)").run(name, units);
  database.prepare("UPDATE accounts SET plan = ? WHERE email = ?").run(name, email);
  return { email, session, apiKey, read: () => client.get("/v1/rates/EUR/USD", { apiKey }) };
}

/** Adds accounts to a store. @returns their ids in order of creation. */
function addAccounts(dataDirectory: string, count: number): string[] {
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
  const add = database.prepare(`
    INSERT INTO accounts (id, email, password_hash, plan, created_at)
    VALUES (?, ?, '', 'free', '2026-11-21T12:00:00.000Z')`);
  const numbers = Array.from({ length: count }, (_, nth) => String(nth));
  return numbers.map((number) => {
    const id = `01a1fc7c-4ab2-7000-8000-${number.padStart(12, "0")}`;
    add.run(id, `account-${number}@example.org`);
    return id;
  });
}

/** The stored rows of an account. */
function accountsOf(email: string) {
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 });
  return database.prepare("SELECT * FROM accounts WHERE email = ?").all(email);
}

suite("plans and accounts", { concurrency: 4 }, () => {
  test("accounts list reports an empty store, and prints [] as JSON", async () => {
    const here = { dataDirectory: unusedDirectory };
    const table = await kurs(["accounts", "list"], here);
    assert.deepEqual([table.exitCode, table.stdout], [0, "There are no accounts yet.\n"]);
    const json = await kurs(["accounts", "list", "--json"], here);
    assert.deepEqual([json.exitCode, json.stdout], [0, "[]\n"]);
  });

  test("a new store has the free plan; plans can be added, changed and listed by their units", async () => {
    await using directory = await emptyStore();
    const here = { dataDirectory: directory.path };
    const set = await kurs(["plans", "set", "pro", "1000000000000"], here);
    assert.deepEqual(
      [set.exitCode, set.stdout, set.stderr],
      [0, "plan pro has 1000000000000 units per period\n", ""],
    );
    await kurs(["plans", "set", "none", "5"], here);
    await kurs(["plans", "set", "none", "0"], here);

    const table = await kurs(["plans", "list"], here);
    const json = await kurs(["plans", "list", "--json"], here);

    const lines = [
      "PLAN  UNITS PER PERIOD",
      "none                 0",
      "free              1000",
      "pro      1000000000000",
    ];
    assert.deepEqual([table.exitCode, table.stdout], [0, `${lines.join("\n")}\n`]);
    assert.deepEqual(JSON.parse(json.stdout), [
      { name: "none", units_per_period: 0 },
      { name: "free", units_per_period: 1000 },
      { name: "pro", units_per_period: 1_000_000_000_000 },
    ]);
  });

  test("kurs plans delete leaves a plan that accounts are on, and says how to move them", async () => {
    const { email, read } = await newCustomer("kept", 5);

    const one = await run("plans", "delete", "kept");
    const { email: other } = await newCustomer("also-kept", 5);
    await run("accounts", "plan", other, "kept");
    const two = await run("plans", "delete", "kept");

    const advice = "move each to another plan: kurs accounts plan EMAIL PLAN\n";
    const what = "kurs: the plan kept was not deleted,";
    assert.deepEqual([one.exitCode, one.stdout], [1, ""]);
    assert.equal(one.stderr, `${what} 1 account is on it; ${advice}`);
    assert.equal(two.stderr, `${what} 2 accounts are on it; ${advice}`);
    assert.equal((await read()).status, 200);

    for (const each of [email, other]) await run("accounts", "plan", each, "free");
    assert.equal((await run("plans", "delete", "kept")).exitCode, 0);
    assert.equal((await read()).status, 200);
  });

  test("kurs plans delete counts no more than 1,000 accounts, and never deletes the first plan", async () => {
    await using directory = await emptyStore();
    const here = { dataDirectory: directory.path };
    addAccounts(directory.path, 1001);
    using database = new DatabaseSync(join(directory.path, "kurs.db"));
    database.exec("INSERT INTO plans VALUES ('big', 5); UPDATE accounts SET plan = 'big'");

    const big = await kurs(["plans", "delete", "big"], here);
    const free = await kurs(["plans", "delete", "free"], here);

    assert.deepEqual([big.exitCode, free.exitCode, free.stdout], [1, 1, ""]);
    const line = /^kurs: the plan big was not deleted, 1000 or more accounts are on it; /;
    assert.match(big.stderr, line);
    assert.equal(free.stderr, "kurs: the plan free cannot be deleted: new accounts start on it\n");
    assert.match((await kurs(["plans", "list"], here)).stdout, /\nfree +1000\n$/);
  });

  test("plans set and accounts plan take effect on a running server's next read", async () => {
    const { email, read, session } = await newCustomer("tight", 2);
    assert.equal((await read()).status, 200);

    await run("plans", "set", "tight", "1");
    const rejected = await read();
    assert.deepEqual([rejected.status, rejected.body.limit], [429, 1]);
    await run("plans", "set", "wide", "50");
    const moved = await run("accounts", "plan", ` ${email.toUpperCase()} `, "wide");

    assert.deepEqual([moved.exitCode, moved.stdout], [0, `${email} is on plan wide\n`]);
    const served = await read();
    assert.equal(served.status, 200);
    assert.match(served.headers.ratelimit ?? "", /^"units";r=48;/);
    assert.equal(await client.usedUnits(session), 2);
  });

  test("kurs accounts show prints plan, units and active keys, and ignores the email's case", async () => {
    const { email, session, read } = await newCustomer("shown", 7);
    const { id } = await client.createKey(session);
    await client.revokeKey(session, id);
    await read();

    const table = await run("accounts", "show", " SHOWN@Example.ORG");
    const json = await run("accounts", "show", email, "--json");

    assert.equal(table.exitCode, 0);
    const [heading, row, ...rest] = table.stdout.split("\n");
    assert.match(heading ?? "", /^EMAIL +PLAN +USED +LEFT +KEYS +VERIFIED +SUSPENDED +CREATED$/);
    assert.match(row ?? "", /^shown@example\.org +shown +1 +6 +1 +no +no +\d{4}-\d{2}-\d{2}T\S+Z$/);
    assert.deepEqual(rest, [""]);
    const { id: accountId, created_at: createdAt, ...account } = JSON.parse(json.stdout);
    assert.match(accountId, /^[0-9a-f-]{36}$/);
    assert.match(createdAt, /Z$/);
    assert.deepEqual(account, {
      email,
      email_verified: false,
      suspended_at: null,
      plan: "shown",
      active_keys: 1,
      used_units: 1,
      quota_units: 7,
      remaining_units: 6,
      own_quota_units: null,
      own_quota_until: null,
      customer_number: null,
    });

    for (const [until, shown] of [
      [["--until", "2999-01-01"], " until 2999-01-01T00:00:00.000Z"],
      [[], ""],
    ] as const) {
      await run("accounts", "quota", email, "25000", ...until);
      const { stdout } = await run("accounts", "show", email);
      assert.match(stdout, new RegExp(`^EMAIL .* CREATED +OWN QUOTA\n.*Z  25000${shown}\n$`));
    }
  });

  test("kurs accounts list shows pages, and the command for the next one on stderr", async () => {
    await using directory = await emptyStore();
    const here = { dataDirectory: directory.path };
    const ids = addAccounts(here.dataDirectory, 102);
    const list = (...args: readonly string[]) => kurs(["accounts", "list", ...args], here);
    const idsIn = (stdout: string) => (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);

    const first = await list();
    assert.equal(first.stdout.split("\n").length, 102);
    assert.equal(first.stderr, `More: kurs accounts list --after ${ids[99]}\n`);
    const second = await list("--after", ids[99]?.toUpperCase() ?? "");
    assert.match(second.stdout, /^EMAIL .*\naccount-100@.*\naccount-101@[^\n]*\n$/);
    assert.equal(second.stderr, "");

    assert.doesNotMatch(first.stdout, /argon2|svc_|hash|password/i);
    const json = await list("--json", "--limit", "2", "--after", ids[10] ?? "");
    assert.deepEqual(idsIn(json.stdout), ids.slice(11, 13));
    assert.equal(json.stderr, `More: kurs accounts list --limit 2 --json --after ${ids[12]}\n`);
    const whole = await list("--json", "--limit", "102");
    assert.deepEqual([idsIn(whole.stdout), whole.stderr], [ids, ""]);
    const end = await list("--after", ids[101] ?? "");
    assert.equal(end.stdout, `No account follows ${ids[101]}.\n`);
    assert.equal((await list("--after", ids[101] ?? "", "--json")).stdout, "[]\n");
  });

  test("kurs accounts verify marks an account as verified and ignores the email's case", async () => {
    const { email } = await newCustomer("verified", 1);
    const other = await newCustomer("unverified", 1);

    const first = await run("accounts", "verify", ` ${email.toUpperCase()} `);
    const [before] = accountsOf(email);
    const second = await run("accounts", "verify", email);

    for (const { exitCode, stdout, stderr } of [first, second]) {
      assert.deepEqual([exitCode, stdout, stderr], [0, `${email} is verified\n`, ""]);
    }
    assert.match(String(before?.email_verified_at), /^\d{4}-\d{2}-\d{2}T\S+Z$/);
    assert.deepEqual(accountsOf(email), [before]);
    const shown = await run("accounts", "show", email);
    assert.match(shown.stdout, /\nverified@example\.org .* yes +no +\d{4}-/);
    const json = await run("accounts", "show", email, "--json");
    assert.equal(JSON.parse(json.stdout).email_verified, true);
    assert.equal(accountsOf(other.email)[0]?.email_verified_at, null);
  });

  const missing = [
    [["accounts", "show", "nobody@example.org"], "there is no account nobody@example.org: see"],
    [
      ["accounts", "show", "nobody@example.org", "--json"],
      "there is no account nobody@example.org",
    ],
    [["accounts", "plan", "nobody@example.org", "free"], "there is no account nobody@example.org"],
    [["accounts", "verify", "nobody@example.org"], "there is no account nobody@example.org: see"],
    [["accounts", "plan", "nobody@example.org", "none"], "there is no plan none; there are: free"],
    [["plans", "delete", "none"], 'there is no plan "none"; there are: free'],
    [["plans", "delete", "FREE"], 'there is no plan "FREE"; there are: free'],
    [["plans", "delete", ""], 'there is no plan ""; there are: free'],
  ] as const;

  for (const [args, message] of missing) {
    test(`"kurs ${args.join(" ")}" reports what is missing and exits with 1`, async () => {
      const { exitCode, stdout, stderr } = await kurs(args, { dataDirectory: unusedDirectory });
      assert.deepEqual([exitCode, stdout], [1, ""]);
      assert.ok(stderr.startsWith(`kurs: ${message}`), stderr);
      assert.equal(stderr.split("\n").length, 2);
    });
  }
});
