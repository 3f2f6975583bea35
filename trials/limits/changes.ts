import assert from "node:assert/strict";
import { Draws } from "../../test/support/random.ts";
import { Readers } from "./readers.ts";
import {
  callAs,
  grant,
  openAccount,
  openKey,
  originAt,
  rotate,
  type Stage,
  sumOf,
  type TriedAccount,
  unitsOf,
} from "./stage.ts";

// What limits the reads of 64 connections changes while they go on.

const PLENTY = 1_000_000_000;

type Round = (readers: Readers, draws: Draws) => Promise<void>;

/** Asserts that units, while reads are rejected, are those that were served, and how many. */
async function assertServed(stage: Stage, account: TriedAccount, { served, failed }: Readers) {
  assert.deepEqual(failed, []);
  const units = await unitsOf(stage, account);
  assert.equal(sumOf(units.days), served, "the units of days are not the served reads");
  assert.equal(sumOf(units.periods), served, "the units of periods are not the served reads");
  return units;
}

/**
 * Asserts that a lowered limit has held since it was acknowledged: units that are more than it were
 * charged before it, and then none after it.
 */
function assertHeld(units: number, most: number, servedSince: number): void {
  assert.ok(units >= most, `reads are rejected at ${units} of ${most} units`);
  if (servedSince === 0) return;
  assert.equal(units, most, `${servedSince} reads were served beyond a limit of ${most}`);
}

/** Caps are removed, set, lowered and raised, and keys replaced. */
async function caps(stage: Stage): Promise<readonly [Readers["keys"], Round]> {
  const account = await openAccount(stage, PLENTY);
  const first = await openKey(stage, account);
  const round: Round = async (readers, draws) => {
    const set = async (perPeriod: number | null, perDay: number | null) => {
      const what = `PUT /v1/account/api-keys/${draws.one(readers.keys).id}/limits`;
      const limits = { units_per_period: perPeriod, units_per_day: perDay, expires_at: null };
      const shown = await callAs(draws.one(stage.nodes), account, 200, what, limits);
      assert.equal(shown.units_per_period, perPeriod);
      return readers.acknowledge();
    };
    const replaceKey = async () => {
      const old = draws.one(readers.keys);
      const hours = draws.one([0, 24]);
      const next = await rotate(draws.one(stage.nodes), account, old, hours);
      readers.keys = hours === 0 ? [next] : [old, next];
      if (hours === 24) return;
      const { status } = await draws.one(stage.nodes).readRate("EUR/USD", old.apiKey);
      assert.equal(status, 401);
    };
    const capTo = async (most: number) => {
      const more = draws.chance(0.5) ? null : most + draws.whole(0, 3);
      const isDay = draws.chance(0.3);
      const change = isDay ? await set(more, most) : await set(most, more);
      if (draws.chance(0.2)) await replaceKey();
      await readers.untilRejected();
      const units = await assertServed(stage, account, readers);
      if (units.counters && !(isDay && more === null)) {
        assert.deepEqual(units.counters, units.periods);
      }
      assertHeld(sumOf(units.days), most, readers.servedSince(change));
    };

    const most = readers.served + 10_000;
    await set(draws.chance(0.5) ? null : most, draws.chance(0.5) ? null : most);
    await readers.untilServed(readers.served + draws.whole(0, 100));
    if (draws.chance(0.2)) await replaceKey();
    await capTo(Math.max(1, readers.served + draws.whole(-20, 80)));
    if (draws.chance(0.5)) await capTo(readers.served + draws.whole(1, 80));
  };
  return [[first], round];
}

/** Grants are given and revoked, and quotas of the account set. */
async function quotas(stage: Stage): Promise<readonly [Readers["keys"], Round]> {
  const account = await openAccount(stage, 3);
  const keys = [await openKey(stage, account), await openKey(stage, account)];
  keys.push(await openKey(stage, account, { unitsPerDay: PLENTY }));
  const { store } = stage;
  const round: Round = async (readers, draws) => {
    await readers.untilRejected();
    const before = readers.served;
    const units = draws.whole(1, 100);
    const id = await grant(stage, account, units);
    readers.acknowledge();
    await readers.untilServed(before + draws.whole(0, units));
    const revoked = await store.grants.revoke(id, originAt(stage));
    const revocation = readers.acknowledge();
    await readers.untilRejected();
    const { grants, granted } = await assertServed(stage, account, readers);
    const used = grants.get(id) ?? 0;
    assert.ok(used <= units, `${used} of ${units} granted units were used`);
    assert.equal(used, readers.served - before, "the used units of the grant");
    assert.equal(revoked?.usedUnits, used, "the used units, as its revocation states them");
    assert.equal(readers.servedSince(revocation), 0, "reads were served by a revoked grant");

    const ofPlan = () => readers.served - sumOf(granted);
    const set = async (most: number) => {
      await store.accounts.setQuota(
        account.email,
        { units: most, until: undefined },
        originAt(stage),
      );
      return readers.acknowledge();
    };
    await set(ofPlan() + 100);
    await readers.untilServed(readers.served + draws.whole(0, 100));
    const most = ofPlan() + draws.whole(-20, 50);
    const change = await set(Math.max(0, most));
    await readers.untilRejected();
    await assertServed(stage, account, readers);
    assertHeld(ofPlan(), Math.max(0, most), readers.servedSince(change));
  };
  return [keys, round];
}

const trials = { "caps and keys change": caps, "grants and quotas change": quotas };

/** As many keys as an account may create on a day are enough for these. */
const ROUNDS_PER_ACCOUNT = 100;

/** Runs each kind of change so many times. @throws at the first round that fails, with its place. */
export async function tryChanges(stage: Stage, seed: number, rounds: number): Promise<void> {
  for (const [name, open] of Object.entries(trials)) {
    for (let index = 0; index < rounds; ) {
      const [keys, round] = await open(stage);
      await using readers = new Readers(stage, keys, new Draws([seed, name, index, "reads"]));
      for (let count = 0; count < ROUNDS_PER_ACCOUNT && index < rounds; count += 1) {
        try {
          await round(readers, new Draws([seed, name, index]));
        } catch (error) {
          throw new Error(`seed ${seed}: ${name}, round ${index}`, { cause: error });
        }
        index += 1;
      }
      const { slowestMs, statuses } = readers;
      const got = `${JSON.stringify(statuses.all())}, the slowest after ${Math.round(slowestMs)} ms`;
      console.log(`${String(index).padStart(6)}  ${name}: ${got}`);
    }
  }
}
