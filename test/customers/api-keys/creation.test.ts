import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { addCopies } from "../../support/keys.ts";
import { startSharedService } from "../../support/service.ts";
import { watchRows } from "../../support/statements.ts";

const KEYS = "/v1/account/api-keys";

const service = await startSharedService();

const session = await service.openSession();

const keyCount = () => service.query("SELECT count(*) AS keys FROM api_keys")[0]?.keys;

const goodNames = [
  ["x", "x"],
  ["n".repeat(100), "n".repeat(100)],
  [`  ${"n".repeat(100)}\t\n`, "n".repeat(100)],
  [" my  key ", "my  key"],
  ["😀".repeat(100), "😀".repeat(100)],
  ["👩‍💻 می\u200cخواهم", "👩‍💻 می\u200cخواهم"],
  [`"<b>'--;`, `"<b>'--;`],
] as const;

test("keys: a name of 1 to 100 characters is trimmed and stored", async () => {
  for (const [name, stored] of goodNames) {
    const answer = await service.post(KEYS, { session, json: { name } });

    assert.deepEqual([answer.status, answer.body.name], [201, stored]);
    const list = await service.get(KEYS, { session });
    const items = list.body.api_keys as readonly Readonly<Record<string, unknown>>[];
    assert.equal(items.at(-1)?.name, stored);
  }
});

const badNames = [
  [["", " \t\n\u00a0 "], /\bname\b.*empty/],
  [["n".repeat(101), "😀".repeat(101)], /\bname\b.*100/],
  // A line break, NUL, DEL, a C1 control, a right-to-left override, an isolate.
  [["a\nb", "a\u0000b", "a\u007fb", "a\u009b2Jb", "a\u202eb", "a\u2067b"], /\bname\b.*control/],
] as const;

test("keys: a name that is empty, too long or has control characters is 400 with the rule and creates no key", async () => {
  const before = keyCount();
  for (const [names, message] of badNames) {
    for (const name of names) {
      const answer = await service.post(KEYS, { session, json: { name } });
      assertFailure(answer, 400, "invalid_request", message);
    }
  }
  assert.equal(keyCount(), before);
});

test("keys: the server ignores body members other than name, such as id, created_at and account_id", async () => {
  const json = {
    name: "mine",
    id: "01a1fc6b-d91f-75da-881f-eaa0e5224224",
    api_key: `svc_live_${"0".repeat(64)}`,
    created_at: "2000-01-01T00:00:00.000Z",
    account_id: "01a1fc6b-d91f-75da-881f-eaa0e5224225",
  };

  const { status, body } = await service.post(KEYS, { session, json });

  assert.equal(status, 201);
  for (const member of ["id", "api_key", "created_at"] as const) {
    assert.notEqual(body[member], json[member]);
  }
});

const YESTERDAY = "2026-11-20T12:00:00.000Z";

const limits = [
  ["100 active keys", 98, YESTERDAY, null, /at most 100 active.*Revoke one/],
  ["10,000 keys in total", 9998, YESTERDAY, YESTERDAY, /10,000.*in total, revoked ones included/],
  ["100 keys per UTC day", 98, undefined, undefined, /at most 100 .* per UTC day.*after 00:00 UTC/],
] as const;

for (const [what, copies, createdAt, revokedAt, message] of limits) {
  test(`keys: an account has at most ${what}; the next returns 409 and writes nothing, not even a lock`, async () => {
    const { session: own, keyId } = await service.newCustomer();
    addCopies(service, keyId, copies, { createdAt, revokedAt });
    assert.equal((await service.post(KEYS, { session: own, json: { name: "last" } })).status, 201);
    const before = keyCount();
    const writes: string[] = [];
    using _watched = watchRows((_rows, sql) => {
      if (/UPDATE (accounts|sessions)|INSERT INTO api_keys/.test(sql)) writes.push(sql);
    });

    const answer = await service.post(KEYS, { session: own, json: { name: "one more" } });

    assertFailure(answer, 409, "key_limit_reached", message);

    assert.deepEqual(writes, []);
    assert.equal(keyCount(), before);
  });
}
