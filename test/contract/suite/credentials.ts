import assert from "node:assert/strict";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  byAt,
  EUR_USD,
  KEY_LIMITS,
  keysOf,
  NOW,
  newAccount,
  newHash,
  newId,
  newKey,
  newMailToken,
  newRead,
  newSession,
  type StoreTest,
  storeRates,
  UNCHANGED,
} from "./database.ts";

const LATER = "2026-11-21T13:00:00.000Z";
const END = "2026-11-22T12:00:00.000Z";

async function storedAccount(store: Store): Promise<string> {
  const account = newAccount();
  await store.accounts.create(account, newMailToken(), BY);
  return account.id;
}

export function sessionSuite(test: StoreTest): void {
  test("a session identifies its account until it expires", async (database) => {
    const store = database.openStore();
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

  test("an ended session is invalid, and the account's other sessions stay valid", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const [ended, other] = [newSession(accountId), newSession(accountId)];
    await store.sessions.create(ended, UNCHANGED, BY);
    await store.sessions.create(other, UNCHANGED, BY);

    await store.sessions.end(ended.tokenHash, BY);
    await store.sessions.end(ended.tokenHash, BY);
    await store.sessions.end(newHash(), BY);

    assert.equal(await store.sessions.findAccount(ended.tokenHash, NOW), undefined);
    assert.equal(await store.sessions.findAccount(other.tokenHash, NOW), accountId);
  });

  test("a new session of a node whose clock is ahead ends no other", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const running = newSession(accountId);
    await store.sessions.create(running, UNCHANGED, BY);

    const later = { createdAt: "2028-04-05T12:00:00.000Z", expiresAt: "2028-04-06T12:00:00.000Z" };
    await store.sessions.create(newSession(accountId, later), UNCHANGED, byAt(later.createdAt));

    assert.equal(await store.sessions.findAccount(running.tokenHash, NOW), accountId);
  });

  test("a password that changed after its check opens no session", async (database) => {
    const store = database.openStore();
    const account = newAccount();
    await store.accounts.create(account, newMailToken(), BY);
    const session = newSession(account.id);

    const changed = { hash: "$argon2id$before", nextHash: "$argon2id$before" };
    assert.equal(await store.sessions.create(session, changed, BY), false);

    assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), undefined);
    assert.deepEqual(await store.accounts.findByEmail(account.email), account);
  });

  test("a session renews its account's password hash and no other account's", async (database) => {
    const store = database.openStore();
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

  test("a session of an unknown account is rejected", async (database) => {
    const store = database.openStore();
    const session = newSession(newId());

    assert.equal(await store.sessions.create(session, UNCHANGED, BY), false);

    assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), undefined);
  });
}

