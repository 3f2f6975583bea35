import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import tls from "node:tls";
import { CERTIFICATE_FILE, playSmtp } from "../support/played-smtp.ts";
import { ACCOUNT, failureOf, mailerTo, never, newMail } from "./outgoing.ts";
import { wiretap } from "./wiretap.ts";

/** Certificates that this process trusts beside the usual ones, until it is disposed of. */
function trust(...certificates: string[]): Disposable {
  const usual = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...usual, ...certificates]);
  return { [Symbol.dispose]: () => tls.setDefaultCACertificates(usual) };
}

const trustPlayedServer = () => trust(readFileSync(CERTIFICATE_FILE, "utf8"));

test("TLS is used when the server offers it and its certificate is trusted", async () => {
  using _ = trustPlayedServer();
  await using smtp = await playSmtp({ startTls: true, account: ACCOUNT });
  await using tap = await wiretap(smtp.port);
  using mailer = mailerTo(`smtp://${ACCOUNT.user}:${ACCOUNT.password}@localhost:${tap.port}`);

  await mailer.send(newMail(), never);

  assert.deepEqual(
    smtp.received.map(({ wasEncrypted, user }) => [wasEncrypted, user]),
    [[true, ACCOUNT.user]],
  );
  assert.match(tap.heard(), /^EHLO [^\r]*\r\nSTARTTLS\r\n/);
  assert.doesNotMatch(tap.heard(), /AUTH|MAIL|example/);
});

test("with smtps: all is encrypted from the first byte on", async () => {
  using _ = trustPlayedServer();
  await using smtp = await playSmtp();
  await using tap = await wiretap(smtp.port);
  const key = readFileSync(CERTIFICATE_FILE.replace("cert.pem", "key.pem"));
  await using front = await wiretap(tap.port, { key, cert: readFileSync(CERTIFICATE_FILE) });
  await using outside = await wiretap(front.port);
  using mailer = mailerTo(`smtps://localhost:${outside.port}`);

  await mailer.send(newMail(), never);

  assert.equal(smtp.received.length, 1);
  assert.match(tap.heard(), /MAIL FROM/);
  assert.doesNotMatch(outside.heard(), /EHLO|MAIL|example/);
});

test("a certificate that is not trusted ends the attempt before anything is said", async () => {
  await using smtp = await playSmtp({ startTls: true, account: ACCOUNT });
  await using tap = await wiretap(smtp.port);
  using mailer = mailerTo(`smtp://${ACCOUNT.user}:${ACCOUNT.password}@localhost:${tap.port}`);

  const error = await failureOf(mailer.send(newMail(), never));

  assert.equal(error.isRefused, false);
  assert.match(error.message, /certificate/);
  assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);
  assert.match(tap.heard(), /^EHLO [^\r]*\r\nSTARTTLS\r\n/);
  assert.doesNotMatch(tap.heard(), /AUTH|MAIL|RCPT|example/);
});

// 0.0.0.0 leads to this machine, but does not say so: it stands for any other host.
test("a certificate of another name ends the attempt, though it is trusted", async () => {
  using _ = trustPlayedServer();
  await using smtp = await playSmtp({ startTls: true });
  using mailer = mailerTo(`smtp://0.0.0.0:${smtp.port}`);

  const error = await failureOf(mailer.send(newMail(), never));

  assert.match(error.message, /certificate/);

  assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);
});

test("a password is sent to no other machine without TLS, and neither is the mail", async () => {
  await using smtp = await playSmtp({ account: ACCOUNT });
  await using tap = await wiretap(smtp.port);
  {
    using mailer = mailerTo(`smtp://${ACCOUNT.user}:${ACCOUNT.password}@0.0.0.0:${tap.port}`);
    const error = await failureOf(mailer.send(newMail(), never));
    assert.equal(error.isRefused, false);
    assert.match(error.message, /TLS/);
  }
  assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);
  assert.match(tap.heard(), /^EHLO /);
  assert.doesNotMatch(tap.heard(), /AUTH|MAIL|RCPT|example/);
});
