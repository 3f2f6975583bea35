import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, looks, twoLooks, Visitor } from "../support/browser.ts";
import { startServiceNow, type TestService } from "../support/service.ts";
import { excuseShift, logIn, logOut, PASSWORD, signUp, turnTo } from "./steps.ts";

const EMAIL = "ada@example.org";
const [desktop, desktopDark, phone] = looks as [Look, Look, Look];

let service: TestService;

before(async () => {
  service = await startServiceNow();
  await service.register(EMAIL);
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** The pages that the bar leads to. */
const PAGES = [
  ...["API reference", "Account", "Activity", "Agents", "Home", "Keys", "Rates", "Sources"],
  ...["Try it", "Usage"],
];

/** Whether the page's ground is dark. */
const isDark = (page: Page) =>
  page.evaluate<boolean>(
    "Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) < 128",
  );

test("the theme is the system's until one is chosen, which a reload and other pages keep", async () => {
  await using visitor = await Visitor.come(service.url, desktopDark);
  const { page } = visitor;
  await page.goto("/login");
  await logIn(page, EMAIL);
  await page.getByText("No active key").waitFor();
  assert.equal(await isDark(page), true);

  await page.getByRole("button", { name: "Theme: system" }).click();

  await page.getByRole("button", { name: "Theme: light" }).waitFor();
  await page.getByRole("status").filter({ hasText: "Theme: light" }).waitFor();
  assert.equal(await isDark(page), false);
  await excuseShift(page);
  await visitor.assertSound("the light theme on a dark system");
  await page.reload();
  await page.getByText("No active key").waitFor();
  assert.equal(await isDark(page), false);
  await page.goto("/docs");
  await page.getByRole("button", { name: "Theme: light" }).click();
  assert.equal(await isDark(page), true);
  assert.deepEqual(await page.evaluate("({ ...localStorage })"), { "kurs.theme": "dark" });
  assert.deepEqual(await page.context().cookies(), []);
  await page.getByRole("button", { name: "Theme: dark" }).click();
  assert.equal(await page.evaluate("localStorage.length"), 0, "the system's theme needs no record");
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await isDark(page), false);
  visitor.assertQuiet();
});

test("a theme that is chosen in one tab is the theme of the others at once", async () => {
  await using visitor = await Visitor.come(service.url, desktopDark);
  const { page } = visitor;
  await page.goto("/login");
  const other = await page.context().newPage();
  await other.goto("/docs");

  await page.getByRole("button", { name: "Theme: system" }).click();

  await other.getByRole("button", { name: "Theme: light" }).waitFor();
  assert.equal(await isDark(other), false);
  await other.getByRole("button", { name: "Theme: light" }).click();
  await page.getByRole("button", { name: "Theme: dark" }).click();
  await other.getByRole("button", { name: "Theme: system" }).waitFor();
  assert.equal(await isDark(other), true);
  visitor.assertQuiet();
});

test("where the browser blocks local storage, a theme can be chosen all the same", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  await page.addInitScript(`Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("blocked", "SecurityError"); },
  })`);
  await page.goto("/login");

  const button = page.getByRole("button", { name: "Theme:" });
  await button.click();
  await button.click();

  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  assert.equal(await isDark(page), true);
  visitor.assertQuiet();
});

for (const each of twoLooks) {
  test(`${each.name}: every page of the bar is reached, and the bar names the account`, async () => {
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await page.goto("/login");
    await logIn(page, EMAIL);
    await page.getByText("No active key").waitFor();
    await excuseShift(page);
    await page.getByRole("banner").getByText(EMAIL).waitFor();

    for (const width of [each.width, 1024, 320]) {
      await page.setViewportSize({ width, height: each.height });
      const menu = page.getByRole("button", { name: "Menu", exact: true });
      const isNarrow = width < 960;
      await menu.waitFor({ state: isNarrow ? "visible" : "hidden" });
      if (isNarrow) await menu.click();
      await excuseShift(page);
      const navigation = page.getByRole("navigation");
      const names = new Set<string>();
      const look = async () => {
        for (const link of await navigation.getByRole("link").all()) {
          const name = (await link.textContent()) ?? "";
          names.add(name);
          const box = await link.boundingBox();
          assert.ok(box !== null && box.height >= 24 && box.x >= 0, name);
          assert.ok(box.x + box.width <= width, `${name} is cut at ${width} px`);
        }
        await visitor.assertSound(`the bar at ${width} px`);
      };
      await look();
      for (const group of await navigation.getByRole("button").all()) {
        await group.click();
        await navigation.getByRole("button", { expanded: true }).waitFor();
        await look();
      }
      if (!isNarrow) await page.keyboard.press("Escape");
      assert.deepEqual([...names].sort(), PAGES);
      if (isNarrow) await page.keyboard.press("Escape");
    }
    visitor.assertQuiet();
  });
}

