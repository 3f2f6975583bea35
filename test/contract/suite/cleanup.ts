import assert from "node:assert/strict";
import { type Engine, statement } from "../../../src/platform/storage/engine.ts";
import { eventsOf, newRegistration, newResetToken, newSession, UNCHANGED } from "./customers.ts";
import { contentsOf, type StoreTest, valuesOf } from "./database.ts";
import { BY, byAt, NOW } from "./origins.ts";

const BEFORE = "2026-11-21T11:59:59.999Z";
const AFTER = "2026-11-21T12:00:00.001Z";
const HOUR_LATER = "2026-11-21T13:00:00.000Z";
const DAY_AND_HOUR_LATER = "2026-11-22T13:00:00.000Z";
const DAY_LATER = "2026-11-22T12:00:00.000Z";

/** The most rows that one step may remove: on SQLite it blocks the event loop. */
const ROWS_PER_STEP = 100;

/** More rows than one step removes. */
const MANY = 750;

const INSERT_SESSION = `
  INSERT INTO sessions (token_hash, id, account_id, created_at, expires_at, address)
  VALUES ($1, $2, $3, $4, $5, '192.0.2.1')`;

const endingSession = (accountId: string, expiresAt: string) =>
  newSession(accountId, { createdAt: "2026-11-20T12:00:00.000Z", expiresAt });

async function mailIds(engine: Engine): Promise<unknown[]> {
  return (await engine.query("SELECT id FROM mails ORDER BY id")).map(({ id }) => id);
}

async function countOf(engine: Engine, table: string): Promise<number> {
  const [row] = await engine.query(`SELECT count(*) AS "rows" FROM ${table}`);
  return Number(row?.rows);
}

export function cleanupSuite(test: StoreTest): void {
  jobSuite(test);
  expirySuite(test);
  endedMailSuite(test);
  trustedTimeSuite(test);
}

function jobSuite(test: StoreTest): void {
  test("a job that never ran is due, and then not before its next time", async (here, _, there) => {
    assert.equal(await here.cleanup.claimJob("cleanup", NOW, HOUR_LATER), true);
    assert.equal(await here.cleanup.claimJob("cleanup", NOW, HOUR_LATER), false);
    assert.equal(
      await there.cleanup.claimJob("cleanup", "2026-11-21T12:59:59.999Z", DAY_LATER),
      false,
    );
    assert.equal(await there.cleanup.claimJob("cleanup", HOUR_LATER, DAY_LATER), true);
    assert.equal(await here.cleanup.claimJob("cleanup", HOUR_LATER, DAY_LATER), false);
  });

  test("a lease that ends before the job's usual next time does not make the job due", async (store) => {
    const lease = (now: string) => store.cleanup.claimJob("backup", now, HOUR_LATER, DAY_LATER);
    assert.equal(await lease(NOW), true);
    assert.equal(await lease(NOW), false);
    assert.equal(await store.cleanup.claimJob("backup", HOUR_LATER, DAY_LATER), true);
    assert.equal(await lease(AFTER), false);
    // Set back, the clock shows a time at which the job was due earlier.
    assert.equal(await store.cleanup.claimJob("backup", NOW, HOUR_LATER), true);
  });

  test("a source is due at once, for one node, when its lease or last attempt is of a time to come", async (store) => {
    const lease = (now: string, until: string) =>
      store.sources.lease("ecb", { now, until, onlyWhenDue: true });
    await store.sources.add("ecb", BEFORE);
    assert.equal(await lease(DAY_LATER, DAY_AND_HOUR_LATER), true);
    assert.equal(await lease(NOW, HOUR_LATER), true);
    assert.equal(await lease(NOW, HOUR_LATER), false);

    const success = { at: DAY_LATER, newestAsOf: undefined, nextAttemptAt: DAY_AND_HOUR_LATER };
    await store.sources.recordSuccess("ecb", success);
    assert.equal(await lease(DAY_LATER, DAY_AND_HOUR_LATER), false);
    assert.equal(await lease(NOW, HOUR_LATER), true);
  });

  test("of many nodes that claim a due job concurrently, one gets it", async (store, _, other, {
    openStore,
  }) => {
    const stores = [store, other, openStore()];
    const claimOnAll = (now: string, nextAt: string) =>
      Promise.all(
        Array.from({ length: 8 }, () => stores)
          .flat()
          .map((store) => store.cleanup.claimJob("cleanup", now, nextAt)),
      );

    for (const [now, nextAt] of [
      [NOW, HOUR_LATER],
      [HOUR_LATER, DAY_LATER],
    ] as const) {
      const taken = await claimOnAll(now, nextAt);
      assert.equal(taken.filter((isTaken) => isTaken).length, 1);
    }
  });
}

