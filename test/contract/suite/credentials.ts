import assert from "node:assert/strict";
import { MAX_UUID } from "../../../src/shared/uuid.ts";
import type { Store } from "../../../src/store.ts";
import {
  accepts,
  BY,
  byAt,
  bySession,
  contentsOf,
  KEY_LIMITS,
  keysOf,
  NOW,
  newAccount,
  newHash,
  newId,
  newKey,
  newMailToken,
  newSession,
  type StoreTest,
  UNCHANGED,
} from "./database.ts";

const END = "2026-11-22T12:00:00.000Z";

async function storedAccount(store: Store): Promise<string> {
  const account = newAccount();
  await store.accounts.create(account, newMailToken(), BY);
  return account.id;
}

export function sessionSuite(test: StoreTest): void {
  test("a session identifies its account until it expires", async (store) => {
    const accountId = await storedAccount(store);
    const session = newSession(accountId);
    await store.sessions.create(session, UNCHANGED, BY);

    assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), accountId);
    assert.equal(
      await store.sessions.findAccount(session.tokenHash, "2026-11-22T11:59:59.999Z"),
      accountId,
    );
    assert.equal(await store.sessions.findAccount(session.tokenHash, END), undefined);
    assert.equal(await store.sessions.findAccount(newHash(), NOW), undefined);
  });

  test("an ended session is invalid, and the account's other sessions stay valid", async (store) => {
    const accountId = await storedAccount(store);
    const [ended, other] = [newSession(accountId), newSession(accountId)];
    await store.sessions.create(ended, UNCHANGED, BY);
    await store.sessions.create(other, UNCHANGED, BY);

    await store.sessions.end(bySession(ended));

    assert.equal(await store.sessions.findAccount(ended.tokenHash, NOW), undefined);
    assert.equal(await store.sessions.findAccount(other.tokenHash, NOW), accountId);
  });

  test("a new session of a node whose clock is ahead ends no other", async (store) => {
    const accountId = await storedAccount(store);
    const running = newSession(accountId);
    await store.sessions.create(running, UNCHANGED, BY);

    const later = { createdAt: "2028-04-05T12:00:00.000Z", expiresAt: "2028-04-06T12:00:00.000Z" };
    await store.sessions.create(newSession(accountId, later), UNCHANGED, byAt(later.createdAt));

    assert.equal(await store.sessions.findAccount(running.tokenHash, NOW), accountId);
  });

  test("a password that changed after its check opens no session", async (store) => {
    const account = newAccount();
    await store.accounts.create(account, newMailToken(), BY);
    const session = newSession(account.id);

    const changed = { hash: "$argon2id$before", nextHash: "$argon2id$before" };
    assert.equal(await store.sessions.create(session, changed, BY), false);

    assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), undefined);
    assert.deepEqual(await store.accounts.findByEmail(account.email), account);
  });

  test("a session renews its account's password hash and no other account's", async (store) => {
    const [account, other] = [newAccount(), newAccount()];
    for (const each of [account, other]) await store.accounts.create(each, newMailToken(), BY);
    const renewed = { hash: account.passwordHash, nextHash: "$argon2id$second" };

    assert.equal(await store.sessions.create(newSession(account.id), renewed, BY), true);

    const hashOf = async (email: string) => (await store.accounts.findByEmail(email))?.passwordHash;
    assert.equal(await hashOf(account.email), "$argon2id$second");
    assert.equal(await hashOf(other.email), other.passwordHash);
    assert.equal(await store.sessions.create(newSession(account.id), renewed, BY), false);
    assert.equal(await hashOf(account.email), "$argon2id$second");
  });
}

