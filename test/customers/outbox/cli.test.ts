import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { emptyStore } from "../../platform/storage/stored.ts";
import { kurs } from "../../support/command-line.ts";
import { CERTIFICATE_FILE, playSmtp } from "../../support/fake-smtp-server.ts";
import { eventually, mailsIn } from "../../support/mails.ts";
import { type Ended, kurs as kursProcess, temporaryDirectory } from "../../support/process.ts";
import { startService, type TestService, trustClock } from "../../support/service.ts";

const EMAIL = "ada@example.org";
const ACCOUNT = { user: "kurs", password: "sesame-42" };
const DAY_MS = 24 * 60 * 60_000;

/** Asserts that the output contains no password, neither plain nor in base64. */
function assertNoPassword({ stdout, stderr }: Ended): void {
  const encoded = Buffer.from(ACCOUNT.password).toString("base64").replace(/=+$/, "");
  for (const text of [stdout, stderr]) {
    assert.ok(!text.includes(ACCOUNT.password) && !text.includes(encoded), text);
  }
}

/** Asserts that a test mail was not sent and that one line gives the reason. */
function assertNotSent(ended: Ended, reason: RegExp): void {
  const { exitCode, stdout, stderr } = ended;
  assert.deepEqual([exitCode, stdout], [1, ""], stderr);
  assert.match(stderr, /^kurs: not sent to ada@example\.org: [^\p{Cc}]+\n$/u);
  assert.match(stderr, reason);
  assertNoPassword(ended);
}

/** Registers an email and waits until a column of its mail is set. */
async function register(service: TestService, email: string, column: string): Promise<void> {
  const json = { email, password: "correct horse battery" };
  assert.equal((await service.post("/v1/auth/register", { json })).status, 201);
  await reach(service, email, column);
}

const reach = (service: TestService, email: string, column: string) =>
  eventually(`${column} of the mail to ${email}`, () => {
    const [mail] = service.query(
      "SELECT m.* FROM mails m JOIN accounts a ON a.id = m.account_id WHERE a.email = ?",
      email,
    );
    return mail?.[column] ?? undefined;
  });

