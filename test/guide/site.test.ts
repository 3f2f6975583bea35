import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { desktop, phone, twoLooks, Visitor } from "../support/browser.ts";
import { startSharedService } from "../support/service.ts";

const service = await startSharedService();

/** What the first page may weigh, compressed, without the index of the search. */
const FIRST_PAGE_BYTES_MAX = 150_000;

/** Pages with every kind of content: lists, tables, code, figures, help texts. */
const PAGES = [
  "",
  "api",
  "architecture",
  "performance",
  "mcp",
  "operating/evidence",
  "alarms/kurs-down",
];

/** Counts the bytes that arrive, as they are sent. */
async function countBytes(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  let sum = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    sum += encodedDataLength;
  });
  await session.send("Network.enable");
  return () => sum;
}

/** The results of the search that is open. */
const resultsIn = (page: Page) => page.getByRole("dialog").getByRole("listitem").getByRole("link");

for (const look of twoLooks) {
  test(`${look.name}: pages are accessible, fit the window and load from this service alone`, async () => {
    await using visitor = await Visitor.come(service.url, look);
    const { page } = visitor;
    await visitor.watchShifts();
    for (const path of PAGES) {
      await page.goto(`/guide/${path}`);
      await visitor.assertSound(`/guide/${path}`);
      await visitor.assertInPlace(`/guide/${path}`);
    }
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("quota exceeded");
    await resultsIn(page).nth(1).waitFor();
    assert.deepEqual(await visitor.violations(), [], "axe on the search");
    await resultsIn(page).first().click();
    await page.waitForURL((url) => !url.pathname.endsWith(PAGES.at(-1) ?? ""));
    // The address changes before the page.
    await page.getByRole("main").filter({ hasText: /quota/i }).waitFor();
    visitor.assertQuiet();
  });
}

test("the first page weighs at most 150 kB, and the search loads its index when it opens", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  const bytes = await countBytes(page);

  await page.goto("/guide/", { waitUntil: "networkidle" });

  assert.ok(bytes() > 30_000, `only ${bytes()} bytes were counted`);
  assert.ok(bytes() <= FIRST_PAGE_BYTES_MAX, `${bytes()} bytes`);
  const before = bytes();
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("rate");
  await resultsIn(page).first().waitFor();
  assert.ok(bytes() - before > 30_000, "the index came with the first page");
});

test("the bar leads to the console and the reference, and both keep the chosen theme", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  await page.goto("/guide/api");

  await page.getByRole("button", { name: "Theme: system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  await page.getByRole("link", { name: "API reference" }).click();

  await page.waitForURL(`${service.url}/docs`);
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  await page.getByRole("link", { name: "Guide", exact: true }).click();
  await page.waitForURL(`${service.url}/guide/api`);
  await page.getByRole("link", { name: "Kurs", exact: true }).click();
  await page.waitForURL(`${service.url}/`);
  visitor.assertQuiet();
});

test("a link between pages, and back, needs no load of a document", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  await page.goto("/guide/");
  await page.evaluate("globalThis.isSame = true");

  await page.getByRole("main").getByRole("link", { name: "REST API" }).click();
  await page.getByRole("heading", { level: 1, name: "The API in words" }).waitFor();
  assert.equal(page.url(), `${service.url}/guide/api`);
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Documents" }).waitFor();

  assert.equal(await page.evaluate("globalThis.isSame"), true);
  visitor.assertQuiet();
});

test("without JavaScript a page has its text and its navigation", async () => {
  const { text } = await service.get("/guide/api");
  assert.match(text, /<h1[^>]*>The API in words/);
  assert.match(text, /<a[^>]*href="\/guide\/mcp"/);
});

test("a page opened at a heading shows it", async () => {
  await using visitor = await Visitor.come(service.url, phone);
  const { page } = visitor;

  await page.goto("/guide/api#watching-the-quota");

  const heading = page.getByRole("heading", { name: "Watching the quota" });
  await heading.waitFor();
  await page.waitForFunction("scrollY > 0");
  const box = await heading.boundingBox();
  assert.ok(box !== null && box.y > 0 && box.y < phone.height, JSON.stringify(box));
});
