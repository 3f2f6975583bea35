import assert from "node:assert/strict";
import { test } from "node:test";
import { phone } from "../support/browser.ts";
import { eventually } from "../support/mails.ts";
import { comeLoggedIn, comeTo, startForVisitors, untilCount } from "./steps.ts";

// The pages of what there is to read.

const service = await startForVisitors();

test("a visitor searches the publishers' pairs, and goes on to an account", async () => {
  await using visitor = await comeTo(service, "/");
  const { page, see, seeHeading, fill, copyWith } = visitor;
  const command = `curl -s ${service.url}/v1/rates/EUR/USD \\\n  -H "Authorization: ApiKey $KURS_API_KEY"`;
  assert.equal(await copyWith("Copy Example"), command);
  await page.getByRole("link", { name: "See the publishers and their pairs" }).click();
  await see("299 pairs of 149 currencies from 6 publishers");
  await page.getByRole("link", { name: "The terms of European Central Bank" }).waitFor();
  await fill({ Search: "euro swiss" });
  await see("1 of 299 pairs", "EUR/CHF Euro, Swiss Franc");
  await fill({ Search: "€" });
  await seeHeading("No such pair");
  await page.getByRole("main").getByRole("link", { name: "Create an account" }).click();
  await seeHeading("Create an account");
});

test("the page Rates turns pages, searches, and keeps the base and the source in its address", async () => {
  await using visitor = await comeLoggedIn(service, "/rates");
  const { page, see, press, fill } = visitor;
  const rows = page.getByRole("region", { name: "Pairs" }).getByRole("listitem");
  await untilCount(rows, 40);
  await press("Next");
  await see("41 to 80 of 299");
  assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Pairs");
  await press("Previous");
  await see("1 to 40 of 299");
  assert.equal(await page.getByRole("button", { name: "Previous" }).count(), 0);
  await page.getByLabel("Base").selectOption("CHF");
  await page.getByLabel("Publisher").selectOption("nbp");
  await see("1 of 299 pairs");
  assert.equal(page.url(), `${service.url}/rates?base=CHF&source=nbp`);
  await page.reload();
  await rows.getByRole("link", { name: "Try CHF/PLN" }).waitFor();
  await untilCount(rows, 1);
  for (const label of ["Base", "Publisher"]) await page.getByLabel(label).selectOption("");
  await fill({ Search: "usd" });
  // Those with the base come first.
  await rows.first().getByRole("link", { name: "Try USD/CZK" }).waitFor();
  assert.equal(new URL(page.url()).search, "");
  await fill({ Search: "aed" });
  const own =
    "AED/PLN United Arab Emirates Dirham, Polish Zlotynext expected 25 Nov 2026, 11:20 UTC";
  assert.equal(await rows.first().textContent(), `${own}Try it`);
});

test("a pair that was read shows its figure until the log-out, and the list is sent once", async () => {
  await using visitor = await comeLoggedIn(service, "/keys", { look: phone });
  const { page, email, session, see, seeHeading, fill, logIn, logOut, createKey, turnTo, tryIt } =
    visitor;
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith("/v1/account/pairs")) statuses.push(response.status());
  });
  await createKey("billing");
  await turnTo("Rates");
  await fill({ Search: "EUR/CHF" });
  await page.getByRole("link", { name: "Try EUR/CHF" }).click();
  await see("Swiss Franc");
  assert.equal(await page.getByLabel("Quote").inputValue(), "CHF");
  assert.equal(await service.usedUnits(session), 0, "looking costs nothing");
  assert.equal(await tryIt(), "1 unit");
  await turnTo("Rates");
  const [stored] = service.query("SELECT rate FROM rates WHERE base = 'EUR' AND quote = 'CHF'");
  await see(`read at 12:00 UTC: ${stored?.rate}`);
  // The read waits two seconds at most for the newest list: on a loaded machine not long enough.
  await eventually("the list again", async () => statuses[1]);
  const [first, ...later] = statuses;
  assert.deepEqual([first, ...new Set(later)], [200, 304]);
  await logOut();
  await logIn(email);
  await seeHeading("Home");
  await turnTo("Rates");
  await see("299 pairs");
  assert.equal(await page.getByText("read at").count(), 0, "the figure outlived the session");
});

test("the table of publishers fits a phone, loads no pairs, and leads to each of them", async () => {
  await using visitor = await comeLoggedIn(service, "/favicon.svg", {
    look: { ...phone, width: 375 },
  });
  const { page, seeHeading, focused } = visitor;
  const paths: string[] = [];
  page.on("request", (request) => void paths.push(new URL(request.url()).pathname));
  await page.goto("/sources");
  // A header, six sources and their two groups.
  await untilCount(page.getByRole("row"), 9);
  const widths = "({ scrollWidth, clientWidth } = document.querySelector('.scroll')) => ";
  assert.equal(await page.evaluate(`(${widths}scrollWidth - clientWidth)()`), 0, "it is cut");
  assert.ok(!paths.includes("/v1/account/pairs"));
  await page.getByRole("link", { name: "European Central Bank", exact: true }).click();
  await seeHeading("European Central Bank");
  assert.equal(page.url(), `${service.url}/source?key=ecb`);
  assert.equal(await page.title(), "European Central Bank · Kurs");
  assert.equal(await focused(), "European Central Bank");
  await untilCount(page.getByRole("region", { name: "Pairs" }).getByRole("listitem"), 29);
});