export function apiKeySuite(test: StoreTest): void {
  test("an account has a limit of active keys; revoked ones do not count", async (store) => {
    const accountId = await storedAccount(store);
    const other = await storedAccount(store);
    const limits = { ...KEY_LIMITS, active: 2 };
    const [first, second, third] = [newKey(accountId), newKey(accountId), newKey(accountId)];
    await store.keys.create(first, limits, BY);
    await store.keys.create(second, limits, BY);

    assert.equal(await store.keys.create(third, limits, BY), "active");
    assert.equal((await keysOf(store, accountId)).length, 2);
    assert.ok(!(await accepts(store, third)));
    assert.equal(await store.keys.create(newKey(other), limits, BY), "created");

    await store.keys.revoke(accountId, first.id, BY);
    assert.equal(await store.keys.create(third, limits, BY), "created");
    assert.equal(await store.keys.create(newKey(accountId), limits, BY), "active");
  });

  test("an account has a limit of keys created per UTC day, including revoked ones", async (store) => {
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const limits = { ...KEY_LIMITS, perDay: 2 };
    const createAt = (createdAt: string, owner = accountId) =>
      store.keys.create(newKey(owner, { createdAt }), limits, BY);
    await createAt("2026-11-20T23:59:59.999Z");
    const first = newKey(accountId, { createdAt: "2026-11-21T00:00:00.000Z" });
    await store.keys.create(first, limits, BY);
    await createAt(NOW);
    await store.keys.revoke(accountId, first.id, BY);

    assert.equal(await createAt("2026-11-21T23:59:59.999Z"), "perDay");
    assert.equal((await keysOf(store, accountId)).length, 3);
    assert.equal(await createAt(NOW, other), "created");
    assert.equal(await createAt("2026-11-22T00:00:00.000Z"), "created");
  });

  test("an account has a limit of keys in total, including revoked ones", async (store) => {
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const limits = { ...KEY_LIMITS, total: 2 };
    const first = newKey(accountId);
    await store.keys.create(first, limits, BY);
    await store.keys.create(newKey(accountId), limits, BY);
    await store.keys.revoke(accountId, first.id, BY);

    const late = newKey(accountId, { createdAt: "2027-11-21T12:00:00.000Z" });
    assert.equal(await store.keys.create(late, limits, BY), "total");
    assert.equal((await keysOf(store, accountId)).length, 2);
    assert.equal(await store.keys.create(newKey(other), limits, BY), "created");
  });

  for (const limit of ["active", "perDay", "total"] as const) {
    test(`twelve concurrent creations on two nodes do not exceed the limit "${limit}"`, async (here, _, there) => {
      const accountId = await storedAccount(here);
      const limits = { ...KEY_LIMITS, [limit]: 5 };

      const created = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? here : there).keys.create(newKey(accountId), limits, BY),
        ),
      );

      assert.equal(created.filter((one) => one === "created").length, 5);
      assert.equal(created.filter((one) => one === limit).length, 7);
      assert.equal((await keysOf(there, accountId)).length, 5);
    });
  }

  test("of twenty concurrent revocations on two nodes, one succeeds", async (here, _, there) => {
    const stores = [here, there] as const;
    const accountId = await storedAccount(stores[0] as Store);
    const key = newKey(accountId);
    await stores[0]?.keys.create(key, KEY_LIMITS, BY);

    const revoked = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores[index % 2]?.keys.revoke(accountId, key.id, BY),
      ),
    );

    assert.equal(revoked.filter((one) => one === true).length, 1);
  });

  test("a key identifies its account until it is revoked", async (store) => {
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const [key, second, foreign] = [newKey(accountId), newKey(accountId), newKey(other)];
    for (const each of [key, second, foreign]) await store.keys.create(each, KEY_LIMITS, BY);

    assert.equal(await store.keys.findAccount(key.keyHash), accountId);
    assert.equal(await store.keys.findAccount(second.keyHash), accountId);
    assert.equal(await store.keys.findAccount(foreign.keyHash), other);
    for (const unknown of [newHash(), "", key.id, key.keyPrefix, key.keyHash.toUpperCase()]) {
      assert.equal(await store.keys.findAccount(unknown), undefined, unknown);
    }

    await store.keys.revoke(accountId, key.id, BY);

    assert.equal(await store.keys.findAccount(key.keyHash), undefined);
    assert.equal(await store.keys.findAccount(second.keyHash), accountId);
    assert.equal(await store.keys.findAccount(foreign.keyHash), other);
  });
}

const LATER = "2026-11-21T13:00:00.000Z";
const TIMES = { now: NOW, issuedBy: NOW };

/** An account with sessions, oldest first. */
async function accountWithSessions(store: Store, count: number) {
  const account = newAccount();
  await store.accounts.create(account, newMailToken(), BY);
  const sessions = Array.from({ length: count }, () => newSession(account.id));
  for (const session of sessions) await store.sessions.create(session, UNCHANGED, BY);
  const [first = newSession(account.id), ...others] = sessions;
  return { accountId: account.id, sessions, first, others };
}

const listOf = async (store: Store, accountId: string, times = TIMES) =>
  (await store.sessions.list(accountId, MAX_UUID, 100, times)).map(({ id }) => id);

export function sessionListSuite(test: StoreTest): void {
  test("expired sessions, and those from a clock that was set back, are not listed", async (store) => {
    const { accountId, first } = await accountWithSessions(store, 1);
    const future = newSession(accountId, { createdAt: LATER, expiresAt: END });
    await store.sessions.create(future, UNCHANGED, BY);

    assert.deepEqual(await listOf(store, accountId), [first.id]);
    assert.deepEqual(await listOf(store, accountId, { now: NOW, issuedBy: LATER }), [
      future.id,
      first.id,
    ]);
    assert.deepEqual(await listOf(store, accountId, { now: END, issuedBy: END }), []);
  });

  test("a session that an older version stored has an id and no address", async (store, engine) => {
    const { accountId, first } = await accountWithSessions(store, 1);
    await engine.query("UPDATE sessions SET address = NULL");

    const [listed] = await store.sessions.list(accountId, MAX_UUID, 100, TIMES);

    assert.deepEqual([listed?.id, listed?.address], [first.id, undefined]);
  });

  endingSuite(test);
}

function endingSuite(test: StoreTest): void {
  test("the id of an expired, a foreign or no session ends nothing", async (store, engine) => {
    const { accountId, first } = await accountWithSessions(store, 1);
    const other = await accountWithSessions(store, 1);
    const expired = newSession(accountId, { expiresAt: LATER });
    await store.sessions.create(expired, UNCHANGED, BY);
    const before = await contentsOf(engine);

    const outcomes = [
      await store.sessions.endOne(other.first.id, bySession(first)),
      await store.sessions.endOne(newId(), bySession(first)),
      await store.sessions.endOne(expired.id, bySession(first, LATER)),
    ];

    assert.deepEqual(outcomes, [false, false, false]);
    assert.deepEqual(await contentsOf(engine), before);
  });

  test("of sessions that end all others at once, on two nodes, exactly one stays", async (here, _, there) => {
    const { accountId, sessions } = await accountWithSessions(here, 8);

    const outcomes = await Promise.allSettled(
      sessions.map((session, index) =>
        (index % 2 === 0 ? here : there).sessions.endOthers(bySession(session)),
      ),
    );

    const statuses = outcomes.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === "fulfilled").length, 1);
    assert.deepEqual(await listOf(here, accountId), [sessions[statuses.indexOf("fulfilled")]?.id]);
  });
}
