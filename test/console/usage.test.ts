import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { phone } from "../support/browser.ts";
import { eventually } from "../support/mails.ts";
import { charge, comeLoggedIn, startForVisitors, untilCount } from "./steps.ts";

// The pages Keys and Usage.

const service = await startForVisitors();

test("keys of one name are told apart, and a revocation says what it means and ends one key", async () => {
  await using visitor = await comeLoggedIn(service, "/favicon.svg");
  const { page, session, see, press } = visitor;
  const create = (name: string) => service.createKey(session, name);
  const [old, older, newer] = [await create("old"), await create("bill"), await create("bill")];
  await service.revokeKey(session, old.id);
  service.query("UPDATE api_keys SET created_at = '2026-09-30' WHERE id = ?", old.id);
  charge(service, old.id, "2026-09-30", 1);
  service.query("UPDATE api_keys SET created_at = '2026-11-20' WHERE id = ?", older.id);
  charge(service, older.id, "2026-11-20", 1);
  await page.goto("/keys");
  const shown = ({ apiKey }: { apiKey: string }) => `${apiKey.slice(0, 17)}…`;
  await see("Revoked keys (1)");
  assert.equal(await page.getByRole("table", { name: "Revoked keys" }).count(), 0, "not folded");
  await page.getByText("Revoked keys (1)").click();
  const revoked = page.getByRole("table", { name: "Revoked keys" }).getByRole("row").last();
  assert.equal(await revoked.textContent(), `old${shown(old)}21 Nov 202630 Sept 20260`);

  const dialog = page.getByRole("dialog");
  await press(`Revoke bill (${shown(older)})`);
  await dialog.getByRole("status").getByText("This key was used yesterday (1 unit").waitFor();
  await press("Keep it");
  await dialog.waitFor({ state: "detached" });
  // Used since the page was opened.
  await service.readRate("EUR/USD", newer.apiKey);
  await press(`Revoke bill (${shown(newer)})`);
  await dialog.getByText("This key was used today (1 unit this month).").waitFor();
  await press("Revoke key");
  await see("Revoked keys (2)");
  assert.equal((await service.readRate("EUR/USD", newer.apiKey)).status, 401);
  assert.equal((await service.readRate("EUR/USD", older.apiKey)).status, 200);
});

test("many keys are searched, turned in pages and counted, and home shows the most used ones first", async () => {
  await using visitor = await comeLoggedIn(service, "/favicon.svg");
  const { page, session, see, press, fill } = visitor;
  const ids: string[] = [];
  for (let n = 1; n <= 26; n += 1) ids.push((await service.createKey(session, `key ${n}`)).id);
  charge(service, ids[1] ?? "", "2026-11-01", 5);
  charge(service, ids[2] ?? "", "2026-11-21", 5);
  charge(service, ids[0] ?? "", "2026-11-20", 9);
  await page.goto("/keys");
  const rows = page.getByRole("table", { name: "Active keys" }).locator("tbody tr");
  await see("26 of 100 active keys", "1 to 25 of 26");
  await untilCount(rows, 25);
  await press("Next");
  await untilCount(rows, 1);
  assert.equal(await page.evaluate("document.activeElement.className"), "paged");
  await fill({ Search: "KEY 1" });
  await untilCount(rows, 11);
  await fill({ Search: "bicycle" });
  await see("No key has such a name or prefix.");
  await page.goto("/home");
  const lines = page.getByRole("region", { name: "API keys" }).getByRole("listitem");
  await see("And 21 more");
  const texts = (await lines.allTextContents()).map((text) => text.replace(/ svc_.+: /, ", "));
  const used = ["key 1, yesterday", "key 3, today", "key 2, 1 Nov 2026"];
  assert.deepEqual(texts, [...used, "key 26, never", "key 25, never"]);
  await page.goto("/keys");
  await press("Next", "Revoke key 1", /^Revoke key$/);
  await see("25 of 100 active keys");
  await untilCount(rows, 25);
});

test("a new key is kept in the tab if its owner ticks the box, until it is forgotten or revoked", async () => {
  await using visitor = await comeLoggedIn(service, "/keys", { look: phone });
  const { page, see, seeHeading, press, logOut, createKey, tryIt } = visitor;
  const field = page.getByLabel("API key", { exact: true });
  const box = page.getByLabel(/^Keep it in this tab/);
  const kept = () => page.evaluate<string | null>("sessionStorage.getItem('kurs.key')");
  const secret = await createKey("billing");
  assert.deepEqual([await box.isChecked(), await kept()], [false, null]);
  await box.check();
  await press("I have stored it");
  await page.goto("/try");
  await see("The key “billing”, kept in this tab.");
  assert.equal(await field.inputValue(), secret);
  assert.equal(await tryIt(), "1 unit");
  await press("Forget it");
  assert.deepEqual([await field.inputValue(), await kept()], ["", null]);

  await page.getByRole("main").getByRole("link", { name: "Create a key" }).click();
  const ends = {
    clear: () => box.uncheck(),
    revoke: () => press("Revoke revoke", "Revoke key"),
    leave: () => logOut(),
  };
  for (const [name, end] of Object.entries(ends)) {
    await createKey(name);
    await box.check();
    assert.notEqual(await kept(), null);
    await end();
    await eventually(
      `the key forgotten after ${name}`,
      async () => (await kept()) === null || undefined,
    );
  }
  await seeHeading("Log in");
});

/** What the browser makes of an expression about the meter and its part. */
const meter = (page: Page, what: string) =>
  page.evaluate(`(() => {
    const [all, part] = [".meter", ".meter rect"].map((name) => document.querySelector(name));
    const colour = (name) => {
      part.style.color = "var(--" + name + ")";
      return getComputedStyle(part).color;
    };
    return ${what};
  })()`);

