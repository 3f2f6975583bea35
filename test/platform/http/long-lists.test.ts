import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { addCopies } from "../../support/keys.ts";
import { startSharedService, type TestService } from "../../support/service.ts";
import { mostInAnIteration } from "../../support/statements.ts";

const KEYS = "/v1/account/api-keys";
const DAILY = "/v1/account/usage/daily?days=366";
const KEY_USAGE = "/v1/account/usage/api-keys";
const EXPORT = "/v1/account/export";

/** Lists of this length have several pages, and the last page is not full. */
const ITEMS = 1_050;
const PAGE_ROWS = 200;
const LISTS_AT_ONCE = 6;

const service = await startSharedService();

/** An account with more keys than fit on a page. */
async function accountWithRevokedKeys(own: TestService): Promise<string> {
  const { session, keyId } = await own.newCustomer();
  addCopies(own, keyId, ITEMS - 1);
  using database = own.database();
  chargeEachKey(database, keyId);
  return session;
}

/** Charges each key two units this month and one last month. */
function chargeEachKey(database: DatabaseSync, keyId: string): void {
  for (const [period, units] of [
    ["2026-10", 1],
    ["2026-11", 2],
  ] as const) {
    database
      .prepare(`
        INSERT INTO charged_units (period, account, day, api_key, units)
        SELECT ?1, a.number, 21, k.number, ?2 FROM api_keys k JOIN accounts a ON a.id = k.account_id
        WHERE k.id LIKE ?3 || '%'`)
      .run(period, units, keyId);
  }
}

const session = await accountWithRevokedKeys(service);

type Item = Readonly<Record<string, unknown>>;

async function listOf(path: string, member: string): Promise<readonly Item[]> {
  const answer = await service.get(path, { session });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(Object.keys(answer.body), [member]);
  return answer.body[member] as readonly Item[];
}

suite("a long list", () => {
  test("of keys is complete, oldest first, each key once", async () => {
    const keys = await listOf(KEYS, "api_keys");

    const ids = keys.map(({ id }) => String(id));
    assert.equal(ids.length, ITEMS);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.equal(keys.filter(({ revoked_at }) => revoked_at === undefined).length, 1);
  });

  test("of daily units is complete, sorted by day and then by key", async () => {
    const days = await listOf(DAILY, "days");

    const places = days.map(({ date, api_key_id }) => `${date} ${api_key_id}`);
    assert.equal(places.length, 2 * ITEMS);
    assert.deepEqual(places, [...new Set(places)].sort());
    const units = days.reduce((sum, day) => sum + Number(day.units), 0);
    assert.equal(units, 3 * ITEMS);
  });

  test("of the usage of keys has each key once, in the order of the keys", async () => {
    const usage = await listOf(KEY_USAGE, "api_keys");

    const ids = usage.map(({ api_key_id }) => String(api_key_id));
    assert.equal(ids.length, ITEMS);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    const [first, ...others] = usage.map(({ units, last_used_on: day }) => `${units} ${day}`);
    assert.equal(first, "2 2026-11-21");
    assert.deepEqual([...new Set(others)], [first]);
  });

  for (const [what, path] of [
    ["keys", KEYS],
    ["daily units", DAILY],
    ["the usage of keys", KEY_USAGE],
    ["an export", EXPORT],
  ] as const) {
    test(`of ${what} is read page by page, also when several lists are requested at once`, async () => {
      const listAll = () =>
        Promise.all(Array.from({ length: LISTS_AT_ONCE }, () => service.get(path, { session })));
      const most = await mostInAnIteration(({ length }) => length, listAll);

      // Two pages, when the count's iteration begins between them, and a few rows of sessions.
      assert.ok(most >= PAGE_ROWS, `${most}`);
      assert.ok(most <= 2 * PAGE_ROWS + 10 * LISTS_AT_ONCE, `${most} rows in one iteration`);
    });
  }

  test("has no body for HEAD, and reading stops when its client disconnects", async () => {
    const head = await service.call("HEAD", KEYS, { session });

    assert.deepEqual([head.status, head.text], [200, ""]);
    const headers = { authorization: `Session ${session}` };
    const response = await fetch(service.url + KEYS, { headers });
    await response.body?.cancel();
    assert.equal((await listOf(KEYS, "api_keys")).length, ITEMS);
  });
});
