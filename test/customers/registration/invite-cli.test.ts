import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEvent } from "../../../src/platform/audit/rules.ts";
import { emptyStore } from "../../platform/storage/stored.ts";
import { contentsOfSqlite } from "../../platform/storage/used-store.ts";
import { assertFailure } from "../../support/assertions.ts";
import { engines, type ServiceOnEngine, startServiceOn } from "../../support/both-engines.ts";
import { PASSWORD } from "../../support/client.ts";
import { kurs, kursUnchecked } from "../../support/command-line.ts";
import { invitationTo, mailTo, tokenOf } from "../../support/mails.ts";
import { TestClock } from "../../support/service.ts";

const EMAIL = "ada@example.org";

/** With a mail server, a command prints no link. None listens here. */
const SMTP_URL = "smtp://127.0.0.1:9";
const WEEK_MS = 7 * 86_400_000;

/** Starts a server by the machine's clock, and runs commands on its store. */
async function startWithCommands(
  engine: (typeof engines)[number],
  registration: "open" | "invite" | "closed",
) {
  const clock = new TestClock(new Date().toISOString());
  const on = await startServiceOn(engine, { clock, config: { registration } });
  const { service, url } = on;
  const database = url === undefined ? {} : { DATABASE_URL: url };
  const env = { ...database, REGISTRATION: registration, SMTP_URL };
  const { dataDirectory } = service;
  return {
    ...on,
    async run(...args: string[]) {
      const ended = await kurs(args, { dataDirectory, env });
      // What the command has stored is due now.
      clock.set(new Date().toISOString());
      return ended;
    },
  };
}

/** Asserts that a time is a week after one since `beforeMs`. */
function assertInAWeek(time: string, beforeMs: number): void {
  const startMs = Date.parse(time) - WEEK_MS;
  assert.ok(startMs >= beforeMs && startMs <= Date.now(), time);
}

async function eventsOf(on: ServiceOnEngine, accountId: string): Promise<AuditEvent[]> {
  await using store = await on.openStore();
  return await store.audit.ofAccount(accountId, undefined, 100);
}

for (const engine of engines) {
  test(`kurs accounts invite mails a link with which the email gets a verified account on the plan, on ${engine}`, async () => {
    await using on = await startWithCommands(engine, "invite");
    const { service, run } = on;
    await run("plans", "set", "pro", "5000");
    const beforeMs = Date.now();

    const invited = await run("accounts", "invite", " ADA@Example.org ", "--plan", "pro", "--json");

    assert.deepEqual([invited.exitCode, invited.stderr], [0, ""]);
    const { expires_at: expiresAt, ...printed } = JSON.parse(invited.stdout);
    assert.deepEqual(printed, { email: EMAIL, plan: "pro" });
    assertInAWeek(expiresAt, beforeMs);
    const link = await invitationTo(service.dataDirectory, EMAIL);
    assert.equal(link.email, EMAIL);
    assert.ok(link.address.startsWith(`${service.url}/signup#`), link.address);
    assert.equal(invited.stdout.includes(link.token), false, "the command printed the token");

    const json = { email: link.email, password: PASSWORD, invitation: link.token };
    const { status, body } = await service.post("/v1/auth/register", { json });
    assert.deepEqual([status, body.email_verified], [201, true]);
    const session = await service.logIn(EMAIL);
    assert.equal((await service.usage(session)).quota_units, 5000);
    const events = (await eventsOf(on, String(body.id))).map(({ action, actor }) => [
      action,
      actor,
    ]);
    assert.deepEqual(events, [
      ["session.started", "account"],
      ["account.registered", "account"],
      ["account.invited", "operator"],
    ]);
  });

  test(`kurs accounts create mails a link to choose a password, before which nobody can log in, and "forgot" mails another, on ${engine}`, async () => {
    await using on = await startWithCommands(engine, "closed");
    const { service, run } = on;

    const beforeMs = Date.now();
    const created = await run("accounts", "create", "ADA@example.org", "--json");

    assert.deepEqual([created.exitCode, created.stderr], [0, ""]);
    const { id, expires_at: expiresAt, ...printed } = JSON.parse(created.stdout);
    assert.deepEqual(printed, { email: EMAIL, plan: "free" });
    assertInAWeek(expiresAt, beforeMs);
    const mail = await mailTo(service.dataDirectory, EMAIL, "reset");
    assert.equal(mail.subject, "Your account with Kurs");
    const token = tokenOf(mail);
    assert.equal(created.stdout.includes(token), false, "the command printed the token");
    for (const password of ["", PASSWORD]) {
      const json = { email: EMAIL, password };
      const answer = await service.post("/v1/auth/login", { json });
      assertFailure(answer, 401, "unauthorized", "Email or password is incorrect.");
    }

    await service.post("/v1/auth/password-reset", { json: { email: EMAIL } });
    await mailTo(service.dataDirectory, EMAIL, "reset", 2);
    service.clock.set(new Date(Date.parse(expiresAt) - 1).toISOString());
    const json = { token, password: PASSWORD };
    const confirmed = await service.post("/v1/auth/password-reset/confirm", { json });

    assert.equal(confirmed.status, 204, confirmed.text);
    assert.match(await service.logIn(EMAIL), /^svc_sess_/);
    const shown = await run("accounts", "show", EMAIL, "--json");
    assert.equal(JSON.parse(shown.stdout).email_verified, true);
    const events = (await eventsOf(on, id)).map(({ action, actor }) => [action, actor]);
    assert.deepEqual(events.at(-1), ["account.created", "operator"]);
    assert.deepEqual(events.at(-2), ["password.reset_requested", "account"]);
    assert.deepEqual(events.at(-3), ["password.changed", "account"]);
  });
}

