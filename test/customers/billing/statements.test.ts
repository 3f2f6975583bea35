import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { statusOf } from "../../../src/platform/shared/failure.ts";
import { assertCommonHeaders, assertFailure } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { startService, startSharedService, TestClock } from "../../support/service.ts";
import { newSigningKey, publicKeysOf } from "../../support/signatures.ts";

const EMAIL = "ada@example.org";
const STATEMENTS = "/v1/account/statements";
const SIGNATURE = "statement-signature";

/** Whether a statement's JWS is by a key that the service lists, without the program's own code. */
async function isSigned(service: Parameters<typeof publicKeysOf>[0], answer: Answer) {
  const [header = "", detached, signature = ""] = (answer.headers[SIGNATURE] ?? "").split(".");
  assert.equal(detached, "");
  const { alg, kid } = JSON.parse(Buffer.from(header, "base64url").toString());
  const key = (await publicKeysOf(service)).find((one) => one.kid === kid);
  assert.ok(alg === "EdDSA" && key !== undefined);
  const signed = `${header}.${Buffer.from(answer.text).toString("base64url")}`;
  const publicKey = createPublicKey({ key: { ...key }, format: "jwk" });
  return verify(null, Buffer.from(signed), publicKey, Buffer.from(signature, "base64url"));
}

test("a statement has the units by key and day so far, and an hour after the period's end final bytes", async () => {
  const clock = new TestClock("2026-10-31T23:00:00.000Z");
  await using own = await startService({ clock, config: { signingKey: newSigningKey() } });
  const [ada, eve] = [await own.newCustomer(EMAIL), await own.newCustomer("eve@example.org")];
  const second = await own.createKey(ada.session);
  for (const customer of [ada, ada, eve]) await customer.read();
  clock.set("2026-11-01T00:00:00.000Z");
  for (const pair of ["EUR/USD", "USD/NONE", "E/USD"]) await own.readRate(pair, second.apiKey);
  await own.revokeKey(ada.session, second.id);
  clock.set("2026-11-02T09:30:00.000Z");
  for (const customer of [ada, eve, ada]) await customer.read();
  const ask = async (period: string) =>
    own.get(`${STATEMENTS}/${period}`, { session: await own.logIn(EMAIL) });

  const soFar = await ask("2026-11");
  const keyOn = (date: string, id: string, apiKey: string) => {
    return { id, key_prefix: apiKey.slice(0, 17), units: 2, days: [{ date, units: 2 }] };
  };
  const november = {
    account_id: own.query("SELECT id FROM accounts WHERE email = ?", EMAIL)[0]?.id,
    period: "2026-11",
    billing_period: { start: "2026-11-01T00:00:00.000Z", end: "2026-12-01T00:00:00.000Z" },
    ...{ is_final: false, made_at: "2026-11-02T09:30:00.000Z" },
    ...{ opening_units: 2, units: 4, closing_units: 6 },
    api_keys: [
      keyOn("2026-11-02", ada.keyId, ada.apiKey),
      keyOn("2026-11-01", second.id, second.apiKey),
    ],
  };
  assert.deepEqual(soFar.body, november, soFar.text);
  assertCommonHeaders(soFar);
  assert.ok(await isSigned(own, soFar));
  const text = soFar.text.replace('"units":2', '"units":3');
  assert.ok(!(await isSigned(own, { ...soFar, text })));

  clock.set("2026-12-01T00:59:59.999Z");
  assert.equal((await ask("2026-11")).body.is_final, false);
  clock.set("2026-12-01T01:00:00.000Z");
  const final = await ask("2026-11");
  await ada.read();
  clock.set("2027-03-01T00:00:00.000Z");
  const again = await ask("2026-11");
  assert.deepEqual(final.body, { ...november, is_final: true, made_at: null });
  assert.deepEqual([again.text, again.headers[SIGNATURE]], [final.text, final.headers[SIGNATURE]]);
  assert.ok(await isSigned(own, again));
  const { opening_units, units, closing_units } = (await ask("2026-12")).body;
  assert.deepEqual([opening_units, units, closing_units], [6, 1, 7]);
});

const service = await startSharedService();
const { session, read } = await service.newCustomer();
await read();
const path = `${STATEMENTS}/2026-11`;

test("a statement is unsigned without a key, is the account's own and costs nothing", async () => {
  const answer = await service.get(path, { session });
  const other = await service.get(path, { session: await service.openSession() });

  assert.deepEqual([answer.status, answer.body.units], [200, 1]);
  assert.equal(answer.headers[SIGNATURE], undefined);
  assert.deepEqual([other.body.closing_units, other.body.api_keys], [0, []]);
  assert.equal(await service.usedUnits(session), 1);
});

const RULE = "period must be a month as YYYY-MM, such as 2026-11.";

for (const [periods, code, message] of [
  ["2026 2026-1 2026-00 2026-13 0026-11 2026-11-01 2026%2D11%0A x", "invalid_request", RULE],
  ["2026-12", "not_found", "This billing period has not begun."],
  ["2026-10", "not_found", "This billing period ended before the account was created."],
] as const) {
  test(`there is no statement of ${periods}: ${code}`, async () => {
    for (const period of periods.split(" ")) {
      const answer = await service.get(`${STATEMENTS}/${period}`, { session });
      assertFailure(answer, statusOf[code], code, message);
    }
  });
}

test("a statement whose days and counter would differ is neither made nor signed", async () => {
  await using own = await startService({ config: { signingKey: newSigningKey() } });
  const { session, read } = await own.newCustomer();
  await read();
  own.query("UPDATE charged_units SET units = units + 1 WHERE day = 0");

  const answer = await own.get(path, { session });

  assertFailure(answer, 503, "temporarily_unavailable");
  assert.equal(answer.headers[SIGNATURE], undefined);
  assert.ok(own.logLines.some((line) => line.includes("run kurs doctor")));
});
