import assert from "node:assert/strict";
import { test } from "node:test";
import { startSharedService } from "../../support/service.ts";

const KEY_USAGE = "/v1/account/usage/api-keys";

const service = await startSharedService();

test("each key has its last day and its units of this month, revoked keys too", async () => {
  const ada = await service.newCustomer("ada@example.org");
  const second = await service.createKey(ada.session, "second");
  const unused = await service.createKey(ada.session, "unused");
  await (await service.newCustomer()).read();
  await service.readRate("EUR/USD", second.apiKey);
  await service.revokeKey(ada.session, second.id);
  service.clock.set("2026-12-02T10:00:00.000Z");
  for (const pair of ["EUR/USD", "USD/NONE", "E/USD"]) await ada.read(pair);
  const session = await service.logIn(ada.email);

  const answer = await service.get(KEY_USAGE, { session });

  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    api_keys: [
      { api_key_id: ada.keyId, last_used_on: "2026-12-02", units: 2 },
      { api_key_id: second.id, last_used_on: "2026-11-21", units: 0 },
      { api_key_id: unused.id, last_used_on: null, units: 0 },
    ],
  });
  assert.equal(await service.usedUnits(session), 2);
});

test("an account without keys has an empty list, and a request changes nothing", async () => {
  const session = await service.openSession();
  const stored = () =>
    ["sessions", "api_keys", "charged_units", "events", "auth_windows"].map((table) =>
      service.query(`SELECT * FROM ${table}`),
    );
  const before = stored();

  const answer = await service.get(KEY_USAGE, { session });

  assert.deepEqual([answer.status, answer.text], [200, '{"api_keys":[]}']);
  assert.deepEqual(stored(), before);
});
