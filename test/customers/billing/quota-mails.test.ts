import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { suite, test } from "node:test";
import type { Email } from "postal-mime";
import { runQuotaNoticeLoop } from "../../../src/customers/billing/quota-notices.ts";
import { serverTimeouts } from "../../../src/platform/storage/settings.ts";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import type { Customer } from "../../support/client.ts";
import { playSmtp } from "../../support/fake-smtp-server.ts";
import { eventually, mailsIn } from "../../support/mails.ts";
import { databaseOf, newPostgresDatabase } from "../../support/postgres-databases.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { startService, TestClock, type TestService } from "../../support/service.ts";

const MINUTE_MS = 60_000;
const AT = "2026-11-21T12:00:00.000Z";

/** The subjects of the mails about the quota that an account has got, in order of delivery. */
async function subjectsTo(dataDirectory: string, { email }: Customer): Promise<string[]> {
  return (await quotaMailsIn(dataDirectory))
    .filter(({ to }) => to?.[0]?.address === email)
    .map(({ subject = "" }) => subject);
}

async function quotaMailsIn(dataDirectory: string): Promise<Email[]> {
  return (await mailsIn(dataDirectory)).filter(({ subject = "" }) => subject.includes("quota"));
}

const spent = (month: string) => `Your Kurs quota for ${month} is used up`;
const nearly = (month: string) => `At least 80 % of your Kurs quota for ${month} is used`;

/** Uses up the quota of an account. */
async function readUntilRejected({ read }: Customer): Promise<void> {
  for (;;) {
    const { status, text } = await read();
    if (status === 429) return;
    assert.equal(status, 200, text);
  }
}

/** Reads some units. */
async function readUnits(read: Customer["read"], count: number): Promise<void> {
  for (let used = 0; used < count; used += 1) assert.equal((await read()).status, 200);
}

/**
 * Passes at each glance of who waits for a mail: a look that has not ended when a test moves the
 * time claims the next minute, too.
 */
const A_MOMENT_MS = 1000;

/** Waits for the mail of November to an account that has used its quota at once. */
async function assertOneMail(service: TestService, customer: Customer): Promise<void> {
  const { dataDirectory, clock } = service;
  const subjects = await eventually(`a mail to ${customer.email}`, async () => {
    clock.advanceMs(A_MOMENT_MS);
    const sent = await subjectsTo(dataDirectory, customer);
    return sent.length === 0 ? undefined : sent;
  });
  assert.deepEqual(subjects, [spent("November 2026")]);
}

for (const engine of engines) {
  suite(`mails about the quota on ${engine}`, () => {
    test("each period has its own mails, and what its last minute used is mailed after a restart", async () => {
      const clock = new TestClock("2026-11-30T23:58:30.000Z");
      await using smtp = await playSmtp();
      await using directory = await temporaryDirectory();
      await using database = engine === "sqlite" ? undefined : await newPostgresDatabase();
      const options = {
        clock,
        dataDirectory: directory.path,
        config: {
          freePlanUnits: 5,
          smtpUrl: smtp.url,
          ...(database && { database: databaseOf(database.url) }),
        },
      };
      const quotaMails = () =>
        smtp.received.map(({ mail }) => mail).filter(({ subject = "" }) => /quota/.test(subject));
      const subjectsOf = async (count: number, passingMs = A_MOMENT_MS) => {
        await eventually(`mail ${count}`, () => {
          clock.advanceMs(passingMs);
          return quotaMails()[count - 1];
        });
        return quotaMails().map(({ subject }) => subject);
      };
      const november = [nearly("November 2026"), spent("November 2026")];
      let apiKey = "";
      {
        await using service = await startService(options);
        const customer = await service.newCustomer("ada@example.org");
        ({ apiKey } = customer);
        await readUnits(customer.read, 4);
        clock.advanceMs(MINUTE_MS);
        // Half a minute later November would be over.
        assert.deepEqual(await subjectsOf(1, 0), november.slice(0, 1));
        // The next look is due half a minute after the month.
        clock.set("2026-11-30T23:59:59.999Z");
        await readUnits(customer.read, 1);
      }

      clock.set("2026-12-01T00:58:00.000Z");
      await using service = await startService(options);
      // Two minutes later nothing would be written of November.
      assert.deepEqual(await subjectsOf(2, 0), november);
      assert.match(
        quotaMails()[1]?.text ?? "",
        /has used 5 of its 5 units in the billing period of November 2026\.\n\nReached: 100 % of the quota\.\n\nThat/,
      );
      const read = () => service.readRate("EUR/USD", apiKey);
      await readUnits(read, 4);
      clock.advanceMs(MINUTE_MS);

      const all = [...november, nearly("December 2026")];
      assert.deepEqual(await subjectsOf(3), all);
      await readUnits(read, 1);
      clock.advanceMs(MINUTE_MS);
      assert.deepEqual(await subjectsOf(4), [...all, spent("December 2026")]);
    });

    test("thresholds of an account's own and the end of a key are mailed with the key's name", async () => {
      const clock = new TestClock(AT);
      await using smtp = await playSmtp();
      await using on = await startServiceOn(engine, { clock, config: { smtpUrl: smtp.url } });
      const { service } = on;
      const session = await service.openSession("ada@example.org");
      await using store = await on.openStore();
      const origin = { actor: { kind: "service" }, at: AT, newId: randomUUID } as const;
      await store.accounts.markEmailVerified("ada@example.org", origin);
      const json = { name: "<b>bill & co", expires_at: "30 days", units_per_period: 4 };
      const { body: key } = await service.post("/v1/account/api-keys", { session, json });
      const thresholds = [{ units: 2 }, { api_key_id: key.id, percent: 50 }];
      const how = { session, json: { thresholds } };
      assert.equal((await service.call("PUT", "/v1/account/thresholds", how)).status, 200);
      await readUnits(() => service.readRate("EUR/USD", String(key.api_key)), 2);
      clock.advanceMs(MINUTE_MS);
      const { subject, text = "" } = await eventually("mail about a threshold", () =>
        smtp.received.map(({ mail }) => mail).find((mail) => /Reached/.test(mail.text ?? "")),
      );
      assert.equal(subject, "Your usage of Kurs has reached a threshold in November 2026");
      const label = `the API key “<b>bill & co” (${key.key_prefix})`;
      assert.ok(text.includes(`\n\nReached: 2 units; 50 % of the limit of ${label}.\n\n`), text);

      clock.set("2026-12-14T12:00:00.000Z");
      const { html = "", ...mail } = await eventually("mail about the end", () => {
        clock.advanceMs(A_MOMENT_MS);
        return smtp.received
          .map((each) => each.mail)
          .find(({ subject: about = "" }) => /ends on/.test(about));
      });
      assert.match(mail.text ?? "", /\b401\b/);
      assert.equal(mail.subject, "An API key for Kurs ends on 2026-12-21 12:00 UTC");
      assert.match(html, /The API key “&lt;b&gt;bill &amp; co” \(svc_live_[0-9a-f]{8}\) of/);
    });
  });
}