test("the menu of a narrow window works with the keyboard and closes by itself", async () => {
  await using visitor = await Visitor.come(service.url, { ...phone, hasTouch: false });
  const { page } = visitor;
  await page.goto("/login");
  await logIn(page, EMAIL);
  await page.getByText("No active key").waitFor();
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  const usage = page.getByRole("navigation").getByRole("link", { name: "Usage" });
  const focused = () => page.evaluate<string>("document.activeElement.textContent");

  await menu.focus();
  await page.keyboard.press("Enter");
  await usage.waitFor();
  await page.keyboard.press("Escape");
  await usage.waitFor({ state: "hidden" });
  assert.equal(await focused(), "Menu");
  await page.keyboard.press("Enter");
  await usage.focus();
  await page.keyboard.press("Enter");
  await page.getByText("of 1,000 units used").waitFor();
  await usage.waitFor({ state: "hidden" });
  assert.equal(await focused(), "Usage", "the new page's heading must have the focus");
  await menu.click();
  await page.mouse.click(10, 700);
  await usage.waitFor({ state: "hidden" });
  await logOut(page);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  visitor.assertQuiet();
});

test("a group of the bar works with the keyboard and closes by itself", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  await page.goto("/login");
  await logIn(page, EMAIL);
  await page.getByText("No active key").waitFor();
  await excuseShift(page);
  const develop = page.getByRole("button", { name: "Develop" });
  const agents = page.getByRole("navigation").getByRole("link", { name: "Agents" });
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  assert.equal(await agents.count(), 0, "the group is open");

  await develop.focus();
  await page.keyboard.press("Enter");
  await agents.waitFor();
  await page.keyboard.press("Escape");
  await agents.waitFor({ state: "hidden" });
  assert.equal(await focused(), "Develop");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Data" }).click();
  await agents.waitFor({ state: "hidden" });
  await develop.click();
  await agents.click();
  await page.getByRole("heading", { name: "Agents" }).waitFor();
  await agents.waitFor({ state: "hidden" });
  assert.equal(await focused(), "Agents", "the new page's heading must have the focus");
  visitor.assertQuiet();
});

test("the page for an unknown path keeps the navigation and the session", async () => {
  await using visitor = await Visitor.come(service.url, desktop);
  const { page } = visitor;
  visitor.expectError(/status of 404/);
  await page.goto("/keys/1/2");
  await page.getByRole("navigation").getByRole("link", { name: "Publishers" }).click();
  await page.getByRole("heading", { name: "Publishers and pairs" }).waitFor();
  await page.goto("/login");
  await logIn(page, EMAIL);
  await page.getByText("No active key").waitFor();

  await page.goto("/keys/1/2");

  await page.getByRole("banner").getByText(EMAIL).waitFor();
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await excuseShift(page);
  await visitor.assertSound("an unknown path with a session");
  await turnTo(page, "Usage");
  await page.getByText("of 1,000 units used").waitFor();
  assert.equal(page.url(), `${service.url}/usage`);
  await page.goto("/keys/1/2");
  await logOut(page);
  await page.getByRole("link", { name: "Sign up" }).waitFor();
  visitor.assertQuiet();
});

