import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { playSmtp, type ReceivedMail } from "../../support/fake-smtp-server.ts";
import { eventually, tokenOf } from "../../support/mails.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { startService, TestClock, type TestService, trustClock } from "../../support/service.ts";

const EMAIL = "ada@example.org";
const WITNESS = "witness@example.org";
const PASSWORD = "correct horse battery";
const START = "2026-11-21T12:00:00.000Z";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Replies that contain the address, like those of real servers. */
const BUSY = { reject: "RCPT", code: 450, message: `<${EMAIL}>: mailbox busy` } as const;
const UNKNOWN = { reject: "RCPT", code: 550, message: `<${EMAIL}>: no such user` } as const;

type Smtp = Awaited<ReturnType<typeof playSmtp>>;

async function register(service: TestService, email = EMAIL): Promise<void> {
  const answer = await service.post("/v1/auth/register", { json: { email, password: PASSWORD } });
  assert.equal(answer.status, 201, answer.text);
}

const mailsTo = (smtp: Smtp, email: string) => smtp.received.filter(({ to }) => to[0] === email);

const arrival = (smtp: Smtp, email = EMAIL): Promise<ReceivedMail> =>
  eventually(`mail to ${email}`, () => mailsTo(smtp, email)[0]);

async function assertVerifies(service: TestService, { mail }: ReceivedMail): Promise<void> {
  const json = { token: tokenOf(mail) };
  assert.equal((await service.post("/v1/auth/verification", { json })).status, 204);
}

/** The row of the first mail. */
const firstMail = (service: TestService) => {
  const [row] = service.query("SELECT * FROM mails ORDER BY id");
  assert.ok(row !== undefined);
  return row;
};