test("kurs accounts invite and create say that a running server delivers the mail", async () => {
  await using directory = await emptyStore();
  const here = { dataDirectory: directory.path, env: { SMTP_URL } };

  const invited = await kurs(["accounts", "invite", EMAIL], here);
  const created = await kurs(["accounts", "create", EMAIL], here);

  for (const { exitCode, stdout } of [invited, created]) {
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^(invited|created) ada@example\.org .*a running server delivers the mail/,
    );
    assert.doesNotMatch(stdout, /[0-9a-f]{64}/);
  }
});

test("without a mail server the commands print the links that the mails have", async () => {
  const clock = new TestClock(new Date().toISOString());
  await using on = await startServiceOn("sqlite", { clock });
  const { service } = on;
  const { dataDirectory } = service;
  const env = { PUBLIC_URL: service.url };
  const linkIn = ({ stdout }: { readonly stdout: string }) => stdout.trimEnd().split("\n").at(-1);

  const invited = await kursUnchecked(["accounts", "invite", EMAIL], { dataDirectory, env });
  const created = await kursUnchecked(["accounts", "create", "bob@example.org"], {
    dataDirectory,
    env,
  });
  const again = ["accounts", "create", "eve@example.org", "--json"];
  const json = JSON.parse((await kursUnchecked(again, { dataDirectory, env })).stdout);
  clock.set(new Date().toISOString());

  assert.equal(linkIn(invited), (await invitationTo(dataDirectory, EMAIL)).address);
  assert.match(invited.stdout, /no mail server is set \(SMTP_URL\), so give them this link:\n/);
  const token = tokenOf(await mailTo(dataDirectory, "bob@example.org", "reset"));
  assert.equal(linkIn(created), `${service.url}/reset#token=${token}`);
  const evesToken = tokenOf(await mailTo(dataDirectory, "eve@example.org", "reset"));
  assert.equal(json.link, `${service.url}/reset#token=${evesToken}`);
  const password = { token, password: PASSWORD };
  const confirmed = await service.post("/v1/auth/password-reset/confirm", { json: password });
  assert.equal(confirmed.status, 204, confirmed.text);
});

test("kurs accounts invitations lists what is pending, and nothing used, withdrawn or secret", async () => {
  await using on = await startWithCommands("sqlite", "invite");
  const { service, run } = on;
  assert.equal((await run("accounts", "invitations")).stdout, "No invitation is pending.\n");
  for (const email of [EMAIL, "bob@example.org", "eve@example.org"]) {
    await run("accounts", "invite", email);
  }
  const { token } = await invitationTo(service.dataDirectory, "bob@example.org");
  const json = { email: "bob@example.org", password: PASSWORD, invitation: token };
  assert.equal((await service.post("/v1/auth/register", { json })).status, 201);
  await run("accounts", "delete", "eve@example.org");

  const listed = JSON.parse((await run("accounts", "invitations", "--json")).stdout);
  const shown = await run("accounts", "invitations");

  assert.deepEqual(
    listed.map(({ email, plan }: { email: string; plan: string }) => [email, plan]),
    [[EMAIL, "free"]],
  );
  const [{ created_at: createdAt, expires_at: expiresAt }] = listed;
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), WEEK_MS);
  assert.deepEqual(
    shown.stdout.split("\n").map((line) => line.split(/ +/)),
    [["EMAIL", "PLAN", "CREATED", "EXPIRES"], [EMAIL, "free", createdAt, expiresAt], [""]],
  );
});

const failures = [
  [["invite", "taken@example.org"], {}, 1, "taken@example.org has an account: see kurs accounts"],
  [["create", " TAKEN@example.org"], {}, 1, "taken@example.org has an account: see kurs accounts"],
  [["invite", EMAIL, "--plan", "none"], {}, 1, "there is no plan none; there are: free."],
  [["create", EMAIL, "--plan", ""], {}, 1, "there is no plan ; there are: free."],
  [["invite", EMAIL], { REGISTRATION: "closed" }, 1, "an invitation has no effect with REGIS"],
  [["invite", ""], {}, 2, '"" must be an email such as ada@example.org'],
  [["create", "ada"], {}, 2, '"ada" must be an email'],
  [["invite", "Ada <ada@example.org>"], {}, 2, '"Ada <ada@example.org>" must be an email'],
  [["invite", "ada@example.org\nBcc: eve@example.org"], {}, 2, '"ada@example.org\\nBcc: eve'],
  [
    ["create", "ada@example.org,eve@example.org"],
    {},
    2,
    '"ada@example.org,eve@example.org" must be',
  ],
  [
    ["create", `${"a".repeat(300)}@example.org`],
    {},
    2,
    `"${"a".repeat(40)}…" is too long: an email has at most 254 characters\n`,
  ],
  [["create", `${"a".repeat(100_000)}@example.org`], {}, 2, '"aaaa'],
] as const;

test("kurs accounts invite and create reject wrong use in one line that says what to do, and store nothing", async () => {
  await using directory = await emptyStore();
  const dataDirectory = directory.path;
  await kursUnchecked(["accounts", "create", "taken@example.org"], { dataDirectory });
  const before = contentsOfSqlite(dataDirectory);

  for (const [args, env, exitCode, message] of failures) {
    const ended = await kurs(["accounts", ...args], { dataDirectory, env });

    assert.deepEqual([ended.exitCode, ended.stdout], [exitCode, ""], args.join(" "));
    assert.ok(ended.stderr.startsWith(`kurs: ${message}`), ended.stderr.slice(0, 500));
    assert.equal(ended.stderr.trimEnd().split("\n").length, 1, ended.stderr.slice(0, 500));
    assert.ok(ended.stderr.length < 500, "the line is too long");
  }

  assert.deepEqual(contentsOfSqlite(dataDirectory), before);
});
