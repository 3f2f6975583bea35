import assert from "node:assert/strict";
import { test } from "node:test";
import { PASSWORD } from "../../support/client.ts";
import { kurs, kursUnchecked } from "../../support/command-line.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();
const { dataDirectory } = service;
const options = { dataDirectory, env: { PORT: "8080" } };

const run = (args: string, input = "") => kurs(args.split(" "), { ...options, input });

const logInOf = (email: string) => ({ json: { email, password: PASSWORD } });

test("suspend and resume take effect at the next request, uncharged", async () => {
  const ada = await service.newCustomer("carol@example.org");
  const bob = await service.newCustomer("carol-2@example.org");
  const mcp = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const accept = "application/json, text/event-stream";
  const statuses = async () => [
    (await ada.read()).status,
    (await service.get("/v1/account/usage", { session: ada.session })).status,
    (await service.post("/v1/mcp", { apiKey: ada.apiKey, json: mcp, headers: { accept } })).status,
    (await service.post("/v1/auth/login", logInOf(ada.email))).status,
    (await bob.read()).status,
  ];
  assert.deepEqual(await statuses(), [200, 200, 200, 200, 200]);

  const suspended = await run("accounts suspend CAROL@example.org");
  const line = "carol@example.org is suspended\n";
  assert.deepEqual([suspended.exitCode, suspended.stdout, suspended.stderr], [0, line, ""]);
  assert.deepEqual(await statuses(), [401, 401, 401, 401, 200]);
  const rejected = await service.post("/v1/auth/login", logInOf(ada.email));
  assert.match(String(rejected.body.message), /^This account is suspended\./);
  const wrong = { json: { email: ada.email, password: "not her password" } };
  const unknown = await service.post("/v1/auth/login", wrong);
  assert.equal(unknown.body.message, "Email or password is incorrect.");
  const listed = await run("accounts show carol@example.org --json");
  assert.match(String(JSON.parse(listed.stdout).suspended_at), /^2/);
  const twice = await run("accounts suspend carol@example.org");
  assert.equal(twice.stdout, "carol@example.org is suspended already\n");

  const resumed = await run("accounts resume carol@example.org");
  assert.equal(resumed.stdout, "carol@example.org is active again\n");
  assert.deepEqual(await statuses(), [200, 200, 200, 200, 200]);
  const again = await run("accounts resume carol@example.org");
  assert.equal(again.stdout, "carol@example.org is not suspended\n");
  assert.equal(await ada.usedUnits(), 2);
});