for (const each of twoLooks) {
  test(`${each.name}: a password can be shown and hidden, and is sent all the same`, async () => {
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await page.goto("/login");
    await page.getByLabel("Email").fill(EMAIL);
    const field = page.getByLabel("Password");
    await field.fill(PASSWORD);
    assert.equal(await field.getAttribute("type"), "password");

    await page.getByRole("button", { name: "Show Password" }).click();

    assert.equal(await field.getAttribute("type"), "text");
    assert.equal(await field.inputValue(), PASSWORD);
    await visitor.assertSound("a shown password");
    await page.getByRole("button", { name: "Hide Password" }).click();
    assert.equal(await field.getAttribute("type"), "password");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByText("No active key").waitFor();
    visitor.assertQuiet();
  });

  test(`${each.name}: a browser at an unknown path gets a page with a link home`, async () => {
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    visitor.expectError(/status of 404/);
    for (const path of ["/nothing", "/keys/1/2?a=b", "//a//", "/assets/none.js"]) {
      const response = await page.goto(`${service.url}${path}`);
      assert.equal(response?.status(), 404, path);
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      await page.setViewportSize({ width: 320, height: 740 });
      await visitor.assertSound(path);
      assert.equal(await isDark(page), each.colorScheme === "dark", `${path} has no styles`);
      await page.getByRole("link", { name: "To the start page" }).click();
      await page.getByRole("heading", { name: "Exact rates, exactly metered." }).waitFor();
      assert.equal(page.url(), `${service.url}/`);
    }
    visitor.assertQuiet();
  });
}

test("the page for an unknown path has the console's headers, and only browsers get it", async () => {
  const browserAccept = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const { headers: console_ } = await service.get("/login");
  for (const path of ["/nothing", "/guide/nothing", "/guide/assets/nothing.js"]) {
    const html = await service.get(path, { headers: browserAccept });
    assert.equal(html.status, 404);
    assert.equal(html.headers["content-type"], "text/html; charset=utf-8");
    assert.equal(html.headers["cache-control"], "no-store");
    for (const name of ["content-security-policy", "x-content-type-options", "referrer-policy"]) {
      assert.equal(html.headers[name], console_[name], name);
    }
    assert.doesNotMatch(html.text, /<script(?![^>]*\ssrc=)|<style|\son\w+=|https?:\/\//);
  }

  const programs = ["/v1", "/v1/nothing", "/v1/rates/EUR", "/.well-known/oauth-protected-resource"];
  for (const path of [...programs, "/register", `/${"a/".repeat(40)}`]) {
    const { status, body } = await service.get(path, { headers: browserAccept });
    assert.deepEqual([status, body.code], [404, "not_found"], path);
  }
  for (const accept of ["*/*", "application/json", "text/html;q=0", "text/*", ""]) {
    const { body } = await service.get("/nothing", { headers: { accept } });
    assert.equal(body.code, "not_found", accept);
  }
  const { status, body } = await service.post("/nothing", { headers: browserAccept });
  assert.deepEqual([status, body.code], [404, "not_found"]);
});

for (const [name, smtpUrl, text] of [
  ["without a mail server", undefined, "This service has no mail server"],
  ["with a mail server", "smtp://127.0.0.1:9", `We have sent a mail to ${EMAIL}`],
] as const) {
  test(`${name}: the console says where the mails go`, async () => {
    await using own = await startServiceNow({ config: { smtpUrl } });
    await using visitor = await Visitor.come(own.url, phone);
    const { page } = visitor;

    await signUp(page, EMAIL);

    await page.getByText(text).waitFor();
    await page.goto("/forgot");
    await page.getByRole("heading", { name: "Reset your password" }).waitFor();
    await page.getByLabel("Email").fill(EMAIL);
    await page.getByRole("button", { name: "Send reset link" }).click();
    const sent = page
      .getByRole("status")
      .filter({ hasText: `If there is an account for ${EMAIL}` });
    await sent.waitFor();
    const isFile = (await sent.textContent())?.includes("ask the operator") ?? false;
    assert.equal(isFile, smtpUrl === undefined);
    await excuseShift(page);
    await visitor.assertSound("the reset's request");
    visitor.assertQuiet();
  });
}
