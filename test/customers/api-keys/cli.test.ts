import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { kurs } from "../../support/command-line.ts";
import { addCopies } from "../../support/keys.ts";
import { Program, type ProgramOptions } from "../../support/process.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();
const { dataDirectory, clock } = service;

const run = (...args: readonly string[]) => kurs(args, { dataDirectory, clock });
const burn = (input: ProgramOptions["input"], ...args: readonly string[]) =>
  kurs(["keys", "burn", ...args], { dataDirectory, clock, input: input ?? "" });

const prefixOf = (apiKey: string) => apiKey.slice(0, 17);

const statusesOf = (...apiKeys: readonly string[]) =>
  Promise.all(apiKeys.map(async (apiKey) => (await service.readRate("EUR/USD", apiKey)).status));

/** The details of the revocations of an account, newest first, as the account sees them. */
async function revocationsOf(session: string) {
  const { body } = await service.get("/v1/account/events", { session });
  const events = body.events as { actor: string; action: string; details: object }[];
  return events
    .filter(({ action }) => action === "api_key.revoked")
    .map(({ actor, details }) => ({ actor, ...details }));
}

/** A string with the form of a key, which no account has. */
const UNKNOWN = `svc_live_${"0123456789abcdef".repeat(4)}`;

suite("kurs keys", { concurrency: 4 }, () => {
  test("keys list prints every key of the account, revoked ones too, and no secret", async () => {
    const { email, session, apiKey, keyId } = await service.newCustomer("lists@example.org");
    const other = await service.createKey(session, "Ada’s second – 鍵");
    await service.revokeKey(session, keyId);

    const table = await run("keys", "list", ` ${email.toUpperCase()} `);
    const json = await run("keys", "list", email, "--json");

    assert.deepEqual([table.exitCode, table.stderr], [0, ""]);
    const [heading = "", first = "", second = "", ...rest] = table.stdout.split("\n");
    assert.match(heading, /^ID +PREFIX +CREATED +REVOKED +NAME$/);
    assert.match(first, new RegExp(`^${keyId}  ${prefixOf(apiKey)}  \\S+Z  \\S+Z  test$`));
    assert.match(second, new RegExp(`^${other.id}  ${prefixOf(other.apiKey)}  \\S+Z  - +Ada’s`));
    assert.equal(second.indexOf("Ada"), heading.indexOf("NAME"));
    assert.deepEqual(rest, [""]);
    const listed = await service.get("/v1/account/api-keys", { session });
    const [ended, active] = listed.body.api_keys as readonly object[];
    assert.deepEqual(JSON.parse(json.stdout), [ended, { ...active, expires_at: null }]);

    await run("keys", "limit", other.id, "--expires", "2999-01-31T00:00:00Z");
    const expiring = JSON.parse((await run("keys", "list", email, "--json")).stdout);
    assert.deepEqual(expiring, [ended, { ...active, expires_at: "2999-01-31T00:00:00.000Z" }]);
    const ending = (await run("keys", "list", email)).stdout;
    assert.match(ending, /^ID +PREFIX +CREATED +EXPIRES +REVOKED +NAME\n/);
    assert.match(
      ending,
      /Z {2}- {25}\S+Z {2}test\n.*Z {2}2999-01-31T00:00:00\.000Z {2}- {25}Ada’s/,
    );
  });

  test("keys list prints an account without keys, and 450 keys in columns of one width", async () => {
    const email = "many@example.org";
    const session = await service.openSession(email);
    const none = await run("keys", "list", email);
    assert.deepEqual([none.exitCode, none.stdout], [0, `${email} has no API keys.\n`]);
    assert.equal((await run("keys", "list", email, "--json")).stdout, "[]\n");
    const { id } = await service.createKey(session);
    addCopies(service, id, 449);
    service.query(
      `UPDATE api_keys SET name = char(27) || '[2J' || char(8238) WHERE id LIKE '%-0%'
        AND account_id = (SELECT account_id FROM api_keys WHERE id = ?)`,
      id,
    );

    const table = await run("keys", "list", email);
    const json = await run("keys", "list", email, "--json");

    const lines = table.stdout.trimEnd().split("\n");
    assert.equal(lines.length, 451);
    assert.equal(lines.filter((line) => line.startsWith("ID")).length, 1);
    const names = new Set(lines.slice(2).map((line) => line.slice(lines[0]?.indexOf("NAME"))));
    assert.deepEqual([...names], ["\\u001b[2J\\u202e"]);
    assert.equal((JSON.parse(json.stdout) as object[]).length, 450);
  });

  test("keys revoke takes an id in any case; a running server rejects the key from then on", async () => {
    const { email, session, apiKey, keyId } = await service.newCustomer("by-id@example.org");
    const kept = await service.createKey(session);
    assert.deepEqual(await statusesOf(apiKey, kept.apiKey), [200, 200]);

    const revoked = await run("keys", "revoke", ` ${keyId.toUpperCase()} `);

    const line = `revoked ${prefixOf(apiKey)}  ${email}  ${keyId}\n`;
    assert.deepEqual([revoked.exitCode, revoked.stdout, revoked.stderr], [0, line, ""]);
    assert.deepEqual(await statusesOf(apiKey, kept.apiKey), [401, 200]);
    const details = { api_key_id: keyId, key_prefix: prefixOf(apiKey) };
    assert.deepEqual(await revocationsOf(session), [{ actor: "operator", ...details }]);

    const again = await run("keys", "revoke", keyId);
    const message = `kurs: the API key with the id ${keyId} was revoked or has expired already\n`;
    assert.deepEqual([again.exitCode, again.stdout, again.stderr], [1, "", message]);
    assert.equal((await revocationsOf(session)).length, 1);
  });

  test("keys revoke takes a prefix, or a complete key, which it does not print", async () => {
    const { session, apiKey } = await service.newCustomer("by-prefix@example.org");
    const pasted = await service.createKey(session);

    const byPrefix = await run("keys", "revoke", prefixOf(apiKey));
    const complete = await run("keys", "revoke", pasted.apiKey);

    assert.deepEqual([byPrefix.exitCode, complete.exitCode], [0, 0]);
    assert.match(complete.stdout, new RegExp(`^revoked ${prefixOf(pasted.apiKey)}  `));
    assert.deepEqual(await statusesOf(apiKey, pasted.apiKey), [401, 401]);
    const again = await run("keys", "revoke", pasted.apiKey);
    assert.deepEqual([again.exitCode, again.stdout], [1, ""]);
    for (const { stdout, stderr } of [complete, again]) {
      assert.ok(!`${stdout}${stderr}`.includes(pasted.apiKey.slice(17)));
    }
  });

  test("keys revoke revokes nothing when several active keys have the prefix, and lists them", async () => {
    const owners = [
      await service.newCustomer("twin-1@example.org"),
      await service.newCustomer("twin-2@example.org"),
    ];
    const prefix = "svc_live_7ea17ea1";
    const setPrefix = "UPDATE api_keys SET key_prefix = ? WHERE id = ?";
    for (const { keyId } of owners) service.query(setPrefix, prefix, keyId);

    const ambiguous = await run("keys", "revoke", prefix);

    const [one, other] = owners.map(({ email, keyId }) => `${prefix}  ${email}  ${keyId}`);
    const message = `kurs: 2 active API keys have the prefix ${prefix}: revoke one by its id`;
    assert.deepEqual([ambiguous.exitCode, ambiguous.stdout], [1, ""]);
    assert.equal(ambiguous.stderr, `${one}\n${other}\n${message}\n`);
    assert.deepEqual(await statusesOf(...owners.map(({ apiKey }) => apiKey)), [200, 200]);

    assert.equal((await run("keys", "revoke", owners[0]?.keyId ?? "")).exitCode, 0);
    const rest = await run("keys", "revoke", prefix);
    assert.deepEqual([rest.exitCode, rest.stdout], [0, `revoked ${other}\n`]);
  });

  const missing = [
    [["list", "nobody@example.org"], "there is no account nobody@example.org: see kurs accounts"],
    [["list", ""], "there is no account : see kurs accounts list"],
    [["list", "a\nb"], "there is no account a\\u000ab: see"],
    [["list", UNKNOWN], "there is no account svc_live_01234567…: see"],
    [["revoke", "svc_live_01234567"], "there is no API key with the prefix svc_live_01234567"],
    [["revoke", UNKNOWN], "there is no API key with the prefix svc_live_01234567 and this secret"],
    [
      ["revoke", "01a1fc7c-4ab2-7000-8000-000000000001"],
      "there is no API key with the id 01a1fc7c-4ab2-7000-8000-000000000001",
    ],
    [["burn", "none.log"], "cannot read none.log: no such file"],
    [["burn", "/"], "cannot read /: it is a directory"],
    [["burn", UNKNOWN], "cannot read svc_live_01234567…: no such file"],
  ] as const;

  for (const [args, message] of missing) {
    const shown = JSON.stringify(args.join(" ")).replace(/(svc_live_\w{8})\w+/, "$1…");
    test(`kurs keys ${shown} reports what is missing and exits with 1`, async () => {
      const ended = await run("keys", ...args);
      assert.deepEqual([ended.exitCode, ended.stdout], [1, ""]);
      assert.ok(ended.stderr.startsWith(`kurs: ${message}`), ended.stderr);
      assert.equal(ended.stderr.split("\n").length, 2);
    });
  }

  test("a credential in a wrong command line is not printed", async () => {
    for (const args of [["keys", UNKNOWN], [UNKNOWN], ["keys", "list", `--${UNKNOWN}`]]) {
      const { exitCode, stdout, stderr } = await run(...args);
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.match(stderr, /svc_live_01234567…/);
      assert.ok(!stderr.includes(UNKNOWN.slice(17)));
    }
  });
});

