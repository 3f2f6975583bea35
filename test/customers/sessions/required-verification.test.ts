import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { type Answer, PASSWORD } from "../../support/client.ts";
import { mailTo, tokenOf } from "../../support/mails.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";

const NEW = "quite another passphrase";
const required = { config: { requireVerifiedEmail: true } };

const service = await startSharedService(required);

const register = (email: string) =>
  service.post("/v1/auth/register", { json: { email, password: PASSWORD } });

const logIn = (email: string, password = PASSWORD, own: TestService = service) =>
  own.post("/v1/auth/login", { json: { email, password } });

const sessions = (own: TestService = service) => own.query("SELECT * FROM sessions");

/** The message says what to do, and the response has no WWW-Authenticate header. */
function assertNotVerified(answer: Answer): void {
  assertFailure(answer, 403, "email_not_verified", /confirm your email/);
  assert.equal(answer.headers["www-authenticate"], undefined);
}

const emails = ["verified@example.org", "reset@example.org"] as const;
for (const email of emails) {
  await register(email);
  await service.post("/v1/auth/password-reset", { json: { email } });
}
const [verification, reset] = await Promise.all([
  mailTo(service.dataDirectory, emails[0], "verify").then(tokenOf),
  mailTo(service.dataDirectory, emails[1], "reset").then(tokenOf),
]);

test("required verification: until then the right password returns 403 and stores no session", async () => {
  assert.equal((await register("ada@example.org")).status, 201);

  assertNotVerified(await logIn("ada@example.org"));
  assertNotVerified(await logIn(" ADA@example.org "));

  assert.deepEqual(sessions(), []);
});

test("required verification: a wrong password returns 401, the same as an unknown email", async () => {
  const wrong = await logIn("ada@example.org", "correct horse batterY");
  const unknown = await logIn("nobody@example.org");

  for (const answer of [wrong, unknown]) {
    assertFailure(answer, 401, "unauthorized", "Email or password is incorrect.");
  }
  assert.deepEqual(sessions(), []);
});

test("required verification: a log-in succeeds once the email is verified", async () => {
  const [email] = emails;
  assertNotVerified(await logIn(email));

  const { status } = await service.post("/v1/auth/verification", { json: { token: verification } });

  assert.equal(status, 204);
  const { body } = await logIn(email);
  const session = String(body.session_token);
  assert.equal((await service.get("/v1/account/usage", { session })).status, 200);
});

test("required verification: a confirmed password reset verifies the email too", async () => {
  const [, email] = emails;
  assertNotVerified(await logIn(email));

  const json = { token: reset, password: NEW };
  assert.equal((await service.post("/v1/auth/password-reset/confirm", { json })).status, 204);

  assert.equal((await logIn(email, NEW)).status, 200);
  assertFailure(await logIn(email), 401, "unauthorized");
});

test("required verification: a log-in that returns 403 counts against the auth limit", async () => {
  await using own = await startService({ config: { ...required.config, authCallsPerWindow: 3 } });
  const json = { email: "ada@example.org", password: PASSWORD };
  await own.post("/v1/auth/register", { json });

  assertNotVerified(await logIn(json.email, PASSWORD, own));
  assertNotVerified(await logIn(json.email, PASSWORD, own));
  assertFailure(await logIn(json.email, PASSWORD, own), 429, "too_many_requests");
});

test("required verification: existing sessions and keys stay valid; the next log-in returns 403", async () => {
  await using before = await startService();
  const { dataDirectory } = before;
  const { session, apiKey } = await before.newCustomer("ada@example.org");

  await using own = await startService({ ...required, dataDirectory });

  assert.equal((await own.get("/v1/account/usage", { session })).status, 200);
  assert.equal((await own.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
  assertNotVerified(await logIn("ada@example.org", PASSWORD, own));
  assert.equal(sessions(own).length, 1);
});
