import assert from "node:assert/strict";
import type { Store } from "../../../src/store.ts";
import {
  contentsOf,
  NOW,
  newId,
  newRegistration,
  newResetToken,
  type StoreTest,
} from "./database.ts";

const JUST_BEFORE = "2026-11-21T11:59:59.999Z";
const LEASED = "2026-11-21T12:00:10.000Z";
const JUST_BEFORE_LEASED = "2026-11-21T12:00:09.999Z";
const LATER = "2026-11-21T12:30:00.000Z";
const JUST_BEFORE_LATER = "2026-11-21T12:29:59.999Z";
const LATEST = "2026-11-21T13:00:00.000Z";
const REFUSED = "the server does not answer";

/** A mail that waits in the outbox, as it is claimed. */
async function newMail(store: Store, createdAt = NOW) {
  const { email, verification } = await newRegistration(store, { createdAt });
  const { mailId: id, token, expiresAt } = verification;
  return { id, kind: "verification", email, link: { token, expiresAt }, createdAt };
}

/** A mail that waits, as it is listed. */
async function newListed(store: Store) {
  const { id, kind, email, createdAt } = await newMail(store);
  const unset = { lastError: undefined, deliveredAt: undefined, givenUpAt: undefined };
  return { id, kind, email, createdAt, attempts: 0, nextAttemptAt: NOW, ...unset };
}

const claim = (store: Store, now = NOW, until = LEASED, limit = 100) =>
  store.claimMails({ now, until, limit });

const claimedIds = async (...claimed: Parameters<typeof claim>) =>
  (await claim(...claimed)).map(({ id }) => id);

const listed = (store: Store) => store.listMails({ withDelivered: true });

/** The two ways in which a mail ends. */
const ENDINGS = [
  {
    ending: "delivered",
    end: (store: Store, id: string, at: string) => store.markDelivered(id, at),
  },
  {
    ending: "given up",
    end: (store: Store, id: string, at: string) => store.markGivenUp(id, at, REFUSED),
  },
] as const;

export function outboxSuite(test: StoreTest): void {
  claimSuite(test);
  attemptSuite(test);
  endSuite(test);
}

function claimSuite(test: StoreTest): void {
  test("a mail that is claimed has its account's email, its link and the attempt", async (database) => {
    const store = database.openStore();
    const [one, other] = [await newMail(store), await newMail(store)];
    const reset = newResetToken();
    await store.issueToken(one.email, reset);

    const claimed = await claim(store);

    const { mailId: id, token, expiresAt, createdAt } = reset;
    const link = { token, expiresAt };
    assert.deepEqual(claimed, [
      { ...one, attempts: 1 },
      { ...other, attempts: 1 },
      { id, kind: "password_reset", email: one.email, link, createdAt, attempts: 1 },
    ]);
  });

  test("of the mails that are due, those that have been due longest are claimed first", async (database) => {
    const store = database.openStore();
    const [older, newer] = [await newMail(store), await newMail(store)];
    await store.rescheduleMail(older.id, LATER);
    assert.ok(older.id < newer.id);

    assert.deepEqual(await claimedIds(store, LATER, LATEST, 1), [newer.id]);
    assert.deepEqual(await claimedIds(store, LATER, LATEST, 1), [older.id]);
  });

  test("the mails that are due are claimed, oldest first, and no more than the limit", async (database) => {
    const store = database.openStore();
    const ids = Array.from({ length: 4 }, newId);
    // Stored out of order: the order of creation is that of the ids and times.
    const times = [JUST_BEFORE, NOW, NOW, LEASED];
    for (const turn of [3, 2, 0, 1]) {
      const [mailId, createdAt] = [ids[turn] ?? "", times[turn] ?? ""];
      await newRegistration(store, { mailId, createdAt });
    }
    const notYet = ids.pop();

    assert.deepEqual(await claimedIds(store, "2026-11-21T11:59:59.998Z"), []);
    assert.deepEqual(await claimedIds(store, NOW, LATER, 2), ids.slice(0, 2));
    assert.deepEqual(await claimedIds(store, NOW, LATER, 2), ids.slice(2));
    assert.deepEqual(await claimedIds(store, NOW, LATER, 2), []);
    assert.deepEqual(await claimedIds(store, LEASED, LATER, 2), [notYet]);
  });

  test("a claimed mail is nobody else's until its lease is over; each attempt counts", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    const mail = await newMail(here);
    assert.deepEqual(await claim(here), [{ ...mail, attempts: 1 }]);

    assert.deepEqual(await claim(there, JUST_BEFORE_LEASED, LATER), []);
    assert.deepEqual(await claim(here, JUST_BEFORE_LEASED, LATER), []);
    assert.deepEqual(await claim(there, LEASED, LATER), [{ ...mail, attempts: 2 }]);
    assert.deepEqual(await claim(here, JUST_BEFORE_LATER, LATEST), []);
    assert.deepEqual(await claim(here, LATER, LATEST), [{ ...mail, attempts: 3 }]);
  });

  test("claims at once, on two nodes, never get the same mail, and get them all", async (database) => {
    const stores = [database.openStore(), database.openStore()] as const;
    const mails: string[] = [];
    for (let count = 0; count < 30; count += 1) mails.push((await newMail(stores[0])).id);

    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, turn) =>
        claimedIds(stores[turn % 2 === 0 ? 0 : 1], NOW, LEASED, 4),
      ),
    );

    assert.deepEqual(claims.flat().sort(), mails);
    assert.ok(claims.every((ids) => ids.length <= 4));
    const attempts = (await listed(stores[0])).map((mail) => mail.attempts);
    assert.deepEqual(
      attempts,
      mails.map(() => 1),
    );
  });
}

