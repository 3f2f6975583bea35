import assert from "node:assert/strict";
import { NO_LIMITS } from "../../../src/customers/api-keys/limits.ts";
import type { Threshold } from "../../../src/customers/billing/rules.ts";
import { renderMail } from "../../../src/customers/outbox/templates.ts";
import { DAY_MS } from "../../../src/platform/shared/clock.ts";
import { timestamp } from "../../../src/platform/shared/instant.ts";
import { pagesOf } from "../../../src/platform/shared/pages.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import type { Store } from "../../support/stores.ts";
import { eventsOf, KEY_LIMITS, newCustomer, newKey } from "./customers.ts";
import { contentsOf, type StoreTest } from "./database.ts";
import { rotate } from "./key-limits.ts";
import { BY, byAt, NOW, newId } from "./origins.ts";
import { look, read } from "./quota-notices.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

const inDays = (days: number) => timestamp(Date.parse(NOW) + days * DAY_MS);

/** Claims the mails that wait, as they are delivered: their subjects and paragraphs. */
async function mailsOf(store: Store, at = NOW): Promise<string[]> {
  const claimed = await store.mails.claim({ now: at, until: inDays(400), limit: 1000 });
  return claimed
    .filter(({ kind }) => kind === "quota_reached" || kind === "key_ends")
    .map((mail) => renderMail(mail, "https://kurs.example"))
    .map(({ subject, text }) => `${subject}\n${text}`);
}

/** What the mails that wait say was reached. */
const reachedIn = async (store: Store) =>
  (await mailsOf(store)).map((text) => /Reached: (.*)\./.exec(text)?.[1]);

const setKey = (engine: Engine, keyId: string, column: string, value: string | number | null) =>
  engine.query(`UPDATE api_keys SET ${column} = $2 WHERE id = $1`, keyId, value);

