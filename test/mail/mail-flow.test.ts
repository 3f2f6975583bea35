import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { playSmtp, type ReceivedMail } from "../support/fake-smtp-server.ts";
import { eventually, tokenOf } from "../support/mails.ts";
import { temporaryDirectory } from "../support/process.ts";
import { startService, TestClock, type TestService } from "../support/service.ts";

const EMAIL = "ada@example.org";
const PASSWORD = "correct horse battery";
const NEW = "quite another passphrase";
const PUBLIC_URL = "https://rates.example.org/kurs";
const PLAY = { user: "kurs", password: "s3cret-of-smtp" };
const BEYOND_BACKOFF_MS = 60_000;

type Smtp = Awaited<ReturnType<typeof playSmtp>>;

const register = (service: TestService) =>
  service.post("/v1/auth/register", { json: { email: EMAIL, password: PASSWORD } });

const logIn = (service: TestService, password: string) =>
  service.post("/v1/auth/login", { json: { email: EMAIL, password } });

const arrival = (smtp: Smtp, number = 1): Promise<ReceivedMail> =>
  eventually(`mail ${number}`, () => smtp.received[number - 1]);

/** Waits for the log line of a failed delivery. */
const failure = (service: TestService): Promise<string> =>
  eventually("line of a failed delivery", () =>
    service.logLines.find((line) => line.includes("a mail could not be delivered")),
  );

/** Asserts that the mail's link verifies the email. */
async function assertVerifies(service: TestService, { mail, to }: ReceivedMail): Promise<void> {
  assert.deepEqual(to, [EMAIL]);
  const json = { token: tokenOf(mail) };
  assert.equal((await service.post("/v1/auth/verification", { json })).status, 204);
  const [account] = service.query("SELECT email_verified_at FROM accounts");
  assert.notEqual(account?.email_verified_at, null);
}

/** Asserts that text and HTML of a mail contain only one link, the given one. */
function assertOneLink({ mail }: ReceivedMail, address: string): void {
  assert.deepEqual((mail.text ?? "").match(/https?:\S+/g), [address]);
  const html = mail.html ?? "";
  assert.deepEqual(
    [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target),
    [address],
  );
  assert.equal(html.match(/https?:/g)?.length, 1);
}