suite("kurs keys burn", { concurrency: 4 }, () => {
  test("burn revokes the keys of all accounts wherever a text has them, and nothing else", async () => {
    const [ada, bob, eve] = [
      await service.newCustomer("burn-ada@example.org"),
      await service.newCustomer("burn-bob@example.org"),
      await service.newCustomer("burn-eve@example.org"),
    ];
    const keys = [ada.apiKey, bob.apiKey];
    for (let count = 0; count < 4; count += 1) {
      keys.push((await service.createKey(ada.session)).apiKey);
    }
    const [inJson, inUrl, first, second, upper, repeated] = keys;
    const before = await service.createKey(bob.session);
    await service.revokeKey(bob.session, before.id);
    const text = [
      `{"headers":{"authorization":"ApiKey ${inJson}"}}`,
      `GET https://rates.example.org/?key=${inUrl}&base=EUR`,
      `x${first}${second}0f '${upper?.toUpperCase()}' ${repeated} ${repeated}\r`,
      `${before.apiKey}\t${UNKNOWN} ${eve.apiKey.slice(0, -1)} ${prefixOf(eve.apiKey)}…`,
    ].join("\n");

    const burned = await burn(text);
    const again = await burn(text);

    assert.deepEqual([burned.exitCode, burned.stderr], [0, ""]);
    const lines = burned.stdout.trimEnd().split("\n");
    assert.equal(lines.pop(), "API keys found: 8 (6 revoked, 1 revoked before, 1 unknown)");
    const prefixes = lines.map((line) => line.slice(0, 17)).sort();
    assert.deepEqual(prefixes, keys.map(prefixOf).sort());
    assert.ok(lines.includes(`${prefixOf(ada.apiKey)}  ${ada.email}  ${ada.keyId}`));
    assert.deepEqual(new Set(await statusesOf(...keys, before.apiKey)), new Set([401]));
    assert.deepEqual(await statusesOf(eve.apiKey), [200]);
    const details = { api_key_id: bob.keyId, key_prefix: prefixOf(bob.apiKey), reason: "burned" };
    assert.deepEqual((await revocationsOf(bob.session))[0], { actor: "operator", ...details });
    assert.equal((await revocationsOf(ada.session)).length, 5);
    const summary = "API keys found: 8 (0 revoked, 7 revoked before, 1 unknown)\n";
    assert.deepEqual([again.exitCode, again.stdout], [0, summary]);
    assert.equal((await revocationsOf(ada.session)).length, 5);
  });

  test("burn --dry-run reports the same and changes nothing; a burn ends the sessions whose tokens are in the text, too", async () => {
    const { session, apiKey, email, keyId } = await service.newCustomer("burn-dry@example.org");
    const kept = await service.logIn(email);
    const text = `${apiKey} ${session}`;

    const dry = await burn(text, "--dry-run");
    const json = await burn(text, "-", "--dry-run", "--json");

    const lines = [
      `${prefixOf(apiKey)}  ${email}  ${keyId}`,
      "API keys found: 1 (1 would be revoked, 0 revoked before, 0 unknown)",
      "session tokens found: 1 (1 would be ended)",
    ];
    assert.deepEqual([dry.exitCode, dry.stdout], [0, `${lines.join("\n")}\n`]);
    assert.equal(JSON.parse(json.stdout).dry_run, true);
    assert.deepEqual(await statusesOf(apiKey), [200]);
    assert.deepEqual(await revocationsOf(session), []);

    const { revoked_keys: revokedKeys, ...counts } = JSON.parse(
      (await burn(text, "--json")).stdout,
    );
    const [{ account_id: accountId, ...revoked }, ...others] = revokedKeys;
    assert.match(accountId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(revoked, { id: keyId, key_prefix: prefixOf(apiKey), email });
    assert.deepEqual(others, []);
    assert.deepEqual(counts, {
      dry_run: false,
      keys_found: 1,
      keys_revoked: 1,
      keys_revoked_before: 0,
      keys_unknown: 0,
      session_tokens_found: 1,
      sessions_ended: 1,
    });
    const statusOf = async (token: string) =>
      (await service.get("/v1/account/usage", { session: token })).status;
    assert.deepEqual([await statusOf(session), await statusOf(kept)], [401, 200]);
    const found =
      "no string with the form of an API key was found\nsession tokens found: 1 (1 ended)";
    assert.equal((await burn(`authorization: Session ${kept}`)).stdout, `${found}\n`);
  });

  test("burn says when a text has no key, and exits with 0", async () => {
    const none = "no string with the form of an API key was found\n";
    for (const input of ["", "\0\0", "svc_live_", UNKNOWN.slice(0, -1), Buffer.alloc(1e6, 0xfe)]) {
      const { exitCode, stdout, stderr } = await burn(input);
      assert.deepEqual([exitCode, stdout, stderr], [0, none, ""]);
    }
    const { stdout } = await burn("", "--json");
    assert.deepEqual(JSON.parse(stdout).revoked_keys, []);
  });

  test("a key is revoked as soon as it was read, while the input continues", async () => {
    const { apiKey } = await service.newCustomer("burn-stream@example.org");
    const fifo = join(dataDirectory, "leak.fifo");
    await promisify(execFile)("mkfifo", [fifo]);
    // Opened for reading, too: this does not wait for a reader.
    await using writer = await open(fifo, "r+");
    await using program = new Program(["keys", "burn", fifo], { dataDirectory });
    await writer.write(`${apiKey}\n`);

    await program.waitFor("the revoked key", () =>
      program.stdout.includes(prefixOf(apiKey)) ? true : undefined,
    );

    assert.ok(program.isRunning);
    assert.deepEqual(await statusesOf(apiKey), [401]);
    await writer.close();
    assert.equal((await program.end()).exitCode, 0);
  });

  test("a burn whose output nobody reads still revokes every key", async () => {
    const { session, apiKey } = await service.newCustomer("burn-pipe@example.org");
    const late = await service.createKey(session);
    const input = join(dataDirectory, "pipe.log");
    // The keys are in different chunks, so that the first is printed before the second is read.
    await writeFile(input, `${apiKey}${" ".repeat(1_000_000)}${late.apiKey}`);
    const through = ["sh", "-c", '"$@" | true', "sh"];
    const options = { dataDirectory, env: { PATH: process.env.PATH ?? "" }, through };
    await using program = new Program(["keys", "burn", input], options);

    await program.end();

    assert.deepEqual(await statusesOf(apiKey, late.apiKey), [401, 401]);
  });
});
