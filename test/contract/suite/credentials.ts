import assert from "node:assert/strict";
import type { KeyReference } from "../../../src/customers/api-keys/store.ts";
import { HASHES_PER_STATEMENT } from "../../../src/platform/shared/chunks.ts";
import { MAX_UUID } from "../../../src/platform/shared/uuid.ts";
import type { Store } from "../../support/stores.ts";
import {
  accepts,
  eventsOf,
  KEY_LIMITS,
  keysOf,
  newCustomer,
  newKey,
  newRegistration,
  newSession,
  UNCHANGED,
} from "./customers.ts";
import { contentsOf, onTwoNodes, type StoreTest } from "./database.ts";
import { BY, byAt, bySession, NOW, newHash, newId } from "./origins.ts";
import { newRead } from "./rates-stored.ts";

const END = "2026-11-22T12:00:00.000Z";

const storedAccount = async (store: Store) => (await newRegistration(store)).account.id;

export function sessionSuite(test: StoreTest): void {
  test("a session identifies its account until it expires or is ended, whatever others do", async (store) => {
    const accountId = await storedAccount(store);
    const [session, ended] = [newSession(accountId), newSession(accountId)];
    for (const one of [session, ended]) await store.sessions.create(one, UNCHANGED, BY);
    // By a node whose clock is ahead.
    const later = { createdAt: "2028-04-05T12:00:00.000Z", expiresAt: "2028-04-06T12:00:00.000Z" };
    await store.sessions.create(newSession(accountId, later), UNCHANGED, byAt(later.createdAt));
    const accountOf = ({ tokenHash }: typeof session, now = NOW) =>
      store.sessions.findAccount(tokenHash, now);
    assert.equal(await accountOf(ended), accountId);

    await store.sessions.end(bySession(ended));

    assert.equal(await accountOf(ended), undefined);
    assert.equal(await accountOf(session), accountId);
    assert.equal(await accountOf(session, "2026-11-22T11:59:59.999Z"), accountId);
    assert.equal(await accountOf(session, END), undefined);
    assert.equal(await store.sessions.findAccount(newHash(), NOW), undefined);

    const future = newSession(accountId, { createdAt: LATER, expiresAt: END });
    await store.sessions.create(future, UNCHANGED, BY);
    assert.equal(await accountOf(future), undefined);
    assert.equal(await store.sessions.findAccount(future.tokenHash, NOW, LATER), accountId);
  });

  test("a session renews its account's password hash alone, and none opens after the password has changed", async (store) => {
    const [{ account }, { account: other }] = [
      await newRegistration(store),
      await newRegistration(store),
    ];
    const renewed = { hash: account.passwordHash, nextHash: "$argon2id$second" };
    const late = newSession(account.id);

    assert.equal(await store.sessions.create(newSession(account.id), renewed, BY), true);
    assert.equal(await store.sessions.create(late, renewed, BY), false);

    assert.equal(await store.sessions.findAccount(late.tokenHash, NOW), undefined);
    const second = { ...account, passwordHash: "$argon2id$second" };
    assert.deepEqual(await store.accounts.findByEmail(account.email), second);
    assert.deepEqual(await store.accounts.findByEmail(other.email), other);
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

  for (const [limit, what, first, late, beyond] of [
    ["perDay", "created per UTC day", "T00:00:00.000Z", "T23:59:59.999Z", "2026-11-22"],
    ["total", "in total", "T12:00:00.000Z", "T12:00:00.000Z", undefined],
  ] as const) {
    test(`an account has a limit of keys ${what}, including revoked ones`, async (store) => {
      const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
      const limits = { ...KEY_LIMITS, [limit]: 2 };
      const create = (createdAt: string, owner = accountId) => {
        const key = newKey(owner, { createdAt });
        return store.keys.create(key, limits, BY).then((result) => ({ ...key, result }));
      };
      if (beyond !== undefined) await create("2026-11-20T23:59:59.999Z");
      const { id } = await create(`2026-11-21${first}`);
      await create(NOW);
      await store.keys.revoke(accountId, id, BY);
      const count = (await keysOf(store, accountId)).length;

      assert.equal((await create(`2026-11-21${late}`)).result, limit);
      assert.equal((await keysOf(store, accountId)).length, count);
      assert.equal((await create(NOW, other)).result, "created");
      const next = (await create(`${beyond ?? "2027-11-21"}T00:00:00.000Z`)).result;
      assert.equal(next, beyond === undefined ? "total" : "created");
    });
  }

  for (const limit of ["active", "perDay", "total"] as const) {
    test(`twelve concurrent creations on two nodes do not exceed the limit "${limit}"`, async (here, _, there) => {
      const accountId = await storedAccount(here);
      const limits = { ...KEY_LIMITS, [limit]: 5 };

      const created = await onTwoNodes([here, there], 12, (store) =>
        store.keys.create(newKey(accountId), limits, BY),
      );

      assert.equal(created.filter((one) => one === "created").length, 5);
      assert.equal(created.filter((one) => one === limit).length, 7);
      assert.equal((await keysOf(there, accountId)).length, 5);
    });
  }

  test("of twenty concurrent revocations on two nodes, one succeeds", async (here, _, there) => {
    const accountId = await storedAccount(here);
    const key = newKey(accountId);
    await here.keys.create(key, KEY_LIMITS, BY);

    const revoked = await onTwoNodes([here, there], 20, (store) =>
      store.keys.revoke(accountId, key.id, BY),
    );

    assert.equal(revoked.filter((one) => one === true).length, 1);
  });

  test("a key identifies its account until it is revoked", async (store) => {
    const [accountId, other] = [await storedAccount(store), await storedAccount(store)];
    const [key, second, foreign] = [newKey(accountId), newKey(accountId), newKey(other)];
    for (const each of [key, second, foreign]) await store.keys.create(each, KEY_LIMITS, BY);

    assert.equal(await store.keys.findAccount(key.keyHash, NOW), accountId);
    assert.equal(await store.keys.findAccount(second.keyHash, NOW), accountId);
    assert.equal(await store.keys.findAccount(foreign.keyHash, NOW), other);
    for (const unknown of [newHash(), "", key.id, key.keyPrefix, key.keyHash.toUpperCase()]) {
      assert.equal(await store.keys.findAccount(unknown, NOW), undefined, unknown);
    }

    await store.keys.revoke(accountId, key.id, BY);

    assert.equal(await store.keys.findAccount(key.keyHash, NOW), undefined);
    assert.equal(await store.keys.findAccount(second.keyHash, NOW), accountId);
    assert.equal(await store.keys.findAccount(foreign.keyHash, NOW), other);
  });
}

const LATER = "2026-11-21T13:00:00.000Z";
const TIMES = { now: NOW, issuedBy: NOW };

/** An account with sessions, oldest first. */
async function accountWithSessions(store: Store, count: number) {
  const accountId = await storedAccount(store);
  const sessions = Array.from({ length: count }, () => newSession(accountId));
  for (const session of sessions) await store.sessions.create(session, UNCHANGED, BY);
  return { accountId, sessions, first: sessions[0] ?? newSession(accountId) };
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

async function storedSession(store: Store, expiresAt = END) {
  const session = newSession(await storedAccount(store), { expiresAt });
  await store.sessions.create(session, UNCHANGED, BY);
  return session;
}

/** The account's events of an action, oldest first. */
const actionsOf = async (store: Store, accountId: string, action: string) =>
  (await eventsOf(store, accountId)).filter((event) => event.action === action);

export function burnSuite(test: StoreTest): void {
  test("a key is found by its id, hash or prefix, with its account's email until that is deleted", async (store, engine) => {
    const { email, accountId, key } = await newCustomer(store, 10);
    await newCustomer(store, 10);
    const prefix = "svc_live_89abcdef";
    const other = newKey(accountId, { keyPrefix: prefix });
    await store.keys.create(other, KEY_LIMITS, BY);
    const idsBy = async (by: KeyReference["by"], value: string) =>
      (await store.keys.find({ by, value }, 9, NOW)).map(({ id }) => id);

    const [found, ...others] = await store.keys.find({ by: "id", value: key.id }, 9, NOW);

    const { id, name, keyPrefix, createdAt, revokedAt } = key;
    assert.deepEqual(found, { id, name, keyPrefix, createdAt, revokedAt, accountId, email });
    assert.deepEqual(others, []);
    assert.deepEqual(await idsBy("hash", key.keyHash), [key.id]);
    assert.deepEqual(await idsBy("prefix", prefix), [other.id]);
    for (const by of ["id", "hash", "prefix"] as const) {
      assert.deepEqual(await idsBy(by, "unknown"), []);
    }
    await engine.query("UPDATE accounts SET deleted_at = $2 WHERE id = $1", accountId, NOW);
    const [erased] = await store.keys.find({ by: "id", value: key.id }, 1, NOW);
    assert.deepEqual([erased?.accountId, erased?.email], [accountId, undefined]);
  });

  test("keys with the same prefix are found active ones first, up to a limit", async (store) => {
    const owners = [await newCustomer(store, 1), await newCustomer(store, 1)];
    const keys = [...owners, await newCustomer(store, 1)].map(({ key }) => key);
    await store.keys.revoke(owners[0]?.accountId ?? "", keys[0]?.id ?? "", BY);
    const ids = async (limit: number) => {
      const found = await store.keys.find({ by: "prefix", value: "svc_live_01234567" }, limit, NOW);
      return found.map(({ id }) => id);
    };

    assert.deepEqual(await ids(9), [keys[1]?.id, keys[2]?.id, keys[0]?.id]);
    assert.deepEqual(await ids(2), [keys[1]?.id, keys[2]?.id]);
  });

  test("burned keys of several accounts are revoked, with an event each, and no others, as a preview says", async (store, engine) => {
    const leaked = [await newCustomer(store, 10), await newCustomer(store, 10)];
    const [safe, revoked] = [await newCustomer(store, 10), await newCustomer(store, 10)];
    await store.keys.revoke(revoked.accountId, revoked.key.id, BY);
    const hashes = [...[...leaked, revoked].map(({ keyHash }) => keyHash), newHash()];
    const before = await contentsOf(engine);
    const preview = await store.keys.previewBurn(hashes, NOW);
    assert.deepEqual(await contentsOf(engine), before);

    const burned = await store.keys.burn(hashes, byAt(LATER));

    assert.deepEqual(burned, preview);
    assert.equal(burned.known, 3);
    const emails = burned.revoked.map(({ email }) => email).sort();
    assert.deepEqual(emails, leaked.map(({ email }) => email).sort());
    for (const { accountId, key, keyHash } of leaked) {
      assert.equal((await keysOf(store, accountId))[0]?.revokedAt, LATER);
      assert.equal((await store.metering.read(newRead(keyHash, { pair: "" })))?.found, undefined);
      const [event, ...others] = await actionsOf(store, accountId, "api_key.revoked");
      const details = { api_key_id: key.id, key_prefix: key.keyPrefix, reason: "burned" };
      assert.deepEqual([event?.at, event?.details, others], [LATER, details, []]);
    }
    assert.equal((await keysOf(store, revoked.accountId))[0]?.revokedAt, NOW);
    assert.equal((await actionsOf(store, revoked.accountId, "api_key.revoked")).length, 1);
    assert.ok(await accepts(store, safe));
    assert.deepEqual(await actionsOf(store, safe.accountId, "api_key.revoked"), []);
  });

  test("of two simultaneous burns of the same keys on two nodes, each key is revoked by one", async (here, _, there) => {
    const { accountId } = await newCustomer(here, 10);
    const keys = Array.from({ length: 20 }, () => newKey(accountId));
    for (const key of keys) await here.keys.create(key, KEY_LIMITS, BY);
    const hashes = keys.map(({ keyHash }) => keyHash);

    const burned = await Promise.all([
      here.keys.burn(hashes, BY),
      there.keys.burn(hashes.toReversed(), BY),
    ]);

    const ids = burned.flatMap(({ revoked }) => revoked.map(({ id }) => id)).sort();
    assert.deepEqual(ids, keys.map(({ id }) => id).sort());
    assert.deepEqual([burned[0]?.known, burned[1]?.known], [20, 20]);
    assert.equal((await actionsOf(there, accountId, "api_key.revoked")).length, 20);
  });

  test("a burn takes as many hashes as a statement has, none too, and rejects more", async (store, engine) => {
    const { accountId, key, keyHash } = await newCustomer(store, 10);
    const others = Array.from({ length: HASHES_PER_STATEMENT - 1 }, newHash);

    assert.deepEqual(await store.keys.burn([], BY), { known: 0, revoked: [] });
    assert.equal(await store.sessions.burn([], BY), 0);
    const before = await contentsOf(engine);
    await assert.rejects(async () => store.keys.burn([keyHash, ...others, newHash()], BY));
    assert.deepEqual(await contentsOf(engine), before);

    const burned = await store.keys.burn([...others, keyHash], BY);
    assert.deepEqual([burned.known, burned.revoked[0]?.id], [1, key.id]);
    assert.equal((await keysOf(store, accountId))[0]?.revokedAt, NOW);
  });

  test("burned session tokens end their valid sessions, with an event each, and no others, as a preview says", async (store, engine) => {
    const [first, second, safe] = [
      await storedSession(store),
      await storedSession(store),
      await storedSession(store),
    ];
    const expired = await storedSession(store, "2026-11-21T12:30:00.000Z");
    const hashes = [...[first, second, expired].map(({ tokenHash }) => tokenHash), newHash()];
    const before = await contentsOf(engine);
    assert.equal(await store.sessions.previewBurn(hashes, LATER), 2);
    assert.deepEqual(await contentsOf(engine), before);

    assert.equal(await store.sessions.burn(hashes, byAt(LATER)), 2);
    assert.equal(await store.sessions.burn(hashes, byAt(LATER)), 0);

    for (const { tokenHash, accountId } of [first, second]) {
      assert.equal(await store.sessions.findAccount(tokenHash, LATER), undefined);
      const events = await actionsOf(store, accountId, "session.ended");
      assert.deepEqual(
        events.map(({ at, details }) => [at, details]),
        [[LATER, { reason: "burned" }]],
      );
    }
    assert.equal(await store.sessions.findAccount(safe.tokenHash, LATER), safe.accountId);
    assert.deepEqual(await actionsOf(store, expired.accountId, "session.ended"), []);
  });

  test("the session of a suspended account ends, and does not return when the account is resumed", async (store, engine) => {
    const { tokenHash, accountId } = await storedSession(store);
    const setSuspended = "UPDATE accounts SET suspended_at = $2 WHERE id = $1";
    await engine.query(setSuspended, accountId, NOW);

    assert.equal(await store.sessions.burn([tokenHash], BY), 1);

    await engine.query(setSuspended, accountId, null);
    assert.equal(await store.sessions.findAccount(tokenHash, NOW), undefined);
  });
}
