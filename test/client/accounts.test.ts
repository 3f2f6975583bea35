import assert from "node:assert/strict";
import { test } from "node:test";
import { PASSWORD } from "../support/client.ts";
import { startSharedService } from "../support/service.ts";
import { holdWriteLock } from "../support/store-faults.ts";
import { AMPLE_MS, answering, countedClient, failure } from "./counted.ts";

const service = await startSharedService({ config: { authCallsPerWindow: 2 } });
const { url } = service;
const email = "ada@example.org";

test("a program logs in, creates, lists and revokes keys, sees its usage and logs out", async () => {
  await service.register(email);
  const { kurs } = countedClient({ url });

  const session = await kurs.logIn(email, PASSWORD);
  assert.ok(session.data !== undefined);
  const account = kurs.account(session.data.session_token);
  const created = await account.keys.create("billing");
  assert.ok(created.data !== undefined);
  assert.deepEqual([created.data.name, created.unitsCharged], ["billing", 0]);

  const reader = countedClient({ url, apiKey: created.data.api_key }).kurs;
  assert.equal((await reader.rates.get("EUR", "USD")).unitsCharged, 1);
  assert.equal((await account.usage()).data?.usage.used_units, 1);

  const { id } = created.data;
  const revoked = await account.keys.revoke(id);
  assert.deepEqual(
    [revoked.data, revoked.error, revoked.response?.status],
    [undefined, undefined, 204],
  );
  assert.equal((await account.keys.revoke(id)).error?.code, "not_found");
  assert.equal((await reader.rates.get("EUR", "USD")).error?.code, "unauthorized");
  const [key] = (await account.keys.list()).data?.api_keys ?? [];
  assert.deepEqual([key?.id, key?.revoked_at === undefined], [id, false]);

  assert.equal((await account.logOut()).error, undefined);
  assert.equal((await account.usage()).error?.code, "unauthorized");
});

test("a program limits and rotates a key, and a cap that is used up is not taken for the quota", async () => {
  const account = countedClient({ url }).kurs.account(await service.openSession("bob@example.org"));
  const created = await account.keys.create("billing", { limits: { units_per_day: 2 } });
  const { id = "", api_key: apiKey } = created.data ?? {};
  const limits = { expires_at: null, units_per_period: 9, units_per_day: 1 };
  assert.deepEqual((await account.keys.setLimits(id, limits)).data, limits);
  assert.deepEqual((await account.keys.limits(id)).data, limits);
  assert.equal((await account.keys.setLimits("1", limits)).error?.code, "not_found");
  const rotated = await account.keys.rotate(id, { overlapHours: 1 });
  assert.deepEqual([rotated.data?.name, rotated.unitsCharged], ["billing", 0]);

  const { kurs, requests } = countedClient({ url, apiKey, timeoutMs: AMPLE_MS });
  await kurs.rates.get("EUR", "USD");
  const { error, unitsCharged, response } = await kurs.rates.get("EUR", "USD");

  assert.ok(error?.code === "quota_exceeded");
  assert.match(error.message, /This API key's limit for the current UTC day/);
  assert.deepEqual([error.limit, error.remaining, unitsCharged], [1, 0, 0]);
  assert.equal(error.reset_at, "2026-11-22T00:00:00.000Z");
  assert.equal(error.retryAfterSeconds, 43_200);
  assert.equal(requests.length, 2, "repeated before the reset");
  const quotas = response?.headers.get("ratelimit") ?? "";
  assert.match(quotas, /^"units";r=999;t=\d+, "key-period";r=8;t=\d+, "key-day";r=0;t=43200$/);
  const limited = (await account.limitUsage()).data?.api_keys ?? [];
  assert.deepEqual(
    limited.map(({ api_key_id, day_units }) => [api_key_id, day_units]),
    [
      [id, 1],
      [rotated.data?.id, 1],
    ],
  );
  assert.deepEqual((await account.grants()).data, { grants: [] });
  const thresholds = [{ api_key_id: id, percent: 90 }, { units: 500 }];
  await account.setThresholds(thresholds);
  assert.deepEqual((await account.thresholds()).data, { thresholds });
});

test("a limit of log-ins is an error at once, and a key that the store could not create is not sent again", async () => {
  const session = await service.openSession();
  const { kurs, requests } = countedClient({ url, timeoutMs: AMPLE_MS });

  const attempts = [];
  for (let count = 0; count < 3; count += 1) {
    attempts.push((await kurs.logIn("eve@example.org", "wrong password")).error?.code);
  }
  assert.deepEqual(attempts, ["unauthorized", "unauthorized", "too_many_requests"]);
  {
    using _lock = holdWriteLock(service);
    const { error } = await kurs.account(session).keys.create("billing");
    assert.equal(error?.code, "temporarily_unavailable");
  }
  assert.equal(requests.length, 4);
  assert.deepEqual((await kurs.account(session).keys.list()).data, { api_keys: [] });
});

test("a list that an unavailable service could not send is requested again, and a change is not", async () => {
  const headers = { "content-type": "application/json", "retry-after": "0" };
  const down = [503, headers, failure("temporarily_unavailable")] as const;
  const lists = answering(down, [200, {}, '{"api_keys":[]}']);
  const { kurs, requests } = countedClient({ url, fetch: lists, timeoutMs: AMPLE_MS });
  assert.deepEqual((await kurs.account("svc_sess_0").keys.list()).data, { api_keys: [] });
  assert.deepEqual(requests, ["GET /v1/account/api-keys", "GET /v1/account/api-keys"]);

  const changes = countedClient({ url, fetch: answering(down, [204, {}]), timeoutMs: AMPLE_MS });
  const { error } = await changes.kurs.account("svc_sess_0").keys.revoke("1");
  assert.equal(error?.code, "temporarily_unavailable");
  assert.deepEqual(changes.requests, ["DELETE /v1/account/api-keys/1"]);
});
