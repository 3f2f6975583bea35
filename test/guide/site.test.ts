import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { desktop, phone, twoLooks, Visitor } from "../support/browser.ts";
import { eventually } from "../support/mails.ts";
import { startSharedService } from "../support/service.ts";

const service = await startSharedService();

/** What the first page may weigh, compressed, without the index of the search. */
const FIRST_PAGE_BYTES_MAX = 20_000;

/** Pages with every kind of content: lists, tables, code, figures, help texts. */
const PAGES = [
  "",
  "api",
  "architecture",
  "performance",
  "mcp",
  "operating/evidence",
  "alarms/kurs-down",
  "operating/in-production",
  "operating/proxies",
  "coming-from",
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

test("the first page weighs at most 20 kB, and the search loads its index when it opens", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  const bytes = await countBytes(page);

  await page.goto("/guide/", { waitUntil: "networkidle" });

  assert.ok(bytes() > 5_000, `only ${bytes()} bytes were counted`);
  assert.ok(bytes() <= FIRST_PAGE_BYTES_MAX, `${bytes()} bytes`);
  const before = bytes();
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("rate");
  await resultsIn(page).first().waitFor();
  // The results may come before the browser's count of the bytes that they needed.
  await eventually("the index, which came with the first page", async () => {
    return bytes() - before > 30_000 || undefined;
  });
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

/** One window for all searches: it loads the scripts and the index once. */
const searcher = await Visitor.come(service.url, desktop);
after(() => searcher[Symbol.asyncDispose]());

for (const [query, first] of [
  ["historical", "operating/rates#historical-rates"],
  ["Accept-Datetime", "api#rates-of-the-past"],
  ["TLS", "operating/proxies#tls-and-https"],
  ["https", "operating/proxies#tls-and-https"],
  ["upgrade", "upgrading"],
  ["path prefix", "operating/proxies#a-path-prefix"],
  ["inverse", "sources#which-directions-there-are-and-why-no-inverse"],
  ["How do I get my first key?", "overview#the-first-rate"],
  ["Can I use it with Claude?", "mcp#connecting-a-client"],
  ["The key is lost, what now?", "questions#how-do-i-create-an-api-key"],
  ["why is my rate from March", "questions#why-is-a-rate-old"],
  ["how do I change the port", "settings"],
  ["How do I back up?", "operating/backups"],
  ["how to stop the server", "operating/running"],
  ["what's as_of?", "concepts#as_of"],
  ["forgot password", "questions#i-forgot-my-password-what-now"],
  ["kurs command not found", "commands"],
] as const) {
  test(`the search finds "${query}" at ${first} first, with an excerpt`, async () => {
    const { page } = searcher;
    await page.goto("/guide/api");

    await page.keyboard.press("/");
    await page.getByRole("searchbox").fill(query);

    const result = resultsIn(page).first();
    await result.locator("mark").first().waitFor();
    assert.equal(await result.getAttribute("href"), `${service.url}/guide/${first}`);
    assert.ok(((await result.locator("span").textContent()) ?? "").length > 40);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${service.url}/guide/${first}`);
    searcher.assertQuiet();
  });
}

test("a search without a result says so, with the slash that was typed", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  await page.goto("/guide/");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").pressSequentially("xylophone/piccolo");
  await page.getByText(/^Nothing has "xylophone\/piccolo"\. Try another word/).waitFor();
  assert.equal(await resultsIn(page).count(), 0);
});

test("a search whose passages are gone says what to do", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  await page.goto("/guide/");
  await page.route("**/passages.*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("rate");
  await page.getByText("The search cannot be loaded. Reload the page.").waitFor();
});

test("a block of code is copied by its button, without its colours", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  await page.goto("/guide/retries");
  const block = page.locator(".code").first();

  await block.getByRole("button", { name: "Copy" }).click();

  await block.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.equal(copied, await block.locator("code").textContent());
});

for (const [path, command] of [
  ["api", "/v1/rates/EUR/USD"],
  ["mcp", "/v1/mcp"],
] as const) {
  test(`commands of /guide/${path} name the service as the page was reached`, async () => {
    await using visitor = await Visitor.come(service.url, desktop);
    const { page } = visitor;
    await page.goto(`/guide/${path}`);

    await page
      .locator("code")
      .filter({ hasText: service.url + command })
      .first()
      .waitFor();

    const commands = (await page.locator(".code code").allTextContents()).join("\n");
    assert.doesNotMatch(commands, /127\.0\.0\.1:8080|rates\.example\.org\/v1/);
  });
}

test("the page on proxies shows both files of one node as they are in the repository", async () => {
  const page = (await service.get("/guide/operating/proxies.md")).text;
  for (const name of ["single-node.Caddyfile", "single-node.nginx.conf"]) {
    const file = join(import.meta.dirname, "../../deploy", name);
    assert.ok(page.includes(readFileSync(file, "utf8")), name);
  }
});

test("on a phone a menu has the documents, and a table's cells their columns' names", async () => {
  await using visitor = await Visitor.come(service.url, phone);
  const { page } = visitor;
  await page.goto("/guide/");
  const settings = page.getByRole("navigation", { name: "Documents" }).getByText("Settings");
  assert.equal(await settings.isVisible(), false);

  await page.getByRole("button", { name: "Documents" }).click();
  assert.deepEqual(await visitor.violations(), [], "axe on the menu");
  await settings.click();

  await page.waitForURL(`${service.url}/guide/settings`);
  const cell = page.getByRole("cell", { name: "the directory of the database" });
  assert.equal(await cell.getAttribute("data-column"), "meaning");
  const box = await cell.boundingBox();
  assert.ok(box !== null && box.x + box.width <= phone.width, JSON.stringify(box));
});

test("pages lead to the one before and the one after, in the order of the documents", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  await page.goto("/guide/overview");
  const near = page.getByRole("navigation", { name: "Before and after" });
  await near.getByRole("link", { name: "Next" }).click();
  await page.waitForURL(`${service.url}/guide/installing`);
  await near.getByRole("link", { name: "Previous" }).click();
  await page.waitForURL(`${service.url}/guide/overview`);
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
