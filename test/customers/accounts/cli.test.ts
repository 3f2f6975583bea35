import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyStore, query } from "../../platform/storage/stored.ts";
import { kurs } from "../../support/command-line.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();
const { dataDirectory, clock } = service;

const run = (...args: readonly string[]) => kurs(args, { dataDirectory, clock });

/** An account with a key on a plan of its own. */
async function newCustomer(name: string, units: number) {
  const customer = await service.newCustomer(`${name}@example.org`);
  service.query("INSERT INTO plans (name, units_per_period) VALUES (?, ?)", name, units);
  service.query("UPDATE accounts SET plan = ? WHERE email = ?", name, customer.email);
  return customer;
}

/** A store with accounts only. @returns commands on it, and their ids in order of creation. */
async function storeWithAccounts(count: number) {
  const directory = await emptyStore();
  query(
    directory.path,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
     INSERT INTO accounts (id, email, password_hash, plan, created_at)
     SELECT printf('01a1fc7c-4ab2-7000-8000-%012d', i), 'account-' || i || '@example.org', '',
       'free', '2026-11-21T12:00:00.000Z' FROM n`,
    count,
  );
  return {
    run: (...args: readonly string[]) => kurs(args, { dataDirectory: directory.path }),
    query: (sql: string, ...values: (string | number)[]) => query(directory.path, sql, ...values),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("a new store has the free plan and no account; plans are added, changed and listed by their units", async () => {
  await using directory = await emptyStore();
  const run = (...args: readonly string[]) => kurs(args, { dataDirectory: directory.path });
  assert.equal((await run("accounts", "list")).stdout, "There are no accounts yet.\n");
  assert.equal((await run("accounts", "list", "--json")).stdout, "[]\n");
  const set = await run("plans", "set", "pro", "1000000000000");
  const line = "plan pro has 1000000000000 units per period\n";
  assert.deepEqual([set.exitCode, set.stdout, set.stderr], [0, line, ""]);
  await run("plans", "set", "none", "5");
  await run("plans", "set", "none", "0");

  const table = await run("plans", "list");
  const json = await run("plans", "list", "--json");

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

test("kurs plans delete leaves a plan that accounts are on, counts 1,000 of them, and says how to move them", async () => {
  await using store = await storeWithAccounts(1001);
  await store.run("plans", "set", "big", "5");
  const move = "UPDATE accounts SET plan = 'big' WHERE id IN (SELECT id FROM accounts LIMIT ?)";

  for (const [count, found] of [
    [1, "1 account is"],
    [2, "2 accounts are"],
    [1001, "1000 or more accounts are"],
  ] as const) {
    store.query(move, count);
    const { exitCode, stdout, stderr } = await store.run("plans", "delete", "big");
    assert.deepEqual([exitCode, stdout], [1, ""]);
    const advice = "move each to another plan: kurs accounts plan EMAIL PLAN";
    assert.equal(stderr, `kurs: the plan big was not deleted, ${found} on it; ${advice}\n`);
  }
  store.query("UPDATE accounts SET plan = 'free'");
  assert.equal((await store.run("plans", "delete", "big")).stdout, "plan big is deleted\n");
  const free = await store.run("plans", "delete", "free");
  assert.deepEqual([free.exitCode, free.stdout], [1, ""]);
  assert.equal(free.stderr, "kurs: the plan free cannot be deleted: new accounts start on it\n");
  assert.match((await store.run("plans", "list")).stdout, /\nfree +1000\n$/);
});

test("plans set and accounts plan take effect on a running server's next read", async () => {
  const { email, read, usedUnits } = await newCustomer("tight", 2);
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
  assert.equal(await usedUnits(), 2);
});

test("kurs accounts show prints plan, units, active keys and an own quota, and ignores the email's case", async () => {
  const { email, session, read } = await newCustomer("shown", 7);
  const { id } = await service.createKey(session);
  await service.revokeKey(session, id);
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

  // It has ended in the meantime.
  const end = "2026-11-21T11:00:00.000Z";
  service.query("UPDATE accounts SET quota_until = ? WHERE email = ?", end, email);
  assert.equal((await run("accounts", "show", email)).stdout, table.stdout);
});

test("kurs accounts list shows pages, and the command for the next one on stderr", async () => {
  await using store = await storeWithAccounts(102);
  const ids = store.query("SELECT id FROM accounts ORDER BY id").map(({ id }) => String(id));
  const list = (...args: readonly string[]) => store.run("accounts", "list", ...args);
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

test("kurs accounts verify marks an account as verified once, and ignores the email's case", async () => {
  const { email } = await service.newCustomer("verified@example.org");
  const verified = () =>
    service.query("SELECT email, email_verified_at FROM accounts WHERE email_verified_at <> ''");

  const line = `${email} is verified\n`;
  for (const typed of [` ${email.toUpperCase()} `, email]) {
    const { exitCode, stdout, stderr } = await run("accounts", "verify", typed);
    assert.deepEqual([exitCode, stdout, stderr], [0, line, ""]);
    const at = "2026-11-21T12:00:00.000Z";
    assert.deepEqual(verified().map(Object.values), [[email, at]]);
    clock.advanceMs(1000);
  }
  const shown = await run("accounts", "show", email);
  assert.match(shown.stdout, /\nverified@example\.org .* yes +no +\d{4}-/);
  const json = await run("accounts", "show", email, "--json");
  assert.equal(JSON.parse(json.stdout).email_verified, true);
});

const missing = [
  [["accounts", "show", "nobody@example.org"], "there is no account nobody@example.org: see"],
  [["accounts", "show", "nobody@example.org", "--json"], "there is no account nobody@example.org"],
  [["accounts", "plan", "nobody@example.org", "free"], "there is no account nobody@example.org"],
  [["accounts", "verify", "nobody@example.org"], "there is no account nobody@example.org: see"],
  [["accounts", "plan", "nobody@example.org", "none"], "there is no plan none; there are: free"],
  [["plans", "delete", "none"], 'there is no plan "none"; there are: free'],
  [["plans", "delete", "FREE"], 'there is no plan "FREE"; there are: free'],
  [["plans", "delete", ""], 'there is no plan ""; there are: free'],
] as const;

test("commands on what is missing say so in one line, and exit with 1", async () => {
  await using store = await storeWithAccounts(1);
  for (const [args, message] of missing) {
    const { exitCode, stdout, stderr } = await store.run(...args);
    assert.deepEqual([exitCode, stdout], [1, ""], args.join(" "));
    assert.ok(stderr.startsWith(`kurs: ${message}`), stderr);
    assert.equal(stderr.split("\n").length, 2);
  }
});
