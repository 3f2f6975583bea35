import assert from "node:assert/strict";
import type { Store } from "../../support/stores.ts";
import { newRegistration, newResetToken } from "./customers.ts";
import { contentsOf, onTwoNodes, type StoreTest, valuesOf } from "./database.ts";
import { BY, NOW, newId } from "./origins.ts";

const JUST_BEFORE = "2026-11-21T11:59:59.999Z";
const LEASED = "2026-11-21T12:00:10.000Z";
const JUST_BEFORE_LEASED = "2026-11-21T12:00:09.999Z";
const LATER = "2026-11-21T12:30:00.000Z";
const JUST_BEFORE_LATER = "2026-11-21T12:29:59.999Z";
const LATEST = "2026-11-21T13:00:00.000Z";
const NO_REPLY = "the server does not reply";

/** Stores a waiting mail. @returns it as a claim returns it. */
async function newMail(store: Store, createdAt = NOW) {
  const { email, verification } = await newRegistration(store, { createdAt });
  const { mailId: id, token, expiresAt } = verification;
  return { id, kind: "verification", email, link: { token, expiresAt }, createdAt };
}

/** Stores a waiting mail. @returns it as the list returns it. */
async function newListed(store: Store) {
  const { id, kind, email, createdAt } = await newMail(store);
  const unset = { lastError: undefined, deliveredAt: undefined, givenUpAt: undefined };
  return { id, kind, email, createdAt, attempts: 0, nextAttemptAt: NOW, ...unset };
}

const claim = (store: Store, now = NOW, until = LEASED, limit = 100) =>
  store.mails.claim({ now, until, limit });

const claimedIds = async (...claimed: Parameters<typeof claim>) =>
  (await claim(...claimed)).map(({ id }) => id);

const listed = (store: Store) => store.mails.list({ withDelivered: true });

/** The two ways in which a mail ends. */
const ENDINGS = [
  {
    ending: "delivered",
    end: (store: Store, id: string, at: string) => store.mails.markDelivered(id, at),
  },
  {
    ending: "given up",
    end: (store: Store, id: string, at: string) => store.mails.markGivenUp(id, at, NO_REPLY),
  },
] as const;

export function outboxSuite(test: StoreTest): void {
  claimSuite(test);
  attemptSuite(test);
  endSuite(test);
}

