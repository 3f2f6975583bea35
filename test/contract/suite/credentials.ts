import assert from "node:assert/strict";
import type { Store } from "../../../src/store.ts";
import {
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
  type StoreTest,
  storeRates,
  UNCHANGED,
} from "./database.ts";

const LATER = "2026-11-21T13:00:00.000Z";
const END = "2026-11-22T12:00:00.000Z";

async function storedAccount(store: Store): Promise<string> {
  const account = newAccount();
  await store.createAccount(account, newMailToken());
  return account.id;
}

const newSession = (accountId: string, createdAt = NOW, expiresAt = END) => ({
  tokenHash: newHash(),
  accountId,
  createdAt,
  expiresAt,
});

export function sessionSuite(test: StoreTest): void {
  test("a session is its account's until the moment it expires", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const session = newSession(accountId);
    await store.createSession(session, UNCHANGED);

    assert.equal(await store.sessionAccount(session.tokenHash, NOW), accountId);
    assert.equal(
      await store.sessionAccount(session.tokenHash, "2026-11-22T11:59:59.999Z"),
      accountId,
    );
    assert.equal(await store.sessionAccount(session.tokenHash, END), undefined);
    assert.equal(await store.sessionAccount(newHash(), NOW), undefined);
  });

  test("a session that is ended is no session, and the account's others stay", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const [ended, other] = [newSession(accountId), newSession(accountId)];
    await store.createSession(ended, UNCHANGED);
    await store.createSession(other, UNCHANGED);

    await store.endSession(ended.tokenHash);
    await store.endSession(ended.tokenHash);
    await store.endSession(newHash());

    assert.equal(await store.sessionAccount(ended.tokenHash, NOW), undefined);
    assert.equal(await store.sessionAccount(other.tokenHash, NOW), accountId);
  });

  test("a new session removes the account's expired ones, and nobody else's", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const accountId = await storedAccount(store);
    const otherId = await storedAccount(store);
    const expired = newSession(accountId, NOW, LATER);
    const running = newSession(accountId, NOW, END);
    const foreign = newSession(otherId, NOW, LATER);
    for (const session of [expired, running, foreign])
      await store.createSession(session, UNCHANGED);

    await store.createSession(newSession(accountId, LATER, END), UNCHANGED);

    const kept = await engine.query("SELECT token_hash FROM sessions ORDER BY expires_at");
    assert.equal(kept.length, 3);
    assert.equal(await store.sessionAccount(expired.tokenHash, NOW), undefined);
    assert.equal(await store.sessionAccount(running.tokenHash, NOW), accountId);
    assert.equal(await store.sessionAccount(foreign.tokenHash, NOW), otherId);
  });

  test("a password that was changed after it was checked opens no session", async (database) => {
    const store = database.openStore();
    const account = newAccount();
    await store.createAccount(account, newMailToken());
    const session = newSession(account.id);

    const changed = { hash: "$argon2id$before", nextHash: "$argon2id$before" };
    assert.equal(await store.createSession(session, changed), false);

    assert.equal(await store.sessionAccount(session.tokenHash, NOW), undefined);
    assert.deepEqual(await store.accountByEmail(account.email), account);
  });

  test("a session renews the stored form of its password, and nobody else's", async (database) => {
    const store = database.openStore();
    const [account, other] = [newAccount(), newAccount()];
    for (const each of [account, other]) await store.createAccount(each, newMailToken());
    const renewed = { hash: account.passwordHash, nextHash: "$argon2id$second" };

    assert.equal(await store.createSession(newSession(account.id), renewed), true);

    const hashOf = async (email: string) => (await store.accountByEmail(email))?.passwordHash;
    assert.equal(await hashOf(account.email), "$argon2id$second");
    assert.equal(await hashOf(other.email), other.passwordHash);
    assert.equal(await store.createSession(newSession(account.id), renewed), false);
    assert.equal(await hashOf(account.email), "$argon2id$second");
  });

  test("a session of an unknown account is refused", async (database) => {
    const store = database.openStore();
    const session = newSession(newId());

    assert.equal(await store.createSession(session, UNCHANGED), false);

    assert.equal(await store.sessionAccount(session.tokenHash, NOW), undefined);
  });
}

