import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, assertKeyRejected } from "../../support/assertions.ts";
import { addCopies } from "../../support/keys.ts";
import { startService, startSharedService } from "../../support/service.ts";

const KEYS = "/v1/account/api-keys";

const service = await startSharedService();

const NONE = { expires_at: null, units_per_period: null, units_per_day: null };
const SOME = { expires_at: "2027-01-31T00:00:00.000Z", units_per_period: 500, units_per_day: 50 };

const limitsPath = (id: string) => `${KEYS}/${id}/limits`;
const rotatePath = (id: string) => `${KEYS}/${id}/rotate`;

const limitsOf = async (session: string, id: string, own = service) =>
  (await own.get(limitsPath(id), { session })).body;

const put = (session: string, id: string, json: unknown, own = service) =>
  own.call("PUT", limitsPath(id), { session, json });

const rotate = (session: string, id: string, json: unknown = {}) =>
  service.post(rotatePath(id), { session, json });

const listOf = async (session: string) =>
  (await service.get(KEYS, { session })).body.api_keys as readonly Record<string, unknown>[];

const storedKeys = () => service.query("SELECT * FROM api_keys ORDER BY id");

const eventsOf = async (session: string) => {
  const { body } = await service.get("/v1/account/events", { session });
  return body.events as readonly { action: string; details: object }[];
};

test("limits: a key is created with them, and neither its response nor the list has more members", async () => {
  const session = await service.openSession();
  const json = { name: "a", expires_at: "30 days", units_per_day: 50 };

  const { status, body } = await service.post(KEYS, { session, json });

  const { api_key: apiKey, ...item } = body;
  assert.equal(status, 201);
  assert.deepEqual(Object.keys(item).sort(), ["created_at", "id", "key_prefix", "name"]);
  assert.deepEqual(await listOf(session), [item]);
  assert.equal((await service.readRate("EUR/USD", String(apiKey))).status, 200);
  const id = String(item.id).toUpperCase();
  const end = new Date(Date.parse(String(item.created_at)) + 30 * 86_400_000).toISOString();
  assert.deepEqual(await limitsOf(session, id), { ...NONE, expires_at: end, units_per_day: 50 });
  const [event] = await eventsOf(session);
  const ofKey = { api_key_id: item.id, key_prefix: item.key_prefix };
  assert.deepEqual(event?.details, { ...ofKey, expires_at: end, units_per_day: 50 });
});

test("limits: PUT replaces all three, returns what is stored, and each change is an event", async () => {
  const { session, keyId } = await service.newCustomer();
  const given = { ...SOME, expires_at: "2027-01-31T02:00:00.0004+02:00" };

  for (const [json, stored] of [
    [given, SOME],
    [given, SOME],
    [NONE, NONE],
    [
      { ...NONE, units_per_day: 1_000_000_000_000 },
      { ...NONE, units_per_day: 1_000_000_000_000 },
    ],
  ]) {
    const answer = await put(session, keyId.toUpperCase(), json);
    assert.deepEqual([answer.status, answer.body], [200, stored]);
    assert.deepEqual(await limitsOf(session, keyId), stored);
  }

  const set = (await eventsOf(session)).filter(({ action }) => action === "api_key.limits_set");
  const values = set.map(({ details }) => Object.values(details).slice(2));
  assert.deepEqual(values, [[1_000_000_000_000], [], Object.values(SOME)]);
});

const invalidEnds = ["2026-12-31", "tomorrow", "0 days", "3651 days", "2026-11-21T11:00:00Z"];
const invalidMembers: readonly (readonly [member: object, message: RegExp])[] = [
  ...invalidEnds.map(
    (end) => [{ expires_at: end }, /a time such as .*, or days .* 30 days/] as const,
  ),
  [{ expires_at: 5 }, /expires_at must be a time such as .*, or days .* 30 days/],
  [{ expires_at: "9".repeat(41) }, /expires_at must have at most 40/],
  ...[0, -1, 1.5, "5", 1_000_000_000_001, true].flatMap((units) => [
    [{ units_per_period: units }, /units_per_period must be/] as const,
    [{ units_per_day: units }, /units_per_day must be/] as const,
  ]),
];