function claimSuite(test: StoreTest): void {
  test("a claimed mail has its account's email, its link and the number of attempts", async (store) => {
    const [one, other] = [await newMail(store), await newMail(store)];
    const reset = newResetToken();
    await store.mailTokens.issue(one.email, reset, BY);

    const claimed = await claim(store);

    const { mailId: id, token, expiresAt, createdAt } = reset;
    const link = { token, expiresAt };
    assert.deepEqual(claimed, [
      { ...one, attempts: 1 },
      { ...other, attempts: 1 },
      { id, kind: "password_reset", email: one.email, link, createdAt, attempts: 1 },
    ]);
  });

  test("a claim takes due mails, oldest first, up to the limit", async (store) => {
    const ids = Array.from({ length: 4 }, newId);
    // Stored out of order: ids and times define the order of creation.
    const times = [JUST_BEFORE, NOW, NOW, LEASED];
    for (const index of [3, 2, 0, 1]) {
      const [mailId, createdAt] = [ids[index] ?? "", times[index] ?? ""];
      await newRegistration(store, { mailId, createdAt });
    }
    const notYet = ids.pop();

    assert.deepEqual(await claimedIds(store, "2026-11-21T11:59:59.998Z"), []);
    assert.deepEqual(await claimedIds(store, NOW, LATER, 2), ids.slice(0, 2));
    assert.deepEqual(await claimedIds(store, NOW, LATER, 2), ids.slice(2));
    assert.deepEqual(await claimedIds(store, NOW, LATER, 2), []);
    assert.deepEqual(await claimedIds(store, LEASED, LATER, 2), [notYet]);

    // Those that have been due longest come first, whatever their ids.
    const [older, newer] = [await newMail(store), await newMail(store)];
    await store.mails.reschedule(older.id, "2026-11-21T12:00:10.001Z");
    const dueFirst = async () => claimedIds(store, JUST_BEFORE_LATER, LATEST, 1);
    assert.deepEqual([await dueFirst(), await dueFirst()], [[newer.id], [older.id]]);
  });

  test("no other node can claim a mail before its lease ends; each claim counts an attempt", async (here, _, there) => {
    const mail = await newMail(here);
    assert.deepEqual(await claim(here), [{ ...mail, attempts: 1 }]);

    assert.deepEqual(await claim(there, JUST_BEFORE_LEASED, LATER), []);
    assert.deepEqual(await claim(here, JUST_BEFORE_LEASED, LATER), []);
    assert.deepEqual(await claim(there, LEASED, LATER), [{ ...mail, attempts: 2 }]);
    assert.deepEqual(await claim(here, JUST_BEFORE_LATER, LATEST), []);
    assert.deepEqual(await claim(here, LATER, LATEST), [{ ...mail, attempts: 3 }]);
  });

  test("concurrent claims on two nodes get every mail exactly once", async (here, _, there) => {
    const mails: string[] = [];
    for (let count = 0; count < 30; count += 1) mails.push((await newMail(here)).id);

    const claimConcurrently = () =>
      onTwoNodes([here, there], 12, (store) => claimedIds(store, NOW, LEASED, 4));
    // Of claims that choose the same mails one gets them, and the others get none.
    const claims = await claimConcurrently();
    assert.ok(claims.flat().length > 0, "no claim got a mail");
    while (claims.flat().length < mails.length) {
      const further = await claimConcurrently();
      assert.ok(further.flat().length > 0, "no claim got one of the mails that were left");
      claims.push(...further);
    }

    assert.deepEqual(claims.flat().sort(), mails);
    assert.ok(claims.every((ids) => ids.length <= 4));
    const attempts = (await listed(here)).map((mail) => mail.attempts);
    assert.deepEqual(
      attempts,
      mails.map(() => 1),
    );
  });
}

function attemptSuite(test: StoreTest): void {
  test("a rescheduled mail is due at its new time with its last error; other mails are unchanged", async (store) => {
    const [mail, other] = [await newListed(store), await newListed(store)];
    const record = async () => (await listed(store))[0];

    await store.mails.reschedule(mail.id, LATER);
    assert.deepEqual(await record(), { ...mail, nextAttemptAt: LATER });
    await store.mails.reschedule(mail.id, LATEST, NO_REPLY);
    assert.deepEqual(await record(), { ...mail, nextAttemptAt: LATEST, lastError: NO_REPLY });
    await store.mails.reschedule(mail.id, LEASED);
    assert.deepEqual(await record(), { ...mail, nextAttemptAt: LEASED, lastError: NO_REPLY });
    await store.mails.reschedule(mail.id, LATER, "busy");
    assert.deepEqual(await record(), { ...mail, nextAttemptAt: LATER, lastError: "busy" });

    assert.deepEqual((await listed(store))[1], other);
    assert.deepEqual(await claimedIds(store, JUST_BEFORE_LATER, LATEST), [other.id]);
    assert.deepEqual(await claimedIds(store, LATER, LATEST), [mail.id]);
  });

  test("only mails that are due after a given time become due earlier", async (store) => {
    const mails = [];
    for (let count = 0; count < 5; count += 1) mails.push(await newListed(store));
    const [due, leased, waiting, delivered, givenUp] = mails.map(({ id }) => id);
    await claim(store, NOW, NOW);
    await store.mails.reschedule(leased ?? "", LEASED);
    await store.mails.reschedule(waiting ?? "", "2026-11-21T12:00:10.001Z", NO_REPLY);
    await store.mails.markDelivered(delivered ?? "", NOW);
    await store.mails.markGivenUp(givenUp ?? "", NOW, NO_REPLY);
    const before = await listed(store);

    await store.mails.rescheduleStuck(JUST_BEFORE, LEASED);

    const expected = before.map((mail) =>
      mail.id === waiting ? { ...mail, nextAttemptAt: JUST_BEFORE } : mail,
    );
    assert.deepEqual(await listed(store), expected);
    assert.deepEqual(await claimedIds(store, JUST_BEFORE), [waiting]);
    assert.deepEqual(await claimedIds(store, NOW), [due]);
  });
}

