import assert from "node:assert/strict";
import { timestamp } from "../../src/platform/shared/instant.ts";
import { Draws } from "../../test/support/random.ts";
import { Counts } from "../support/counts.ts";
import {
  CONNECTIONS,
  grant,
  openAccount,
  openKey,
  originAt,
  rotate,
  type Stage,
  sumOf,
  type TriedAccount,
  type TriedKey,
  type Units,
  unitsOf,
} from "./stage.ts";

// Each trial has an account of its own, which 64 connections read with until it, its key or its
// grant has come to an end.

const DAY_MS = 86_400_000;
const PLENTY = 1_000_000;

/** What the reads of a trial got. */
class Reads {
  readonly statuses = new Counts();
  /** Served reads that were answered before the clock moved, and that were sent after it. */
  readonly served = { before: 0, after: 0 };
  hasMoved = false;
  answered = 0;
}

/** Reads some times with each connection, and moves the clock after some of the responses. */
async function readAll(
  { wires, clock }: Stage,
  keys: readonly TriedKey[],
  times: number,
  move?: { readonly afterAnswers: number; readonly toMs: number },
): Promise<Reads> {
  const reads = new Reads();
  await Promise.all(
    wires.map(async (wire, index) => {
      for (let time = 0; time < times; time += 1) {
        const isLate = reads.hasMoved;
        const key = keys[(index + time) % keys.length];
        const { status, text, body } = await wire.readRate("EUR/USD", key?.apiKey ?? "");
        reads.statuses.add(status);
        if (status === 200 && isLate) reads.served.after += 1;
        if (status === 200 && !reads.hasMoved) reads.served.before += 1;
        if (status === 429) assert.equal(body.remaining, 0, text);
        reads.answered += 1;
        if (move === undefined || reads.hasMoved || reads.answered < move.afterAnswers) continue;
        clock.set(timestamp(move.toMs));
        reads.hasMoved = true;
      }
    }),
  );
  return reads;
}

/** Asserts that no unit is lost and every sum is the same. */
function assertExact(units: Units, served: number, isCapped: boolean): void {
  const { days, periods, counters, granted } = units;
  assert.equal(sumOf(days), served, "the units of days are not the served reads");
  assert.equal(sumOf(periods), served, "the units of periods are not the served reads");
  if (isCapped && counters !== undefined) assert.deepEqual(counters, periods);
  for (const [period, ofGrants] of granted) assert.ok(ofGrants <= (periods.get(period) ?? 0));
}

type Trial = (stage: Stage, draws: Draws) => Promise<void>;

/** A key and, sometimes, one that has replaced it. */
async function openLine(stage: Stage, account: TriedAccount, draws: Draws, key: TriedKey) {
  if (draws.chance(0.5)) return [key];
  return [key, await rotate(draws.one(stage.nodes), account, key, 24)];
}

/** A cap of the period, of the day or both. */
const cap: Trial = async (stage, draws) => {
  const most = draws.whole(1, 100);
  const [perPeriod, perDay] = draws.one([
    [most, null],
    [null, most],
    [most, most + 3],
    [most + 3, most],
  ]);
  const account = await openAccount(stage, PLENTY);
  const limits = { unitsPerPeriod: perPeriod ?? null, unitsPerDay: perDay ?? null };
  const key = await openKey(stage, account, limits);
  const { statuses } = await readAll(stage, await openLine(stage, account, draws, key), 2);
  assert.deepEqual(statuses.all(), { 200: most, 429: 2 * CONNECTIONS - most });
  assertExact(await unitsOf(stage, account), most, perPeriod !== null);
};

/** A quota of the plan, and grants beside it. */
const grants: Trial = async (stage, draws) => {
  const [planUnits, first, second] = [0, 1, 2].map((least) => draws.whole(least, 30));
  const account = await openAccount(stage, planUnits ?? 0);
  const key = await openKey(stage, account, draws.chance(0.3) ? { unitsPerDay: PLENTY } : {});
  const later = timestamp(stage.clock.nowMs() + DAY_MS);
  const ids = [await grant(stage, account, first ?? 0)];
  ids.push(await grant(stage, account, second ?? 0, later));
  const { statuses } = await readAll(stage, [key], 2);
  const most = (planUnits ?? 0) + (first ?? 0) + (second ?? 0);
  assert.deepEqual(statuses.all(), { 200: most, 429: 2 * CONNECTIONS - most });
  const units = await unitsOf(stage, account);
  assertExact(units, most, false);
  assert.deepEqual(
    ids.map((id) => units.grants.get(id)),
    [first, second],
  );
};

const nextDayMs = (nowMs: number) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;

const nextMonthMs = (nowMs: number) => {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
};

