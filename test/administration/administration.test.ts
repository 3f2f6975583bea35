import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines, startServiceOn } from "../support/both-engines.ts";
import { PASSWORD } from "../support/client.ts";
import { kurs } from "../support/command-line.ts";
import { Program } from "../support/process.ts";

/** A running service, and commands on its store from other processes. */
async function startWithCommands(engine: (typeof engines)[number]) {
  const on = await startServiceOn(engine);
  const { service, url } = on;
  const env = url === undefined ? {} : { DATABASE_URL: url };
  const { dataDirectory } = service;
  const options = { dataDirectory, env: { ...env, PORT: "8080" } };
  const run = (args: string, input = "") => kurs(args.split(" "), { ...options, input });
  /** Runs a command whose output holds a secret. */
  const runWithSecret = (args: string) => new Program(args.split(" "), options).ended;
  return { service, run, runWithSecret, [Symbol.asyncDispose]: () => on[Symbol.asyncDispose]() };
}

const logIn = { json: { email: "ada@example.org", password: PASSWORD } };

for (const engine of engines) {
  suite(`kurs accounts on ${engine}`, { concurrency: 2 }, () => {
    test("suspend and resume take effect at the next request, uncharged", async () => {
      await using started = await startWithCommands(engine);
      const { service, run } = started;
      const ada = await service.newCustomer("ada@example.org");
      const bob = await service.newCustomer("bob@example.org");
      const mcp = { jsonrpc: "2.0", id: 1, method: "tools/list" };
      const accept = "application/json, text/event-stream";
      const statuses = async () => [
        (await ada.read()).status,
        (await service.get("/v1/account/usage", { session: ada.session })).status,
        (await service.post("/v1/mcp", { apiKey: ada.apiKey, json: mcp, headers: { accept } }))
          .status,
        (await service.post("/v1/auth/login", logIn)).status,
        (await bob.read()).status,
      ];
      assert.deepEqual(await statuses(), [200, 200, 200, 200, 200]);

      const suspended = await run("accounts suspend ADA@example.org");
      assert.deepEqual(
        [suspended.exitCode, suspended.stdout, suspended.stderr],
        [0, "ada@example.org is suspended\n", ""],
      );
      assert.deepEqual(await statuses(), [401, 401, 401, 401, 200]);
      const rejected = await service.post("/v1/auth/login", logIn);
      assert.match(String(rejected.body.message), /^This account is suspended\./);
      const wrong = { json: { ...logIn.json, password: "not her password" } };
      const unknown = await service.post("/v1/auth/login", wrong);
      assert.equal(unknown.body.message, "Email or password is incorrect.");
      const listed = await run("accounts show ada@example.org --json");
      assert.match(String(JSON.parse(listed.stdout).suspended_at), /^2/);
      assert.equal(
        (await run("accounts suspend ada@example.org")).stdout,
        "ada@example.org is suspended already\n",
      );

      const resumed = await run("accounts resume ada@example.org");
      assert.equal(resumed.stdout, "ada@example.org is active again\n");
      assert.deepEqual(await statuses(), [200, 200, 200, 200, 200]);
      assert.equal(
        (await run("accounts resume ada@example.org")).stdout,
        "ada@example.org is not suspended\n",
      );
      assert.equal(await ada.usedUnits(), 2);
    });

    test("delete asks for the email, says what it keeps, and takes effect at the next request", async () => {
      await using started = await startWithCommands(engine);
      const { service, run } = started;
      const ada = await service.newCustomer("ada@example.org");
      assert.equal((await ada.read()).status, 200);

      for (const input of ["", "\n", "bob@example.org\n", "yes\n"]) {
        const kept = await run("accounts delete ada@example.org", input);
        assert.equal(kept.exitCode, 1);
        assert.match(kept.stdout, /^ada@example.org has 1 active key and 1 unit charged\.$/m);
        assert.match(kept.stderr, /nothing was deleted: type the account's email, or add --yes$/m);
        assert.equal((await service.get("/v1/account/usage", ada)).status, 200);
      }

      const deleted = await run("accounts delete ada@example.org", " ADA@example.org\n");

      assert.equal(deleted.exitCode, 0, deleted.stderr);
      assert.match(deleted.stdout, /^ada@example\.org is deleted; its id was [0-9a-f-]{36}$/m);
      assert.match(deleted.stdout, /^For billing Kurs keeps its id, plan, times, and the units/m);
      assert.equal((await ada.read()).status, 401);
      assert.equal((await service.get("/v1/account/usage", ada)).status, 401);
      assert.equal((await service.post("/v1/auth/login", logIn)).status, 401);
      assert.equal((await run("accounts list --json")).stdout, "[]\n");
      const again = await run("accounts delete ada@example.org --yes");
      assert.deepEqual([again.exitCode, again.stdout], [1, ""]);
      await service.register("ada@example.org");
      const sure = await run("accounts delete ada@example.org --yes");
      assert.deepEqual([sure.exitCode, sure.stderr], [0, ""]);
    });

    test("sessions end ends every session of one account; its keys still read", async () => {
      await using started = await startWithCommands(engine);
      const { service, run } = started;
      const ada = await service.newCustomer("ada@example.org");
      const bob = await service.openSession("bob@example.org");
      const second = await service.logIn("ada@example.org");

      const ended = await run("accounts sessions end ada@example.org");

      assert.deepEqual([ended.exitCode, ended.stdout], [0, "ada@example.org: 2 sessions ended\n"]);
      const usage = async (session: string) =>
        (await service.get("/v1/account/usage", { session })).status;
      assert.deepEqual(
        [await usage(ada.session), await usage(second), await usage(bob)],
        [401, 401, 200],
      );
      assert.equal((await ada.read()).status, 200);
    });

    test("reset-link prints a link that sets a password once, and nothing is mailed", async () => {
      await using started = await startWithCommands(engine);
      const { service, run, runWithSecret } = started;
      await service.register("ada@example.org");

      const printed = await runWithSecret("accounts reset-link ada@example.org");

      // The service's clock stands still in the past; the command's is the machine's.
      service.clock.set(new Date().toISOString());
      const link = /^http:\/\/127\.0\.0\.1:8080\/reset#token=([0-9a-f]{64})\n$/.exec(
        printed.stdout,
      );
      assert.match(printed.stderr, /^It works once, until .*Z\. Give it to the owner of ada@/);
      const confirm = () =>
        service.post("/v1/auth/password-reset/confirm", {
          json: { token: link?.[1], password: "another long password" },
        });
      assert.deepEqual([(await confirm()).status, (await confirm()).status], [204, 400]);
      const json = { email: "ada@example.org", password: "another long password" };
      assert.equal((await service.post("/v1/auth/login", { json })).status, 200);
      const mails = JSON.parse((await run("mail list --all --json")).stdout) as { kind: string }[];
      assert.ok(!mails.some(({ kind }) => kind === "password_reset"));
    });

    test("export prints everything stored about one account, and no digest or other account", async () => {
      await using started = await startWithCommands(engine);
      const { service, run } = started;
      const ada = await service.newCustomer("ada@example.org");
      await service.newCustomer("bob@example.org");
      await ada.read();

      const { exitCode, stdout } = await run("accounts export ada@example.org");

      assert.equal(exitCode, 0);
      const exported = JSON.parse(stdout) as Record<string, Record<string, unknown>[]>;
      assert.deepEqual(Object.keys(exported), [
        "exported_at",
        "account",
        "api_keys",
        "sessions",
        "mailed_links",
        "mails",
        "usage",
        "quota_notices",
        "daily_usage",
        "events",
      ]);
      assert.equal(exported.api_keys?.[0]?.id, ada.keyId);
      assert.deepEqual(exported.usage, [{ period: "2026-11", units: 1 }]);
      assert.deepEqual(exported.daily_usage, [
        { date: "2026-11-21", api_key_id: ada.keyId, units: 1 },
      ]);
      assert.deepEqual(
        exported.events?.map(({ action }) => action),
        ["account.export_begun", "api_key.created", "session.started", "account.registered"],
      );
      for (const secret of ["argon2id", "bob@example.org", ada.apiKey, ada.session]) {
        assert.ok(!stdout.includes(secret));
      }
      assert.doesNotMatch(stdout, /[0-9a-f]{64}/);
    });

    test("every command on an unknown email fails with one line and changes nothing", async () => {
      await using started = await startWithCommands(engine);
      const { service, run } = started;
      await service.register("ada@example.org");
      const before = (await run("audit --json")).stdout;
      for (const command of [
        "suspend",
        "resume",
        "sessions end",
        "reset-link",
        "export",
        "delete",
      ]) {
        const failed = await run(`accounts ${command} nobody@example.org`);
        assert.deepEqual(
          [failed.exitCode, failed.stdout, failed.stderr],
          [1, "", "kurs: there is no account nobody@example.org: see kurs accounts list\n"],
        );
      }
      assert.equal((await run("audit --json")).stdout, before);
    });

    test("audit prints events by account and time, as lines or JSON, with the operator's name", async () => {
      await using started = await startWithCommands(engine);
      const { service, run } = started;
      await service.newCustomer("ada@example.org");
      await service.register("bob@example.org");
      await run("accounts suspend ada@example.org");

      const text = await run("audit --account ada@example.org");
      const lines = text.stdout.trimEnd().split("\n");
      assert.match(
        lines[0] ?? "",
        /^2026-11-21T12:00:00\.000Z {2}account\.registered .*ada@example\.org {2}by account from 127\.0\.0\.1 {2}plan=free$/,
      );
      assert.match(lines.at(-1) ?? "", /account\.suspended .*by operator \S+ from \S+/);
      assert.ok(!text.stdout.includes("bob@example.org"));

      const json = (await run("audit --json")).stdout.trimEnd().split("\n");
      const actions = json.map((line) => (JSON.parse(line) as { action: string }).action);
      assert.equal(actions.filter((action) => action === "account.registered").length, 2);
      const recent = await run("audit --since 1h");
      assert.match(recent.stdout, /^\S+ {2}account\.suspended [^\n]*\n$/);
      const none = await run("audit --since 2099-01-01");
      assert.deepEqual(
        [none.exitCode, none.stdout, none.stderr],
        [0, "", "There are no such events.\n"],
      );
      for (const since of ["yesterday", "0h", "5x", "2026-13-01"]) {
        const wrong = await run(`audit --since ${since}`);
        assert.equal(wrong.exitCode, 2);
        assert.match(wrong.stderr, /^kurs: --since ".*": want a time such as /);
      }
    });
  });
}
