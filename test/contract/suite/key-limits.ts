import assert from "node:assert/strict";
import {
  NO_LIMITS,
  type OwnLimits,
  succeedingLimits,
} from "../../../src/customers/api-keys/limits.ts";
import type { Store } from "../../support/stores.ts";
import {
  accepts,
  eventsOf,
  KEY_LIMITS,
  keysOf,
  newCustomer,
  newKey,
  newResetToken,
  newSession,
  UNCHANGED,
} from "./customers.ts";
import { contentsOf, onTwoNodes, type StoreTest, valuesOf } from "./database.ts";
import { foundIn } from "./meter.ts";
import { BY, byAt, bySession, NOW, newHash, newId } from "./origins.ts";
import { EUR_USD, newRead, storeRates } from "./rates-stored.ts";

const BEFORE_END = "2026-11-21T12:59:59.999Z";
const END = "2026-11-21T13:00:00.000Z";
const DAY_LATER = "2026-11-22T12:00:00.000Z";

const ending = { ...NO_LIMITS, expiresAt: END };

const capped: OwnLimits = { ...NO_LIMITS, unitsPerPeriod: 500, unitsPerDay: 50 };

const setTo = (store: Store, accountId: string, keyId: string, limits: OwnLimits, at = NOW) =>
  store.keys.setLimits(accountId, keyId, () => limits, byAt(at));

interface Rotation {
  readonly at?: string;
  readonly endsAt?: string;
  readonly active?: number;
}

/** Rotates a key, by default at NOW with an overlap of a day. */
export async function rotate(store: Store, accountId: string, keyId: string, how: Rotation = {}) {
  const { at = NOW, endsAt = DAY_LATER, active = KEY_LIMITS.active } = how;
  const successor = { id: newId(), keyPrefix: "svc_live_89abcdef", keyHash: newHash() };
  const result = await store.keys.rotate(
    { accountId, keyId, endsAt },
    successor,
    (limits) => succeedingLimits(limits, at, undefined),
    { ...KEY_LIMITS, active },
    byAt(at),
  );
  return { ...successor, result };
}

const limitsAt = (store: Store, accountId: string, keyId: string, now = NOW) =>
  store.keys.limits(accountId, keyId, now);