/** Waits for the log line of the first mail's given attempt. */
const attempt = (service: TestService, attempts: number) =>
  eventually(`attempt ${attempts}`, () => {
    const lines = service.logLines.filter((line) => /"mail":"/.test(line));
    return lines.find((line) => line.includes(`"attempts":${attempts},`));
  });

/** Waits for the delivery of another mail, by which time every mail due earlier was tried. */
async function witness(service: TestService, smtp: Smtp): Promise<void> {
  await register(service, WITNESS);
  await arrival(smtp, WITNESS);
}

suite("outbox", { concurrency: 6 }, () => {
  test("while the mail server is down, mails wait and the service works normally", async () => {
    await using stopped = await playSmtp();
    await stopped[Symbol.asyncDispose]();
    await using service = await startService({ config: { smtpUrl: stopped.url } });
    const session = await service.openSession(EMAIL);
    assert.match(await attempt(service, 1), /ECONNREFUSED/);

    const { apiKey } = await service.createKey(session);
    assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
    for (const path of ["/v1/auth/verification/resend", "/v1/auth/password-reset"]) {
      const answer = await service.post(path, { json: { email: EMAIL } });
      assert.deepEqual([answer.status, answer.text], [202, "{}"]);
    }
    assert.equal((await service.get("/readyz")).status, 200);
    await eventually("failure of all three mails", () => {
      const failed = service.query("SELECT 1 FROM mails WHERE last_error IS NOT NULL");
      return failed.length === 3 || undefined;
    });

    await using smtp = await playSmtp({ port: stopped.port });
    service.clock.advanceMs(HOUR_MS / 2);
    const mails = await eventually("three mails", () =>
      smtp.received.length === 3 ? smtp.received : undefined,
    );
    const verification = mails.find(({ mail }) => mail.text?.includes("/verify#"));
    const reset = mails.find(({ mail }) => mail.text?.includes("/reset#"));
    assert.ok(verification !== undefined && reset !== undefined);
    await assertVerifies(service, verification);
    const json = { token: tokenOf(reset.mail), password: "quite another passphrase" };
    assert.equal((await service.post("/v1/auth/password-reset/confirm", { json })).status, 204);
  });

  test("after failures a mail is tried again in exactly 5, 10 and 20 s, and after a permanent rejection (550) in an hour", async () => {
    await using smtp = await playSmtp();
    smtp.behave(BUSY);
    await using service = await startService({ config: { smtpUrl: smtp.url } });
    await register(service);
    for (const [index, pauseMs] of [5000, 10_000, 20_000].entries()) {
      await attempt(service, index + 1);
      const next = new Date(service.clock.nowMs() + pauseMs).toISOString();
      assert.equal(firstMail(service).next_attempt_at, next);
      if (pauseMs === 20_000) smtp.behave(UNKNOWN);
      service.clock.advanceMs(pauseMs);
    }
    assert.match(await attempt(service, 4), /550/);
    assert.deepEqual([smtp.attempts(), smtp.received], [4, []]);

    smtp.behave("accept");
    service.clock.advanceMs(HOUR_MS - 1);
    await witness(service, smtp);
    assert.deepEqual([firstMail(service).attempts, mailsTo(smtp, EMAIL)], [4, []]);

    service.clock.advanceMs(1);
    await assertVerifies(service, await arrival(smtp));
  });

  test("a mail is given up after a day by a trusted clock: an error is logged, its token removed, and no attempt follows", async () => {
    await using smtp = await playSmtp();
    smtp.behave(BUSY);
    await using service = await startService({ config: { smtpUrl: smtp.url } });
    await register(service);
    await attempt(service, 1);
    service.clock.advanceMs(DAY_MS - 1);
    assert.match(await attempt(service, 2), /"level":"warn".*"nextAttemptAt"/);
    assert.match(String(firstMail(service).token), /^[0-9a-f]{64}$/);

    service.clock.advanceMs(10_000);
    assert.match(await attempt(service, 3), /"level":"warn".*"nextAttemptAt"/);
    // Only an hourly cleanup shows that the clock is right.
    trustClock(service);
    service.clock.advanceMs(HOUR_MS);
    const line = await attempt(service, 4);

    const { id, token, next_attempt_at, given_up_at, delivered_at } = firstMail(service);
    assert.deepEqual([token, next_attempt_at, delivered_at], [null, null, null]);
    assert.equal(given_up_at, new Date(service.clock.nowMs()).toISOString());
    const { level, mail, kind, msg } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    assert.deepEqual([level, mail, kind], ["error", id, "verification"]);
    assert.match(String(msg), /given up/);
    smtp.behave("accept");
    service.clock.advanceMs(2 * DAY_MS);
    await witness(service, smtp);
    assert.deepEqual([firstMail(service).attempts, mailsTo(smtp, EMAIL)], [4, []]);
  });

  test("a clock that is set back delays no mail until it is right again", async () => {
    await using smtp = await playSmtp();
    smtp.behave(BUSY);
    const clock = new TestClock(START);
    await using service = await startService({ clock, config: { smtpUrl: smtp.url } });
    await register(service);
    await attempt(service, 1);
    smtp.behave("accept");

    clock.advanceMs(-30 * DAY_MS);

    await arrival(smtp);
  });

  test("the log names each mail by id and kind, never by link, token or address", async () => {
    await using smtp = await playSmtp();
    await using service = await startService({ config: { smtpUrl: smtp.url } });
    const logged = (what: string, count: number) =>
      eventually(`line ${count} of: ${what}`, () => {
        const lines = service.logLines.filter((line) => line.includes(what));
        return lines.length === count || undefined;
      });
    for (const [index, refusal] of [BUSY, { ...UNKNOWN, reject: "DATA" as const }].entries()) {
      const email = `reader-${index}@example.org`;
      smtp.behave({ ...refusal, message: `<${email}>: Recipient not taken: ${email}` });
      await register(service, email);
      await logged("a mail could not be delivered", index + 1);
    }
    smtp.behave("accept");
    service.clock.advanceMs(HOUR_MS);
    await logged("a mail was delivered", 2);

    for (const { id, kind } of service.query("SELECT id, kind FROM mails")) {
      const own = service.logLines.filter((line) => line.includes(`"mail":"${id}"`));
      assert.equal(own.length, 2);
      for (const line of own) assert.ok(line.includes(`"kind":"${kind}"`), line);
    }
    const secrets = smtp.received.map(({ mail }) => tokenOf(mail));
    assert.equal(secrets.length, 2);
    for (const secret of [...secrets, "#token", "/verify", "reader-0", "reader-1"]) {
      const lines = service.logLines.filter((line) => line.includes(secret));
      assert.deepEqual(lines, [], secret);
    }
  });

  test("a mail whose server does not reply delays no other mail", async () => {
    await using smtp = await playSmtp();
    await using service = await startService({ config: { smtpUrl: smtp.url } });
    smtp.behave("hang in DATA");
    await register(service);
    await eventually("attempt", () => smtp.attempts() || undefined);
    smtp.behave("accept");

    await witness(service, smtp);

    assert.deepEqual(mailsTo(smtp, EMAIL), []);
    assert.equal(firstMail(service).delivered_at, null);
  });

  test("a shutdown during a hanging delivery ends in bounded time; the next start tries every waiting mail at once", {
    timeout: 120_000,
  }, async () => {
    await using directory = await temporaryDirectory();
    await using smtp = await playSmtp();
    const clock = new TestClock(START);
    const options = { dataDirectory: directory.path, clock, config: { smtpUrl: smtp.url } };
    const service = await startService(options);
    smtp.behave(UNKNOWN);
    await register(service);
    await attempt(service, 1);
    smtp.behave("hang in DATA");
    await register(service, WITNESS);
    await eventually("attempt", () => smtp.attempts() === 2 || undefined);

    // The mailer's own timeout is five minutes.
    await service[Symbol.asyncDispose]();

    smtp.behave("accept");
    clock.advanceMs(10_000);
    await using next = await startService(options);
    await assertVerifies(next, await arrival(smtp));
    await assertVerifies(next, await arrival(smtp, WITNESS));
    assert.deepEqual([smtp.attempts(), smtp.received.length], [4, 2]);
  });
});