test("from 80 % of the quota pages warn until the bar is closed, in amber and then in red", async () => {
  await using visitor = await comeLoggedIn(service, "/favicon.svg");
  const { page, session, see, press, turnTo } = visitor;
  const key = await service.createKey(session, "billing");
  const warning = page.getByRole("status").filter({ hasText: "See the usage" });
  const isFilledWith = (name: string) =>
    meter(page, `getComputedStyle(part).fill === colour("${name}")`);
  charge(service, key.id, "2026-11-01", 799);
  await page.goto("/usage");
  await see("799 of 1,000 units used");
  assert.equal(await warning.count(), 0);
  assert.equal(await isFilledWith("accent"), true);
  charge(service, key.id, "2026-11-01", 1);
  await turnTo("Keys");
  await warning.getByText("80% of the quota is used: 200 of 1,000 units left.").waitFor();
  await turnTo("Usage");
  await see("800 of 1,000 units used");
  assert.equal(await warning.count(), 0, "the page says it already");
  assert.equal(await isFilledWith("amber"), true);
  const rest = "all.getBoundingClientRect().height - part.getBoundingClientRect().height";
  assert.equal(await meter(page, rest), 0);
  await turnTo("Keys");
  await visitor.assertSound("the keys with a warning");
  await press("Close");
  await warning.waitFor({ state: "detached" });
  charge(service, key.id, "2026-11-01", 200);
  await turnTo("Try it");
  await warning.getByText("The quota is used up: reads are rejected until").waitFor();
  await press("Close");
  await turnTo("Usage");
  await see("0 left: reads are rejected until the reset. For more units before then, ask");
  await turnTo("Agents");
  await warning.waitFor({ state: "detached" });
  await turnTo("Usage");
  await see("1,000 of 1,000 units used");
  assert.equal(await isFilledWith("bad"), true);
});

/** A window at a page, of an account with two keys and their units. */
async function comeWithUnits(path: string) {
  const visitor = await comeLoggedIn(service, "/favicon.svg");
  const { page, session } = visitor;
  const billing = await service.createKey(session, "billing");
  const shop = await service.createKey(session, '=shop, "north"');
  charge(service, billing.id, "2026-11-21", 30);
  charge(service, billing.id, "2026-11-01", 40);
  charge(service, shop.id, "2026-11-20", 10);
  await page.goto(path.replace("KEY", billing.id));
  const perDay = page.getByRole("region", { name: "Units per day" });
  const rows = page.getByRole("region", { name: "Units per key" }).locator("tbody tr");
  return Object.assign(visitor, { billing, shop, perDay, rows });
}

test("chart and table show the range and the key of the address, which choices change", async () => {
  await using visitor = await comeWithUnits("/usage?days=7&key=KEY");
  const { page, billing, shop, perDay, rows, see, press } = visitor;
  const search = () => new URL(page.url()).search;
  const seeUnits = (count: number) => perDay.getByText(`${count} units`, { exact: true }).waitFor();
  const choose = (key: string) => page.getByLabel("Keys", { exact: true }).selectOption(key);
  await seeUnits(30);
  assert.equal(search(), `?days=7&key=${billing.id}`);
  await untilCount(rows, 1);
  await choose('=shop, "north"');
  await seeUnits(10);
  assert.equal(search(), `?days=7&key=${shop.id}`);
  const saving = page.waitForEvent("download");
  await press("Download CSV");
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), "kurs-usage-2026-11-15-to-2026-11-21.csv");
  const csv = `date,api_key_id,name,units\n2026-11-20,${shop.id},"'=shop, ""north""",10\n`;
  assert.equal(await readFile(await saved.path(), "utf8"), csv);
  await page.getByText("90 days").click();
  await choose("All keys");
  await seeUnits(80);
  assert.equal(search(), "?days=90");
  await page.goto("/usage?days=1000000&key=none&key=%00");
  await seeUnits(80);
  assert.equal(await page.getByRole("radio", { name: "30 days" }).isChecked(), true);
  await page.locator("canvas").waitFor();
  const [first, second] = await rows.allTextContents();
  assert.match(first ?? "", /^billing svc_live_\w{8}…7087\.5%$/);
  assert.match(second ?? "", /^=shop, "north" svc_live_\w{8}…1012\.5%$/);
  service.query("DELETE FROM charged_units");
  await page.goto(`/usage?key=${billing.id}`);
  await see("No reads with “billing” in the last 30 days");
});

const withoutLocale = 'Object.defineProperty(navigator, "language", { value: "en-US@posix" })';

for (const [why, isPassing, breakChart] of [
  [
    "whose script is missing",
    true,
    (page: Page) => page.route(/uPlot.*\.js$/, (route) => route.abort()),
  ],
  ["in a browser without a locale", false, (page: Page) => page.addInitScript(withoutLocale)],
] as const) {
  test(`a chart ${why} leaves the table, and a button to load the page again`, async () => {
    await using visitor = await comeWithUnits("/favicon.svg");
    const { page, rows, see, press } = visitor;
    if (isPassing) visitor.expectError(/ERR_FAILED|dynamically imported module/);
    await breakChart(page);
    await page.goto("/usage");
    await see("The chart could not be loaded.");
    await untilCount(rows, 2);
    assert.equal(await page.locator("canvas").count(), 0);
    await page.unrouteAll();
    await press("Reload");
    if (isPassing) await page.locator("canvas").waitFor();
    else await see("The chart could not be loaded.");
  });
}