suite("mail flow", { concurrency: 4 }, () => {
  test("the mailed links lead from a registration to a new password", async () => {
    await using smtp = await playSmtp();
    const config = { smtpUrl: smtp.url, publicUrl: PUBLIC_URL };
    await using service = await startService({ config });
    assert.equal((await register(service)).body.email_verified, false);
    const first = await arrival(smtp);
    assertOneLink(first, `${PUBLIC_URL}/verify#token=${tokenOf(first.mail)}`);
    await assertVerifies(service, first);

    const session = String((await logIn(service, PASSWORD)).body.session_token);
    await service.post("/v1/auth/password-reset", { json: { email: EMAIL } });
    const second = await arrival(smtp, 2);
    assertOneLink(second, `${PUBLIC_URL}/reset#token=${tokenOf(second.mail)}`);
    const json = { token: tokenOf(second.mail), password: NEW };
    assert.equal((await service.post("/v1/auth/password-reset/confirm", { json })).status, 204);

    const third = await arrival(smtp, 3);
    assert.doesNotMatch(third.raw, /https?:|#token|[0-9a-f]{64}/);
    assert.equal((await service.get("/v1/account/usage", { session })).status, 401);
    assert.equal((await logIn(service, PASSWORD)).status, 401);
    assert.equal((await logIn(service, NEW)).status, 200);
    assert.equal(smtp.received.length, 3);
  });

  test("a mail has one recipient and the configured sender, and is marked as auto-generated", async () => {
    await using smtp = await playSmtp();
    const mailFrom = { name: "Kurs", address: "post@rates.example.org" };
    await using service = await startService({ config: { smtpUrl: smtp.url, mailFrom } });
    await register(service);

    const { mail, from, to, wasEncrypted, user } = await arrival(smtp);

    assert.deepEqual([from, to, wasEncrypted, user], [mailFrom.address, [EMAIL], false, undefined]);
    assert.deepEqual([mail.from?.address, mail.from?.name], [mailFrom.address, "Kurs"]);
    assert.deepEqual([mail.to?.map(({ address }) => address), mail.cc ?? []], [[EMAIL], []]);
    const autoSubmitted = mail.headers.find(({ key }) => key === "auto-submitted");
    assert.equal(autoSubmitted?.value, "auto-generated");
    const [row] = service.query("SELECT id FROM mails");
    assert.equal(mail.messageId, `<${row?.id}@rates.example.org>`);
  });

  test("Kurs uses TLS when the server offers it", async () => {
    await using smtp = await playSmtp({ startTls: true, account: PLAY });
    const smtpUrl = `${smtp.url}?tls.rejectUnauthorized=false`;
    await using service = await startService({ config: { smtpUrl } });
    await register(service);

    const arrived = await arrival(smtp);

    assert.deepEqual([arrived.wasEncrypted, arrived.user], [true, "kurs"]);
    await assertVerifies(service, arrived);
  });

  test("a server with an untrusted certificate gets no mail, neither over TLS nor in clear text", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    await using smtp = await playSmtp({ startTls: true });
    const clock = new TestClock("2026-11-21T12:00:00.000Z");
    {
      const config = { smtpUrl: smtp.url };
      await using service = await startService({ dataDirectory, clock, config });
      await register(service);
      assert.match(await failure(service), /certificate/i);
    }
    assert.deepEqual([smtp.received, smtp.attempts()], [[], 0]);

    clock.advanceMs(BEYOND_BACKOFF_MS);
    const config = { smtpUrl: `${smtp.url}?tls.rejectUnauthorized=false` };
    await using service = await startService({ dataDirectory, clock, config });
    await assertVerifies(service, await arrival(smtp));
  });

  test("the log reports a wrong password without printing it; once it is right, the mail arrives", async () => {
    await using strict = await playSmtp({ account: { ...PLAY, password: "another" } });
    const smtpUrl = strict.url.replace("another", PLAY.password);
    await using service = await startService({ config: { smtpUrl } });
    await register(service);
    assert.match(await failure(service), /535/);
    assert.deepEqual([strict.received, strict.attempts()], [[], 0]);
    assert.ok(!service.logLines.join("").includes(PLAY.password));

    await strict[Symbol.asyncDispose]();
    await using smtp = await playSmtp({ port: strict.port, account: PLAY });
    service.clock.advanceMs(BEYOND_BACKOFF_MS);

    const arrived = await arrival(smtp);
    assert.equal(arrived.user, PLAY.user);
    await assertVerifies(service, arrived);
  });

  for (const stage of ["RCPT", "DATA"] as const) {
    test(`after a temporary rejection of ${stage} (451) the mail is sent again, and its link works`, async () => {
      await using smtp = await playSmtp();
      smtp.behave({ reject: stage, code: 451, message: "busy, try again later" });
      await using service = await startService({ config: { smtpUrl: smtp.url } });
      assert.equal((await register(service)).status, 201);
      assert.match(await failure(service), /451/);
      assert.deepEqual(smtp.received, []);

      smtp.behave("accept");
      service.clock.advanceMs(BEYOND_BACKOFF_MS);

      await assertVerifies(service, await arrival(smtp));
      assert.equal(smtp.attempts(), 2);
    });
  }

  test("a mail whose connection broke during DATA is sent again, and its link works", async () => {
    await using smtp = await playSmtp();
    smtp.behave("drop in DATA");
    await using service = await startService({ config: { smtpUrl: smtp.url } });
    await register(service);
    await failure(service);
    assert.deepEqual([smtp.received, smtp.attempts()], [[], 1]);

    smtp.behave("accept");
    service.clock.advanceMs(BEYOND_BACKOFF_MS);

    await assertVerifies(service, await arrival(smtp));
    assert.equal(smtp.attempts(), 2);
  });
});