test("a clock that is set back delays no mail", async () => {
  const clock = new TestClock(AT);
  await using service = await startService({ clock, config: { freePlanUnits: 2 } });
  for (const [email, sinceMs] of [
    ["ada@example.org", 0],
    ["eve@example.org", -60 * MINUTE_MS],
  ] as const) {
    clock.advanceMs(sinceMs);
    const customer = await service.newCustomer(email);
    await readUntilRejected(customer);
    clock.advanceMs(MINUTE_MS);

    await assertOneMail(service, customer);
  }
});

test("a look that takes long extends its claim, and ends when another node has it", async () => {
  const clock = new TestClock(AT);
  const startMs = clock.nowMs();
  const end = new AbortController();
  const claims: (readonly number[])[] = [];
  let pages = 0;
  const quotaNotices = {
    async page() {
      pages += 1;
      // Only a look that does not extend its claim gets there.
      if (pages === 10) end.abort();
      clock.advanceMs(20_000);
      return { candidateIds: [], lastId: "one of many" };
    },
    write: () => assert.fail("no account is due"),
  };
  const claimJob = async (_name: string, ...times: readonly string[]) => {
    claims.push(times.map((time) => (Date.parse(time) - startMs) / 1000));
    const isHeldByAnother = claims.length === 3;
    if (isHeldByAnother) end.abort();
    return !isHeldByAnother;
  };
  const failures: unknown[] = [];
  const secrets = { uuid: () => assert.fail("nothing is written") };
  const endNotices = { page: async () => [], write: () => assert.fail("no key ends") };
  const uses = { store: { quotaNotices, endNotices }, clock, secrets, claimJob };

  await runQuotaNoticeLoop({ ...uses, onError: (error) => failures.push(error) }, end.signal);

  assert.deepEqual(failures, []);
  // A claim lasts for a minute, and is extended in its second half.
  assert.deepEqual(claims, [
    [0, 60],
    [60, 100],
    [100, 140],
  ]);
  assert.equal(pages, 4);
});

test("while the store cannot be written, the look fails with one line in the log and is made up for", async () => {
  const clock = new TestClock(AT);
  await using service = await startService({
    clock,
    config: { freePlanUnits: 2 },
    storeTimeouts: { ...serverTimeouts, busyTimeoutMs: 1 },
  });
  const customer = await service.newCustomer("ada@example.org");
  await readUntilRejected(customer);
  const failures = () =>
    service.logLines.filter((line) => line.includes("mails about quotas could not be written"));
  {
    using other = service.database();
    other.exec("BEGIN IMMEDIATE");
    clock.advanceMs(MINUTE_MS);
    await eventually("failed look", () => failures()[0]);
    other.exec("ROLLBACK");
  }

  clock.advanceMs(MINUTE_MS);
  await assertOneMail(service, customer);
  assert.equal(failures().length, 1);
});
