import assert from "node:assert/strict";
import { writeDueNotices } from "../../../src/customers/billing/quota-notices.ts";
import type { QuotaFigures } from "../../../src/customers/outbox/store.ts";
import { systemClock } from "../../../src/platform/shared/clock.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import type { Store } from "../../support/stores.ts";
import { newCustomer } from "./customers.ts";
import { contentsOf, type StoreTest } from "./database.ts";
import { BY, NOW, newId } from "./origins.ts";
import { newRead } from "./rates-stored.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

const NEXT_MONTH = "2026-12-01T00:00:00.000Z";

/** Looks once for accounts that have reached a threshold, and for keys that end, as a node does. */
export const look = (store: Store, time = NOW, mayContinue = async () => true) =>
  writeDueNotices(
    { store, clock: { ...systemClock, nowMs: () => Date.parse(time) }, secrets: { uuid: newId } },
    mayContinue,
  );

export async function read(store: Store, { keyHash }: Customer, count: number, time = NOW) {
  for (let done = 0; done < count; done += 1) {
    await store.metering.read(newRead(keyHash, { time }));
  }
}

/** The mails about the quota of an account, oldest first: `2026-11 80: 8 of 10`. */
async function noticesTo(engine: Engine, { accountId }: Customer): Promise<string[]> {
  const mails = await engine.query(
    "SELECT details FROM mails WHERE account_id = $1 AND kind = 'quota_reached' ORDER BY id",
    accountId,
  );
  const written = mails.map(({ details }) => {
    const quota = JSON.parse(String(details)) as QuotaFigures;
    const period = new Date(Date.parse(quota.resets_at) - 1).toISOString().slice(0, 7);
    const names = quota.reached?.map((words) => words.replace(" % of the quota", "")).join("+");
    return `${period} ${names}: ${quota.used_units} of ${quota.quota_units}`;
  });
  await assertRecorded(engine, accountId, written);
  return written;
}

/** Each threshold in a mail has its event and its row of `quota_notices`, and no other exists. */
async function assertRecorded(engine: Engine, accountId: string, written: readonly string[]) {
  const named = written.flatMap((line) => {
    const [period, names = ""] = line.replace(/:.*/, "").split(" ");
    return names.split("+").map((name) => `${period} ${name}`);
  });
  named.sort();
  const rows = await engine.query(
    "SELECT period, threshold FROM quota_notices WHERE account_id = $1",
    accountId,
  );
  const inRows = rows.map(({ period, threshold }) => `${period} ${threshold}`.replace("%", ""));
  assert.deepEqual(inRows.sort(), named);
  const events = await engine.query(
    "SELECT actor, details FROM events WHERE account_id = $1 AND action = $2",
    accountId,
    "quota.threshold_reached",
  );
  const inEvents = events.map(({ actor, details }) => {
    assert.equal(actor, "service");
    const { period, threshold } = JSON.parse(String(details));
    return `${period} ${threshold}`;
  });
  assert.deepEqual(inEvents.sort(), named);
}

export function quotaNoticeSuite(test: StoreTest): void {
  thresholdSuite(test);
  exactlyOnceSuite(test);
  periodSuite(test);
  withoutNoticeSuite(test);
}

function thresholdSuite(test: StoreTest): void {
  test("one mail is written at 80 % and one at 100 % of the quota, and no other", async (store, engine) => {
    const customer = await newCustomer(store, 10);
    const lines: Record<number, string[]> = {};

    for (let used = 1; used <= 12; used += 1) {
      await read(store, customer, 1);
      await look(store);
      lines[used] = await noticesTo(engine, customer);
    }

    assert.deepEqual(lines[7], []);
    assert.deepEqual(lines[8], ["2026-11 80: 8 of 10"]);
    assert.deepEqual(lines[9], lines[8]);
    assert.deepEqual(lines[10], ["2026-11 80: 8 of 10", "2026-11 100: 10 of 10"]);
    assert.deepEqual(lines[12], lines[10]);
  });

  test("the threshold is exact: 79 of 99 units are below 80 %, 80 of 100 are not", async (store, engine) => {
    const [below, above] = [await newCustomer(store, 99), await newCustomer(store, 100)];
    await Promise.all([read(store, below, 79), read(store, above, 80)]);

    await look(store);

    assert.deepEqual(await noticesTo(engine, below), []);
    assert.deepEqual(await noticesTo(engine, above), ["2026-11 80: 80 of 100"]);
  });

  test("a raised quota repeats no mail, and a lowered one is noticed at the next look", async (store, engine) => {
    const customer = await newCustomer(store, 10);
    const setUnits = (unitsPerPeriod: number) =>
      store.plans.set({ name: customer.plan, unitsPerPeriod }, BY);
    await read(store, customer, 8);
    await look(store);

    await setUnits(20);
    await read(store, customer, 9);
    await look(store);
    assert.deepEqual(await noticesTo(engine, customer), ["2026-11 80: 8 of 10"]);
    await setUnits(12);
    await look(store);

    const both = ["2026-11 80: 8 of 10", "2026-11 100: 17 of 12"];
    assert.deepEqual(await noticesTo(engine, customer), both);
    await setUnits(17);
    await look(store);
    assert.deepEqual(await noticesTo(engine, customer), both);
  });

  test("every account of several pages is looked at, and a look ends when it is told to", async (store, engine) => {
    const customers = await Promise.all(Array.from({ length: 5 }, () => newCustomer(store, 1)));
    await Promise.all(customers.map((customer) => read(store, customer, 1)));
    const inPages: Store = {
      ...store,
      quotaNotices: {
        ...store.quotaNotices,
        page: (period, afterId) => store.quotaNotices.page(period, afterId, 2),
      },
    };

    await look(inPages, NOW, async () => false);
    const first = await Promise.all(customers.map((customer) => noticesTo(engine, customer)));
    assert.deepEqual(first.map(({ length }) => length).sort(), [0, 0, 0, 0, 1]);

    await look(inPages);
    for (const customer of customers) {
      assert.equal((await noticesTo(engine, customer)).length, 1);
    }
  });
}

