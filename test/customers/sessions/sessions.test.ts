import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertCommonHeaders,
  assertKeyRejected,
  assertSessionRejected,
} from "../../support/assertions.ts";
import type { OpenApiDocument } from "../../support/openapi.ts";
import { startSharedService } from "../../support/service.ts";

const USAGE = "/v1/account/usage";
const DAY_MS = 86_400_000;
const PASSWORD = "correct horse battery";

const service = await startSharedService();

test("§2 sessions: a log-in returns 200 with the token and its expiry in 24 hours", async () => {
  await service.openSession("shape@example.org");

  const answer = await service.post("/v1/auth/login", {
    json: { email: "shape@example.org", password: PASSWORD },
  });

  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(answer.body).sort(), ["expires_at", "session_token"]);
  assert.match(String(answer.body.session_token), /^svc_sess_\S{32,}$/);
  const end = new Date(service.clock.nowMs() + DAY_MS).toISOString();
  assert.equal(answer.body.expires_at, end);
  assertCommonHeaders(answer);
});

test("§3 sessions: a session is rejected from its expiry on, however much it was used", async () => {
  const session = await service.openSession();

  for (const waitMs of [DAY_MS / 2, DAY_MS / 2 - 1]) {
    service.clock.advanceMs(waitMs);
    assert.equal((await service.get(USAGE, { session })).status, 200);
  }
  service.clock.advanceMs(1);
  assertSessionRejected(await service.get(USAGE, { session }));
});

test("sessions: a clock that is set back by up to five minutes ends no session, by more each", async () => {
  const session = await service.openSession();
  const status = async () => (await service.get(USAGE, { session })).status;

  service.clock.advanceMs(-300_000);
  assert.equal(await status(), 200);
  service.clock.advanceMs(-1);
  assert.equal(await status(), 401);
  service.clock.advanceMs(300_001);
  assert.equal(await status(), 200);
});

test("sessions: a log-out returns 204 without a body and ends only that session", async () => {
  const { email, session: leaving, apiKey } = await service.newCustomer();
  const staying = await service.logIn(email);
  assert.notEqual(leaving, staying);

  const answer = await service.post("/v1/auth/logout", { session: leaving });

  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assertCommonHeaders(answer);
  assertSessionRejected(await service.get(USAGE, { session: leaving }));
  assertSessionRejected(await service.post("/v1/auth/logout", { session: leaving }));
  assert.equal((await service.get(USAGE, { session: staying })).status, 200);
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
});

test("§5 sessions: the rate endpoint rejects a session token and charges nothing", async () => {
  const session = await service.openSession();
  await service.createKey(session);

  for (const scheme of ["Session", "ApiKey", "Bearer"]) {
    const headers = { authorization: `${scheme} ${session}` };
    assertKeyRejected(await service.get("/v1/rates/EUR/USD", { headers }));
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("§4, §5 sessions: every account endpoint rejects a request without a session, and with an API key", async () => {
  const { apiKey, keyId } = await service.newCustomer();
  const { paths } = (await service.get("/openapi.json")).body as unknown as OpenApiDocument;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.some((scheme) => "Session" in scheme))
      .map(([method]) => [method.toUpperCase(), path.replace("{id}", keyId)] as const),
  );
  assert.ok(operations.length > 15, `only ${operations.length} operations`);
  const stored = () =>
    ["accounts", "api_keys", "sessions", "events"].map((table) =>
      service.query(`SELECT * FROM ${table}`),
    );
  const before = stored();

  for (const [method, path] of operations) {
    const schemes = ["Session", "ApiKey", "Bearer"];
    const keys = schemes.map((scheme) => ({ authorization: `${scheme} ${apiKey}` }));
    const unknown = { authorization: `Session svc_sess_${"0".repeat(64)}` };
    for (const headers of [{}, { authorization: "Session svc_sess_x" }, unknown, ...keys]) {
      const answer = await service.call(method, path, { headers });
      // The response to a HEAD has no body with a code.
      if (method === "HEAD") assert.equal(answer.status, 401, path);
      else assertSessionRejected(answer);
    }
  }

  assert.deepEqual(stored(), before);
});
