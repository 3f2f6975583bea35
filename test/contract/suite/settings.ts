import assert from "node:assert/strict";
import { BY, contentsOf, NOW, newRegistration, type StoreTest } from "./database.ts";

export function settingsSuite(test: StoreTest): void {
  test("a new account gets mails about its quota until it turns them off", async (database) => {
    const store = database.openStore();
    const [{ account }, other] = [await newRegistration(store), await newRegistration(store)];
    assert.equal((await store.accounts.findById(account.id))?.quotaMails, true);

    await store.accounts.setQuotaMails(account.id, false, BY);

    assert.equal((await store.accounts.findById(account.id))?.quotaMails, false);
    assert.equal((await store.accounts.findById(other.account.id))?.quotaMails, true);
    const [event] = await store.audit.ofAccount(account.id, undefined, 1);
    assert.deepEqual(
      [event?.action, event?.details],
      ["account.quota_mails_changed", { quota_mails: false }],
    );
  });

  test("a change to what is stored, and one of an unknown account, write nothing", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { account } = await newRegistration(store);
    const before = await contentsOf(engine);

    await store.accounts.setQuotaMails(account.id, true, BY);
    await store.accounts.setQuotaMails("nobody", false, BY);

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("a deleted account's mails about its quota cannot be turned off", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { account } = await newRegistration(store);
    await engine.query("UPDATE accounts SET deleted_at = $1", NOW);
    const before = await contentsOf(engine);

    await store.accounts.setQuotaMails(account.id, false, BY);

    assert.deepEqual(await contentsOf(engine), before);
  });
}