export function ownThresholdSuite(test: StoreTest): void {
  test("own thresholds replace the default ones, and those that are reached at once are one mail", async (store, engine) => {
    const customer = await newCustomer(store, 2000);
    const { accountId } = customer;
    assert.deepEqual(await store.thresholds.read(accountId), [{ percent: 80 }, { percent: 100 }]);
    const own = [{ units: 7 }, { percent: 1 }, { units: 1000 }];
    assert.deepEqual(await store.thresholds.set(accountId, own, BY), own);
    assert.deepEqual(await store.thresholds.read(accountId), own);

    await read(store, customer, 6);
    await look(store);
    assert.deepEqual(await reachedIn(store), []);
    await read(store, customer, 14);
    for (const _ of [1, 2]) await look(store);
    assert.deepEqual(await reachedIn(store), ["7 units; 1 % of the quota"]);
    await store.thresholds.set(accountId, [{ units: 7 }, { units: 20 }], BY);
    await look(store);
    assert.deepEqual(await reachedIn(store), ["20 units"]);
    await engine.query("UPDATE accounts SET quota_units = 20");
    await look(store);
    assert.deepEqual(await reachedIn(store), []);

    const events = (await eventsOf(store, accountId)).filter(({ action }) => /thresh/.test(action));
    assert.deepEqual(
      events.map(({ details }) => details),
      [
        { thresholds: "7, 1%, 1000" },
        { period: "2026-11", units: 7 },
        { period: "2026-11", threshold: 1 },
        { thresholds: "7, 20" },
        { period: "2026-11", units: 20 },
      ],
    );
    const before = await contentsOf(engine);
    await store.thresholds.set(accountId, [{ units: 7 }, { units: 20 }], BY);
    assert.deepEqual(await contentsOf(engine), before);
  });

  test("no thresholds and turned off mails are no mails, and two nodes write one", async (store, engine, other) => {
    const [none, off] = [await newCustomer(store, 4), await newCustomer(store, 4)];
    const customer = await newCustomer(store, 4);
    for (const { accountId } of [off, customer]) {
      await store.thresholds.set(accountId, [{ units: 2 }], BY);
    }
    await store.thresholds.set(none.accountId, [], BY);
    await store.accounts.setQuotaMails(off.accountId, false, BY);
    for (const each of [none, off, customer]) await read(store, each, 4);

    await Promise.all([store, other, store, other].map((node) => look(node)));

    assert.deepEqual(await reachedIn(store), ["2 units"]);
    const [notice, ...more] = await engine.query("SELECT account_id FROM quota_notices");
    assert.deepEqual([notice?.account_id, more], [customer.accountId, []]);
  });

  test("a key's thresholds count the units of those that were rotated, and last as long as one is active", async (store, engine) => {
    const customer = await newCustomer(store, 1000);
    const { accountId, key } = customer;
    await setKey(engine, key.id, "name", "<b>bill & co");
    await setKey(engine, key.id, "units_per_period", 10);
    const next = await rotate(store, customer.accountId, customer.key.id);
    const own = [
      { api_key_id: key.id, percent: 50 },
      { api_key_id: key.id, units: 6 },
    ];
    await store.thresholds.set(accountId, own, BY);
    await read(store, customer, 4);
    await look(store);
    assert.deepEqual(await reachedIn(store), []);

    await read(store, { ...customer, keyHash: next.keyHash }, 2);
    await look(store);
    const other = await newCustomer(store, 1000);
    await read(store, other, 5);
    // Nobody has verified the address: no text of the account reaches it.
    const label = "the API key svc_live_89abcdef";
    assert.deepEqual(await reachedIn(store), [
      `50 % of the limit of ${label}; 6 units of ${label}`,
    ]);

    await store.keys.revoke(accountId, key.id, BY);
    await store.accounts.markEmailVerified(customer.email, BY);
    await store.thresholds.set(accountId, [...own, { api_key_id: next.id, percent: 60 }], BY);
    await look(store);
    const verified = "the API key “<b>bill & co” (svc_live_89abcdef)";
    assert.deepEqual(await reachedIn(store), [`60 % of the limit of ${verified}`]);
    const names = await engine.query("SELECT threshold FROM quota_notices ORDER BY threshold");
    assert.deepEqual(
      names.map(({ threshold }) => threshold),
      ["50%", "6", "60%"].map((name) => `${key.id}:${name}`),
    );

    await store.keys.revoke(accountId, next.id, BY);
    await engine.query("DELETE FROM quota_notices");
    await look(store);
    assert.deepEqual(await reachedIn(store), []);
  });

  test("thresholds that break a rule are rejected and store nothing", async (store, engine) => {
    const [customer, other] = [await newCustomer(store, 10), await newCustomer(store, 10)];
    const [ended, revoked] = [newKey(customer.accountId), newKey(customer.accountId)];
    for (const key of [ended, revoked]) await store.keys.create(key, KEY_LIMITS, BY);
    await setKey(engine, ended.id, "expires_at", NOW);
    await store.keys.revoke(customer.accountId, revoked.id, BY);
    const next = await rotate(store, customer.accountId, customer.key.id);
    const before = await contentsOf(engine);
    const inactive = /^thresholds\.0 has an api_key_id that is no active key's\.$/;
    const either = /^thresholds\.1 must have either percent or units\.$/;
    const repeated = /^thresholds\.1 repeats an earlier one\.$/;
    const keyId = customer.key.id;
    const wrong: readonly (readonly [thresholds: readonly Threshold[], message: RegExp])[] = [
      ...[other.key, ended, revoked, { id: newId() }].map(
        ({ id }) => [[{ api_key_id: id, units: 5 }], inactive] as const,
      ),
      [[{ units: 5 }, {}], either],
      [[{ units: 5 }, { units: 5, percent: 5 }], either],
      [[{ percent: 5 }, { percent: 5 }], repeated],
      [[keyId, keyId.toUpperCase()].map((id) => ({ api_key_id: id, units: 5 })), repeated],
      [[keyId, next.id].map((id) => ({ api_key_id: id, units: 5 })), repeated],
      [[{ api_key_id: keyId, percent: 5 }], /without units_per_period: set that limit first\.$/],
    ];

    for (const [thresholds, message] of wrong) {
      const set = store.thresholds.set(customer.accountId, thresholds, BY);
      await assert.rejects(set, { code: "invalid_request", message });
    }
    assert.deepEqual(await contentsOf(engine), before);
  });
}

