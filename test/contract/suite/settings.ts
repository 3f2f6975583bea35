import assert from "node:assert/strict";
import { BY, contentsOf, NOW, newRegistration, type StoreTest } from "./database.ts";

export function settingsSuite(test: StoreTest): void {
  test("a deleted account's mails about its quota cannot be turned off", async (given) => {
    const { store, engine } = given;
    const { account } = await newRegistration(store);
    await engine.query("UPDATE accounts SET deleted_at = $1", NOW);
    const before = await contentsOf(engine);

    await store.accounts.setQuotaMails(account.id, false, BY);

    assert.deepEqual(await contentsOf(engine), before);
  });
}