function expirySuite(test: StoreTest): void {
  test("sessions, mail tokens and windows are removed when they expire, not before", async (store, engine) => {
    for (const expiresAt of [BEFORE, NOW, AFTER]) {
      const { account, email } = await newRegistration(store, { expiresAt });
      await store.mailTokens.issue(email, newResetToken({ expiresAt }), BY);
      await store.sessions.create(endingSession(account.id, expiresAt), UNCHANGED, BY);
    }
    const windowsEnd = [BEFORE, NOW, AFTER];
    for (const endsAt of windowsEnd) await store.authWindows.countAttempt([endsAt], BEFORE, endsAt);
    const before = await contentsOf(engine);

    await Array.fromAsync(store.cleanup.removeExpired(NOW));

    const after = await contentsOf(engine);
    const changed = { sessions: 1, mail_tokens: 2, auth_windows: 1 };
    for (const [table, left] of Object.entries(changed)) {
      const ends = (after[table] ?? []).map(({ expires_at, ends_at }) => expires_at ?? ends_at);
      assert.deepEqual(ends, Array(left).fill(AFTER), table);
    }
    // Accounts, keys and waiting mails are unchanged.
    assert.deepEqual({ ...after, ...rowsOf(before, changed) }, before);
  });

  test("a cleanup removes all expired rows, in steps of at most a hundred", async (store, engine) => {
    const { account } = await newRegistration(store);
    await engine.transaction(function* () {
      for (let index = 0; index < MANY; index += 1) {
        const { tokenHash, id, createdAt } = endingSession(account.id, BEFORE);
        const expiresAt = index % 3 === 0 ? AFTER : BEFORE;
        yield statement(INSERT_SESSION, tokenHash, id, account.id, createdAt, expiresAt);
      }
    });

    let left = MANY;
    for await (const _ of store.cleanup.removeExpired(NOW)) {
      const now = await countOf(engine, "sessions");
      assert.ok(left - now <= ROWS_PER_STEP, `one step removed ${left - now} sessions`);
      left = now;
    }

    assert.equal(left, MANY / 3);
    const ends = await engine.query("SELECT DISTINCT expires_at FROM sessions");
    assert.deepEqual(valuesOf(ends, "expires_at"), [AFTER]);
  });

  test("concurrent cleanups on two nodes both succeed", async (here, engine, there) => {
    for (let count = 0; count < 20; count += 1) {
      const { account } = await newRegistration(here, { expiresAt: BEFORE });
      await here.sessions.create(endingSession(account.id, BEFORE), UNCHANGED, BY);
    }

    await Promise.all(
      [here, there].map((each) => Array.fromAsync(each.cleanup.removeExpired(NOW))),
    );

    assert.deepEqual(
      [await countOf(engine, "sessions"), await countOf(engine, "mail_tokens")],
      [0, 0],
    );
    assert.equal(await countOf(engine, "mails"), 20);
  });
}

function endedMailSuite(test: StoreTest): void {
  test("a cleanup removes mails delivered or given up before a given time and no others", async (store, engine) => {
    const newMail = async () => (await newRegistration(store)).verification.mailId;
    const ended = [];
    for (const at of [BEFORE, NOW, AFTER]) {
      const [delivered, givenUp] = [await newMail(), await newMail()];
      await store.mails.markDelivered(delivered, at);
      await store.mails.markGivenUp(givenUp, at, "no such user");
      ended.push(delivered, givenUp);
    }
    const [waiting, tried] = [await newMail(), await newMail()];
    await store.mails.reschedule(tried, DAY_LATER, "mailbox busy");
    const before = await contentsOf(engine);

    await Array.fromAsync(store.cleanup.removeEndedMails(NOW));

    assert.deepEqual(await mailIds(engine), [...ended.slice(2), waiting, tried].sort());
    const after = await contentsOf(engine);
    assert.deepEqual({ ...after, mails: before.mails }, before);
  });
}

function trustedTimeSuite(test: StoreTest): void {
  test("the trusted time never goes back by itself, and an operator sets it either way", async (store, _, other) => {
    const newest = () => other.trustedTime.newest();
    const claim = (now: string) => store.cleanup.claimCleanup(Date.parse(now), now);
    assert.equal(await newest(), undefined);

    assert.deepEqual(await claim(NOW), { kind: "claimed", byMs: Date.parse(NOW) });
    assert.equal(await newest(), NOW);
    assert.deepEqual(await claim(BEFORE), { kind: "claimed", byMs: Date.parse(BEFORE) });
    assert.equal(await newest(), NOW);
    // It removes by the time before.
    assert.deepEqual(await claim(DAY_AND_HOUR_LATER), { kind: "claimed", byMs: Date.parse(NOW) });
    assert.deepEqual(await claim(NOW), { kind: "claimed", byMs: Date.parse(NOW) });
    assert.equal(await newest(), DAY_AND_HOUR_LATER);

    const trusted = DAY_AND_HOUR_LATER;
    assert.deepEqual(await claim("2026-11-23T14:00:00.001Z"), { kind: "clock_ahead", trusted });
    assert.equal(await newest(), trusted);

    await store.trustedTime.accept(byAt(BEFORE));
    assert.equal(await newest(), BEFORE);
    await store.trustedTime.accept(byAt(DAY_LATER));
    assert.equal(await newest(), DAY_LATER);
    const events = await eventsOf(store);
    assert.deepEqual(
      events.map(({ at, action }) => [at, action]),
      [
        [BEFORE, "clock.accepted"],
        [DAY_LATER, "clock.accepted"],
      ],
    );
  });
}

function rowsOf<Rows>(contents: Record<string, Rows>, tables: object): Record<string, Rows> {
  const names = Object.keys(tables);
  return Object.fromEntries(Object.entries(contents).filter(([name]) => names.includes(name)));
}
