import assert from "node:assert/strict";
import { sumOfUnits } from "../../../src/customers/billing/rules.ts";
import { KEY_LIMITS, newCustomer, newKey } from "./customers.ts";
import { onTwoNodes, type StoreTest } from "./database.ts";
import { BY, NOW, PERIOD } from "./origins.ts";
import { newRead } from "./rates-stored.ts";

export function statementSuite(test: StoreTest): void {
  test("a statement has the account's counters and its units by key and day, revoked keys too", async (store, _, node) => {
    const [own, other] = [await newCustomer(store, 100), await newCustomer(store, 100)];
    const { accountId } = own;
    const second = newKey(accountId, { keyPrefix: "svc_live_89abcdef" });
    await store.keys.create(second, KEY_LIMITS, BY);
    for (const day of ["2026-09-30", "2026-10-01", "2026-10-31", "2026-11-01"]) {
      for (const { keyHash } of [own, other, second, second]) {
        await store.metering.read(newRead(keyHash, { time: `${day}T23:59:59.999Z` }));
      }
    }
    await store.keys.revoke(accountId, second.id, BY);

    const [august, october, february] = await Promise.all(
      ["2026-08", "2026-10", "2027-02"].map((month) => node.usage.ofStatement(accountId, month)),
    );

    assert.deepEqual(august, { earlierUnits: 0, periodUnits: 0, days: [] });
    const first = { keyId: own.key.id, keyPrefix: "svc_live_01234567", units: 1 };
    const last = { keyId: second.id, keyPrefix: "svc_live_89abcdef", units: 2 };
    const days = [first, last].flatMap((key) =>
      ["2026-10-01", "2026-10-31"].map((day) => ({ ...key, day })),
    );
    assert.deepEqual(october, { earlierUnits: 3, periodUnits: 6, days });
    assert.deepEqual(february, { earlierUnits: 12, periodUnits: 0, days: [] });
  });

  test("a statement's days and counter agree at each instant while two nodes charge reads", async (here, _, there) => {
    const { accountId, keyHash } = await newCustomer(here, 10_000);
    const read = newRead(keyHash, { time: NOW });
    const ofNode = (node: typeof here) => node.usage.ofStatement(accountId, PERIOD.name);

    const statements = await onTwoNodes([here, there], 40, async (node) => {
      await Promise.all(Array.from({ length: 5 }, () => node.metering.read(read)));
      return ofNode(node === here ? there : here);
    });

    for (const { days, periodUnits } of statements) assert.equal(sumOfUnits(days), periodUnits);
    assert.equal((await ofNode(here)).periodUnits, 200);
  });
}
