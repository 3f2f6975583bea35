import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeliverMail, type DeliveryReport } from "../../../src/customers/outbox/deliver.ts";
import { StoreUnavailable } from "../../../src/platform/shared/store.ts";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import { newRegistration } from "../../contract/suite/customers.ts";
import { NOW } from "../../contract/suite/origins.ts";
import { TestClock } from "../../support/service.ts";
import { never } from "./outgoing.ts";

test("a node renews the lease of a slow delivery, also when the store fails a renewal; after a crash the mail is due in 10 s", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await using database = await createSqliteDatabase();
  const [store, otherNode] = [database.openStore(), database.openStore()];
  await newRegistration(store);
  const clock = new TestClock(NOW);
  const inMs = (milliseconds: number) => new Date(clock.nowMs() + milliseconds).toISOString();
  const claim = () => otherNode.mails.claim({ now: inMs(0), until: inMs(10_000), limit: 1 });
  const { promise: taken, resolve: take } = Promise.withResolvers<string>();
  const reports: DeliveryReport[] = [];
  let renewals = 0;
  const reschedule: typeof store.mails.reschedule = async (...how) => {
    renewals += 1;
    if (renewals % 3 === 0) throw new StoreUnavailable(new Error("gone for a moment"));
    await store.mails.reschedule(...how);
  };
  const deliver = createDeliverMail({
    store: { mails: { ...store.mails, reschedule } },
    mailer: { send: () => taken, [Symbol.dispose]: () => undefined },
    clock,
    trustedNowMs: async () => clock.nowMs(),
    random: () => 0.5,
    onReport: (report) => reports.push(report),
  });
  const [mail] = await claim();
  assert.ok(mail !== undefined);

  const delivery = deliver(mail, never);
  for (let seconds = 3; seconds <= 60; seconds += 3) {
    clock.advanceMs(3000);
    t.mock.timers.tick(3000);
    // Waits until the asynchronous renewal is done.
    await store.mails.list({ withDelivered: true });
    assert.deepEqual(await claim(), [], `another node claimed the mail after ${seconds} s`);
  }
  assert.equal(renewals, 20);
  clock.advanceMs(10_000);
  assert.equal((await claim()).length, 1);

  take("250 taken");
  await delivery;
  assert.deepEqual(reports, [
    { mail: mail.id, kind: "verification", attempts: 1, deliveredTo: "250 taken" },
  ]);
});

test("a delivery ends after the renewal that is in flight, with its error", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await using database = await createSqliteDatabase();
  const store = database.openStore();
  await newRegistration(store);
  const [mail] = await store.mails.claim({ now: NOW, until: NOW, limit: 1 });
  assert.ok(mail !== undefined);
  const { promise: taken, resolve: take } = Promise.withResolvers<string>();
  const { promise: renewing, resolve: begin } = Promise.withResolvers<void>();
  const { promise: renewed, reject: fail } = Promise.withResolvers<never>();
  const { promise: reported, resolve: report } = Promise.withResolvers<DeliveryReport>();
  const reschedule = () => {
    begin();
    return renewed;
  };
  const deliver = createDeliverMail({
    store: { mails: { ...store.mails, reschedule } },
    mailer: { send: () => taken, [Symbol.dispose]: () => undefined },
    clock: new TestClock(NOW),
    trustedNowMs: async () => Date.parse(NOW),
    random: () => 0.5,
    onReport: report,
  });

  const delivery = deliver(mail, never);
  t.mock.timers.tick(3000);
  await renewing;
  take("250 taken");
  assert.equal((await reported).deliveredTo, "250 taken");
  fail(new Error("the renewal failed"));

  await assert.rejects(delivery, /the renewal failed/);
});
