import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, startBrowser, twoLooks, Visitor } from "../support/browser.ts";
import { startServiceNow, type TestService } from "../support/service.ts";
import { excuseShift, logIn, turnTo, untilCount } from "./steps.ts";

const EMAIL = "ada@example.org";
const DAY_MS = 86_400_000;
const [look] = twoLooks as [Look];

const startHere = (freePlanUnits = 1000) => startServiceNow({ config: { freePlanUnits } });

/** Logs in on a page that needs a session. */
async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await logIn(page, EMAIL);
  await page.getByText("Log out").waitFor({ state: "attached" });
}

const perDay = (page: Page) => page.getByRole("region", { name: "Units per day" });

/** Waits for a number of rows. @returns the cells of each. */
const rowsOf = async (page: Page, count: number) => {
  const rows = page.getByRole("region", { name: "Units per key" }).locator("tbody tr");
  await untilCount(rows, count);
  return await Promise.all((await rows.all()).map((row) => row.locator("td").allTextContents()));
};

/** An account with two keys and their units, `daysAgo` days ago. */
async function seed(service: TestService) {
  const session = await service.openSession(EMAIL);
  const create = async (name: string) => {
    const { body } = await service.post("/v1/account/api-keys", { session, json: { name } });
    return { id: String(body.id), prefix: String(body.key_prefix) };
  };
  const billing = await create("billing");
  const shop = await create('=shop, "north"');
  const store = (key: string, daysAgo: number, units: number) => {
    const day = new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
    service.query(
      `INSERT INTO charged_units (period, account, day, api_key, units)
       SELECT ?, a.number, ?, k.number, ? FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.id = ?`,
      day.slice(0, 7),
      Number(day.slice(8)),
      units,
      key,
    );
    return day;
  };
  store(billing.id, 0, 30);
  store(billing.id, 20, 40);
  const shopDay = store(shop.id, 1, 10);
  return { session, billing, shop, shopDay };
}

for (const each of twoLooks) {
  test(`${each.name}: from 80 % of the quota every page warns, in amber and then in red`, async () => {
    await using service = await startHere(5);
    const { session, apiKey } = await service.newCustomer(EMAIL);
    const read = () => service.get("/v1/rates/EUR/USD", { apiKey });
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    const warning = page.getByRole("status").filter({ hasText: "the usage" });
    for (let count = 0; count < 3; count += 1) await read();
    await openPage(page, "/usage");
    await page.getByText("3 of 5 units used").waitFor();
    assert.equal(await warning.count(), 0, "60 % is no reason for a warning");
    assert.equal(await fillOfMeter(page), await colour(page, "accent"));

    await read();
    await turnTo(page, "Keys");
    await warning.getByText("80% of the quota is used: 1 of 5 units left.").waitFor();
    await excuseShift(page);
    await visitor.assertSound("the keys with a warning");
    await turnTo(page, "Usage");
    await page.getByText("4 of 5 units used").waitFor();
    assert.equal(await fillOfMeter(page), await colour(page, "amber"));
    assert.equal(await heightOf(page, ".meter"), await heightOf(page, ".meter rect"));
    await visitor.assertSound("the usage with a warning");

    await read();
    await page.goto("/docs");
    await warning.getByText("The quota is used up: reads are rejected until").waitFor();
    await page.goto("/usage");
    await page.getByText("5 of 5 units used").waitFor();
    await warning.getByText("For more units before then, ask the operator").waitFor();
    await page.getByText("Units per day").waitFor();
    await page.locator("canvas").waitFor();
    assert.equal(await page.getByText("0 units per day").count(), 0);
    assert.equal(await fillOfMeter(page), await colour(page, "bad"));
    await page.setViewportSize({ width: 320, height: 740 });
    await excuseShift(page);
    await visitor.assertSound("the used-up quota, 320 px wide");
    assert.equal(await service.usedUnits(session), 5, "the pages have used units");
    visitor.assertQuiet();
  });

  test(`${each.name}: chart and table show the units of a range by key`, async () => {
    await using service = await startHere();
    const { billing, shop } = await seed(service);
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;

    await openPage(page, "/usage");

    await page.locator("canvas").waitFor();
    await excuseShift(page);
    assert.deepEqual(await rowsOf(page, 2), [
      [`billing ${billing.prefix}…`, "70", "87.5%"],
      [`=shop, "north" ${shop.prefix}…`, "10", "12.5%"],
    ]);
    await perDay(page).getByText("80 units").waitFor();
    await perDay(page)
      .getByText(/^3\d units per day would use up the quota/)
      .waitFor();
    await visitor.assertSound("the chart");
    await page.setViewportSize({ width: 320, height: 740 });
    await excuseShift(page);
    await visitor.assertSound("the chart, 320 px wide");
    visitor.assertQuiet();
  });
}

