import assert from "node:assert/strict";
import type { KeyReference } from "../../../src/api-keys/store.ts";
import { HASHES_PER_STATEMENT } from "../../../src/shared/page-size.ts";
import type { Store } from "../../../src/store.ts";
import {
  accepts,
  BY,
  byAt,
  contentsOf,
  eventsOf,
  KEY_LIMITS,
  keysOf,
  NOW,
  newAccount,
  newCustomer,
  newHash,
  newId,
  newKey,
  newMailToken,
  newRead,
  newSession,
  type StoreTest,
  UNCHANGED,
  valuesOf,
} from "./database.ts";

const LATER = "2026-11-21T13:00:00.000Z";
const END = "2026-11-22T12:00:00.000Z";

async function storedSession(store: Store, expiresAt = END) {
  const account = newAccount();
  await store.accounts.create(account, newMailToken(), BY);
  const session = newSession(account.id, { expiresAt });
  await store.sessions.create(session, UNCHANGED, BY);
  return session;
}

/** The account's events of an action, oldest first. */
const actionsOf = async (store: Store, accountId: string, action: string) =>
  (await eventsOf(store, accountId)).filter((event) => event.action === action);

export function burnSuite(test: StoreTest): void {
  test("a key is found by its id, its hash or its prefix, with its account's email", async (store) => {
    const { email, accountId, key } = await newCustomer(store, 10);
    await newCustomer(store, 10);
    const prefix = "svc_live_89abcdef";
    const other = newKey(accountId, { keyPrefix: prefix });
    await store.keys.create(other, KEY_LIMITS, BY);
    const idsBy = async (by: KeyReference["by"], value: string) =>
      (await store.keys.find({ by, value }, 9)).map(({ id }) => id);

    const [found, ...others] = await store.keys.find({ by: "id", value: key.id }, 9);

    const { id, name, keyPrefix, createdAt, revokedAt } = key;
    assert.deepEqual(found, { id, name, keyPrefix, createdAt, revokedAt, accountId, email });
    assert.deepEqual(others, []);
    assert.deepEqual(await idsBy("hash", key.keyHash), [key.id]);
    assert.deepEqual(await idsBy("prefix", prefix), [other.id]);
    for (const by of ["id", "hash", "prefix"] as const) {
      assert.deepEqual(await idsBy(by, "unknown"), []);
    }
  });

  test("keys with the same prefix are found active ones first, up to a limit", async (store) => {
    const owners = [await newCustomer(store, 1), await newCustomer(store, 1)];
    const keys = [...owners, await newCustomer(store, 1)].map(({ key }) => key);
    await store.keys.revoke(owners[0]?.accountId ?? "", keys[0]?.id ?? "", BY);
    const ids = async (limit: number) => {
      const found = await store.keys.find({ by: "prefix", value: "svc_live_01234567" }, limit);
      return found.map(({ id }) => id);
    };

    assert.deepEqual(await ids(9), [keys[1]?.id, keys[2]?.id, keys[0]?.id]);
    assert.deepEqual(await ids(2), [keys[1]?.id, keys[2]?.id]);
  });

  test("burned keys of several accounts are revoked, with an event each, and no others", async (store) => {
    const leaked = [await newCustomer(store, 10), await newCustomer(store, 10)];
    const [safe, revoked] = [await newCustomer(store, 10), await newCustomer(store, 10)];
    await store.keys.revoke(revoked.accountId, revoked.key.id, BY);
    const hashes = [...leaked, revoked].map(({ keyHash }) => keyHash);

    const burned = await store.keys.burn([...hashes, newHash()], byAt(LATER));

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

  test("a preview reports what a burn would do, and changes nothing", async (store, engine) => {
    const [active, revoked] = [await newCustomer(store, 10), await newCustomer(store, 10)];
    await store.keys.revoke(revoked.accountId, revoked.key.id, BY);
    const session = await storedSession(store);
    const before = await contentsOf(engine);
    const hashes = [active.keyHash, revoked.keyHash, newHash()];

    const keys = await store.keys.previewBurn(hashes);
    const sessions = await store.sessions.previewBurn([session.tokenHash, newHash()], LATER);

    assert.equal(keys.known, 2);
    assert.deepEqual(valuesOf(keys.revoked, "id"), [active.key.id]);
    assert.equal(sessions, 1);
    assert.deepEqual(await contentsOf(engine), before);
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

  test("burned session tokens end their valid sessions, with an event each, and no others", async (store) => {
    const [first, second, safe] = [
      await storedSession(store),
      await storedSession(store),
      await storedSession(store),
    ];
    const expired = await storedSession(store, "2026-11-21T12:30:00.000Z");
    const hashes = [first, second, expired].map(({ tokenHash }) => tokenHash);

    assert.equal(await store.sessions.burn([...hashes, newHash()], byAt(LATER)), 2);
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

  test("a key of a deleted account is found without an email", async (store, engine) => {
    const { accountId, key } = await newCustomer(store, 10);
    await engine.query("UPDATE accounts SET deleted_at = $2 WHERE id = $1", accountId, NOW);

    const [found] = await store.keys.find({ by: "id", value: key.id }, 1);

    assert.deepEqual([found?.accountId, found?.email], [accountId, undefined]);
    assert.deepEqual(await store.keys.find({ by: "id", value: newId() }, 1), []);
  });
}