suite("kurs mail list", { concurrency: 2 }, () => {
  test("the command reports an empty outbox, and prints [] as JSON", async () => {
    await using directory = await emptyStore();
    const here = { dataDirectory: directory.path };
    const outputs = [
      [["mail", "list"], "No mail waits, and none was given up.\n"],
      [["mail", "list", "--all"], "There are no mails.\n"],
      [["mail", "list", "--json"], "[]\n"],
      [["mail", "list", "--all", "--json"], "[]\n"],
    ] as const;
    for (const [args, output] of outputs) {
      const { exitCode, stdout, stderr } = await kurs(args, here);
      assert.deepEqual([exitCode, stdout, stderr], [0, output, ""]);
    }
  });

  test("the command lists waiting and given-up mails with their errors and without secrets", async () => {
    await using smtp = await playSmtp({ account: ACCOUNT });
    await using service = await startService({ config: { smtpUrl: smtp.url } });
    const here = { dataDirectory: service.dataDirectory };
    await register(service, "delivered@example.org", "delivered_at");
    smtp.behave({ reject: "RCPT", code: 451, message: "mailbox is busy" });
    await register(service, "given-up@example.org", "last_error");
    service.clock.advanceMs(DAY_MS);
    trustClock(service);
    await reach(service, "given-up@example.org", "given_up_at");
    await register(service, "waiting@example.org", "last_error");
    const secrets = [
      ...service.query("SELECT token AS secret FROM mails WHERE token IS NOT NULL"),
      ...service.query("SELECT token_hash AS secret FROM mail_tokens"),
      { secret: ACCOUNT.password },
    ].map(({ secret }) => String(secret));
    assert.equal(secrets.length, 5);

    const table = await kurs(["mail", "list"], here);
    const all = await kurs(["mail", "list", "--all"], here);
    const json = await kurs(["mail", "list", "--json"], here);
    const allJson = await kurs(["mail", "list", "--all", "--json"], here);

    for (const { exitCode, stdout, stderr } of [table, all, json, allJson]) {
      assert.deepEqual([exitCode, stderr], [0, ""]);
      for (const secret of secrets) assert.ok(!stdout.includes(secret), stdout);
    }
    const [heading, ...rows] = table.stdout.trimEnd().split("\n");
    assert.match(heading ?? "", /^CREATED +KIND +TO +STATE +TRIES +NEXT TRY +LAST ERROR$/);
    assert.equal(rows.length, 2);
    const error = /Can't send mail.*451 .*mailbox is busy$/;
    for (const [row, start] of [
      [rows[0], /^2026-11-21T12:00:00\.000Z +verification +given-up@\S+ +given up +2 +Can't/],
      [rows[1], /^2026-11-22T12:00:00\.000Z +verification +waiting@\S+ +waiting +1 +2026-11-22T/],
    ] as const) {
      assert.match(row ?? "", start);
      assert.match(row ?? "", error);
    }
    const [, delivered, ...others] = all.stdout.trimEnd().split("\n");
    assert.match(delivered ?? "", / verification +delivered@example\.org +delivered +1$/);
    assert.equal(others.length, 2);

    const states = (text: string) =>
      (JSON.parse(text) as Record<string, unknown>[]).map(({ email, state }) => [email, state]);
    const undelivered = [
      ["given-up@example.org", "given up"],
      ["waiting@example.org", "waiting"],
    ];
    assert.deepEqual(states(json.stdout), undelivered);
    assert.deepEqual(states(allJson.stdout), [
      ["delivered@example.org", "delivered"],
      ...undelivered,
    ]);
    const { id, last_error, next_attempt_at, ...waiting } = JSON.parse(json.stdout)[1];
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(last_error, error);
    assert.match(next_attempt_at, /^2026-11-22T12:00:/);
    const times = { created_at: "2026-11-22T12:00:00.000Z", delivered_at: null, given_up_at: null };
    const about = { kind: "verification", email: "waiting@example.org", state: "waiting" };
    assert.deepEqual(waiting, { ...about, ...times, attempts: 1 });
  });
});

suite("kurs mail test", { concurrency: 4 }, () => {
  test("without SMTP_URL the command writes the test mail to a file and prints its path", async () => {
    await using directory = await temporaryDirectory();

    const ended = await kurs(["mail", "test", ` ${EMAIL} `], { dataDirectory: directory.path });

    assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
    const [name, ...rest] = await readdir(join(directory.path, "mail"));
    assert.deepEqual(rest, []);
    const file = join(directory.path, "mail", String(name));
    assert.equal(ended.stdout, `sent to ${EMAIL}: ${file}\n`);
    const [mail] = await mailsIn(directory.path);
    assert.equal(mail?.to?.[0]?.address, EMAIL);
    assert.equal(mail?.subject, "A test mail from Kurs");
    assert.doesNotMatch(`${mail?.text}${mail?.html}`, /:\/\/|token/);
    assert.deepEqual(await readdir(directory.path), ["mail"]);
  });

  const senders = [
    [{}, "Kurs", "kurs@localhost"],
    [{ PUBLIC_URL: "https://rates.example.org:8443/kurs/" }, "Kurs", "kurs@rates.example.org"],
    [{ PUBLIC_URL: "http://[::1]:8080" }, "Kurs", "kurs@[ipv6:::1]"],
    [{ MAIL_FROM: "Kürs für alle <mail@example.org>" }, "Kürs für alle", "mail@example.org"],
    [{ MAIL_FROM: "mail@example.org", PUBLIC_URL: "https://a.example" }, "", "mail@example.org"],
  ] as const;

  test("mail is from MAIL_FROM, or from kurs at PUBLIC_URL's host", async () => {
    for (const [env, name, address] of senders) {
      await using directory = await temporaryDirectory();
      await kurs(["mail", "test", EMAIL], { dataDirectory: directory.path, env });
      const [mail] = await mailsIn(directory.path);
      assert.deepEqual(mail?.from, { name, address });
    }
  });

  test("with SMTP_URL the command sends the mail to the server and prints its reply", async () => {
    await using smtp = await playSmtp({ account: ACCOUNT });
    await using directory = await temporaryDirectory();
    const env = { SMTP_URL: smtp.url };

    const ended = await kurs(["mail", "test", EMAIL], { dataDirectory: directory.path, env });

    assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
    assert.match(ended.stdout, /^sent to ada@example\.org: 250 .*taken\n$/);
    assertNoPassword(ended);
    assert.deepEqual(
      smtp.received.map(({ to, user, mail }) => [to, user, mail.subject]),
      [[[EMAIL], ACCOUNT.user, "A test mail from Kurs"]],
    );
    assert.deepEqual(await readdir(directory.path), []);
  });

  test("NODE_EXTRA_CA_CERTS makes a server's own certificate trusted", async () => {
    await using smtp = await playSmtp({ account: ACCOUNT, startTls: true });
    const env = { SMTP_URL: smtp.url, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE };

    const { exitCode, stderr } = await kursProcess(["mail", "test", EMAIL], { env });

    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(
      smtp.received.map(({ wasEncrypted }) => wasEncrypted),
      [true],
    );
  });

  test("the command reports an unusable server in one line and exits with 1", async () => {
    const stopped = await playSmtp({ account: ACCOUNT });
    await stopped[Symbol.asyncDispose]();
    const unreachable = await kurs(["mail", "test", EMAIL], { env: { SMTP_URL: stopped.url } });
    assertNotSent(unreachable, new RegExp(`ECONNREFUSED 127\\.0\\.0\\.1:${stopped.port}\\n`));

    await using strict = await playSmtp({ account: { user: "kurs", password: "another" } });
    const url = `smtp://${ACCOUNT.user}:${ACCOUNT.password}@127.0.0.1:${strict.port}`;
    const wrong = await kurs(["mail", "test", EMAIL], { env: { SMTP_URL: url } });
    assertNotSent(wrong, /535/);

    assert.deepEqual(strict.received, []);
  });

  test("the command reports a data directory that cannot be written in one line", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, "mail"), "mine");
    const ended = await kurs(["mail", "test", EMAIL], { dataDirectory: directory.path });
    assertNotSent(ended, /mail/);
  });

  test("the command rejects an address with control characters and writes no mail", async () => {
    await using directory = await temporaryDirectory();
    for (const email of ['"a\r\nBcc: eve"@example.org', '"a\x1b[2Jb"@example.org']) {
      const { exitCode, stdout, stderr } = await kurs(["mail", "test", email], {
        dataDirectory: directory.path,
      });
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.match(stderr, /^kurs: [^\p{Cc}]+ is not an email address\n$/u);
    }
    assert.deepEqual(await readdir(directory.path), []);
  });
});
