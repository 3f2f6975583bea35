import assert from "node:assert/strict";
import { test } from "node:test";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { startServiceNow } from "../support/service.ts";
import { assertSoundAndNarrow, excuseShift, untilCount } from "./steps.ts";

const [look] = twoLooks as [Look];

const startHere = (config = {}) => startServiceNow({ config });

for (const each of twoLooks) {
  test(`${each.name}: a visitor sees what the service has, what it costs and whose program it is`, async () => {
    await using service = await startHere();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;

    await page.goto("/");

    const figures = page.getByRole("region", { name: "This service" });
    await figures.getByText("299", { exact: true }).waitFor();
    await figures.getByText("A new account has 1,000 units a month.").waitFor();
    await untilCount(figures.locator("dl > div"), 4);
    const texts = await figures.locator("dl > div").allTextContents();
    assert.deepEqual(texts, [
      "pairs to read299",
      "publishers6",
      "of them up to date0",
      "for each read1 unit",
    ]);
    const footer = page.locator("footer");
    await footer.getByText(/^Kurs \d+\.\d+\.\d+, free software/).waitFor();
    for (const name of ["MIT licence", "API reference", "OpenAPI document"])
      await footer.getByRole("link", { name }).waitFor();
    const { text } = await service.get("/about.json");
    assert.ok(text.includes('"last_success_at":null'), text);
    await figures.getByText("The rates came with the program: no fetch from").waitFor();
    await assertSoundAndNarrow(visitor, "the page for visitors");
    const left = await page.evaluate<number>(
      "innerHeight - document.querySelector('footer').getBoundingClientRect().bottom",
    );
    assert.ok(left < each.height / 3, `${left} px below the footer are empty`);
    visitor.assertQuiet();
  });
}

for (const each of twoLooks) {
  test(`${each.name}: a visitor finds pairs and publishers before signing up, and no figure`, async () => {
    await using service = await startHere();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await page.goto("/");

    await page.getByRole("link", { name: "See the publishers and their pairs" }).click();

    await page.getByText("299 pairs of 6 publishers").waitFor();
    await excuseShift(page);
    assert.equal(page.url(), `${service.url}/coverage`);
    const ecb = page.getByRole("region", { name: "European Central Bank" });
    await ecb.getByText("not fetched yet").waitFor();
    await ecb.getByRole("link", { name: "The terms of European Central Bank" }).waitFor();
    await untilCount(ecb.getByRole("listitem"), 29);
    assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /1\.1476|\d{4}-\d\d/);
    await assertSoundAndNarrow(visitor, "the publishers and their pairs");
    await page.getByRole("searchbox", { name: "Search" }).fill("euro swiss");
    await page.getByText("1 of 299 pairs").waitFor();
    await page.getByText("EUR/CHF Euro, Swiss Franc").waitFor();
    await untilCount(page.getByRole("listitem").filter({ hasText: "/" }), 1);
    await page.getByRole("searchbox", { name: "Search" }).fill("€");
    await page.getByRole("heading", { name: "No such pair" }).waitFor();
    await excuseShift(page);
    await assertSoundAndNarrow(visitor, "no such pair");
    await page.getByRole("main").getByRole("link", { name: "Create an account" }).click();
    await page.getByRole("heading", { name: "Create an account" }).waitFor();
    visitor.assertQuiet();
  });
}

for (const [state, failures, fetchedAt, sentence] of [
  ["that reaches no publisher", 3, null, "their publishers cannot be reached, and the service"],
  ["that lacks a publication", 0, "2026-11-21T11:59:00Z", "6 publishers missed a publication. "],
  ["that fails now", 2, "2026-11-21T11:59:00Z", "6 publishers missed a publication; the service"],
] as const) {
  test(`a service ${state} says why its publishers are not up to date`, async () => {
    await using service = await startHere();
    service.query(
      `INSERT INTO sources (source, next_attempt_at, last_success_at, failures)
       VALUES ('ecb', '2026-11-21T12:05:00.000Z', ?, ?)`,
      fetchedAt,
      failures,
    );
    await using visitor = await Visitor.come(service.url, look);
    const { page } = visitor;

    await page.goto("/");

    await page.getByText(sentence).waitFor();
    await assertSoundAndNarrow(visitor, "the reason");
    visitor.assertQuiet();
  });
}

test("what the operator imports is only counted, and closed registration offers no account", async () => {
  await using service = await startHere({ registration: "closed" });
  service.query("DELETE FROM rates");
  service.storeRate("AAA", "BBB", "1.5");
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;

  await page.goto("/coverage");

  await page.getByRole("heading", { name: "No publishers" }).waitFor();
  await page.getByText("Registration is closed").waitFor();
  assert.doesNotMatch(await page.content(), /AAA/);
  assert.equal(await page.getByRole("link", { name: "Create an account" }).count(), 0);
  assert.equal((await service.get("/about.json")).body.pairs, 1);
  await assertSoundAndNarrow(visitor, "no publishers");
  visitor.assertQuiet();
});

test("without the figures the page is as it is, and without open registration it offers no units", async () => {
  await using service = await startHere({ registration: "closed" });
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;

  await page.goto("/");
  await page.getByText("Looking at what there is costs nothing.").waitFor();
  assert.equal(await page.getByText("A new account has").count(), 0);

  await page.route("**/about.json", (route) =>
    route.fulfill({ status: 500, json: { code: "internal_error", message: "-" } }),
  );
  visitor.expectError(/status of 500/);
  await page.goto("/login");
  await page.getByRole("link", { name: "Kurs", exact: true }).click();
  await page.getByText("for each read").waitFor();
  await assertSoundAndNarrow(visitor, "the page without its figures");
  visitor.assertQuiet();
});