const routes = (keyId: string) =>
  [
    [
      ...(["POST", KEYS, { name: "a" }] as const),
      [
        ...invalidMembers,
        [{ unit_per_day: 5 }, /no member "unit_per_day": the limits are/] as const,
      ],
    ],
    [
      ...(["PUT", limitsPath(keyId), NONE] as const),
      [
        ...invalidMembers,
        ...Object.keys(NONE).map((name) => [{ [name]: undefined }, /is missing/] as const),
      ],
    ],
    [
      ...(["POST", rotatePath(keyId), {}] as const),
      [
        ...[-1, 721, 0.5, "24", null].map(
          (hours) => [{ overlap_hours: hours }, /overlap_hours must be/] as const,
        ),
        ...["overlap", "overlapHours", "name", "x".repeat(41)].map((name) => {
          const quoted = name.replace("x".repeat(41), `${"x".repeat(40)}…`);
          return [{ [name]: 0 }, new RegExp(`no member "${quoted}": .* overlap_hours\\.`)] as const;
        }),
      ],
    ],
  ] as const;

test("limits: an invalid body returns 400 with the rule on each route, and changes nothing", async () => {
  const { session, keyId } = await service.newCustomer();
  const before = storedKeys();
  for (const [method, path, valid, members] of routes(keyId)) {
    for (const [member, message] of members) {
      const json = { ...valid, ...member };
      assertFailure(
        await service.call(method, path, { session, json }),
        400,
        "invalid_request",
        message,
      );
    }
  }
  assert.deepEqual(storedKeys(), before);
});

test("limits: another account's, an unknown and an invalid id are the same 404 and change nothing", async () => {
  const { keyId } = await service.newCustomer();
  const other = await service.openSession();
  const before = storedKeys();
  for (const id of [keyId, "01a1fc6b-d91f-75da-881f-eaa0e5224224", "1"]) {
    for (const answer of [
      await service.get(limitsPath(id), { session: other }),
      await put(other, id, SOME),
      await rotate(other, id),
    ]) {
      assertFailure(answer, 404, "not_found", "There is no active API key with this id.");
    }
  }
  assert.deepEqual(storedKeys(), before);
});

test("limits: a key of which both caps are used up is told when the later one begins anew", async () => {
  const { session, keyId, read } = await service.newCustomer();
  await put(session, keyId, { ...NONE, units_per_period: 1, units_per_day: 1 });
  assert.equal((await read()).status, 200);

  const answer = await read();

  assertFailure(answer, 429, "quota_exceeded", /limit for the current billing period is used up/);
  assert.equal(answer.body.reset_at, "2026-12-01T00:00:00.000Z");
});

test("limits: from its end on a key is rejected on every route, and listed as revoked then", async () => {
  const { session, keyId, apiKey } = await service.newCustomer();
  const endMs = service.clock.nowMs() + 3_600_000;
  const end = new Date(endMs).toISOString();
  await put(session, keyId, { ...NONE, expires_at: end });
  service.clock.set(new Date(endMs - 1).toISOString());
  assert.equal((await service.readRate("EUR/USD", apiKey)).status, 200);
  assert.equal((await listOf(session))[0]?.revoked_at, undefined);
  service.clock.set(end);

  assertKeyRejected(await service.readRate("EUR/USD", apiKey));

  assert.match(service.logLines.at(-1) ?? "", /"key_rejected":"expired"|expired/);
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  assert.equal((await service.post("/v1/mcp", { apiKey, json: message })).status, 401);
  for (const answer of [
    await service.get(limitsPath(keyId), { session }),
    await put(session, keyId, NONE),
    await rotate(session, keyId),
    await service.call("DELETE", `${KEYS}/${keyId}`, { session }),
  ]) {
    assertFailure(answer, 404, "not_found");
  }
  assert.equal((await listOf(session))[0]?.revoked_at, end);
  assert.equal(await service.usedUnits(session), 1);
});

