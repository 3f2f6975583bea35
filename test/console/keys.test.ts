import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { excuseShift, logIn, untilCount } from "./steps.ts";

const EMAIL = "ada@example.org";
const KEYS = "/v1/account/api-keys";
const NOW = "2026-11-21T12:00:00.000Z";
const [look] = twoLooks as [Look];

/** An account with keys that were used long ago, yesterday, today and never, and a revoked one. */
async function accountWithKeys(service: TestService) {
  const { clock } = service;
  clock.set("2026-09-30T12:00:00.000Z");
  const { session: first, apiKey, keyId } = await service.newCustomer(EMAIL);
  await service.readRate("EUR/USD", apiKey);
  await service.revokeKey(first, keyId);
  clock.set("2026-11-02T23:59:00.000Z");
  const earlier = await service.logIn(EMAIL);
  const shop = await service.createKey(earlier, "shop");
  await service.readRate("EUR/USD", shop.apiKey);
  clock.set("2026-11-20T00:01:00.000Z");
  const yesterday = await service.logIn(EMAIL);
  const older = await service.createKey(yesterday, "billing");
  await service.readRate("EUR/USD", older.apiKey);
  clock.set(NOW);
  const session = await service.logIn(EMAIL);
  const newer = await service.createKey(session, "billing");
  for (let reads = 0; reads < 3; reads += 1) await service.readRate("EUR/USD", newer.apiKey);
  const spare = await service.createKey(session, "spare");
  return { session, older, newer, shop, spare };
}

/** Opens the keys with a log-in, by the service's clock. */
async function openKeys(page: Page): Promise<void> {
  await page.clock.setFixedTime(NOW);
  await page.goto("/keys");
  await logIn(page, EMAIL);
  await page.getByRole("table", { name: "Active keys" }).waitFor();
  await excuseShift(page);
}

/** Waits for a number of rows, with the head. @returns the first five cells of each. */
const rowsOf = async (page: Page, table: string, count: number) => {
  const rows = page.getByRole("table", { name: table }).getByRole("row");
  await untilCount(rows, count);
  return await Promise.all(
    (await rows.all()).map(async (row) =>
      (await row.locator("th, td").allTextContents()).slice(0, 5),
    ),
  );
};

for (const each of twoLooks) {
  test(`${each.name}: the keys show by day when each was used, its units and when it was revoked`, async () => {
    await using service = await startService();
    const { older, newer, shop, spare } = await accountWithKeys(service);
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    const shown = (apiKey: string) => `${apiKey.slice(0, 17)}…`;

    await openKeys(page);

    assert.deepEqual(await rowsOf(page, "Active keys", 5), [
      ["Name", "Key", "Created", "Last used", "Units this month"],
      ["spare", shown(spare.apiKey), "just now", "never", "0"],
      ["billing", shown(newer.apiKey), "just now", "today", "3"],
      ["billing", shown(older.apiKey), "yesterday", "yesterday", "1"],
      ["shop", shown(shop.apiKey), "18 days ago", "Nov 2, 2026", "1"],
    ]);
    assert.equal(await page.getByRole("table", { name: "Revoked keys" }).count(), 0, "not folded");
    await visitor.assertSound("the keys");
    await page.getByText("Revoked keys (1)").click();
    const [, revoked] = await rowsOf(page, "Revoked keys", 2);
    assert.deepEqual(revoked?.slice(2), ["Sep 30, 2026", "Sep 30, 2026", "0"]);
    for (const key of [older, newer]) {
      const name = `Revoke billing (${shown(key.apiKey)})`;
      await page.getByRole("button", { name, exact: true }).waitFor();
    }
    await page.getByRole("button", { name: "Revoke spare", exact: true }).waitFor();
    await excuseShift(page);
    await visitor.assertSound("the keys, unfolded");
    await page.setViewportSize({ width: 320, height: 740 });
    await excuseShift(page);
    await visitor.assertSound("the keys, 320 px wide");
    visitor.assertQuiet();
  });
}

test("before a key is revoked, the page says when it was used last, and warns of recent use", async () => {
  await using service = await startService();
  const { session, older, newer } = await accountWithKeys(service);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openKeys(page);
  const dialog = page.getByRole("dialog");

  for (const [name, text] of [
    [newer.apiKey.slice(0, 17), "was used today (3 units this month). Requests with it will fail"],
    [older.apiKey.slice(0, 17), "was used yesterday (1 unit this month). Requests with it will"],
    ["Revoke shop", "This key was last used on Nov 2, 2026."],
    ["Revoke spare", "This key has never been used."],
  ] as const) {
    await page.getByRole("button", { name }).click();
    await dialog.getByText(text).waitFor();
    const warnings = text.includes("will") ? 1 : 0;
    assert.equal(await dialog.getByRole("status").count(), warnings, name);
    await visitor.assertSound(`the question about ${name}`);
    await dialog.getByRole("button", { name: "Keep it" }).click();
    await dialog.waitFor({ state: "detached" });
  }

  const { api_keys: keys } = (await service.get(KEYS, { session })).body;
  const active = (keys as readonly { revoked_at?: string }[]).filter((key) => !key.revoked_at);
  assert.equal(active.length, 4, "a question revokes nothing");
  visitor.assertQuiet();
});

test("the warning also knows a read that came after the page was opened", async () => {
  await using service = await startService();
  const { spare } = await accountWithKeys(service);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openKeys(page);
  await service.readRate("EUR/USD", spare.apiKey);

  await page.getByRole("button", { name: "Revoke spare" }).click();

  const text = "This key was used today (1 unit this month). Requests with it will fail at once.";
  await page.getByRole("dialog").getByText(text).waitFor();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Revoked keys (2)").waitFor();
  assert.equal((await service.readRate("EUR/USD", spare.apiKey)).status, 401);
  visitor.assertQuiet();
});
