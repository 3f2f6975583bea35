import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

const LOGIN = "/v1/auth/login";
const EMAIL = "ada@example.org";
const PASSWORD = "correct horse battery";
const MESSAGE = "Email or password is incorrect.";

const service = await startSharedService();
await service.openSession(EMAIL);

const sessionCount = () => service.query("SELECT count(*) AS sessions FROM sessions")[0]?.sessions;

const logIn = (email: string, password = PASSWORD) =>
  service.post(LOGIN, { json: { email, password } });

test("login: a wrong password returns 401 and opens no session", async () => {
  const before = sessionCount();

  const answer = await logIn(EMAIL, "incorrect horse battery");

  assertFailure(answer, 401, "unauthorized", MESSAGE);
  assert.equal(answer.headers["www-authenticate"], 'Session realm="kurs"');
  assert.equal(sessionCount(), before);
});

test("login: an unknown email gets the same response as a wrong password, except for the request id", async () => {
  const wrong = await logIn(EMAIL, "incorrect horse battery");
  const unknown = await logIn("nobody@example.org", "incorrect horse battery");

  assertFailure(unknown, 401, "unauthorized", MESSAGE);
  const comparable = ({ body, headers }: typeof wrong) => {
    const { request_id: _, ...members } = body;
    const { "x-request-id": __, date: ___, ...rest } = headers;
    return { members, rest };
  };
  assert.deepEqual(comparable(unknown), comparable(wrong));
});

test("login: the server trims and lower-cases the email but not the password", async () => {
  assert.equal((await logIn(" ADA@Example.ORG\n")).status, 200);

  for (const other of [` ${PASSWORD}`, `${PASSWORD} `, PASSWORD.toUpperCase()]) {
    assertFailure(await logIn(EMAIL, other), 401, "unauthorized", MESSAGE);
  }
});

test("login: a text that no password can be, or the stored hash, is a wrong password", async () => {
  const [stored] = service.query("SELECT password_hash AS h FROM accounts");
  for (const password of ["", "short", "k".repeat(300), "password1", String(stored?.h)]) {
    assertFailure(await logIn(EMAIL, password), 401, "unauthorized", MESSAGE);
  }
});
