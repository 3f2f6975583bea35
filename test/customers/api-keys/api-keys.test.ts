import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertCommonHeaders,
  assertFailure,
  assertKeyRejected,
  uuidV7,
} from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

const KEYS = "/v1/account/api-keys";

const service = await startSharedService();

type Item = Readonly<Record<string, unknown>>;

const listOf = async (session: string) =>
  (await service.get(KEYS, { session })).body.api_keys as readonly Item[];

const revoke = (session: string, id: string) =>
  service.call("DELETE", `${KEYS}/${id}`, { session });

test("§2 keys: creating a key returns 201 with five members, including the secret", async () => {
  const session = await service.openSession();

  const answer = await service.post(KEYS, { session, json: { name: "billing" } });

  assert.equal(answer.status, 201);
  const { id, name, key_prefix, created_at, api_key, ...more } = answer.body;
  assert.deepEqual(more, {});
  assert.match(String(id), uuidV7);
  assert.equal(name, "billing");
  assert.match(String(api_key), /^svc_live_[0-9a-f]{64}$/);
  assert.equal(key_prefix, String(api_key).slice(0, 17));
  assert.equal(String(key_prefix).length, 17);
  assert.equal(created_at, "2026-11-21T12:00:00.000Z");
  assertCommonHeaders(answer);
});

test("keys: the list is {api_keys: […]}, oldest first, and contains no secret", async () => {
  const session = await service.openSession();
  const made = [];
  for (const name of ["c", "a", "b"]) {
    made.push(await service.createKey(session, name));
    service.clock.advanceMs(1000);
  }

  const answer = await service.get(KEYS, { session });

  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(answer.body), ["api_keys"]);
  const items = answer.body.api_keys as readonly Item[];
  const listed = items.map(({ id, name }) => `${id} ${name}`);
  const names = ["c", "a", "b"];
  const created = made.map(({ id }, index) => `${id} ${names[index]}`);
  assert.deepEqual(listed, created);
  for (const member of ["id", "key_prefix"] as const) {
    assert.equal(new Set(items.map((item) => item[member])).size, 3, member);
  }
  for (const [index, item] of items.entries()) {
    assert.deepEqual(Object.keys(item).sort(), ["created_at", "id", "key_prefix", "name"]);
    assert.equal(item.key_prefix, made[index]?.apiKey.slice(0, 17));
  }
  for (const { apiKey } of made) assert.ok(!answer.text.includes(apiKey.slice(17)));
  assertCommonHeaders(answer);
});

test("§4 keys: an account's list contains only its own keys", async () => {
  const [own, other] = [await service.openSession(), await service.openSession()];
  await service.createKey(other);

  assert.deepEqual(await listOf(own), []);
});

test("§3 keys: a revocation returns 204 without a body, and the key's next read returns 401", async () => {
  const { session, keyId: id, apiKey } = await service.newCustomer();
  await service.get("/v1/rates/EUR/USD", { apiKey });

  const answer = await revoke(session, id);

  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assert.equal(answer.headers["content-type"], undefined);
  assertCommonHeaders(answer);
  assertKeyRejected(await service.get("/v1/rates/EUR/USD", { apiKey }));
  assert.equal(await service.usedUnits(session), 1);
});

test("§2 keys: a revoked key stays in the list, with revoked_at added", async () => {
  const session = await service.openSession();
  const first = await service.createKey(session, "first");
  const second = await service.createKey(session, "second");
  const [before] = await listOf(session);
  service.clock.advanceMs(5000);
  const revokedAt = new Date(service.clock.nowMs()).toISOString();
  await revoke(session, first.id);

  const items = await listOf(session);

  assert.deepEqual(items[0], { ...before, revoked_at: revokedAt });
  assert.equal(items[1]?.id, second.id);
  assert.deepEqual(Object.keys(items[1] ?? {}).sort(), ["created_at", "id", "key_prefix", "name"]);
});

test("§3 keys: revoking a key again returns 404 and does not change revoked_at", async () => {
  const { session, keyId: id } = await service.newCustomer();
  await revoke(session, id);
  const before = await listOf(session);
  service.clock.advanceMs(5000);

  assertFailure(await revoke(session, id), 404, "not_found");
  assert.deepEqual(await listOf(session), before);
});

test("§4 keys: revoking another account's key returns the same 404 as an unknown id; the key stays valid", async () => {
  const owner = await service.openSession();
  const other = await service.openSession();
  const { id, apiKey } = await service.createKey(owner);

  const foreign = await revoke(other, id);
  const unknown = await revoke(other, "01a1fc6b-d91f-75da-881f-eaa0e5224224");

  assertFailure(foreign, 404, "not_found");
  assertFailure(unknown, 404, "not_found", String(foreign.body.message));
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
  assert.deepEqual(Object.keys((await listOf(owner))[0] ?? {}).length, 4);
});

const invalidIds = [
  ["that is not a UUID", "1"],
  ["that is empty", ""],
  ["with a slash", "a%2Fb"],
  ["with SQL in it", "%27%20OR%201%3D1%20--"],
  ["with a zero byte", "%00"],
  ["of 5,000 characters", "f".repeat(5000)],
] as const;

for (const [what, id] of invalidIds) {
  test(`§4 keys: an id ${what} returns 404 and revokes nothing`, async () => {
    const session = await service.openSession();
    await service.createKey(session);

    assertFailure(await revoke(session, id), 404, "not_found");
    assert.equal((await listOf(session))[0]?.revoked_at, undefined);
  });
}

test("keys: the id in the path may be in upper or mixed case", async () => {
  const session = await service.openSession();

  for (const spell of [
    (id: string) => id.toUpperCase(),
    (id: string) => id.replace(/[a-f]/, (letter) => letter.toUpperCase()),
  ]) {
    const { id, apiKey } = await service.createKey(session);
    assert.notEqual(spell(id), id);

    assert.equal((await revoke(session, spell(id))).status, 204);
    assertKeyRejected(await service.get("/v1/rates/EUR/USD", { apiKey }));
    assertFailure(await revoke(session, spell(id)), 404, "not_found");
  }
});

test("§5 keys: a key or its prefix in place of the id revokes nothing", async () => {
  const { session, apiKey } = await service.newCustomer();

  for (const wrong of [apiKey.slice(0, 17), apiKey]) {
    assertFailure(await revoke(session, wrong), 404, "not_found");
  }
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
});