test("rotation: the new key has the name and limits; the old one ends after the overlap, 24 hours by default", async () => {
  const { session, keyId, apiKey } = await service.newCustomer();
  await put(session, keyId, { ...SOME, expires_at: "60 days" });
  const hoursLater = (hours: number) =>
    new Date(service.clock.nowMs() + hours * 3_600_000).toISOString();
  const oldEnd = async () => (await limitsOf(session, keyId)).expires_at;

  const { status, body } = await rotate(session, keyId.toUpperCase());

  const { id, name, key_prefix: prefix, created_at: createdAt, api_key: secret, ...more } = body;
  assert.deepEqual([status, name, more], [201, "test", {}]);
  assert.equal(String(secret).slice(0, 17), prefix);
  assert.equal(await oldEnd(), hoursLater(24));
  const end = new Date(Date.parse(String(createdAt)) + 60 * 86_400_000).toISOString();
  assert.deepEqual(await limitsOf(session, String(id)), { ...SOME, expires_at: end });
  for (const key of [apiKey, String(secret)]) {
    assert.equal((await service.readRate("EUR/USD", key)).status, 200);
  }

  const again = await rotate(session, keyId, { overlap_hours: 720 });
  assert.deepEqual([again.status, await oldEnd()], [201, hoursLater(24)]);
  assert.equal((await rotate(session, keyId, { overlap_hours: 0 })).status, 201);
  assertKeyRejected(await service.readRate("EUR/USD", apiKey));
  assertFailure(await rotate(session, keyId, { overlap_hours: 0 }), 404, "not_found");
  assert.equal((await listOf(session)).length, 4);
});

test("rotation: the limits of a creation apply, and only without overlap the old key's place is free", async () => {
  const { session, keyId } = await service.newCustomer();
  const yesterday = new Date(service.clock.nowMs() - 86_400_000).toISOString();
  addCopies(service, keyId, 99, { createdAt: yesterday, revokedAt: null });
  const before = storedKeys();

  const beyond = await rotate(session, keyId, { overlap_hours: 1 });
  assertFailure(beyond, 409, "key_limit_reached", /at most 100 active/);
  assert.deepEqual(storedKeys(), before);
  const { status, body } = await rotate(session, keyId, { overlap_hours: 0 });
  assert.equal(status, 201);
  addCopies(service, String(body.id), 99);
  const tooMany = await rotate(session, String(body.id), { overlap_hours: 0 });
  assertFailure(tooMany, 409, "key_limit_reached", /per UTC day/);
});

test("KEY_MAX_AGE_DAYS: a created, changed or rotated key ends by then", async () => {
  await using own = await startService({ config: { keyMaxAgeDays: 10 } });
  const customer = await own.newCustomer();
  own.query("UPDATE api_keys SET expires_at = NULL, lifetime_days = NULL");
  const json = { name: "a" };
  const { body } = await own.post(KEYS, { session: customer.session, json });
  const tenDays = new Date(Date.parse(String(body.created_at)) + 864_000_000).toISOString();
  const end = async (id: unknown) => (await limitsOf(customer.session, String(id), own)).expires_at;

  assert.equal(await end(body.id), tenDays);
  const rule = /expires_at must not be after .*: this service ends keys after 10 days/;
  for (const expiresAt of ["11 days", null]) {
    const limits = { ...NONE, expires_at: expiresAt };
    const set = await put(customer.session, String(body.id), limits, own);
    assertFailure(set, 400, "invalid_request", rule);
  }
  const rotated = await own.post(rotatePath(customer.keyId), {
    session: customer.session,
    json: {},
  });
  assert.equal(await end(rotated.body.id), tenDays);
});