function endSuite(test: StoreTest): void {
  for (const { ending, end } of ENDINGS) {
    test(`a mail that was ${ending} is not claimed again, or changed by later updates`, async (store, engine) => {
      const [{ id }, waiting] = [await newMail(store), await newMail(store)];
      await store.mails.reschedule(id, LEASED, "busy");
      await end(store, id, NOW);
      const before = await contentsOf(engine);

      await store.mails.markDelivered(id, LATER);
      await store.mails.markGivenUp(id, LATER, "too late");
      await store.mails.reschedule(id, LATER);
      await store.mails.reschedule(id, LATER, "too late");
      await store.mails.rescheduleStuck(NOW, JUST_BEFORE);

      assert.deepEqual(await contentsOf(engine), before);
      assert.deepEqual(await claimedIds(store, LATEST), [waiting.id]);
    });
  }

  test("the outbox state has the numbers of waiting and given-up mails and the oldest waiting time", async (store) => {
    assert.deepEqual(await store.mails.outboxState(), {
      waiting: 0,
      oldestWaitingAt: undefined,
      givenUp: 0,
    });
    // Stored out of order: the oldest waiting mail is not the first to be tried.
    const [newer, older] = [await newMail(store, LATER), await newMail(store, JUST_BEFORE)];
    const [delivered, givenUp] = [await newMail(store), await newMail(store)];
    await store.mails.reschedule(older.id, LATEST, NO_REPLY);
    await store.mails.markDelivered(delivered.id, NOW);
    await store.mails.markGivenUp(givenUp.id, NOW, NO_REPLY);

    const waiting = { waiting: 2, oldestWaitingAt: JUST_BEFORE, givenUp: 1 };
    assert.deepEqual(await store.mails.outboxState(), waiting);
    await store.mails.markDelivered(older.id, LATER);
    const rest = { ...waiting, waiting: 1, oldestWaitingAt: newer.createdAt };
    assert.deepEqual(await store.mails.outboxState(), rest);
  });

  test("mails are listed oldest first, delivered ones on request, without their token", async (store) => {
    const ids = Array.from({ length: 4 }, newId);
    for (const index of [2, 0, 3, 1]) await newRegistration(store, { mailId: ids[index] ?? "" });
    const [waiting, delivered, givenUp, postponed] = ids as [string, string, string, string];
    const claimed = await claim(store, NOW, LEASED);
    await store.mails.reschedule(delivered, LATER, NO_REPLY);
    await store.mails.markDelivered(delivered, LEASED);
    await store.mails.reschedule(givenUp, LATER, NO_REPLY);
    await store.mails.markGivenUp(givenUp, LATER, "no such mailbox");
    await store.mails.reschedule(postponed, LATER, NO_REPLY);

    const all = await store.mails.list({ withDelivered: true });

    const unset = { nextAttemptAt: undefined, lastError: undefined };
    const open = { ...unset, deliveredAt: undefined, givenUpAt: undefined };
    const states = [
      { ...open, nextAttemptAt: LEASED },
      { ...open, lastError: NO_REPLY, deliveredAt: LEASED },
      { ...open, lastError: "no such mailbox", givenUpAt: LATER },
      { ...open, nextAttemptAt: LATER, lastError: NO_REPLY },
    ];
    const expected = claimed.map(({ link, ...mail }, index) => ({ ...mail, ...states[index] }));
    assert.deepEqual(valuesOf(all, "id"), [waiting, delivered, givenUp, postponed]);
    assert.deepEqual(all, expected);
    const undelivered = expected.filter(({ id }) => id !== delivered);
    assert.deepEqual(await store.mails.list({ withDelivered: false }), undelivered);
    for (const { link } of claimed) {
      assert.ok(link !== undefined && !JSON.stringify(all).includes(link.token));
    }
  });
}