/** A UTC day's end, sometimes also a month's, with a cap of the day and perhaps of the period. */
const day: Trial = async (stage, draws) => {
  const { clock } = stage;
  const nowMs = clock.nowMs();
  const isMonths = draws.chance(0.2);
  const toMs = isMonths ? nextMonthMs(nowMs) : nextDayMs(nowMs);
  const perDay = draws.whole(1, CONNECTIONS);
  const perPeriod = draws.chance(0.5) ? draws.whole(perDay, 2 * perDay) : null;
  clock.set(timestamp(toMs - 1));
  const account = await openAccount(stage, PLENTY);
  const key = await openKey(stage, account, { unitsPerDay: perDay, unitsPerPeriod: perPeriod });
  const keys = await openLine(stage, account, draws, key);
  const move = { afterAnswers: draws.whole(1, CONNECTIONS), toMs };
  const around = await readAll(stage, keys, 2, move);
  const after = await readAll(stage, keys, 1);
  const units = await unitsOf(stage, account);
  const served = around.statuses.of(200) + after.statuses.of(200);
  assertExact(units, served, perPeriod !== null);
  const [before, next] = [toMs - 1, toMs].map(
    (ms) => units.days.get(timestamp(ms).slice(0, 10)) ?? 0,
  );
  assert.ok(before !== undefined && next !== undefined);
  assert.ok(before >= around.served.before && before <= perDay, `${before} units on the first day`);
  assert.ok(next >= around.served.after + after.statuses.of(200));
  const left = perPeriod === null || isMonths ? perDay : Math.min(perDay, perPeriod - before);
  assert.equal(next, left, "the second day has not the units that its cap leaves");
};

/** A month's end with a grant that is half used. */
const month: Trial = async (stage, draws) => {
  const { clock } = stage;
  const toMs = nextMonthMs(clock.nowMs());
  const planUnits = draws.whole(0, 20);
  const granted = draws.whole(1, 60);
  const account = await openAccount(stage, planUnits);
  const key = await openKey(stage, account);
  const id = await grant(stage, account, granted);
  clock.set(timestamp(toMs - 1));
  const move = { afterAnswers: draws.whole(1, 2 * CONNECTIONS), toMs };
  const around = await readAll(stage, [key], 2, move);
  const after = await readAll(stage, [key], 2);
  const units = await unitsOf(stage, account);
  const served = around.statuses.of(200) + after.statuses.of(200);
  assertExact(units, served, false);
  assert.equal(units.grants.get(id), granted);
  const [before, next] = [toMs - 1, toMs].map((ms) => {
    const period = timestamp(ms).slice(0, 7);
    return (units.periods.get(period) ?? 0) - (units.granted.get(period) ?? 0);
  });
  assert.ok(
    before !== undefined && before <= planUnits,
    `${before} units of the first month's plan`,
  );
  assert.equal(next, planUnits);
};

/** The end of a key, a grant or a quota of one account: nothing is served by it afterwards. */
const endOf =
  (what: "key" | "grant" | "quota"): Trial =>
  async (stage, draws) => {
    const { clock } = stage;
    const toMs = clock.nowMs() + 1000;
    const end = timestamp(toMs);
    const units = what === "key" ? PLENTY : draws.whole(0, 10);
    const account = await openAccount(stage, units);
    const perDay = draws.chance(0.5) ? PLENTY : null;
    const limits = { expiresAt: what === "key" ? end : null, unitsPerDay: perDay };
    const key = await openKey(stage, account, limits);
    if (what === "grant") await grant(stage, account, PLENTY, end);
    if (what === "quota") {
      const quota = { units: PLENTY, until: end };
      await stage.store.accounts.setQuota(account.email, quota, originAt(stage));
    }
    clock.set(timestamp(toMs - 1));
    const move = { afterAnswers: draws.whole(1, CONNECTIONS), toMs };
    const { statuses, served } = await readAll(stage, [key], 2, move);
    const late = await readAll(stage, [key], 1);
    const rejection = what === "key" ? 401 : 429;
    // A plan that was not used up before the end still is.
    const isUsed = served.before >= units || what === "key";
    if (isUsed) assert.equal(served.after, 0, "reads were served after the end");
    const stored = await unitsOf(stage, account);
    if (isUsed) assert.deepEqual(late.statuses.all(), { [rejection]: CONNECTIONS });
    assertExact(stored, statuses.of(200) + late.statuses.of(200), false);
  };

/** By name, with their share of the usual number. */
const trials: Readonly<Record<string, readonly [trial: Trial, share: number]>> = {
  "a cap is reached": [cap, 1],
  "a day ends": [day, 1],
  "a key ends": [endOf("key"), 1],
  "grants are used up": [grants, 0.5],
  "a month ends with a grant half used": [month, 0.5],
  "a grant ends": [endOf("grant"), 0.2],
  "a quota ends": [endOf("quota"), 0.2],
};

/** Runs each trial so many times. @throws at the first one that fails, with its place. */
export async function tryEnds(stage: Stage, seed: number, times: number): Promise<void> {
  for (const [name, [trial, share]] of Object.entries(trials)) {
    const count = Math.ceil(times * share);
    for (let index = 0; index < count; index += 1) {
      try {
        await trial(stage, new Draws([seed, name, index]));
      } catch (error) {
        throw new Error(`seed ${seed}: ${name}, trial ${index}`, { cause: error });
      }
    }
    console.log(`${String(count).padStart(6)}  ${name}`);
  }
}