function attemptSuite(test: StoreTest): void {
  test("a mail that is postponed is due then, with its last error, and no other mail", async (database) => {
    const store = database.openStore();
    const [mail, other] = [await newListed(store), await newListed(store)];
    const record = async () => (await listed(store))[0];

    await store.rescheduleMail(mail.id, LATER);
    assert.deepEqual(await record(), { ...mail, nextAttemptAt: LATER });
    await store.rescheduleMail(mail.id, LATEST, REFUSED);
    assert.deepEqual(await record(), { ...mail, nextAttemptAt: LATEST, lastError: REFUSED });
    await store.rescheduleMail(mail.id, LEASED);
    assert.deepEqual(await record(), { ...mail, nextAttemptAt: LEASED, lastError: REFUSED });
    await store.rescheduleMail(mail.id, LATER, "busy");
    assert.deepEqual(await record(), { ...mail, nextAttemptAt: LATER, lastError: "busy" });

    assert.deepEqual((await listed(store))[1], other);
    assert.deepEqual(await claimedIds(store, JUST_BEFORE_LATER, LATEST), [other.id]);
    assert.deepEqual(await claimedIds(store, LATER, LATEST), [mail.id]);
  });

  test("mails that wait beyond a moment are hastened, and no others", async (database) => {
    const store = database.openStore();
    const mails = [];
    for (let count = 0; count < 5; count += 1) mails.push(await newListed(store));
    const [due, leased, waiting, delivered, givenUp] = mails.map(({ id }) => id);
    await claim(store, NOW, NOW);
    await store.rescheduleMail(leased ?? "", LEASED);
    await store.rescheduleMail(waiting ?? "", "2026-11-21T12:00:10.001Z", REFUSED);
    await store.markDelivered(delivered ?? "", NOW);
    await store.markGivenUp(givenUp ?? "", NOW, REFUSED);
    const before = await listed(store);

    await store.rescheduleStuckMails(JUST_BEFORE, LEASED);

    const expected = before.map((mail) =>
      mail.id === waiting ? { ...mail, nextAttemptAt: JUST_BEFORE } : mail,
    );
    assert.deepEqual(await listed(store), expected);
    assert.deepEqual(await claimedIds(store, JUST_BEFORE), [waiting]);
    assert.deepEqual(await claimedIds(store, NOW), [due]);
  });

  test("what is noted of a mail that is not there changes nothing", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    await newMail(store);
    const before = await contentsOf(engine);

    await store.rescheduleMail(newId(), LATER, REFUSED);
    await store.markDelivered(newId(), LATER);
    await store.markGivenUp(newId(), LATER, REFUSED);

    assert.deepEqual(await contentsOf(engine), before);
  });
}

