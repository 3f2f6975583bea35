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

test("§4 keys: the list is {api_keys: […]} of the account's own, oldest first, and contains no secret", async () => {
  const session = await service.openSession();
  await service.newCustomer();
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

test("§2, §3 keys: a revoked key is rejected from its next read on, and listed with the time; revoking it again is 404", async () => {
  const { session, keyId, read, usedUnits } = await service.newCustomer();
  await service.createKey(session, "second");
  await read();
  const [first, second] = await listOf(session);
  service.clock.advanceMs(5000);
  const revokedAt = new Date(service.clock.nowMs()).toISOString();

  const answer = await revoke(session, keyId.toUpperCase());

  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assert.equal(answer.headers["content-type"], undefined);
  assertCommonHeaders(answer);
  assertKeyRejected(await read());
  assert.equal(await usedUnits(), 1);
  service.clock.advanceMs(5000);
  assertFailure(await revoke(session, keyId), 404, "not_found");
  assert.deepEqual(await listOf(session), [{ ...first, revoked_at: revokedAt }, second]);
});

test("§4, §5 keys: an id that is another account's, unknown, invalid or a key's text is the same 404 and revokes nothing", async () => {
  const { session, apiKey, read } = await service.newCustomer();
  const foreign = await service.newCustomer();

  for (const id of [
    ...[foreign.keyId, "01a1fc6b-d91f-75da-881f-eaa0e5224224", apiKey, apiKey.slice(0, 17)],
    ...["1", "", "a%2Fb", "%27%20OR%201%3D1%20--", "%00", "f".repeat(5000)],
  ]) {
    const answer = await revoke(session, id);
    assertFailure(answer, 404, "not_found", "There is no active API key with this id.");
  }
  for (const each of [read, foreign.read]) assert.equal((await each()).status, 200);
});