export function apiKeySuite(test: StoreTest): void {
  test("keys are listed oldest first, including revoked ones, without their hash", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const other = await storedAccount(store);
    const keys = [newKey(accountId, { name: "one" }), newKey(accountId), newKey(accountId)];
    // Stored out of order: the ids define the order of creation.
    for (const key of [keys[1], keys[2], keys[0], newKey(other)]) {
      if (key !== undefined) assert.equal(await store.keys.create(key, KEY_LIMITS, BY), "created");
    }
    await store.keys.revoke(accountId, keys[1]?.id ?? "", byAt(LATER));

    const listed = await keysOf(store, accountId);

    assert.deepEqual(
      listed,
      keys.map(({ id, name, keyPrefix, createdAt }, index) => ({
        id,
        name,
        keyPrefix,
        createdAt,
        revokedAt: index === 1 ? LATER : undefined,
      })),
    );
    assert.deepEqual(await keysOf(store, newId()), []);
  });

  test("keys are listed in pages that start after an id", async (database) => {
    const store = database.openStore();
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const keys = Array.from({ length: 5 }, () => newKey(accountId));
    for (const key of [...keys, newKey(other)]) await store.keys.create(key, KEY_LIMITS, BY);
    const ids = keys.map(({ id }) => id);
    const pageAfter = async (id: string) =>
      (await store.keys.list(accountId, id, 2)).map((key) => key.id);

    assert.deepEqual(await pageAfter(""), ids.slice(0, 2));
    assert.deepEqual(await pageAfter(ids[1] ?? ""), ids.slice(2, 4));
    assert.deepEqual(await pageAfter(ids[3] ?? ""), ids.slice(4));
    assert.deepEqual(await pageAfter(ids[4] ?? ""), []);
  });

  test("an account has a limit of active keys; revoked ones do not count", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const other = await storedAccount(store);
    const limits = { ...KEY_LIMITS, active: 2 };
    const [first, second, third] = [newKey(accountId), newKey(accountId), newKey(accountId)];
    await store.keys.create(first, limits, BY);
    await store.keys.create(second, limits, BY);

    assert.equal(await store.keys.create(third, limits, BY), "active");
    assert.equal((await keysOf(store, accountId)).length, 2);
    assert.equal((await store.metering.read(newRead(third.keyHash)))?.found, undefined);
    assert.equal(await store.keys.create(newKey(other), limits, BY), "created");

    await store.keys.revoke(accountId, first.id, BY);
    assert.equal(await store.keys.create(third, limits, BY), "created");
    assert.equal(await store.keys.create(newKey(accountId), limits, BY), "active");
  });

  test("an account has a limit of keys created per UTC day, including revoked ones", async (database) => {
    const store = database.openStore();
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

  test("an account has a limit of keys in total, including revoked ones", async (database) => {
    const store = database.openStore();
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
    test(`twelve concurrent creations on two nodes do not exceed the limit "${limit}"`, async (database) => {
      const [here, there] = [database.openStore(), database.openStore()];
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

  test("an ended session cannot create a key", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const [session, ended] = [newSession(accountId), newSession(accountId)];
    for (const each of [session, ended]) await store.sessions.create(each, UNCHANGED, BY);
    await store.sessions.end(ended.tokenHash, BY);
    const createBy = (sessionHash: string) =>
      store.keys.create(newKey(accountId, { sessionHash }), KEY_LIMITS, BY);

    assert.equal(await createBy(ended.tokenHash), "session_ended");
    assert.deepEqual(await keysOf(store, accountId), []);
    assert.equal(await createBy(session.tokenHash), "created");
    assert.equal(await store.sessions.findAccount(session.tokenHash, LATER), accountId);
  });

  test("a key is revoked once, and keeps the time of its first revocation", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const key = newKey(accountId);
    await store.keys.create(key, KEY_LIMITS, BY);

    assert.equal(await store.keys.revoke(accountId, key.id, BY), true);
    assert.equal(await store.keys.revoke(accountId, key.id, byAt(LATER)), false);

    assert.equal((await keysOf(store, accountId))[0]?.revokedAt, NOW);
  });

  test("of twenty concurrent revocations on two nodes, one succeeds", async (database) => {
    const stores = [database.openStore(), database.openStore()];
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

  test("an unknown key or another account's key cannot be revoked and stays valid", async (database) => {
    const store = database.openStore();
    const owner = await storedAccount(store);
    const other = await storedAccount(store);
    const key = newKey(owner);
    await store.keys.create(key, KEY_LIMITS, BY);

    assert.equal(await store.keys.revoke(other, key.id, BY), false);
    assert.equal(await store.keys.revoke(owner, newId(), BY), false);
    assert.equal(await store.keys.revoke(owner, "", BY), false);

    assert.equal((await keysOf(store, owner))[0]?.revokedAt, undefined);
    assert.notEqual(
      (await store.metering.read(newRead(key.keyHash, { pair: "" })))?.found,
      undefined,
    );
  });

  test("a key identifies its account until it is revoked", async (database) => {
    const store = database.openStore();
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

  test("looking up a key's account charges nothing", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const accountId = await storedAccount(store);
    const key = newKey(accountId);
    await store.keys.create(key, KEY_LIMITS, BY);

    for (let lookUp = 0; lookUp < 3; lookUp += 1) await store.keys.findAccount(key.keyHash);

    assert.equal((await store.usage.ofPeriod(accountId, "2026-11"))?.usedUnits, 0);
    assert.deepEqual(await engine.query("SELECT * FROM period_usage"), []);
    assert.deepEqual(await engine.query("SELECT * FROM daily_usage"), []);
  });

  test("a key revoked on one node is invalid at the next lookup on another", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    const accountId = await storedAccount(here);
    const key = newKey(accountId);
    await here.keys.create(key, KEY_LIMITS, BY);
    assert.equal(await there.keys.findAccount(key.keyHash), accountId);

    await here.keys.revoke(accountId, key.id, BY);

    assert.equal(await there.keys.findAccount(key.keyHash), undefined);
  });

  test("a key revoked on one node is invalid at the next read on another", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    await storeRates(here, [EUR_USD]);
    const accountId = await storedAccount(here);
    const key = newKey(accountId);
    await here.keys.create(key, KEY_LIMITS, BY);
    assert.equal((await there.metering.read(newRead(key.keyHash)))?.quota?.usedUnits, 1);

    await here.keys.revoke(accountId, key.id, BY);

    assert.equal((await there.metering.read(newRead(key.keyHash)))?.found, undefined);
    assert.equal((await here.usage.ofPeriod(accountId, "2026-11"))?.usedUnits, 1);
  });
}