function endSuite(test: StoreTest): void {
  for (const { ending, end } of ENDINGS) {
    test(`a mail that was ${ending} keeps no secret and is not claimed again`, async (database) => {
      const [store, engine] = [database.openStore(), database.openEngine()];
      const [ended, waiting] = [await newMail(store), await newMail(store)];
      await claim(store);

      await end(store, ended.id, NOW);

      const rows = await engine.query("SELECT token FROM mails ORDER BY id");
      assert.deepEqual(
        rows.map(({ token }) => token),
        [null, waiting.link.token],
      );
      assert.deepEqual(await claimedIds(store, LATEST), [waiting.id]);
    });

    test(`a mail that was ${ending} stays so, whatever is noted of it after`, async (database) => {
      const [store, engine] = [database.openStore(), database.openEngine()];
      const { id } = await newMail(store);
      await store.rescheduleMail(id, LEASED, "busy");
      await end(store, id, NOW);
      const before = await contentsOf(engine);

      await store.markDelivered(id, LATER);
      await store.markGivenUp(id, LATER, "too late");
      await store.rescheduleMail(id, LATER);
      await store.rescheduleMail(id, LATER, "too late");
      await store.rescheduleStuckMails(NOW, JUST_BEFORE);

      assert.deepEqual(await contentsOf(engine), before);
    });

    test(`a mail that was ${ending} before a moment is forgotten, and no other`, async (database) => {
      const [store, engine] = [database.openStore(), database.openEngine()];
      const [before, atMoment, waiting] = [
        await newMail(store, JUST_BEFORE),
        await newMail(store, JUST_BEFORE),
        await newMail(store, JUST_BEFORE),
      ];
      await end(store, before.id, JUST_BEFORE_LATER);
      await end(store, atMoment.id, LATER);
      await store.rescheduleMail(waiting.id, NOW, REFUSED);
      const contents = await contentsOf(engine);

      await store.removeEndedMails(LATER);

      const mails = contents.mails?.filter(({ id }) => id !== before.id);
      assert.equal(mails?.length, 2);
      assert.deepEqual(await contentsOf(engine), { ...contents, mails });
    });
  }

  test("the outbox tells how many mails wait, since when the oldest does, and how many were given up", async (database) => {
    const store = database.openStore();
    assert.deepEqual(await store.outboxState(), {
      waiting: 0,
      oldestWaitingAt: undefined,
      givenUp: 0,
    });
    // Stored out of order: the one that waits longest is not the first to be tried.
    const [newer, older] = [await newMail(store, LATER), await newMail(store, JUST_BEFORE)];
    const [delivered, givenUp] = [await newMail(store), await newMail(store)];
    await store.rescheduleMail(older.id, LATEST, REFUSED);
    await store.markDelivered(delivered.id, NOW);
    await store.markGivenUp(givenUp.id, NOW, REFUSED);

    const waiting = { waiting: 2, oldestWaitingAt: JUST_BEFORE, givenUp: 1 };
    assert.deepEqual(await store.outboxState(), waiting);
    await store.markDelivered(older.id, LATER);
    const rest = { ...waiting, waiting: 1, oldestWaitingAt: newer.createdAt };
    assert.deepEqual(await store.outboxState(), rest);
  });

  test("mails are listed oldest first, delivered ones if asked for, without a token", async (database) => {
    const store = database.openStore();
    const ids = Array.from({ length: 4 }, newId);
    for (const turn of [2, 0, 3, 1]) await newRegistration(store, { mailId: ids[turn] ?? "" });
    const [waiting, delivered, givenUp, postponed] = ids as [string, string, string, string];
    const claimed = await claim(store, NOW, LEASED);
    await store.rescheduleMail(delivered, LATER, REFUSED);
    await store.markDelivered(delivered, LEASED);
    await store.rescheduleMail(givenUp, LATER, REFUSED);
    await store.markGivenUp(givenUp, LATER, "no such mailbox");
    await store.rescheduleMail(postponed, LATER, REFUSED);

    const all = await store.listMails({ withDelivered: true });

    const unset = { nextAttemptAt: undefined, lastError: undefined };
    const open = { ...unset, deliveredAt: undefined, givenUpAt: undefined };
    const states = [
      { ...open, nextAttemptAt: LEASED },
      { ...open, lastError: REFUSED, deliveredAt: LEASED },
      { ...open, lastError: "no such mailbox", givenUpAt: LATER },
      { ...open, nextAttemptAt: LATER, lastError: REFUSED },
    ];
    const expected = claimed.map(({ link, ...mail }, turn) => ({ ...mail, ...states[turn] }));
    assert.deepEqual(
      all.map(({ id }) => id),
      [waiting, delivered, givenUp, postponed],
    );
    assert.deepEqual(all, expected);
    const undelivered = expected.filter(({ id }) => id !== delivered);
    assert.deepEqual(await store.listMails({ withDelivered: false }), undelivered);
    for (const { link } of claimed) {
      assert.ok(link !== undefined && !JSON.stringify(all).includes(link.token));
    }
  });
}