export function apiKeySuite(test: StoreTest): void {
  test("keys are listed oldest first, revoked ones too, and without their hash", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const other = await storedAccount(store);
    const keys = [newKey(accountId, { name: "one" }), newKey(accountId), newKey(accountId)];
    // Stored out of order: the order of creation is that of the ids.
    for (const key of [keys[1], keys[2], keys[0], newKey(other)]) {
      if (key !== undefined) assert.equal(await store.createApiKey(key, KEY_LIMITS), "created");
    }
    await store.revokeApiKey(accountId, keys[1]?.id ?? "", LATER);

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

  test("keys are listed in pages, each after an id", async (database) => {
    const store = database.openStore();
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const keys = Array.from({ length: 5 }, () => newKey(accountId));
    for (const key of [...keys, newKey(other)]) await store.createApiKey(key, KEY_LIMITS);
    const ids = keys.map(({ id }) => id);
    const pageAfter = async (id: string) =>
      (await store.listApiKeys(accountId, id, 2)).map((key) => key.id);

    assert.deepEqual(await pageAfter(""), ids.slice(0, 2));
    assert.deepEqual(await pageAfter(ids[1] ?? ""), ids.slice(2, 4));
    assert.deepEqual(await pageAfter(ids[3] ?? ""), ids.slice(4));
    assert.deepEqual(await pageAfter(ids[4] ?? ""), []);
  });

  test("an account has at most a number of active keys; revoked ones do not count", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const other = await storedAccount(store);
    const limits = { ...KEY_LIMITS, active: 2 };
    const [first, second, third] = [newKey(accountId), newKey(accountId), newKey(accountId)];
    await store.createApiKey(first, limits);
    await store.createApiKey(second, limits);

    assert.equal(await store.createApiKey(third, limits), "active");
    assert.equal((await keysOf(store, accountId)).length, 2);
    assert.equal(await store.read(newRead(third.keyHash)), undefined);
    assert.equal(await store.createApiKey(newKey(other), limits), "created");

    await store.revokeApiKey(accountId, first.id, NOW);
    assert.equal(await store.createApiKey(third, limits), "created");
    assert.equal(await store.createApiKey(newKey(accountId), limits), "active");
  });

  test("an account creates at most a number of keys on a UTC day, revoked ones included", async (database) => {
    const store = database.openStore();
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const limits = { ...KEY_LIMITS, perDay: 2 };
    const createAt = (createdAt: string, owner = accountId) =>
      store.createApiKey(newKey(owner, { createdAt }), limits);
    await createAt("2026-11-20T23:59:59.999Z");
    const first = newKey(accountId, { createdAt: "2026-11-21T00:00:00.000Z" });
    await store.createApiKey(first, limits);
    await createAt(NOW);
    await store.revokeApiKey(accountId, first.id, NOW);

    assert.equal(await createAt("2026-11-21T23:59:59.999Z"), "perDay");
    assert.equal((await keysOf(store, accountId)).length, 3);
    assert.equal(await createAt(NOW, other), "created");
    assert.equal(await createAt("2026-11-22T00:00:00.000Z"), "created");
  });

  test("an account has at most a number of keys in total, revoked ones included", async (database) => {
    const store = database.openStore();
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const limits = { ...KEY_LIMITS, total: 2 };
    const first = newKey(accountId);
    await store.createApiKey(first, limits);
    await store.createApiKey(newKey(accountId), limits);
    await store.revokeApiKey(accountId, first.id, NOW);

    const late = newKey(accountId, { createdAt: "2027-11-21T12:00:00.000Z" });
    assert.equal(await store.createApiKey(late, limits), "total");
    assert.equal((await keysOf(store, accountId)).length, 2);
    assert.equal(await store.createApiKey(newKey(other), limits), "created");
  });

  for (const limit of ["active", "perDay", "total"] as const) {
    test(`twelve creations at once, on two nodes, do not pass the limit "${limit}"`, async (database) => {
      const [here, there] = [database.openStore(), database.openStore()];
      const accountId = await storedAccount(here);
      const limits = { ...KEY_LIMITS, [limit]: 5 };

      const created = await Promise.all(
        Array.from({ length: 12 }, (_, turn) =>
          (turn % 2 === 0 ? here : there).createApiKey(newKey(accountId), limits),
        ),
      );

      assert.equal(created.filter((one) => one === "created").length, 5);
      assert.equal(created.filter((one) => one === limit).length, 7);
      assert.equal((await keysOf(there, accountId)).length, 5);
    });
  }

  test("a session that has ended creates no key", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const [session, ended] = [newSession(accountId), newSession(accountId)];
    for (const each of [session, ended]) await store.createSession(each, UNCHANGED);
    await store.endSession(ended.tokenHash);
    const createBy = (sessionHash: string) =>
      store.createApiKey(newKey(accountId, { sessionHash }), KEY_LIMITS);

    assert.equal(await createBy(ended.tokenHash), "session_ended");
    assert.deepEqual(await keysOf(store, accountId), []);
    assert.equal(await createBy(session.tokenHash), "created");
    assert.equal(await store.sessionAccount(session.tokenHash, LATER), accountId);
  });

  test("a key is revoked once, at the first time", async (database) => {
    const store = database.openStore();
    const accountId = await storedAccount(store);
    const key = newKey(accountId);
    await store.createApiKey(key, KEY_LIMITS);

    assert.equal(await store.revokeApiKey(accountId, key.id, NOW), true);
    assert.equal(await store.revokeApiKey(accountId, key.id, LATER), false);

    assert.equal((await keysOf(store, accountId))[0]?.revokedAt, NOW);
  });

  test("of twenty revocations at once, on two nodes, one succeeds", async (database) => {
    const stores = [database.openStore(), database.openStore()];
    const accountId = await storedAccount(stores[0] as Store);
    const key = newKey(accountId);
    await stores[0]?.createApiKey(key, KEY_LIMITS);

    const revoked = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        stores[turn % 2]?.revokeApiKey(accountId, key.id, NOW),
      ),
    );

    assert.equal(revoked.filter((one) => one === true).length, 1);
  });

  test("a key that is unknown or another account's is not revoked and still works", async (database) => {
    const store = database.openStore();
    const owner = await storedAccount(store);
    const stranger = await storedAccount(store);
    const key = newKey(owner);
    await store.createApiKey(key, KEY_LIMITS);

    assert.equal(await store.revokeApiKey(stranger, key.id, NOW), false);
    assert.equal(await store.revokeApiKey(owner, newId(), NOW), false);
    assert.equal(await store.revokeApiKey(owner, "", NOW), false);

    assert.equal((await keysOf(store, owner))[0]?.revokedAt, undefined);
    assert.notEqual(await store.read(newRead(key.keyHash, { pair: "" })), undefined);
  });

  test("a key is its account's while it is active, and nobody's once it is revoked", async (database) => {
    const store = database.openStore();
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const [key, second, foreign] = [newKey(accountId), newKey(accountId), newKey(other)];
    for (const each of [key, second, foreign]) await store.createApiKey(each, KEY_LIMITS);

    assert.equal(await store.apiKeyAccount(key.keyHash), accountId);
    assert.equal(await store.apiKeyAccount(second.keyHash), accountId);
    assert.equal(await store.apiKeyAccount(foreign.keyHash), other);
    for (const unknown of [newHash(), "", key.id, key.keyPrefix, key.keyHash.toUpperCase()]) {
      assert.equal(await store.apiKeyAccount(unknown), undefined, unknown);
    }

    await store.revokeApiKey(accountId, key.id, NOW);

    assert.equal(await store.apiKeyAccount(key.keyHash), undefined);
    assert.equal(await store.apiKeyAccount(second.keyHash), accountId);
    assert.equal(await store.apiKeyAccount(foreign.keyHash), other);
  });

  test("looking up a key's account charges nothing", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const accountId = await storedAccount(store);
    const key = newKey(accountId);
    await store.createApiKey(key, KEY_LIMITS);

    for (let turn = 0; turn < 3; turn += 1) await store.apiKeyAccount(key.keyHash);

    assert.equal((await store.usageOf(accountId, "2026-11"))?.usedUnits, 0);
    assert.deepEqual(await engine.query("SELECT * FROM period_usage"), []);
    assert.deepEqual(await engine.query("SELECT * FROM daily_usage"), []);
  });

  test("a key that one node revokes is nobody's on another at its next look-up", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    const accountId = await storedAccount(here);
    const key = newKey(accountId);
    await here.createApiKey(key, KEY_LIMITS);
    assert.equal(await there.apiKeyAccount(key.keyHash), accountId);

    await here.revokeApiKey(accountId, key.id, NOW);

    assert.equal(await there.apiKeyAccount(key.keyHash), undefined);
  });

  test("a key that one node revokes is dead on another at its next read", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    await storeRates(here, [EUR_USD]);
    const accountId = await storedAccount(here);
    const key = newKey(accountId);
    await here.createApiKey(key, KEY_LIMITS);
    assert.equal((await there.read(newRead(key.keyHash)))?.quota?.usedUnits, 1);

    await here.revokeApiKey(accountId, key.id, NOW);

    assert.equal(await there.read(newRead(key.keyHash)), undefined);
    assert.equal((await here.usageOf(accountId, "2026-11"))?.usedUnits, 1);
  });
}
