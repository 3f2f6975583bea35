import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoSecrets } from "../support/log-secrets.ts";

// When a server of a test ends, test/support/service.ts and process.ts check its whole log for
// secrets. This file tests that check.

const secretLines = [
  `{"msg":"key svc_live_${"3f".repeat(32)}"}`,
  `{"msg":"session SVC_SESS_${"3F".repeat(8)}"}`,
  `{"url":"https://rates.example.org/verify#token=${"3f".repeat(32)}"}`,
  `{"token":"${"3f".repeat(32)}"}`,
  '{"url":"postgres://kurs:hunter2@db.example.org/kurs"}',
  '{"url":"smtps://user:hunter2@mail.example.org"}',
  '{"password":"correct horse battery"}',
  '{"hash":"$argon2id$v=19$m=19456"}',
];

for (const line of secretLines) {
  test(`the log check finds the secret in ${line.slice(0, 40)}`, () => {
    const log = `{"msg":"before"}\n${line}\n{"msg":"after"}\n`;
    assert.throws(
      () => assertNoSecrets(log),
      (error: Error) => error.message.includes(line),
    );
  });
}

test("the log check accepts lines without secrets", () => {
  assertNoSecrets(
    '{"key":"svc_live_3f3f3f3f","url":"postgres://db.example.org:5432/kurs"}\n' +
      '{"request_id":"01a1fc78-6d10-7638-b14c-f8c565c0a0c9","url":"http://127.0.0.1:8080"}\n',
  );
});
