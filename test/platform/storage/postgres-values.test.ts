import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { administer } from "../../../harness/postgres.ts";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import {
  KEY_LIMITS,
  keysOf,
  newAccount,
  newKey,
  newMailToken,
} from "../../contract/suite/customers.ts";
import { BY, NOW } from "../../contract/suite/origins.ts";
import { newRate, storeRates } from "../../contract/suite/rates-stored.ts";
import { hostsOf, newPostgresDatabase } from "../../support/postgres-databases.ts";
import { openPostgresStore, type Store } from "../../support/stores.ts";

const SETTINGS = { connectionsMax: 5, statementTimeoutMs: 10_000, connectTimeoutMs: 10_000 };

/** Beyond 2^53 a JavaScript number could differ from the stored one. */
const TOO_GREAT = "9007199254740993";

/** A database that sorts texts in the order of a language, like many servers. */
async function newEnglishDatabase() {
  const server = await newPostgresDatabase();
  const name = `kurs_test_english_${process.pid}`;
  const url = new URL(server.url);
  url.search = "";
  await administer(
    url.href,
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`,
  );
  const { href: owner } = url;
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await administer(owner, `DROP DATABASE ${name} WITH (FORCE)`);
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Fills a store with texts that languages sort differently from bytes. @returns its lists. */
async function fillAndList(store: Store) {
  for (const name of ["b", "a_b", "a-b", "a1", "ab", "a"]) {
    await store.plans.set({ name, unitsPerPeriod: 1 }, BY);
  }
  const pairs = ["ZZ/USD", "A1/USD", "AA/USD", "1A/USD", "AAA/USD", "EUR/USD", "EUR/1INCH"];
  await storeRates(
    store,
    pairs.map((pair) => newRate(pair, "1.5", "2026-03-13T15:00:00Z")),
  );
  for (const source of ["nbp", "NBP", "ecb-b", "ecb_a", "ecb2", "ecb"]) {
    await store.sources.add(source, NOW);
  }
  const account = newAccount({ id: "account" });
  await store.accounts.create(account, newMailToken(), BY);
  for (const id of ["k-2", "K-1", "k_1", "k1"]) {
    await store.keys.create(newKey(account.id, { id }), KEY_LIMITS, BY);
  }
  return {
    plans: (await store.plans.list()).map(({ name }) => name),
    rates: (await store.rates.list()).map(({ base, quote }) => `${base}/${quote}`),
    sources: (await store.sources.list()).map(({ source }) => source),
    keys: (await keysOf(store, account.id)).map(({ id }) => id),
  };
}

suite("texts in a database of another collation", () => {
  test("every list has SQLite's order, not that of the language", async () => {
    await using english = await newEnglishDatabase();
    await using sqlite = await createSqliteDatabase();
    await using store = await openPostgresStore(hostsOf(english.url), SETTINGS);

    const listings = await fillAndList(store);

    assert.deepEqual(listings, await fillAndList(sqlite.openStore()));
    const [row] = await administer(english.url, "SELECT 'a_b' < 'a-b' AS english");
    assert.deepEqual(row, { english: true });
    assert.deepEqual(listings.plans, ["a", "a-b", "a1", "a_b", "ab", "b", "free"]);
  });

  test("emails and ids that look alike are distinct, and each is found", async () => {
    await using english = await newEnglishDatabase();
    await using store = await openPostgresStore(hostsOf(english.url), SETTINGS);
    const emails = ["ä", "a\u0308", "ss", "ß", "i", "ı", "ｉ", "I", "a", "a\u200b"].map(
      (name) => `${name}@example.org`,
    );

    for (const email of emails) {
      const account = newAccount({ id: `id of ${email}`, email });
      assert.equal(await store.accounts.create(account, newMailToken(), BY), true, email);
    }

    for (const email of emails) {
      assert.equal((await store.accounts.findByEmail(email))?.id, `id of ${email}`);
      const again = newAccount({ email });
      assert.equal(await store.accounts.create(again, newMailToken(), BY), false, email);
    }
    assert.equal((await store.accounts.list(NOW, "", 100)).length, emails.length);
    assert.equal(await store.accounts.findByEmail("A@example.org"), undefined);
  });
});

test("units beyond the safe integers are rejected as a plan's quota; the largest has every digit", async () => {
  await using database = await newPostgresDatabase();
  await using store = await openPostgresStore(hostsOf(database.url), SETTINGS);
  const unitsPerPeriod = Number.MAX_SAFE_INTEGER;
  await store.plans.set({ name: "most", unitsPerPeriod }, BY);

  const tooGreat = `UPDATE plans SET units_per_period = ${TOO_GREAT} WHERE name = 'most'`;
  await assert.rejects(administer(database.url, tooGreat), /check constraint/);

  assert.deepEqual((await store.plans.list()).at(-1), { name: "most", unitsPerPeriod });
});
