import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { startServiceNow, type TestService } from "../support/service.ts";
import {
  assertSoundAndNarrow,
  createKey,
  excuseShift,
  logIn,
  logOut,
  signUp,
  tryIt,
  turnTo,
  untilCount,
} from "./steps.ts";

const EMAIL = "ada@example.org";
const [look] = twoLooks as [Look];
const ROWS_MAX = 40;

const rowsOf = (page: Page) => page.getByRole("region", { name: "Pairs" }).getByRole("listitem");

/** The link of the first row, where it has a name. */
const firstPair = (page: Page, name: string | RegExp) =>
  rowsOf(page).first().getByRole("link", { name });

const textOf = async (page: Page) => (await page.locator("main").textContent()) ?? "";

/** Opens the page Rates in an account of its own. */
async function openRates(service: TestService, visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await service.newCustomer(EMAIL);
  await page.goto("/rates");
  await logIn(page, EMAIL);
  await rowsOf(page).first().waitFor();
  await excuseShift(page);
}

for (const each of twoLooks) {
  test(`${each.name}: the page Rates finds a pair, and "Try it" reads it`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await signUp(page, EMAIL);
    await createKey(page, "billing");
    await turnTo(page, "Rates");
    await page.getByText("299 pairs").waitFor();
    await untilCount(rowsOf(page), ROWS_MAX);
    await assertSoundAndNarrow(visitor, "the rates");

    await page.getByRole("searchbox", { name: "Search" }).fill("euro swiss");

    await page.getByText("1 of 299 pairs").waitFor();
    await untilCount(rowsOf(page), 1);
    await page.getByRole("heading", { name: "EUR Euro" }).waitFor();
    const stale = page.getByText("6 sources missed a publication");
    await stale.getByRole("link", { name: "European Central Bank" }).waitFor();
    assert.equal(await rowsOf(page).getByText("publication missed").count(), 0);
    await rowsOf(page).getByRole("link", { name: "European Central Bank" }).waitFor();
    assert.match(await textOf(page), /next [A-Z][a-z]{2} \d{1,2}, \d{4}, 1[45]:05 UTC/);
    assert.doesNotMatch(await textOf(page), /0\.\d{3}/, "a figure that nobody has read");
    await rowsOf(page).getByRole("link", { name: "Try EUR/CHF" }).click();
    await page.getByRole("heading", { name: "Try it" }).waitFor();
    assert.equal(await page.getByLabel("Base").inputValue(), "EUR");
    assert.equal(await page.getByLabel("Quote").inputValue(), "CHF");
    assert.equal(await service.usedUnits(await service.logIn(EMAIL)), 0, "looking costs nothing");
    assert.equal(await tryIt(page), "1 unit");
    const [stored] = service.query("SELECT rate FROM rates WHERE base = 'EUR' AND quote = 'CHF'");

    await turnTo(page, "Rates");

    const figure = rowsOf(page).getByText(/read at \d\d:\d\d UTC: /);
    assert.ok((await figure.textContent())?.endsWith(`: ${stored?.rate}`));
    await assertSoundAndNarrow(visitor, "a pair that was read");
    await logOut(page);
    await logIn(page, EMAIL);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await turnTo(page, "Rates");
    await page.getByText("299 pairs").waitFor();
    assert.doesNotMatch(await textOf(page), /read at/, "the figure outlived the session");
    visitor.assertQuiet();
  });

  test(`${each.name}: suspended pairs are named, and marked in the list`, async () => {
    await using service = await startServiceNow();
    service.query("UPDATE rates SET suspended_at = '2026-01-01' WHERE base = 'AUD'");
    service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;

    await openRates(service, visitor);

    await page
      .getByText("Suspended by the operator: AUD/CZK, AUD/DKK, AUD/MKD, AUD/NOK, AUD/PLN.")
      .waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill("AUD/CZK");
    await rowsOf(page).getByText("suspended", { exact: true }).waitFor();
    await untilCount(rowsOf(page), 1);
    await assertSoundAndNarrow(visitor, "the suspended pairs");
    visitor.assertQuiet();
  });
}

test("the search takes codes, pairs and names in any case and order, base first", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openRates(service, visitor);
  const search = page.getByRole("searchbox", { name: "Search" });
  const find = async (text: string, name: string | RegExp) => {
    await search.fill(text);
    await firstPair(page, name).waitFor();
  };

  for (const text of [
    "EUR/USD",
    "eur usd",
    "EURUSD",
    " eurusd ",
    "euro us dol",
    "ＥＵＲ　ＵＳＤ",
  ]) {
    await search.fill("<script>");
    await untilCount(rowsOf(page), 0);
    await find(text, "Try EUR/USD");
  }
  // Those with the base come first.
  await find("usd", "Try USD/CZK");
  // Without the accents and the stroke of their names.
  await find("sao tome", "Try STN/PLN");
  await find("złoty", /^Try .*PLN/);
  for (const text of ["€", "<script>"]) {
    await search.fill(text);
    await page.getByRole("heading", { name: "No such pair" }).waitFor();
    await search.fill("");
    await rowsOf(page).first().waitFor();
  }
  await search.fill("<script>");
  await page.getByRole("heading", { name: "No such pair" }).waitFor();
  await assertSoundAndNarrow(visitor, "no such pair");
  visitor.assertQuiet();
});

