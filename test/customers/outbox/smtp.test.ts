import assert from "node:assert/strict";
import dns from "node:dns";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import tls from "node:tls";
import type { OutgoingMail } from "../../../src/customers/outbox/store.ts";
import { CERTIFICATE_FILE, playSmtp } from "../../support/fake-smtp-server.ts";
import { eventually, tokenOf } from "../../support/mails.ts";
import {
  ACCOUNT,
  failureAt,
  mailerTo,
  never,
  newMail,
  PUBLIC_URL,
  sendTo,
  TOKEN,
  toFailure,
} from "./outgoing.ts";
import { portOf, wiretap } from "./tcp-recorder.ts";

type Smtp = Awaited<ReturnType<typeof playSmtp>>;

const idsIn = (smtp: Smtp) => smtp.received.map(({ mail }) => mail.messageId);

const idOf = ({ id }: OutgoingMail) => `<${id}@example.org>`;

test("a plain SMTP server receives the mail unchanged, and send returns its reply", async () => {
  await using smtp = await playSmtp();
  using mailer = mailerTo(smtp.url);
  const sent = newMail();

  const reply = await mailer.send(sent, never);

  assert.match(reply, /^250 .*taken/);
  const [arrived, ...rest] = smtp.received;
  assert.ok(arrived !== undefined);
  assert.deepEqual(rest, []);
  assert.deepEqual([arrived.from, arrived.to], ["kurs@example.org", ["ada@example.org"]]);
  assert.deepEqual([arrived.wasEncrypted, arrived.user], [false, undefined]);
  assert.deepEqual(arrived.mail.from, { name: "Kürs", address: "kurs@example.org" });
  assert.deepEqual(arrived.mail.to, [{ name: "", address: "ada@example.org" }]);
  assert.equal(arrived.mail.messageId, `<${sent.id}@example.org>`);
  assert.equal(arrived.mail.date, "2026-11-21T12:00:00.000Z");
  assert.equal(arrived.mail.subject, "Confirm your email for Kurs");
  assert.equal(tokenOf(arrived.mail), TOKEN);
  assert.ok(arrived.mail.html?.includes(`href="${PUBLIC_URL}/verify#token=${TOKEN}"`));
});

for (const account of [ACCOUNT, { user: "kurs@example.org", password: "p@ss:w/rd?#%ü" }]) {
  test(`the mailer logs in as ${account.user} to a server on loopback even without TLS`, async () => {
    await using smtp = await playSmtp({ account });
    const [user, password] = [account.user, account.password].map(encodeURIComponent);
    await sendTo(`smtp://${user}:${password}@127.0.0.1:${smtp.port}`);

    assert.deepEqual([smtp.received.length, smtp.received[0]?.user], [1, account.user]);
  });
}

const ADDRESS = "ADA@EXAMPLE.ORG unknown, <Ada@Example.org> or ada@example.org";
const REDACTED = /550 <recipient> unknown, <<recipient>> or <recipient>$/;

/** Rejections of a server, and the error of each. */
const rejections = [
  ["a wrong password", { account: { user: "kurs", password: "another" } }, undefined, /535/, false],
  ["a reply with the recipient's address, in any case", {}, ADDRESS, REDACTED, true],
  ["a long reply, of which 300 characters are kept", {}, "x".repeat(400), /^.*550 x+$/, true],
] as const;

for (const [what, options, message, pattern, isRejected] of rejections) {
  test(`${what} is a failure, and nothing is received`, async () => {
    await using smtp = await playSmtp(options);
    if (message !== undefined) smtp.behave({ reject: "RCPT", code: 550, message });
    const error = await failureAt(
      `smtp://${ACCOUNT.user}:${ACCOUNT.password}@127.0.0.1:${smtp.port}`,
    );
    assert.equal(error.isRejected, isRejected);
    assert.match(error.message, pattern);
    assert.doesNotMatch(error.message, /ada@/i);
    if (message?.startsWith("x")) assert.equal(error.message.length, 300);
    assert.deepEqual([smtp.received, smtp.attempts()], [[], isRejected ? 1 : 0]);
  });
}

for (const reject of ["RCPT", "DATA"] as const) {
  for (const [code, message, isRejected] of [
    [451, "come back later", false],
    [550, "no such user here", true],
  ] as const) {
    test(`a ${code} reply to ${reject} is a ${isRejected ? "permanent" : "temporary"} failure, after which the same mail and others can be sent`, async () => {
      await using smtp = await playSmtp();
      using mailer = mailerTo(smtp.url);
      const mails = [newMail(), newMail()] as const;
      smtp.behave({ reject, code, message });

      const error = await toFailure(mailer.send(mails[0], never));
      assert.equal(error.isRejected, isRejected);
      assert.match(error.message, new RegExp(`${code} .*${message}`));
      assert.deepEqual([smtp.received, smtp.attempts()], [[], 1]);

      smtp.behave("accept");
      for (const mail of mails) await mailer.send(mail, never);
      assert.deepEqual(idsIn(smtp), mails.map(idOf));
      assert.equal(smtp.attempts(), 3);
    });
  }
}