test("delete asks for the email, says what it keeps, and takes effect at the next request", async () => {
  const ada = await service.newCustomer("dora@example.org");
  assert.equal((await ada.read()).status, 200);

  for (const input of ["", "\n", "dora-2@example.org\n", "yes\n"]) {
    const kept = await run("accounts delete dora@example.org", input);
    assert.equal(kept.exitCode, 1);
    assert.match(kept.stdout, /^dora@example.org has 1 active key and 1 unit charged\.$/m);
    assert.match(kept.stderr, /nothing was deleted: type the account's email, or add --yes$/m);
    assert.equal((await service.get("/v1/account/usage", ada)).status, 200);
  }

  const deleted = await run("accounts delete dora@example.org", " DORA@example.org\n");

  assert.equal(deleted.exitCode, 0, deleted.stderr);
  assert.match(deleted.stdout, /^dora@example\.org is deleted; its id was [0-9a-f-]{36}$/m);
  assert.match(
    deleted.stdout,
    /^For billing Kurs keeps its id, plan, quota, customer number, times/m,
  );
  assert.equal((await ada.read()).status, 401);
  assert.equal((await service.get("/v1/account/usage", ada)).status, 401);
  assert.equal((await service.post("/v1/auth/login", logInOf(ada.email))).status, 401);
  assert.doesNotMatch((await run("accounts list --json")).stdout, /dora@/);
  const again = await run("accounts delete dora@example.org --yes");
  assert.deepEqual([again.exitCode, again.stdout], [1, ""]);
  await service.register("dora@example.org");
  const sure = await run("accounts delete dora@example.org --yes");
  assert.deepEqual([sure.exitCode, sure.stderr], [0, ""]);
});

test("sessions end ends every session of one account; its keys still read", async () => {
  const ada = await service.newCustomer("emma@example.org");
  const bob = await service.openSession("emma-2@example.org");
  const second = await service.logIn("emma@example.org");

  const ended = await run("accounts sessions end emma@example.org");

  assert.deepEqual([ended.exitCode, ended.stdout], [0, "emma@example.org: 2 sessions ended\n"]);
  const usage = async (session: string) =>
    (await service.get("/v1/account/usage", { session })).status;
  const usages = [await usage(ada.session), await usage(second), await usage(bob)];
  assert.deepEqual(usages, [401, 401, 200]);
  assert.equal((await ada.read()).status, 200);
});

test("export prints everything stored about one account, and no digest or other account", async () => {
  const ada = await service.newCustomer("fay@example.org");
  await service.newCustomer("fay-2@example.org");
  await ada.read();

  await run("accounts quota fay@example.org 25000");
  await run("accounts customer fay@example.org K-1001");
  await run("units grant fay@example.org 5000 --reference 4711");

  const { exitCode, stdout } = await run("accounts export fay@example.org");

  assert.equal(exitCode, 0);
  const exported = JSON.parse(stdout) as Record<string, Record<string, unknown>[]>;
  const sections =
    "api_keys sessions mailed_links mails usage terms grants quota_notices daily_usage events";
  assert.deepEqual(Object.keys(exported), ["exported_at", "account", ...sections.split(" ")]);
  assert.equal(exported.api_keys?.[0]?.id, ada.keyId);
  assert.deepEqual(exported.usage, [{ period: "2026-11", units: 1 }]);
  const { quota_units: quota, customer_number: number } = JSON.parse(stdout).account;
  assert.deepEqual([quota, number], [25_000, "K-1001"]);
  assert.deepEqual(
    [exported.terms?.[0]?.quota_units, exported.grants?.[0]?.reference],
    [null, "4711"],
  );
  assert.deepEqual(exported.daily_usage, [{ date: "2026-11-21", api_key_id: ada.keyId, units: 1 }]);
  assert.deepEqual(
    exported.events?.map(({ action }) => action),
    [
      ...["account.export_begun", "units.granted", "account.customer_number_changed"],
      ...["account.quota_changed", "api_key.created", "session.started", "account.registered"],
    ],
  );
  for (const secret of ["argon2id", "fay-2@example.org", ada.apiKey, ada.session]) {
    assert.ok(!stdout.includes(secret));
  }
  assert.doesNotMatch(stdout, /[0-9a-f]{64}/);
});

test("every command on an unknown email fails with one line and changes nothing", async () => {
  await service.register("gina@example.org");
  const before = (await run("audit --json")).stdout;
  for (const command of ["suspend", "resume", "sessions end", "reset-link", "export", "delete"]) {
    const failed = await run(`accounts ${command} nobody@example.org`);
    assert.deepEqual(
      [failed.exitCode, failed.stdout, failed.stderr],
      [1, "", "kurs: there is no account nobody@example.org: see kurs accounts list\n"],
    );
  }
  assert.equal((await run("audit --json")).stdout, before);
});

test("audit prints events by account and time, as lines or JSON, with the operator's name", async () => {
  await service.newCustomer("hana@example.org");
  await service.register("hana-2@example.org");
  await run("accounts suspend hana@example.org");

  const text = await run("audit --account hana@example.org");
  const lines = text.stdout.trimEnd().split("\n");
  assert.match(
    lines[0] ?? "",
    /^2026-11-21T12:00:00\.000Z {2}account\.registered .*hana@example\.org {2}by account from 127\.0\.0\.1 {2}plan=free$/,
  );
  assert.match(lines.at(-1) ?? "", /account\.suspended .*by operator \S+ from \S+/);
  assert.ok(!text.stdout.includes("hana-2@example.org"));

  const json = (await run("audit --json")).stdout.trimEnd().split("\n");
  const events = json.map((line) => JSON.parse(line) as { action: string; email?: string });
  const registered = events.filter(({ action }) => action === "account.registered");
  assert.ok(["hana", "hana-2"].every((name) => JSON.stringify(registered).includes(`"${name}@`)));
  const recent = await run("audit --account hana@example.org --since 1h");
  assert.match(recent.stdout, /^\S+ {2}account\.suspended [^\n]*\n$/);
  const none = await run("audit --since 2099-01-01");
  assert.deepEqual([none.exitCode, none.stderr], [0, "There are no such events.\n"]);
});

test("reset-link prints a link that sets a password once, and nothing is mailed", async () => {
  await service.register("link@example.org");

  const printed = await kursUnchecked("accounts reset-link link@example.org".split(" "), options);

  // The service's clock stands still in the past; the command's is the machine's.
  service.clock.set(new Date().toISOString());
  const link = /^http:\/\/127\.0\.0\.1:8080\/reset#token=([0-9a-f]{64})\n$/.exec(printed.stdout);
  assert.match(printed.stderr, /^It works once, until .*Z\. Give it to the owner of link@/);
  const confirm = () =>
    service.post("/v1/auth/password-reset/confirm", {
      json: { token: link?.[1], password: "another long password" },
    });
  assert.deepEqual([(await confirm()).status, (await confirm()).status], [204, 400]);
  const json = { email: "link@example.org", password: "another long password" };
  assert.equal((await service.post("/v1/auth/login", { json })).status, 200);
  const mails = JSON.parse((await run("mail list --all --json")).stdout) as { kind: string }[];
  assert.ok(!mails.some(({ kind }) => kind === "password_reset"));
});
