import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { query } from "../../platform/storage/stored.ts";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import { kurs, kursUnchecked } from "../../support/command-line.ts";
import { addCopies } from "../../support/keys.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();
const { dataDirectory } = service;

const createFor = (email: string, ...options: readonly string[]) =>
  kursUnchecked(["keys", "create", email, ...options], { dataDirectory });

suite("kurs keys create", () => {
  test("prints the key alone on stdout, once; it works, and the audit log names the operator", async () => {
    const { email, session } = await service.newCustomer("ada@example.org");

    const created = await createFor(" ADA@example.org ", "--name", " nightly ");

    assert.equal(created.exitCode, 0, created.stderr);
    assert.match(created.stdout, /^svc_live_[0-9a-f]{64}\n$/);
    const apiKey = created.stdout.trim();
    assert.equal((await service.readRate("EUR/USD", apiKey)).status, 200);
    const listed = await kurs(["keys", "list", email], { dataDirectory });
    assert.match(listed.stdout, new RegExp(` ${apiKey.slice(0, 17)} .* nightly$`, "m"));
    const { body } = await service.get("/v1/account/events", { session });
    const [event] = body.events as { actor: string; action: string; details: object }[];
    assert.deepEqual([event?.actor, event?.action], ["operator", "api_key.created"]);
    assert.equal(JSON.stringify(event).includes(apiKey.slice(0, 18)), false);
    assert.equal(created.stderr.includes(apiKey.slice(0, 18)), false);
  });

  test("with --json prints what the API returns", async () => {
    const { email } = await service.newCustomer();
    const { stdout } = await createFor(email, "--name", "a", "--json");
    const { api_key: apiKey, key_prefix: prefix, name, ...others } = JSON.parse(stdout);
    assert.deepEqual([name, prefix], ["a", apiKey.slice(0, 17)]);
    assert.deepEqual(Object.keys(others), ["id", "created_at"]);
  });

  test("obeys the limit on the keys of a day, and stores nothing beyond it", async () => {
    const { email, keyId } = await service.newCustomer();
    addCopies(service, keyId, 100, { createdAt: new Date().toISOString() });
    const keyCount = () => query(dataDirectory, "SELECT count(*) AS keys FROM api_keys");
    const before = keyCount();

    const { exitCode, stdout, stderr } = await createFor(email, "--name", "a");

    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.match(stderr, /^kurs: An account can create at most 100 API keys per UTC day\. /);
    assert.deepEqual(keyCount(), before);
  });

  test("rejects an unknown email, and names that the API rejects", async () => {
    const { email } = await service.newCustomer();
    const unknown = await createFor("eve@example.org", "--name", "a");
    assert.deepEqual([unknown.exitCode, unknown.stdout], [1, ""]);
    assert.match(unknown.stderr, /there is no account eve@example\.org/);
    const long = await createFor(`${"a".repeat(300)}@example.org`, "--name", "a");
    assert.match(
      long.stderr,
      /^kurs: "a{40}…" is too long: an email has at most 254 characters\n$/,
    );
    for (const name of ["", "  ", "a".repeat(101), "a\u202eb"]) {
      const { exitCode, stdout, stderr } = await createFor(email, "--name", name);
      assert.deepEqual([exitCode, stdout], [2, ""], name);
      assert.match(stderr, /--name ".*": must be 1 to 100 characters, without control characters/);
    }
    assert.equal((await createFor(email)).exitCode, 2);
  });

  test("without PUBLIC_URL prints a read at HOST, and on this machine where that is every address", async () => {
    const { email } = await service.newCustomer();
    const hosts = { "0.0.0.0": "localhost", "::": "localhost", "fd00::1": "[fd00::1]" };
    for (const [HOST, name] of Object.entries(hosts)) {
      const args = ["keys", "create", email, "--name", "a"];
      const { stderr } = await kursUnchecked(args, { dataDirectory, env: { HOST } });
      assert.ok(stderr.endsWith(` http://${name}:8080/v1/rates/EUR/USD\n`), stderr);
    }
  });

  test("says that a suspended account's key does not work yet", async () => {
    const { email } = await service.newCustomer();
    await kurs(["accounts", "suspend", email], { dataDirectory });
    const { stdout, stderr } = await createFor(email, "--name", "a");
    assert.match(stderr, /is suspended: its keys are rejected until it is resumed/);
    assert.equal((await service.readRate("EUR/USD", stdout.trim())).status, 401);
  });

  for (const engine of engines) {
    test(`with --new-account creates the account beside a server, and the audit log names the operator, on ${engine}`, async () => {
      await using on = await startServiceOn(engine);
      const { service: server, url } = on;
      const env = {
        PUBLIC_URL: server.url,
        ...(url === undefined ? {} : { DATABASE_URL: url }),
      };
      const run = (...args: readonly string[]) =>
        kursUnchecked(args, { dataDirectory: server.dataDirectory, env });
      const email = "first@example.org";

      const created = await run("keys", "create", email, "--name", "first", "--new-account");

      assert.match(created.stdout, /^svc_live_[0-9a-f]{64}\n$/);
      const apiKey = created.stdout.trim();
      assert.match(created.stderr, /^first@example\.org has an account now, .* without a password/);
      const read = `curl -H "Authorization: ApiKey $KEY" ${server.url}/v1/rates/EUR/USD\n`;
      assert.ok(created.stderr.endsWith(`alone. A read, with the key in KEY:\n  ${read}`));
      assert.equal(created.stderr.includes(apiKey.slice(0, 18)), false);
      assert.equal((await server.readRate("EUR/USD", apiKey)).status, 200);
      const { stdout: audit } = await run("audit", "--account", email, "--json");
      const events = [...audit.matchAll(/"actor":"(\w+)".*"action":"([\w.]+)"/g)];
      assert.deepEqual(
        events.map(([, actor, action]) => `${actor} ${action}`),
        ["operator account.created", "operator api_key.created"],
      );

      const { stdout: link } = await run("accounts", "reset-link", email);
      const [, token] = /#token=(\S+)/.exec(link) ?? [];
      const json = { token, password: "correct horse battery" };
      assert.equal((await server.post("/v1/auth/password-reset/confirm", { json })).status, 204);
      // The operator gave it to its owner: unlike one that a stranger may know, it stays valid.
      assert.equal((await server.readRate("EUR/USD", apiKey)).status, 200);
    });
  }

  for (const [what, email, name, exitCode, message] of [
    [
      "of an account",
      "taken@example.org",
      "a",
      1,
      /^kurs: taken@example\.org has an account: without --new-account/,
    ],
    ["that is none", "ada", "a", 2, /^kurs: "ada" must be an email/],
    ["with an invalid name", "new@example.org", " ", 2, /^kurs: --name " *": must be/],
  ] as const) {
    test(`--new-account and an email ${what} is an error, and changes nothing`, async () => {
      if (email.startsWith("taken")) await service.newCustomer(email);
      const counts = () =>
        query(dataDirectory, "SELECT (SELECT count(*) FROM accounts), count(*) FROM api_keys");
      const before = counts();
      const { stdout, stderr, ...ended } = await createFor(email, "--name", name, "--new-account");
      assert.deepEqual([ended.exitCode, stdout], [exitCode, ""]);
      assert.match(stderr, message);
      assert.deepEqual(counts(), before);
    });
  }
});
