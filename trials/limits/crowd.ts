import assert from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";
import { timestamp } from "../../src/platform/shared/instant.ts";
import { DISAGREEING_UNITS, nth } from "../../test/support/nodes.ts";
import { Draws } from "../../test/support/random.ts";
import { WRONG_COUNTERS } from "../support/counters.ts";
import { Counts } from "../support/counts.ts";
import { Readers } from "./readers.ts";
import {
  grant,
  openAccount,
  openKey,
  originAt,
  type Stage,
  type TriedAccount,
  type TriedKey,
} from "./stage.ts";

// Batches over many accounts in random order, and all that changes their limits at once: they lock
// the same rows, and wait for each other without a circle.

const ACCOUNTS = 40;
const CHANGERS = 6;

/** Every so often a day ends, or a month: then no account has a row of the new period yet. */
const DAY_MS = 86_400_000;
const CLOCK_MS = 700;

interface Member {
  readonly account: TriedAccount;
  readonly keys: TriedKey[];
  readonly grants: string[];
}

async function openMember(stage: Stage, draws: Draws): Promise<Member> {
  const account = await openAccount(stage, draws.one([0, 50, 1_000_000]));
  const keys = [await openKey(stage, account), await openKey(stage, account)];
  const cap = draws.whole(1, 500);
  keys.push(await openKey(stage, account, { unitsPerPeriod: cap, unitsPerDay: cap }));
  return { account, keys, grants: [] };
}

/** One change of an account, by its owner over HTTP or by the operator. @returns its outcome. */
async function change(stage: Stage, draws: Draws, { account, keys, grants }: Member) {
  const { store, nodes } = stage;
  const { email, session } = account;
  const kind = draws.kind({ limits: 6, rotate: 3, grant: 3, revoke: 3, quota: 1, plan: 1 });
  const index = draws.below(keys.length);
  const url = `/v1/account/api-keys/${keys[index]?.id}`;
  const node = draws.one(nodes);
  const units = draws.one([null, draws.whole(1, 500)]);
  if (kind === "limits") {
    const limits = { expires_at: null, units_per_period: units, units_per_day: units };
    const { status, text } = await node.call("PUT", `${url}/limits`, { session, json: limits });
    return status < 500 ? `limits ${status}` : text;
  }
  if (kind === "rotate") {
    const json = { overlap_hours: draws.one([0, 1]) };
    const { status, body, text } = await node.call("POST", `${url}/rotate`, { session, json });
    const key = { id: String(body.id), apiKey: String(body.api_key) };
    if (status === 201) keys[index] = key;
    return status < 500 ? `rotate ${status}` : text;
  }
  if (kind === "grant") grants.push(await grant(stage, account, draws.whole(1, 200)));
  if (kind === "revoke") {
    const id = draws.any(grants);
    if (id !== undefined) await store.grants.revoke(id, originAt(stage));
  }
  if (kind === "quota") {
    const quota = units === null ? undefined : { units, until: undefined };
    await store.accounts.setQuota(email, quota, originAt(stage));
  }
  if (kind === "plan") {
    const plan = { name: `plan-${account.id}`, unitsPerPeriod: draws.whole(0, 500) };
    await store.plans.set(plan, originAt(stage));
  }
  return kind;
}

const DEADLOCKS =
  "SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()";

const OVERDRAWN = `
  SELECT g.id, g.units, sum(u.units) AS used FROM unit_grants g
  JOIN granted_usage u ON u.grant_id = g.id GROUP BY g.id HAVING sum(u.units) > g.units`;

/** @throws when PostgreSQL has found a deadlock, or the store does not add up. */
export async function tryCrowd(stage: Stage, seed: number, seconds: number): Promise<void> {
  const { clock, query, cluster } = stage;
  const members: Member[] = [];
  const draws = new Draws([seed, "crowd"]);
  for (let index = 0; index < ACCOUNTS; index += 1) members.push(await openMember(stage, draws));
  const untilMs = performance.now() + seconds * 1000;
  const isOn = () => performance.now() < untilMs;
  const changes = new Counts();
  let slowestMs = 0;
  const { failed, ...statuses } = await (async () => {
    await using readers = new Readers(stage, [], draws);
    readers.keys = members.flatMap(({ keys }) => keys);
    const changeOn = async (changer: number) => {
      // Each has accounts of its own: a key that another one has rotated would be gone.
      const own = members.filter((_, index) => index % CHANGERS === changer);
      for (let count = 0; isOn(); count += 1) {
        const beganMs = performance.now();
        changes.add(await change(stage, draws, nth(own, count)));
        slowestMs = Math.max(slowestMs, performance.now() - beganMs);
        readers.keys = members.flatMap(({ keys }) => keys);
      }
    };
    const moveOn = async () => {
      while (isOn()) {
        await after(CLOCK_MS);
        clock.set(timestamp(clock.nowMs() + (draws.chance(0.5) ? DAY_MS : 31 * DAY_MS)));
      }
    };
    await Promise.all([...Array.from({ length: CHANGERS }, (_, each) => changeOn(each)), moveOn()]);
    const { statuses, failed } = readers;
    console.log(`        the slowest read after ${Math.round(readers.slowestMs)} ms`);
    return { ...statuses.all(), failed };
  })();
  console.log(`        the slowest change after ${Math.round(slowestMs)} ms`);
  console.log(
    `${String(seconds).padStart(6)}  seconds of reads and changes of ${ACCOUNTS} accounts`,
  );
  console.log(`        ${JSON.stringify({ ...statuses, ...changes.all() })}`);

  const log = cluster?.postgres.log() ?? "";
  assert.deepEqual(log.match(/^.* deadlock detected\n(?:.*\n){8}/gm) ?? [], []);
  assert.deepEqual(failed, []);
  assert.deepEqual(await query(DISAGREEING_UNITS), []);
  assert.deepEqual(await query(OVERDRAWN), []);
  assert.deepEqual(await query(WRONG_COUNTERS), []);
  assert.deepEqual(cluster?.complaints(), []);
  // A backend reports what it counts within a second.
  await after(1500);
  assert.deepEqual(await query(DEADLOCKS), [{ count: 0 }]);
}