/** What the browser makes of a colour of the theme. */
const colour = (page: Page, name: string) =>
  page.evaluate<string>(`(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--${name})";
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  })()`);

const fillOfMeter = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.querySelector(".meter rect")).fill');

const heightOf = (page: Page, selector: string) =>
  page.evaluate<number>(
    `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().height`,
  );

test("a link leads to a range and a key, also after a log-in, and choices change the address", async () => {
  await using service = await startHere();
  const { billing, shop } = await seed(service);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  const search = () => new URL(page.url()).search;

  await openPage(page, `/usage?days=7&key=${billing.id}`);
  await perDay(page).getByText("30 units", { exact: true }).waitFor();
  assert.equal(search(), `?days=7&key=${billing.id}`);
  assert.deepEqual(await rowsOf(page, 1), [[`billing ${billing.prefix}…`, "30", "100%"]]);
  await page.getByLabel("Keys", { exact: true }).selectOption('=shop, "north"');
  await perDay(page).getByText("10 units", { exact: true }).waitFor();
  assert.equal(search(), `?days=7&key=${shop.id}`);
  await page.getByText("90 days").click();
  await page.getByLabel("Keys", { exact: true }).selectOption("All keys");
  await perDay(page).getByText("80 units", { exact: true }).waitFor();
  assert.equal(search(), "?days=90");

  await page.goto("/usage?days=1000000&key=none&key=%00");
  await perDay(page).getByText("80 units", { exact: true }).waitFor();
  assert.equal(await page.getByRole("radio", { name: "30 days" }).isChecked(), true);
  service.query("DELETE FROM charged_units");
  await page.goto(`/usage?key=${billing.id}`);
  await page.getByText("No reads with “billing” in these 30 days").waitFor();
  visitor.assertQuiet();
});

test("the CSV file has every day and key of the range, and no formula of a key's name", async () => {
  await using service = await startHere();
  const { billing, shop, shopDay } = await seed(service);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openPage(page, "/usage?days=7");

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();

  const file = await saved;
  const today = new Date().toISOString().slice(0, 10);
  const first = new Date(Date.now() - 6 * DAY_MS).toISOString().slice(0, 10);
  assert.equal(file.suggestedFilename(), `kurs-usage-${first}-to-${today}.csv`);
  assert.equal(
    await readFile(await file.path(), "utf8"),
    [
      "date,api_key_id,name,units",
      `${shopDay},${shop.id},"'=shop, ""north""",10`,
      `${today},${billing.id},billing,30`,
      "",
    ].join("\n"),
  );
  visitor.assertQuiet();
});

test("when the chart's script is missing, the table and a button to reload appear", async () => {
  await using service = await startHere();
  await seed(service);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await page.route(/\/assets\/uPlot.*\.js$/, (route) => route.fulfill({ status: 404 }));
  visitor.expectError(/status of 404|dynamically imported module/);

  await openPage(page, "/usage");

  await page.getByText("The chart could not be loaded.").waitFor();
  await rowsOf(page, 2);
  assert.equal(await page.locator("canvas").count(), 0);
  await excuseShift(page);
  await visitor.assertSound("the usage without a chart");
  await page.unroute(/\/assets\/uPlot.*\.js$/);
  await page.getByRole("button", { name: "Reload" }).click();
  await page.locator("canvas").waitFor();
  assert.equal(await page.getByText("The chart could not be loaded.").count(), 0);
  visitor.assertQuiet();
});

test("in a browser without a locale, the table and its totals appear", async () => {
  await using service = await startHere();
  await seed(service);
  await using bare = await startBrowser({ LANG: "C", LC_ALL: "C" });
  // A context of its own: a visitor's has a locale.
  const page = await bare.newPage({ baseURL: service.url });
  const errors: unknown[] = [];
  page.on("pageerror", (error) => errors.push(error));

  await openPage(page, "/usage");

  assert.equal(await page.evaluate("navigator.language"), "en-US@posix");
  await page.getByText("The chart could not be loaded.").waitFor();
  assert.deepEqual(
    (await rowsOf(page, 2)).map(([, units]) => units),
    ["70", "10"],
  );
  await page.getByRole("button", { name: "Reload" }).waitFor();
  await turnTo(page, "Activity");
  await page.getByText("Account created").waitFor();
  assert.deepEqual(errors, []);
});