test("a connection that breaks during a mail counts as one attempt and delivers no partial mail", async () => {
  await using smtp = await playSmtp();
  using mailer = mailerTo(smtp.url);
  smtp.behave("drop in DATA");

  const error = await toFailure(mailer.send(newMail(), never));

  assert.equal(error.isRejected, false);
  assert.deepEqual([smtp.received, smtp.attempts()], [[], 1]);
  smtp.behave("accept");
  const next = newMail();
  await mailer.send(next, never);
  assert.deepEqual(idsIn(smtp), [idOf(next)]);
  assert.equal(smtp.attempts(), 2);
});

test("the mailer reconnects to a restarted server and sends the same mail", async () => {
  const first = await playSmtp();
  using mailer = mailerTo(first.url);
  await mailer.send(newMail(), never);
  await first[Symbol.asyncDispose]();

  await using second = await playSmtp({ port: first.port });
  const late = newMail();
  await eventually("mail", () => mailer.send(late, never).catch(() => undefined));

  assert.deepEqual(idsIn(second), [idOf(late)]);
});

test("a server that is away, hangs up or speaks no SMTP is tried once, and named in one line", async () => {
  const stopped = await playSmtp({ account: ACCOUNT });
  await stopped[Symbol.asyncDispose]();
  const away = await failureAt(stopped.url);
  assert.ok(away.message.includes(`127.0.0.1:${stopped.port}`), away.message);

  let greeting = "";
  let calls = 0;
  await using server = createServer((socket) => {
    calls += 1;
    socket.on("error", () => undefined).end(greeting);
  });
  const url = `smtp://127.0.0.1:${await portOf(server)}`;
  const silent = await failureAt(url);
  assert.equal(calls, 1);
  greeting = "554-go\x1b[2J\x07 away\r\n554 \u009bnow\r\n";
  const foreign = await failureAt(url);
  assert.match(foreign.message, /554.*away/);
  for (const error of [away, silent, foreign]) assert.equal(error.isRejected, false);
});

test("an aborted send ends at once, one that was aborted before sends nothing, and neither mail arrives later", {
  timeout: 120_000,
}, async () => {
  await using smtp = await playSmtp();
  using mailer = mailerTo(smtp.url);
  smtp.behave("hang in DATA");
  const stop = new AbortController();
  const sending = toFailure(mailer.send(newMail(), stop.signal));
  await eventually("recipient", () => smtp.attempts() || undefined);

  stop.abort(new Error("Kurs stopped"));

  for (const aborted of [sending, toFailure(mailer.send(newMail(), stop.signal))]) {
    const error = await aborted;
    assert.deepEqual([error.message, error.isRejected], ["Kurs stopped", false]);
  }
  assert.deepEqual([smtp.received, smtp.attempts()], [[], 1]);
  smtp.behave("accept");
  const next = newMail();
  await mailer.send(next, never);
  assert.deepEqual(idsIn(smtp), [idOf(next)]);
});

test("sequential mails share one connection, and concurrent mails at most five more", async () => {
  await using smtp = await playSmtp();
  await using tap = await wiretap(smtp.port);
  using mailer = mailerTo(`smtp://127.0.0.1:${tap.port}`);

  for (let count = 0; count < 5; count += 1) await mailer.send(newMail(), never);
  assert.equal(tap.connections(), 1);

  await Promise.all(Array.from({ length: 20 }, () => mailer.send(newMail(), never)));
  assert.ok(tap.connections() <= 6, `${tap.connections()} connections`);
  assert.equal(new Set(smtp.received.map(({ mail }) => mail.messageId)).size, 25);
});

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

// 0.0.0.0 leads to this machine but is not a loopback address: it represents another host.
for (const [what, host, isTrusted] of [
  ["an untrusted certificate", "localhost", false],
  ["a trusted certificate for another name", "0.0.0.0", true],
] as const) {
  test(`${what} ends the attempt before any mail data is sent`, async () => {
    using _ = isTrusted ? trustPlayedServer() : undefined;
    await using smtp = await playSmtp({ startTls: true, account: ACCOUNT });
    await using tap = await wiretap(smtp.port);

    const error = await failureAt(`smtp://${ACCOUNT.user}:${ACCOUNT.password}@${host}:${tap.port}`);

    assert.equal(error.isRejected, false);
    assert.match(error.message, /certificate/);
    assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);
    assert.match(tap.heard(), /^EHLO [^\r]*\r\nSTARTTLS\r\n/);
    assert.doesNotMatch(tap.heard(), /AUTH|MAIL|RCPT|example/);
  });
}

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
