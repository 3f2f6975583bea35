import assert from "node:assert/strict";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import type { RateReadOutcome } from "../../../src/reads/metering/store.ts";
import type { Store } from "../../support/stores.ts";
import { dailyUnits, KEY_LIMITS, newCustomer, newKey, usedUnits } from "./customers.ts";
import type { StoreTest } from "./database.ts";
import { foundIn, isRate, times } from "./meter.ts";
import { BY, NOW, newId } from "./origins.ts";
import { EUR_USD, newRead, storeRates } from "./rates-stored.ts";

/** Sets columns of a key. */
const limit = (engine: Engine, keyId: string, change: Record<string, string | number>) =>
  engine.query(
    `UPDATE api_keys SET ${Object.keys(change).map((name, index) => `${name} = $${index + 2}`)} WHERE id = $1`,
    keyId,
    ...Object.values(change),
  );

const grant = async (
  engine: Engine,
  accountId: string,
  units: number,
  end: string | null = null,
) => {
  const id = newId();
  await engine.query(
    `INSERT INTO unit_grants (id, account_id, units, reference, granted_at, expires_at)
     VALUES ($1, $2, $3, 'invoice 1', '2026-11-01T00:00:00.000Z', $4) RETURNING id`,
    ...[id, accountId, units, end],
  );
  return id;
};

const grantedUsage = async (engine: Engine, ...ids: string[]) => {
  const rows = await engine.query("SELECT grant_id, period, units FROM granted_usage");
  return rows
    .filter(({ grant_id }) => ids.includes(String(grant_id)))
    .map(({ grant_id, period, units }) => `${ids.indexOf(String(grant_id))} ${period} ${units}`)
    .sort();
};

const keyUnits = (outcome: RateReadOutcome) =>
  outcome && "keyQuotas" in outcome
    ? outcome.keyQuotas
        ?.map(({ span, usedUnits, quotaUnits }) => `${span} ${usedUnits}/${quotaUnits}`)
        .join()
    : undefined;

/** Reads at once, and so in one batch where one store reads. */
const readAll = (store: Store, ...reads: readonly [keyHash: string, time?: string][]) =>
  Promise.all(
    reads.map(([keyHash, time = NOW]) => store.metering.read(newRead(keyHash, { time }))),
  );

const same = (count: number, ...read: [keyHash: string, time?: string]) =>
  Array<typeof read>(count).fill(read);

/** The quota of each read: `1/7`. */
const quotasIn = (outcomes: readonly RateReadOutcome[]) =>
  outcomes.map((outcome) => `${outcome?.quota?.usedUnits}/${outcome?.quota?.quotaUnits}`);