export function keyLimitSuite(test: StoreTest): void {
  test("a key that has ended is as a revoked one, and no clock, burn or mailed link changes its end", async (store, engine) => {
    const { accountId, email, key: other } = await newCustomer(store, 10);
    const key = newKey(accountId, { limits: ending });
    await store.keys.create(key, KEY_LIMITS, BY);
    const activeAt = async (now: string) => [
      (await store.accounts.summarize(now, email))?.activeKeys,
      (await store.administration.contents(email, now))?.activeKeys,
    ];
    const acceptsAt = async (time: string) =>
      (await store.metering.read(newRead(key.keyHash, { pair: "", time })))?.found !== undefined;
    assert.equal(await store.keys.findAccount(key.keyHash, BEFORE_END), accountId);
    assert.deepEqual([await acceptsAt(BEFORE_END), await acceptsAt(END)], [true, false]);
    assert.deepEqual(
      [await activeAt(BEFORE_END), await activeAt(END)],
      [
        [2, 2],
        [1, 1],
      ],
    );

    assert.equal(await store.keys.findAccount(key.keyHash, END), undefined);
    const rejected = await store.keys.findRejected(key.keyHash, END);
    assert.deepEqual(rejected, { accountId, rejection: "expired" });
    const before = await contentsOf(engine);
    assert.equal(await store.keys.revoke(accountId, key.id, byAt(END)), false);
    assert.equal(await setTo(store, accountId, key.id, NO_LIMITS, END), undefined);
    assert.equal(await limitsAt(store, accountId, key.id, END), undefined);
    assert.equal((await rotate(store, accountId, key.id, { at: END })).result, "not_found");
    for (const burned of [
      await store.keys.previewBurn([key.keyHash], END),
      await store.keys.burn([key.keyHash], byAt(END)),
    ]) {
      assert.deepEqual(burned, { known: 1, revoked: [] });
    }
    assert.deepEqual(await contentsOf(engine), before);
    const found = await store.keys.find({ by: "prefix", value: key.keyPrefix }, 9, END);
    const ofAccount = found.filter((one) => one.accountId === accountId);
    assert.deepEqual(valuesOf(ofAccount, "id"), [other.id, key.id]);
    const revokedAt = async (now: string) =>
      valuesOf(await keysOf(store, accountId, now), "revokedAt");
    assert.deepEqual(await revokedAt(BEFORE_END), [undefined, undefined]);
    assert.deepEqual(await revokedAt(END), [undefined, END]);

    // The first use of a mailed link revokes every key; then not even a clock set back revives one.
    const later = { at: DAY_LATER, reset: "2026-11-22T13:00:00.000Z" };
    const token = newResetToken({ createdAt: later.at, expiresAt: later.reset });
    await store.mailTokens.issue(email, token, byAt(later.at));
    const use = { tokenHash: token.tokenHash, passwordHash: "$argon2id$new", mailId: newId() };
    assert.ok(await store.mailTokens.resetPassword(use, byAt(later.at)));
    assert.deepEqual(await revokedAt(NOW), [later.at, END]);
    const event = (await eventsOf(store, accountId)).at(-1);
    assert.deepEqual(event?.details, { keys_revoked: 1 });
  });

  test("a key that has ended leaves its place to another one", async (store) => {
    const { accountId, key } = await newCustomer(store, 10);
    const limits = { ...KEY_LIMITS, active: 1 };
    await setTo(store, accountId, key.id, ending);
    const create = (createdAt: string) =>
      store.keys.create(newKey(accountId, { createdAt }), limits, byAt(createdAt));

    assert.deepEqual([await create(BEFORE_END), await create(END)], ["active", "created"]);
  });

  test("caps hold for each active key of a line, an end for one key, and other keys keep theirs", async (store) => {
    const { accountId, key } = await newCustomer(store, 10);
    const foreign = await newCustomer(store, 10);
    const own = newKey(accountId);
    await store.keys.create(own, KEY_LIMITS, BY);
    const second = await rotate(store, accountId, key.id);
    const third = await rotate(store, accountId, second.id);
    await store.keys.revoke(accountId, second.id, BY);

    assert.deepEqual(
      await setTo(store, accountId, third.id, { ...ending, ...{ unitsPerDay: 5 } }),
      {
        ...ending,
        unitsPerDay: 5,
      },
    );

    const first = { ...NO_LIMITS, expiresAt: DAY_LATER, unitsPerDay: 5 };
    assert.deepEqual(await limitsAt(store, accountId, key.id), first);
    assert.equal(await limitsAt(store, accountId, second.id), undefined);
    assert.deepEqual(await limitsAt(store, accountId, own.id), NO_LIMITS);
    assert.equal(await setTo(store, accountId, foreign.key.id, capped), undefined);
    assert.deepEqual(await limitsAt(store, foreign.accountId, foreign.key.id), NO_LIMITS);
    const [event, ...others] = (await eventsOf(store, accountId)).filter(
      ({ action }) => action === "api_key.limits_set",
    );
    assert.deepEqual(event?.details, {
      ...{ api_key_id: third.id, key_prefix: third.keyPrefix },
      ...{ expires_at: END, units_per_day: 5 },
    });
    await setTo(store, accountId, third.id, { ...ending, unitsPerDay: 5 });
    assert.deepEqual(others, []);
    assert.equal((await eventsOf(store, accountId)).at(-1)?.id, event.id);
  });

  test("caps that are set once a key of the line is revoked or has ended hold for reads and the next rotation", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key, keyHash } = await newCustomer(store, 10);
    await setTo(store, accountId, key.id, { ...NO_LIMITS, unitsPerDay: 5 });
    const second = await rotate(store, accountId, key.id, { endsAt: END });
    const third = await rotate(store, accountId, second.id);
    await store.keys.revoke(accountId, third.id, BY);
    await setTo(store, accountId, second.id, { ...NO_LIMITS, unitsPerDay: 1 }, END);

    const hashes = [keyHash, second.keyHash, second.keyHash];
    const outcomes = await Promise.all(
      hashes.map((hash) => store.metering.read(newRead(hash, { time: END }))),
    );
    const fourth = await rotate(store, accountId, second.id, { at: END });

    assert.deepEqual(foundIn(outcomes), [undefined, "1.1476", "key_exhausted"]);
    assert.equal((await limitsAt(store, accountId, fourth.id, END))?.unitsPerDay, 1);
  });

  test("a rotation keeps name, caps and end, moves the old end only earlier, and can be repeated", async (store) => {
    const { accountId, key } = await newCustomer(store, 10);
    const limits = { ...capped, expiresAt: "2027-01-01T00:00:00.000Z" };
    await setTo(store, accountId, key.id, limits);

    const second = await rotate(store, accountId, key.id, { endsAt: END });
    const third = await rotate(store, accountId, key.id);

    assert.deepEqual(await limitsAt(store, accountId, key.id), { ...limits, expiresAt: END });
    for (const { id } of [second, third]) {
      assert.deepEqual(await limitsAt(store, accountId, id), limits);
    }
    assert.deepEqual(valuesOf(await keysOf(store, accountId), "name"), ["test", "test", "test"]);
    assert.equal(await store.keys.findAccount(third.keyHash, NOW), accountId);
    // Whoever lost the first response may revoke its key: the end is not that of the overlap.
    for (const { id } of [second, third]) await store.keys.revoke(accountId, id, BY);
    const fourth = await rotate(store, accountId, key.id);
    assert.deepEqual(await limitsAt(store, accountId, fourth.id), limits);
    const event = (await eventsOf(store, accountId)).at(-1);
    assert.deepEqual(
      [event?.action, event?.details],
      [
        "api_key.rotated",
        {
          ...{ api_key_id: key.id, key_prefix: key.keyPrefix, ends_at: DAY_LATER },
          ...{ new_api_key_id: fourth.id, new_key_prefix: fourth.keyPrefix },
          ...{ expires_at: limits.expiresAt, units_per_period: 500, units_per_day: 50 },
        },
      ],
    );
  });

  test("a rotation without overlap revokes the old key, also at the limit of active keys", async (store, engine) => {
    const { accountId, key } = await newCustomer(store, 10);
    const other = await newCustomer(store, 10);
    const before = await contentsOf(engine);
    for (const [owner, id, how, outcome] of [
      [accountId, key.id, { active: 1 }, "active"],
      [other.accountId, key.id, {}, "not_found"],
      [accountId, newId(), {}, "not_found"],
    ] as const) {
      assert.equal((await rotate(store, owner, id, how)).result, outcome);
    }
    assert.deepEqual(await contentsOf(engine), before);

    const { keyHash } = await rotate(store, accountId, key.id, { endsAt: NOW, active: 1 });

    assert.deepEqual([await accepts(store, key), await accepts(store, { keyHash })], [false, true]);
    assert.deepEqual(valuesOf(await keysOf(store, accountId), "revokedAt"), [NOW, undefined]);
    const again = await rotate(store, accountId, key.id, { endsAt: NOW });
    assert.equal(again.result, "not_found");
  });

  test("a session that has ended meanwhile changes no limit and rotates no key", async (store, engine) => {
    const { accountId, key } = await newCustomer(store, 10);
    const session = newSession(accountId);
    await store.sessions.create(session, UNCHANGED, BY);
    await store.sessions.end(bySession(session));
    const before = await contentsOf(engine);
    const origin = bySession(session);
    const old = { accountId, keyId: key.id, endsAt: NOW };
    const same = (limits: OwnLimits) => limits;

    for (const change of [
      () => store.keys.setLimits(accountId, key.id, () => capped, origin),
      () => store.keys.rotate(old, newKey(accountId), same, KEY_LIMITS, origin),
    ]) {
      await assert.rejects(change(), { code: "unauthorized" });
    }
    assert.deepEqual(await contentsOf(engine), before);
  });

  test("of twelve concurrent rotations on two nodes, those within the limit succeed, in one line", async (here, engine, there) => {
    const { accountId, key } = await newCustomer(here, 10);

    const rotations = await onTwoNodes([here, there], 12, (store) =>
      rotate(store, accountId, key.id, { active: 5 }),
    );

    const made = rotations.filter(({ result }) => typeof result === "object");
    assert.deepEqual([made.length, (await keysOf(there, accountId)).length], [4, 5]);
    const lines = await engine.query("SELECT DISTINCT line FROM api_keys WHERE line IS NOT NULL");
    assert.deepEqual(valuesOf(lines, "line"), [key.id]);
  });
}