function exactlyOnceSuite(test: StoreTest): void {
  test("nodes that look at the same time, again and again, write each mail once", async (store, engine, other, {
    openStore,
  }) => {
    const nodes = [store, other, openStore()];
    const newCustomers = () => Promise.all([1, 2, 3].map(() => newCustomer(store, 10)));
    const [slow, fast] = [await newCustomers(), await newCustomers()];

    for (const [ofSlow, ofFast] of [
      [8, 0],
      [2, 10],
    ] as const) {
      await Promise.all(slow.map((customer) => read(store, customer, ofSlow)));
      await Promise.all(fast.map((customer) => read(store, customer, ofFast)));
      await Promise.all([...nodes, ...nodes].map((node) => look(node)));
    }

    const spent = "2026-11 100: 10 of 10";
    const atOnce = spent.replace("100", "80+100");
    for (const customer of slow) {
      assert.deepEqual(await noticesTo(engine, customer), ["2026-11 80: 8 of 10", spent]);
    }
    for (const customer of fast) {
      assert.deepEqual(await noticesTo(engine, customer), [atOnce]);
    }
  });

  test("reads write nothing but their units, and a look without a threshold writes nothing", async (store, engine) => {
    const customer = await newCustomer(store, 10);
    const before = await contentsOf(engine);

    await read(store, customer, 10);

    const { period_usage, daily_usage, ...others } = await contentsOf(engine);
    assert.deepEqual({ ...before, ...others }, before);
    assert.deepEqual([period_usage?.[0]?.units, daily_usage?.[0]?.units].map(Number), [10, 10]);

    await look(store);
    const noticed = await contentsOf(engine);
    await look(store);
    assert.deepEqual(await contentsOf(engine), noticed);
  });
}

function periodSuite(test: StoreTest): void {
  test("a threshold of a period's last minute is mailed in the hour after it, and each period has its own mails", async (store, engine) => {
    const customer = await newCustomer(store, 10);
    await read(store, customer, 8, "2026-11-30T23:59:59.999Z");
    await read(store, customer, 10, NEXT_MONTH);

    await look(store, "2026-12-01T00:59:59.999Z");
    await look(store, "2026-12-01T00:59:59.999Z");

    assert.deepEqual(await noticesTo(engine, customer), [
      "2026-11 80: 8 of 10",
      "2026-12 80+100: 10 of 10",
    ]);
  });
}

function withoutNoticeSuite(test: StoreTest): void {
  test("no mail goes to an account without a quota or units, or that is suspended or deleted", async (store, engine) => {
    await read(store, await newCustomer(store, 0), 3);
    await newCustomer(store, 10);
    for (const column of ["suspended_at", "deleted_at"]) {
      const customer = await newCustomer(store, 10);
      await read(store, customer, 10);
      const set = `UPDATE accounts SET ${column} = $2 WHERE id = $1`;
      await engine.query(set, customer.accountId, NOW);
    }
    const before = await contentsOf(engine);

    await look(store);

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("an account that is suspended after the page was read gets no mail", async (store, engine) => {
    const customer = await newCustomer(store, 10);
    await read(store, customer, 10);
    const { page, write } = store.quotaNotices;
    const suspending: Store = {
      ...store,
      quotaNotices: {
        write,
        async page(...given) {
          const found = await page(...given);
          await engine.query("UPDATE accounts SET suspended_at = $1", NOW);
          return found;
        },
      },
    };

    await look(suspending);

    assert.deepEqual(await noticesTo(engine, customer), []);
  });

  test("turning the mails off and on again repeats none, and writes those that were held back", async (store, engine) => {
    const customer = await newCustomer(store, 10);
    const turn = (quotaMails: boolean) =>
      store.accounts.setQuotaMails(customer.accountId, quotaMails, BY);
    await read(store, customer, 8);
    await look(store);

    await turn(false);
    await read(store, customer, 2);
    await look(store);
    assert.deepEqual(await noticesTo(engine, customer), ["2026-11 80: 8 of 10"]);
    await turn(true);
    await look(store);

    assert.deepEqual(await noticesTo(engine, customer), [
      "2026-11 80: 8 of 10",
      "2026-11 100: 10 of 10",
    ]);
  });

  test("an account whose plan is not stored does not end the look", async (store, engine, _, {
    losePlan,
  }) => {
    const [lost, other] = [await newCustomer(store, 10), await newCustomer(store, 10)];
    await read(store, lost, 10);
    await read(store, other, 10);
    await losePlan(lost.plan);

    await look(store);

    assert.deepEqual(await noticesTo(engine, lost), []);
    assert.equal((await noticesTo(engine, other)).length, 1);
  });
}
