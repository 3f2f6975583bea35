import assert from "node:assert/strict";
import { test } from "node:test";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { startServiceNow } from "../support/service.ts";
import { assertSoundAndNarrow, excuseShift, logIn, signUp, turnTo, untilCount } from "./steps.ts";

const EMAIL = "ada@example.org";
const [look] = twoLooks as [Look];

for (const each of twoLooks) {
  test(`${each.name}: the page Sources shows publisher, terms, schedule, pairs and state`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await signUp(page, EMAIL);
    const paths: string[] = [];
    page.on("request", (request) => void paths.push(new URL(request.url()).pathname));

    await turnTo(page, "Sources");

    const table = page.getByRole("region", { name: "Sources as a table" });
    await table.waitFor();
    // A header, six sources and their two groups.
    await untilCount(table.getByRole("row"), 9);
    await table.getByRole("rowheader", { name: "Western, Northern and Central Europe" }).waitFor();
    const cells = table.getByRole("row", { name: /European Central Bank/ }).locator("td");
    const [country, terms, schedule, archive, pairs, state, next] = await cells.allTextContents();
    assert.equal(country, "EU");
    assert.match(terms ?? "", /^Free to reuse, .+ Read them$/);
    assert.equal(schedule, "16:05 on working days, Europe/Berlin");
    assert.equal(archive, "since Jan 4, 1999");
    assert.equal(pairs, "29");
    assert.equal(state, "99 or more publications missed");
    assert.match(next ?? "", /^[A-Z][a-z]{2} \d{1,2}, \d{4}, 1[45]:05 UTC$/);
    const link = page.getByRole("link", { name: "The terms of European Central Bank" });
    assert.match((await link.getAttribute("href")) ?? "", /^https:\/\/www\.ecb\.europa\.eu\//);
    assert.ok(!paths.includes("/v1/account/pairs"), "the page loaded every pair");
    await assertSoundAndNarrow(visitor, "the sources");
    await page.setViewportSize({ width: 375, height: 740 });
    await excuseShift(page);
    await visitor.assertSound("the sources, 375 px wide");
    const isCut =
      "const [table] = document.getElementsByClassName('scroll'); table.scrollWidth > table.clientWidth";
    assert.equal(await page.evaluate(isCut), false, "the table is cut on a phone");
    assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /1\.1476/);
    visitor.assertQuiet();
  });
}

test("a source that has left a pair out is not called up to date", async () => {
  await using service = await startServiceNow();
  const newest = `${new Date().toISOString().slice(0, -1)}000000Z`;
  service.query(
    `INSERT INTO sources (source, last_success_at, newest_as_of, next_attempt_at)
      VALUES ('ecb', '2026-03-13T15:00:00.000Z', ?, '')`,
    newest,
  );
  service.query("UPDATE rates SET as_of = ? WHERE source = 'ecb' AND quote <> 'ISK'", newest);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await signUp(page, EMAIL);

  await turnTo(page, "Sources");

  const row = page.getByRole("row", { name: /European Central Bank/ });
  await row.getByText("1 pair left out", { exact: true }).waitFor();
  visitor.assertQuiet();
});

for (const each of twoLooks) {
  test(`${each.name}: the page of a source shows its terms, its calendar and its pairs`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await signUp(page, EMAIL);
    await turnTo(page, "Sources");

    await page.getByRole("link", { name: "European Central Bank", exact: true }).click();

    await page.getByRole("heading", { name: "European Central Bank", level: 1 }).waitFor();
    assert.equal(await page.title(), "European Central Bank · Kurs");
    assert.equal(page.url(), `${service.url}/source?key=ecb`);
    const details = page.locator("dl");
    assert.match((await details.textContent()) ?? "", /16:05 on working days, Europe\/Berlin/);
    await details.getByText("since Jan 4, 1999").waitFor();
    await details.getByText("99 or more publications missed").waitFor();
    await details.getByRole("link", { name: "The terms of European Central Bank" }).waitFor();
    const figures = /the newest are of .+ UTC; they came with the program or by an import/;
    await details.getByText(figures).waitFor();
    assert.equal(await details.getByText("Last error").count(), 0);
    const pairs = page.getByRole("region", { name: "Pairs" });
    await untilCount(pairs.getByRole("listitem"), 29);
    await pairs.getByRole("link", { name: "Try EUR/CHF" }).waitFor();
    assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /1\.1476/);
    await assertSoundAndNarrow(visitor, "a source");
    visitor.assertQuiet();
  });
}

test("a log-in leads back to the source that was asked for", async () => {
  await using service = await startServiceNow();
  await service.newCustomer(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;

  await page.goto("/source?key=ecb");
  await logIn(page, EMAIL);

  await page.getByRole("heading", { name: "European Central Bank", level: 1 }).waitFor();
  assert.equal(page.url(), `${service.url}/source?key=ecb`);
  visitor.assertQuiet();
});

test("the page of a source says how many fetches failed, not the operator's reason", async () => {
  await using service = await startServiceNow();
  service.query(`INSERT INTO sources (source, next_attempt_at, last_error_at, last_error, failures)
    VALUES ('ecb', '2026-11-21T12:05:00.000Z', '2026-11-21T12:00:00.000Z', 'proxy.lan: gone', 3)`);
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;

  await page.goto("/source?key=ecb");
  await logIn(page, EMAIL);

  const failed =
    "3 fetches failed since the last success, most recently on Nov 21, 2026, 12:00 UTC";
  await page.getByText(failed).waitFor();
  assert.doesNotMatch(await page.content(), /proxy\.lan/);
  await assertSoundAndNarrow(visitor, "a source that fails");
  visitor.assertQuiet();
});

test("the page of an unknown source says so, and leads to the others", async () => {
  await using service = await startServiceNow();
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;

  await page.goto("/source?key=%3Cb%3E");
  await logIn(page, EMAIL);

  await page.getByRole("heading", { name: "No such source" }).waitFor();
  await assertSoundAndNarrow(visitor, "no such source");
  await page.getByRole("link", { name: "All sources" }).click();
  await page.getByRole("heading", { name: "Sources" }).waitFor();
  visitor.assertQuiet();
});

test("the page Sources says so when there are none", async () => {
  await using service = await startServiceNow();
  service.query("DELETE FROM rates WHERE source <> 'import'");
  service.query("UPDATE versions SET version = version + 1");
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);

  await visitor.page.goto("/sources");
  await logIn(visitor.page, EMAIL);

  await visitor.page.getByRole("heading", { name: "No sources" }).waitFor();
  await visitor.assertSound("no sources");
  visitor.assertQuiet();
});