test("major pairs come first, and the address keeps the base and the source", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openRates(service, visitor);
  await firstPair(page, "Try EUR/USD").waitFor();

  await page.getByLabel("Base").selectOption("CHF");
  await page.getByLabel("Source").selectOption("nbp");

  await page.getByText("1 of 299 pairs").waitFor();
  assert.equal(page.url(), `${service.url}/rates?base=CHF&source=nbp`);
  await page.reload();
  await page.getByText("1 of 299 pairs").waitFor();
  await firstPair(page, "Try CHF/PLN").waitFor();
  await page.goto(`${service.url}/rates?base=%3Cb%3E`);
  await page.getByRole("heading", { name: "No such pair" }).waitFor();
  await assertSoundAndNarrow(visitor, "a base that nobody has");
  await page.getByLabel("Base").selectOption("");
  await page.getByText("299 pairs", { exact: true }).waitFor();
  visitor.assertQuiet();
});

test("of 10,000 pairs the page shows 40 at a time, and finds each", async () => {
  await using service = await startServiceNow();
  {
    using database = service.database();
    database.exec("BEGIN; DELETE FROM rates");
    const insert = database.prepare(`
      INSERT INTO rates (base, quote, rate, as_of, source)
      VALUES (?, ?, '1.5', '2026-11-20T15:00:00.000000000Z', 'import')`);
    for (let index = 0; index < 10_000; index += 1) {
      insert.run(`B${Math.floor(index / 100)}`, `Q${String(index % 100).padStart(2, "0")}`);
    }
    database.exec("UPDATE versions SET version = version + 1 WHERE name = 'rates'; COMMIT");
  }
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openRates(service, visitor);

  await page.getByText("10,000 pairs").waitFor();
  await untilCount(rowsOf(page), ROWS_MAX);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("41 to 80 of 10,000").waitFor();
  await untilCount(rowsOf(page), ROWS_MAX);
  assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Pairs");
  await assertSoundAndNarrow(visitor, "a further page of the list");
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByText("1 to 40 of 10,000").waitFor();
  assert.equal(await page.getByRole("button", { name: "Previous" }).count(), 0);

  await page.getByRole("searchbox", { name: "Search" }).fill("B99/Q99");
  await page.getByText("1 of 10,000 pairs").waitFor();
  await rowsOf(page).getByText("imported by the operator").waitFor();
  const nodes = Number(await page.evaluate("document.querySelectorAll('*').length"));
  assert.ok(nodes < 300, `${nodes} elements`);
  visitor.assertQuiet();
});

test("the list is sent once: later visits ask whether it has changed", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith("/v1/account/pairs")) statuses.push(response.status());
  });
  await openRates(service, visitor);
  await turnTo(page, "Keys");
  await page.getByRole("heading", { name: "API keys" }).waitFor();

  // The page shows the list that it has while it asks.
  const asked = page.waitForResponse("**/v1/account/pairs");
  await turnTo(page, "Rates");
  await page.getByText("299 pairs").waitFor();
  assert.equal((await asked).status(), 304);
  service.storeRate("AAA", "BBB", "1.5");
  service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");
  await turnTo(page, "Try it");
  await page.getByText("Euro", { exact: true }).waitFor();
  await turnTo(page, "Rates");

  await page.getByText("300 pairs").waitFor();
  assert.equal(statuses.filter((status) => status === 200).length, 2);
  visitor.assertQuiet();
});

test("a service without rates says so", async () => {
  await using service = await startServiceNow();
  service.query("DELETE FROM rates");
  service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);

  await visitor.page.goto("/rates");
  await logIn(visitor.page, EMAIL);

  await visitor.page.getByRole("heading", { name: "No rates yet" }).waitFor();
  await assertSoundAndNarrow(visitor, "no rates");
  visitor.assertQuiet();
});

test("a log-in leads home, and to the keys while there is none", async () => {
  await using service = await startServiceNow();
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await page.goto("/login");
  await logIn(page, EMAIL);
  await page.getByText("No active key").waitFor();
  assert.equal(page.url(), `${service.url}/keys`);
  await createKey(page, "billing");
  await logOut(page);

  await logIn(page, EMAIL);

  await page.getByRole("heading", { name: "Home" }).waitFor();
  assert.equal(page.url(), `${service.url}/home`);
  await page.getByText("Confirm your email.").waitFor();
  await page.getByText("6 sources missed a publication").waitFor();
  await page.getByText("0 of 1,000 units used").waitFor();
  await page.getByText("last used: never").waitFor();
  await page.getByRole("link", { name: "Try your first read" }).waitFor();
  await excuseShift(page);
  await assertSoundAndNarrow(visitor, "home");
  assert.equal(await service.usedUnits(await service.logIn(EMAIL)), 0, "looking costs nothing");
  visitor.assertQuiet();
});