export function limitedReadSuite(test: StoreTest): void {
  test("a key's caps hold by period and day, and charge nothing beyond; the account's other keys go on", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key, keyHash } = await newCustomer(store, 100);
    const other = newKey(accountId);
    await store.keys.create(other, KEY_LIMITS, BY);
    await store.metering.read(newRead(keyHash));
    await limit(engine, key.id, { units_per_period: 5, units_per_day: 3 });

    const hashes = [keyHash, other.keyHash, keyHash, keyHash, other.keyHash];
    const today = await readAll(store, ...hashes.map((hash): [string] => [hash]));
    const next = await readAll(store, ...same(3, keyHash, "2026-11-22T00:00:00.000Z"));
    const later = await readAll(store, [keyHash, "2026-12-01T00:00:00.000Z"]);

    assert.deepEqual(foundIn(today), ["1.1476", "1.1476", "1.1476", "key_exhausted", "1.1476"]);
    assert.deepEqual(today.map(keyUnits), [
      "period 2/5,day 2/3",
      undefined,
      "period 3/5,day 3/3",
      "period 3/5,day 3/3",
      undefined,
    ]);
    assert.deepEqual(
      today.map((outcome) => outcome?.quota?.usedUnits),
      [2, 3, 4, 4, 5],
    );
    assert.deepEqual(foundIn(next), ["1.1476", "1.1476", "key_exhausted"]);
    assert.deepEqual(next.map(keyUnits), [
      "period 4/5,day 1/3",
      "period 5/5,day 2/3",
      "period 5/5,day 2/3",
    ]);
    assert.deepEqual(later.map(keyUnits), ["period 1/5,day 1/3"]);
    assert.equal(await usedUnits(store, accountId), 7);
    assert.deepEqual(await dailyUnits(engine, accountId), [
      ...[`2026-11-21 ${key.id}: 3`, `2026-11-21 ${other.id}: 2`].sort(),
      ...[`2026-11-22 ${key.id}: 2`, `2026-12-01 ${key.id}: 1`],
    ]);
  });

  test("keys of one line share their caps, whatever was used before the cap was set or changed", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key, keyHash } = await newCustomer(store, 100);
    const second = newKey(accountId);
    await store.keys.create(second, KEY_LIMITS, BY);
    await limit(engine, second.id, { line: key.id });
    await readAll(store, [keyHash], [second.keyHash]);
    for (const id of [key.id, second.id]) await limit(engine, id, { units_per_day: 4 });

    const read = () => readAll(store, [keyHash], [second.keyHash], [keyHash], [second.keyHash]);
    assert.deepEqual((await read()).map(keyUnits), ["day 3/4", "day 4/4", "day 4/4", "day 4/4"]);
    for (const id of [key.id, second.id]) await limit(engine, id, { units_per_day: 6 });
    assert.deepEqual((await read()).map(keyUnits), ["day 5/6", "day 6/6", "day 6/6", "day 6/6"]);
    assert.equal(await usedUnits(store, accountId), 6);
  });

  test("an ended key is rejected from its end on, uncharged, in the batch that crosses it too", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key, keyHash } = await newCustomer(store, 100);
    await limit(engine, key.id, { expires_at: "2026-11-21T12:00:01.000Z" });
    const ends = [
      "2026-11-21T12:00:00.999Z",
      "2026-11-21T12:00:01.000Z",
      "2026-11-21T12:00:02.000Z",
    ];

    const outcomes = await readAll(store, ...ends.map((time): [string, string] => [keyHash, time]));

    const rejected = { accountId, quota: undefined, found: undefined, rejection: "expired" };
    assert.deepEqual(outcomes.slice(1), [rejected, rejected]);
    assert.ok(isRate(outcomes[0]));
    assert.equal(await usedUnits(store, accountId), 1);
  });

  test("granted units follow the plan's, the earliest end first, and those that ended are not used", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(store, 2);
    const endless = await grant(engine, accountId, 2);
    const ending = await grant(engine, accountId, 3, "2026-11-21T12:30:00.000Z");

    const first = await readAll(store, ...same(4, keyHash));
    const second = await readAll(store, ...same(3, keyHash, "2026-11-21T13:00:00.000Z"));

    assert.deepEqual(quotasIn(first), ["1/7", "2/7", "3/7", "4/7"]);
    assert.deepEqual(quotasIn(second), ["5/6", "6/6", "6/6"]);
    assert.deepEqual(foundIn(second), ["1.1476", "1.1476", "exhausted"]);
    assert.deepEqual(await grantedUsage(engine, endless, ending), ["0 2026-11 2", "1 2026-11 2"]);
  });

  test("what a period leaves of a grant is the next one's, and a revoked one gives no more", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(store, 1);
    const id = await grant(engine, accountId, 4);
    const end = "2026-11-30T23:59:59.999Z";
    const next = "2026-12-01T00:00:00.000Z";

    const outcomes = await readAll(store, ...same(3, keyHash, end), ...same(2, keyHash, next));
    await engine.query("UPDATE unit_grants SET revoked_at = $2 WHERE id = $1", id, next);
    const after = await readAll(store, [keyHash, next], [keyHash, end]);

    const quotas = ["1/5", "2/5", "3/5", "1/3", "2/3", "2/2", "3/3"];
    assert.deepEqual(quotasIn([...outcomes, ...after]), quotas);
    assert.deepEqual(foundIn(after), ["exhausted", "exhausted"]);
    assert.deepEqual(await grantedUsage(engine, id), ["0 2026-11 2", "0 2026-12 1"]);
  });

  test("what remains is what can be read, also on a plan that was lowered below its usage", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, plan, keyHash } = await newCustomer(store, 3);
    await readAll(store, ...same(3, keyHash));
    await store.plans.set({ name: plan, unitsPerPeriod: 1 }, BY);
    await grant(engine, accountId, 2);

    const outcomes = await readAll(store, ...same(3, keyHash));

    assert.deepEqual(foundIn(outcomes), ["1.1476", "1.1476", "exhausted"]);
    assert.deepEqual(quotasIn(outcomes), ["4/5", "5/3", "5/3"]);
    assert.equal((await store.usage.ofPeriod(accountId, "2026-11", NOW))?.quotaUnits, 3);
  });

  test("an account's own quota replaces its plan's until its end", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(store, 1);
    await engine.query(
      "UPDATE accounts SET quota_units = 3, quota_until = '2026-11-21T12:00:01.000Z' WHERE id = $1",
      accountId,
    );
    const moments = ["12:00:00.000Z", "12:00:00.999Z", "12:00:01.000Z"];

    const reads = moments.map((time): [string, string] => [keyHash, `2026-11-21T${time}`]);
    const outcomes = await readAll(store, ...reads);

    assert.deepEqual(foundIn(outcomes), ["1.1476", "1.1476", "exhausted"]);
    assert.deepEqual(quotasIn(outcomes), ["1/3", "2/3", "2/1"]);
  });

  test("reads on two nodes exceed neither a cap nor the plan and the grants of their account", async (here, engine, there) => {
    await storeRates(here, [EUR_USD]);
    const { accountId, key, keyHash } = await newCustomer(here, 70);
    const capped = newKey(accountId);
    await here.keys.create(capped, KEY_LIMITS, BY);
    await limit(engine, capped.id, { units_per_period: 55, units_per_day: 60 });
    const ids = [
      await grant(engine, accountId, 20),
      await grant(engine, accountId, 30, "2026-12-31T00:00:00.000Z"),
    ];

    const outcomes: RateReadOutcome[] = [];
    const readOn = async (store: Store) => {
      for (const _ of times(10)) {
        const reads = same(10, keyHash).flatMap((read) => [read, [capped.keyHash] as [string]]);
        outcomes.push(...(await readAll(store, ...reads)));
      }
    };
    await Promise.all([readOn(here), readOn(there)]);

    assert.equal(outcomes.length, 400);
    assert.equal(outcomes.filter(isRate).length, 120);
    assert.equal(await usedUnits(there, accountId), 120);
    assert.deepEqual(await grantedUsage(engine, ...ids), ["0 2026-11 20", "1 2026-11 30"]);
    const days = (await dailyUnits(engine, accountId)).map((line) => line.split(" "));
    const unitsOf = (id: string) => Number(days.find(([, day]) => day === `${id}:`)?.[2]);
    assert.ok(unitsOf(capped.id) <= 55);
    assert.equal(unitsOf(capped.id) + unitsOf(key.id), 120);
    assert.ok(foundIn(outcomes).includes("exhausted"));
  });
}
