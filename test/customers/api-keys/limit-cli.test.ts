import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { query } from "../../platform/storage/stored.ts";
import { assertFailure } from "../../support/assertions.ts";
import { kursUnchecked } from "../../support/command-line.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();
const { dataDirectory } = service;

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  kursUnchecked(["keys", ...args], { dataDirectory, env });

const storedKeys = () => query(dataDirectory, "SELECT * FROM api_keys ORDER BY id");

suite("kurs keys limit", () => {
  test("shows the limits of a key, and sets those that it is given", async () => {
    const { keyId, apiKey, session } = await service.newCustomer();
    const prefix = apiKey.slice(0, 17);
    const none = { expires_at: null, units_per_period: null, units_per_day: null };
    const end = "2999-01-31T00:00:00.000Z";

    for (const [options, limits] of [
      [[], none],
      [
        ["--per-day", "5", "--expires", "2999-01-31T00:00:00Z"],
        { expires_at: end, units_per_day: 5 },
      ],
      [["--per-period", "500"], { expires_at: end, units_per_period: 500, units_per_day: 5 }],
      [["--per-day", "none"], { expires_at: end, units_per_period: 500 }],
      [["--expires", "never"], { units_per_period: 500 }],
    ] as const) {
      const { exitCode, stdout, stderr } = await run(["limit", prefix, ...options, "--json"]);
      assert.deepEqual([exitCode, stderr], [0, ""]);
      assert.deepEqual(JSON.parse(stdout), { ...none, ...limits });
    }
    const table = await run(["limit", keyId]);
    const [heading = "", row = ""] = table.stdout.split("\n");
    assert.match(heading, /^ID +PREFIX +EXPIRES +PER PERIOD +PER DAY +NAME$/);
    assert.match(row, new RegExp(`^${keyId}  ${prefix}  never +500 +none +test$`));
    const { body } = await service.get("/v1/account/events", { session });
    const events = body.events as { actor: string; action: string }[];
    const set = events.filter(({ action }) => action === "api_key.limits_set");
    assert.deepEqual(
      set.map(({ actor }) => actor),
      Array(4).fill("operator"),
    );
  });

  test("rejects wrong use and keys that are not active, and changes nothing", async () => {
    const { keyId, session } = await service.newCustomer();
    const revoked = await service.createKey(session);
    await service.revokeKey(session, revoked.id);
    const ended = await service.createKey(session);
    service.query(
      "UPDATE api_keys SET expires_at = '2026-11-21T12:30:00.000Z' WHERE id = ?",
      ended.id,
    );
    const before = storedKeys();
    const units = /must be a whole number from 1 to 1000000000000/;
    for (const [args, code, message] of [
      [[keyId, "--expires", "2026-12-31"], 2, /^kurs: --expires must be a time such as .* 30 days/],
      [[keyId, "--expires", "2020-01-01T00:00:00Z"], 2, /^kurs: --expires must be in the future/],
      [[keyId, "--expires", "0 days"], 2, /--expires must be/],
      [[keyId, "--per-day", "0"], 2, units],
      [[keyId, "--per-period", "1.5"], 2, units],
      [["svc_live_"], 2, /must be the id of an API key/],
      [["01a1fc6b-d91f-75da-881f-eaa0e5224224"], 1, /there is no API key/],
      [[revoked.id, "--per-day", "1"], 1, /was revoked or has expired already/],
      [[ended.id, "--expires", "never"], 1, /was revoked or has expired already/],
    ] as const) {
      const { exitCode, stdout, stderr } = await run(["limit", ...args]);
      assert.deepEqual([exitCode, stdout], [code, ""], stderr);
      assert.match(stderr, message);
    }
    const most = { KEY_MAX_AGE_DAYS: "30" };
    const beyond = await run(["limit", keyId, "--expires", "31 days"], most);
    assert.deepEqual([beyond.exitCode, beyond.stdout], [2, ""]);
    assert.match(beyond.stderr, /--expires must not be after .* ends keys after 30 days/);
    for (const wrong of ["0", "3651", "x"]) {
      const { exitCode, stderr } = await run(["limit", keyId], { KEY_MAX_AGE_DAYS: wrong });
      assert.equal(exitCode, 2);
      assert.match(stderr, /KEY_MAX_AGE_DAYS: must be a whole number from 1 to 3650/);
    }
    assert.deepEqual(storedKeys(), before);
  });
});

suite("kurs keys create", () => {
  test("takes limits, and ends keys as the operator has set", async () => {
    const { email, session } = await service.newCustomer();
    const limitsOf = async (args: readonly string[], env = {}) => {
      const { stdout } = await run(["create", email, "--name", "a", "--json", ...args], env);
      const path = `/v1/account/api-keys/${JSON.parse(stdout).id}/limits`;
      return (await service.get(path, { session })).body;
    };

    const given = await limitsOf(["--expires", "2999-01-31T00:00:00Z", "--per-period", "500"]);
    const byDefault = await limitsOf([], { KEY_MAX_AGE_DAYS: "3650" });

    const end = "2999-01-31T00:00:00.000Z";
    assert.deepEqual(given, { expires_at: end, units_per_period: 500, units_per_day: null });
    assert.ok(Date.parse(String(byDefault.expires_at)) > Date.now());
  });

  test("with a wrong limit creates neither a key nor an account", async () => {
    const before = storedKeys();
    const options = ["--name", "a", "--new-account", "--expires", "soon"];
    const { exitCode, stdout } = await run(["create", "limited@example.org", ...options]);
    assert.deepEqual([exitCode, stdout], [2, ""]);
    assert.deepEqual(storedKeys(), before);
    const json = { email: "limited@example.org", password: "correct horse battery" };
    const logIn = await service.post("/v1/auth/login", { json });
    assertFailure(logIn, 401, "unauthorized");
  });
});