export function endNoticeSuite(test: StoreTest): void {
  test("a key that ends causes a mail 7 days and 1 day before, again after its end was moved, and no other", async (store, engine, other) => {
    const customer = await newCustomer(store, 10);
    const { key } = customer;
    await store.accounts.markEmailVerified(customer.email, BY);
    await setKey(engine, key.id, "name", "<b>bill & co");
    await setKey(engine, key.id, "expires_at", inDays(30));
    const mailsAt = async (days: number) => {
      await Promise.all([store, other, store].map((node) => look(node, inDays(days))));
      return mailsOf(store, inDays(days));
    };

    assert.deepEqual(await mailsAt(22.9), []);
    const [mail = "", ...more] = await mailsAt(23);
    assert.deepEqual(more, []);
    assert.match(mail, /^An API key for Kurs ends on 2026-12-21 12:00 UTC\n/);
    assert.match(mail, /The API key “<b>bill & co” \(svc_live_01234567\) of your account .* 401/);
    assert.match(mail, /rotate it .* or move its end\..*\n\nhttps:\/\/kurs\.example\/keys\n/);
    assert.deepEqual(await mailsAt(28.9), []);
    assert.equal((await mailsAt(29)).length, 1);
    assert.deepEqual(await mailsAt(29.9), []);
    const moved = { ...NO_LIMITS, expiresAt: inDays(36) };
    await store.keys.setLimits(customer.accountId, key.id, () => moved, byAt(inDays(29.9)));
    assert.equal((await mailsAt(29.9)).length, 1);
    assert.equal((await mailsAt(35.5)).length, 1);
    assert.deepEqual(await mailsAt(36), []);
  });

  test("pages have each key that ends, and one that was not looked at in time gets the later mail alone", async (store, engine) => {
    const customers = await Promise.all(Array.from({ length: 5 }, () => newCustomer(store, 1)));
    await engine.query("UPDATE api_keys SET expires_at = $1", inDays(30));
    await setKey(engine, customers[2]?.key.id ?? "", "expires_at", inDays(29.8));
    const read = (after: { expiresAt: string; id: string }, limit: number) =>
      store.endNotices.page(after, inDays(30), limit);
    const start = { expiresAt: inDays(29.5), id: "~" };
    const pages = await Array.fromAsync(pagesOf(start, read, (key) => key, 2));
    const ids = customers.map(({ key }) => key.id).sort();
    const first = customers[2]?.key.id;
    ids.splice(ids.indexOf(first ?? ""), 1);
    assert.deepEqual(
      pages.map((page) => page.map(({ id }) => id)),
      [[first, ids[0]], [ids[1], ids[2]], [ids[3]]],
    );

    for (const _ of [1, 2]) await look(store, inDays(29.5));

    assert.equal((await mailsOf(store, inDays(29.5))).length, customers.length);
  });

  test("a key without so long a life or overlap, that is revoked, or of an account without access causes no mail", async (store, engine) => {
    const lives = [1, 7, 8];
    for (const days of lives) {
      const { key } = await newCustomer(store, 1);
      await setKey(engine, key.id, "expires_at", inDays(days));
    }
    const without = [
      ({ email }: Customer) => store.administration.suspend(email, BY),
      ({ email }: Customer) => store.administration.delete(email, BY),
      ({ accountId, key }: Customer) => store.keys.revoke(accountId, key.id, BY),
    ];
    for (const end of without) {
      const customer = await newCustomer(store, 1);
      await setKey(engine, customer.key.id, "expires_at", inDays(20));
      await end(customer);
    }

    for (const days of [1, 10]) {
      const { accountId, key } = await newCustomer(store, 1);
      await setKey(engine, key.id, "expires_at", inDays(30));
      await rotate(store, accountId, key.id, { endsAt: inDays(days) });
    }

    const sent: string[] = [];
    for (let days = 0; days < 21; days += 0.5) {
      await look(store, inDays(days));
      const mails = await mailsOf(store, inDays(days));
      sent.push(...mails.map((mail) => `${days}: ${/2026-..-../.exec(mail)}`));
    }
    assert.deepEqual(sent, [
      ...["1: 2026-11-29", "3: 2026-12-01", "6: 2026-11-28", "7: 2026-11-29", "9: 2026-12-01"],
    ]);
  });
}
