import assert from "node:assert/strict";
import dns from "node:dns";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import tls from "node:tls";
import { CERTIFICATE_FILE, playSmtp } from "../../support/fake-smtp-server.ts";
import { ACCOUNT, failureAt, mailerTo, never, newMail, sendTo } from "./outgoing.ts";
import { portOf, wiretap } from "./tcp-recorder.ts";

/** Makes this process trust further certificates until disposed. */
function trust(...certificates: string[]): Disposable {
  const usual = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...usual, ...certificates]);
  return { [Symbol.dispose]: () => tls.setDefaultCACertificates(usual) };
}

const trustPlayedServer = () => trust(readFileSync(CERTIFICATE_FILE, "utf8"));

test("the mailer uses TLS when the server offers it and its certificate is trusted", async () => {
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

test("with smtps: the connection is encrypted from the first byte", async () => {
  using _ = trustPlayedServer();
  await using smtp = await playSmtp();
  await using tap = await wiretap(smtp.port);
  const key = readFileSync(CERTIFICATE_FILE.replace("cert.pem", "key.pem"));
  await using front = await wiretap(tap.port, { key, cert: readFileSync(CERTIFICATE_FILE) });
  await using outside = await wiretap(front.port);
  await sendTo(`smtps://localhost:${outside.port}`);

  assert.equal(smtp.received.length, 1);
  assert.match(tap.heard(), /MAIL FROM/);
  assert.doesNotMatch(outside.heard(), /EHLO|MAIL|example/);
});

test("an untrusted certificate ends the attempt before any mail data is sent", async () => {
  await using smtp = await playSmtp({ startTls: true, account: ACCOUNT });
  await using tap = await wiretap(smtp.port);

  const error = await failureAt(`smtp://${ACCOUNT.user}:${ACCOUNT.password}@localhost:${tap.port}`);

  assert.equal(error.isRejected, false);
  assert.match(error.message, /certificate/);
  assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);
  assert.match(tap.heard(), /^EHLO [^\r]*\r\nSTARTTLS\r\n/);
  assert.doesNotMatch(tap.heard(), /AUTH|MAIL|RCPT|example/);
});

// 0.0.0.0 leads to this machine but is not a loopback address: it represents another host.
test("a trusted certificate for another name ends the attempt", async () => {
  using _ = trustPlayedServer();
  await using smtp = await playSmtp({ startTls: true });

  const error = await failureAt(`smtp://0.0.0.0:${smtp.port}`);

  assert.match(error.message, /certificate/);

  assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);
});

for (const [user, host] of [
  [`${ACCOUNT.user}:${ACCOUNT.password}@`, "0.0.0.0"],
  ["", "0.0.0.0"],
  ["", "[::ffff:0.0.0.0]"],
] as const) {
  test(`without TLS the mailer sends neither password nor mail to ${user}${host}`, async () => {
    await using smtp = await playSmtp(user === "" ? {} : { account: ACCOUNT });
    await using tap = await wiretap(smtp.port);
    const error = await failureAt(`smtp://${user}${host}:${tap.port}`);

    assert.equal(error.isRejected, false);
    assert.match(error.message, /does not offer TLS.*Use smtps:.*requireTLS=false/);
    assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);
    assert.match(tap.heard(), /^EHLO [^\r]*\r\nSTARTTLS\r\n(?:QUIT\r\n)?$/);
  });
}

test("a remote server that does not support EHLO gets no mail", async () => {
  await using server = createServer((socket) => {
    socket.on("error", () => undefined).write("220 old\r\n");
    socket.on("data", (bytes) => {
      heard += bytes.toString("latin1");
      socket.write("502 unknown\r\n");
    });
  });
  let heard = "";
  const error = await failureAt(`smtp://0.0.0.0:${await portOf(server)}`);

  assert.match(error.message, /does not offer TLS/);
  assert.doesNotMatch(heard, /HELO|MAIL|example/);
});

test("every spelling of loopback works without TLS and without a DNS query", async (t) => {
  await using smtp = await playSmtp();
  const resolve = t.mock.method(dns.Resolver.prototype, "resolve4");
  const hosts = ["localhost", "LOCALHOST", "127.0.0.1", "127.1"];
  for (const host of hosts) {
    await sendTo(`smtp://${host}:${smtp.port}`);
  }
  assert.equal(smtp.received.length, hosts.length);
  assert.equal(resolve.mock.callCount(), 0);
});

for (const option of ["requireTLS=false", "ignoreTLS=true"]) {
  test(`with ${option} in SMTP_URL the mailer sends clear text to another machine`, async () => {
    await using smtp = await playSmtp();
    using mailer = mailerTo(`smtp://0.0.0.0:${smtp.port}?${option}`);

    await mailer.send(newMail(), never);

    assert.deepEqual(
      smtp.received.map(({ wasEncrypted }) => wasEncrypted),
      [false],
    );
  });
}

test("with requireTLS=true even a server on loopback must offer TLS", async () => {
  await using smtp = await playSmtp();

  const error = await failureAt(`smtp://127.0.0.1:${smtp.port}?requireTLS=true`);

  assert.match(error.message, /does not offer TLS/);
  assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);
});
