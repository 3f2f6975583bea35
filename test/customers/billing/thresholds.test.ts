import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

const PATH = "/v1/account/thresholds";
const DEFAULT = { thresholds: [{ percent: 80 }, { percent: 100 }] };
const service = await startSharedService();

const set = (session: string, thresholds: unknown) =>
  service.call("PUT", PATH, { session, json: { thresholds } });
const read = async (session: string) => (await service.get(PATH, { session })).body;

const eventsOf = (email: string) =>
  service
    .query(
      "SELECT details FROM events e JOIN accounts a ON a.id = e.account_id " +
        "WHERE a.email = ? AND e.action = 'thresholds.set' ORDER BY e.id",
      email,
    )
    .map(({ details }) => JSON.parse(String(details)));

test("an account reads, sets and exports its thresholds, and its events show each change once", async () => {
  const { session, keyId } = await service.newCustomer("ada@example.org");
  const other = await service.openSession("bob@example.org");
  assert.deepEqual(await read(session), DEFAULT);
  const own = [{ percent: 1 }, { units: 1e12 }, { api_key_id: keyId.toUpperCase(), units: 1 }];

  for (const _ of [1, 2]) {
    const odd = own.map((each) => ({ ...each, name: "ignored" }));
    const { status, body } = await set(session, odd);
    const stored = [...own.slice(0, 2), { api_key_id: keyId, units: 1 }];
    assert.deepEqual([status, body], [200, { thresholds: stored }]);
    assert.deepEqual(await read(session), body);
    const { body: exported } = await service.get("/v1/account/export", { session });
    assert.deepEqual((exported.account as { thresholds: unknown }).thresholds, stored);
  }
  assert.deepEqual((await set(session, [])).body, { thresholds: [] });
  assert.deepEqual(await read(session), { thresholds: [] });

  assert.deepEqual(eventsOf("ada@example.org"), [
    { thresholds: `1%, 1000000000000, ${keyId}:1` },
    { thresholds: "" },
  ]);
  assert.deepEqual(await read(other), DEFAULT);
});

const eleven = Array.from({ length: 11 }, (_, index) => ({ units: index + 1 }));

const invalid: readonly (readonly [thresholds: unknown, message: RegExp])[] = [
  [eleven, /^thresholds must not have more than 10 items\.$/],
  [[80], /^thresholds\.0 must be object\.$/],
  [[{ percent: 0 }], /^thresholds\.0\.percent must be >= 1\.$/],
  [[{ percent: 101 }], /^thresholds\.0\.percent must be <= 100\.$/],
  [[{ percent: 1.5 }], /^thresholds\.0\.percent must be integer\.$/],
  [[{ percent: "80" }], /^thresholds\.0\.percent must be integer\.$/],
  [[{ units: 0 }], /^thresholds\.0\.units must be >= 1\.$/],
  [[{ units: 1e12 + 1 }], /^thresholds\.0\.units must be <= 1000000000000\.$/],
  [[{ units: 1, api_key_id: "x" }], /^thresholds\.0\.api_key_id must be a uuid\.$/],
  [[{ units: 1, api_key_id: null }], /^thresholds\.0\.api_key_id must be string\.$/],
  [[{}], /^thresholds\.0 must have either percent or units\.$/],
  [[{ percent: 8 }, { percent: 8 }], /^thresholds\.1 repeats an earlier one\.$/],
];

test("invalid thresholds are rejected with a sentence, and change nothing", async () => {
  const session = await service.openSession("eve@example.org");
  for (const [thresholds, message] of invalid) {
    assertFailure(await set(session, thresholds), 400, "invalid_request", message);
  }
  assertFailure(await service.call("PUT", PATH, { json: DEFAULT }), 401, "unauthorized");
  assertFailure(await service.get(PATH), 401, "unauthorized");
  assert.deepEqual(await read(session), DEFAULT);
  assert.deepEqual(eventsOf("eve@example.org"), []);
});
