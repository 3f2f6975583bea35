import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { startService } from "../../support/service.ts";

test("health: a healthy node returns 200 on /healthz and /readyz, uncharged, without a credential", async () => {
  await using service = await startService();
  const { session, apiKey } = await service.newCustomer();

  for (const path of ["/healthz", "/readyz"]) {
    for (const how of [{}, { apiKey }, { session }]) {
      const answer = await service.get(path, how);
      assert.deepEqual([answer.status, answer.text], [200, '{"status":"ok"}']);
    }
    const head = await service.call("HEAD", path);
    assert.deepEqual([head.status, head.text], [200, ""]);
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("health: a node without rates is alive but not ready: 503 with Retry-After", async () => {
  await using service = await startService();
  service.query("DELETE FROM rates");

  assertFailure(await service.get("/readyz"), 503, "temporarily_unavailable");
  assert.equal((await service.get("/healthz")).status, 200);
  service.storeRate("EUR", "USD", "1.5");
  assert.equal((await service.get("/readyz")).status, 200);
});

test("health: a node whose store fails is alive but not ready until it works again, and the cause is not disclosed", async () => {
  await using service = await startService();
  service.query("ALTER TABLE rates RENAME TO rates_gone");

  const answer = await service.get("/readyz");

  assertFailure(answer, 503, "temporarily_unavailable");
  assert.doesNotMatch(answer.text, /table|rates_gone|sqlite/i);
  assert.equal((await service.get("/healthz")).status, 200);
  service.query("ALTER TABLE rates_gone RENAME TO rates");
  assert.equal((await service.get("/readyz")).status, 200);
});
