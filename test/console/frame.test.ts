import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { desktop, looks, phone } from "../support/browser.ts";
import { comeLoggedIn, comeTo, startForVisitors } from "./steps.ts";

// What surrounds every page: the bar, its menus, the theme, and the page for an unknown path.

const service = await startForVisitors();

/** Whether the page's ground is dark. */
const isDark = (page: Page) =>
  page.evaluate<boolean>(
    "Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) < 128",
  );

test("the theme is the system's until one is chosen, which a reload and other tabs keep", async () => {
  await using visitor = await comeLoggedIn(service, "/keys", { look: looks[1] ?? desktop });
  const { page } = visitor;
  const other = await page.context().newPage();
  await other.goto("/login");
  const theme = (name: string, on = page) => on.getByRole("button", { name: `Theme: ${name}` });
  assert.equal(await isDark(page), true);
  await theme("system").click();
  await page.getByRole("status").filter({ hasText: "Theme: light" }).waitFor();
  await theme("light", other).waitFor();
  assert.deepEqual([await isDark(page), await isDark(other)], [false, false]);
  await page.reload();
  await theme("light").waitFor();
  assert.equal(await isDark(page), false);
  await theme("light", other).click();
  await theme("dark").waitFor();
  assert.deepEqual(await page.evaluate("({ ...localStorage })"), { "kurs.theme": "dark" });
  await theme("dark").click();
  await theme("system", other).waitFor();
  assert.equal(await page.evaluate("localStorage.length"), 0, "the system's theme needs no record");
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual([await isDark(page), await isDark(other)], [false, true]);
});

test("where the browser blocks storage and channels, session and theme are in this page alone", async () => {
  const email = "blocked@example.org";
  await service.register(email);
  await using visitor = await comeTo(service, "/favicon.svg");
  const { page, see, seeHeading, press, logIn, logOut, createKey, turnTo } = visitor;
  await page.addInitScript(`
    const blocked = () => { throw new DOMException("blocked", "SecurityError"); };
    for (const name of ["sessionStorage", "localStorage"]) {
      Object.defineProperty(window, name, { get: blocked });
    }
    globalThis.BroadcastChannel = class { constructor() { blocked(); } };`);
  await page.goto("/login");
  await logIn(email);
  await createKey("billing");
  await press("Theme: system", "Theme: light");
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  assert.equal(await isDark(page), true);
  await turnTo("Usage");
  await see("of 1,000 units used");
  await logOut();
  await logIn(email);
  await see("last used: never");
  await page.reload();
  await seeHeading("Log in");
});

/** The pages that the bar leads to. */
const PAGES = [
  ["API reference", "Account", "Activity", "Agents", "Home", "Keys", "Publishers"],
  ["Rates", "Try it", "Usage"],
].flat();

test("every page of the bar is reached in a window of any width, and the bar names the account", async () => {
  await using visitor = await comeLoggedIn(service, "/keys");
  const { page, email } = visitor;
  await page.getByRole("banner").getByText(email).waitFor();
  for (const width of [1280, 1024, 320]) {
    await page.setViewportSize({ width, height: 860 });
    const menu = page.getByRole("button", { name: "Menu", exact: true });
    await menu.waitFor({ state: width < 960 ? "visible" : "hidden" });
    if (width < 960) await menu.click();
    const navigation = page.getByRole("navigation");
    const names = new Set<string>();
    const lookAtLinks = async () => {
      for (const link of await navigation.getByRole("link").all()) {
        const name = (await link.textContent()) ?? "";
        names.add(name);
        const box = await link.boundingBox();
        assert.ok(box !== null && box.height >= 24 && box.x >= 0, name);
        assert.ok(box.x + box.width <= width, `${name} is cut at ${width} px`);
      }
    };
    await lookAtLinks();
    for (const group of await navigation.getByRole("button").all()) {
      await group.click();
      await navigation.getByRole("button", { expanded: true }).waitFor();
      await lookAtLinks();
    }
    await visitor.assertSound(`the open bar at ${width} px`);
    await page.keyboard.press("Escape");
    assert.deepEqual([...names].sort(), PAGES);
  }
});

for (const [what, look, opener, target] of [
  ["the menu of a narrow window", { ...phone, hasTouch: false }, "Menu", "Usage"],
  ["a group of the bar", desktop, "Develop", "Agents"],
] as const) {
  test(`${what} works with the keyboard, and closes by itself`, async () => {
    await using visitor = await comeLoggedIn(service, "/keys", { look });
    const { page, see, seeHeading, focused } = visitor;
    await see("No active key");
    const button = page.getByRole("button", { name: opener, exact: true });
    const link = page.getByRole("navigation").getByRole("link", { name: target });
    const isClosed = () => link.waitFor({ state: "hidden" });
    assert.equal(await link.count(), 0, "it is open");
    await button.focus();
    await page.keyboard.press("Enter");
    await link.focus();
    await page.keyboard.press("Escape");
    await isClosed();
    assert.equal(await focused(), opener);
    await page.keyboard.press("Enter");
    await link.focus();
    await page.keyboard.press("Enter");
    await seeHeading(target);
    await isClosed();
    assert.equal(await focused(), target, "the new page's heading must have the focus");
    await button.click();
    await link.waitFor();
    await page.mouse.click(10, 700);
    await isClosed();
    await button.click();
    await link.waitFor();
    await page.getByRole("banner").getByRole("link", { name: "Kurs" }).focus();
    await isClosed();
  });
}

test("the page for an unknown path leads home, and keeps the navigation and the session", async () => {
  await using visitor = await comeLoggedIn(service, "/favicon.svg");
  const { page, email, see, seeHeading, logOut, turnTo } = visitor;
  visitor.expectError(/status of 404/);
  for (const path of ["//a//", "/assets/none.js", "/keys/1/2?a=b"]) {
    const response = await page.goto(`${service.url}${path}`);
    assert.equal(response?.status(), 404, path);
    await seeHeading("Page not found");
    const margin = await page.evaluate("getComputedStyle(document.body).marginTop");
    assert.equal(margin, "0px", `${path} has no styles`);
  }
  await page.getByRole("banner").getByText(email).waitFor();
  await turnTo("Usage");
  await see("of 1,000 units used");
  assert.equal(page.url(), `${service.url}/usage`);
  await page.goto("/keys/1/2");
  await logOut();
  for (const name of ["Sign up", "Publishers"])
    await page.getByRole("banner").getByRole("link", { name }).waitFor();
  await page.getByRole("link", { name: "Go to the start page" }).click();
  await seeHeading("Exact rates, exactly metered.");
  assert.equal(page.url(), `${service.url}/`);
});
