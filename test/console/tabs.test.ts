import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, looks, Visitor } from "../support/browser.ts";
import { startServiceNow, type TestService } from "../support/service.ts";
import { logIn, logOut, turnTo, untilCount } from "./steps.ts";

const ADA = "ada@example.org";
const BOB = "bob@example.org";
const DAY_MS = 86_400_000;
const [look] = looks as [Look];

let service: TestService;

before(async () => {
  // The browser, whose clock is the machine's, ends a session that is over by it.
  service = await startServiceNow();
  await service.register(ADA);
  await service.register(BOB);
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
});

const come = (url = service.url) => Visitor.come(url, look);

/** A window whose first tab is logged in. */
async function comeLoggedIn(email = ADA): Promise<Visitor> {
  const visitor = await come();
  await visitor.page.goto("/login");
  await logIn(visitor.page, email);
  await keysOf(visitor.page).waitFor();
  return visitor;
}

const keysOf = (page: Page) => page.getByRole("heading", { name: "API keys" });

/** The email in the bar: a notice on the page may name it, too. */
const emailOf = (page: Page, email: string) => page.getByRole("banner").getByText(email);

const logInOf = (page: Page) => page.getByRole("heading", { name: "Log in" });

async function storedSession(page: Page): Promise<string> {
  return String(await page.evaluate("sessionStorage.getItem('kurs.session')"));
}

async function openTab(visitor: Visitor, path: string): Promise<Page> {
  const tab = await visitor.page.context().newPage();
  await tab.goto(path);
  return tab;
}

test("a second tab is signed in too, without a cookie or anything else that stays", async () => {
  await using visitor = await comeLoggedIn();

  const second = await openTab(visitor, "/usage?days=7");

  await second.getByText("of 1,000 units used").waitFor();
  assert.equal(new URL(second.url()).search, "?days=7");
  await visitor.page.close();
  await second.reload();
  await second.getByText("of 1,000 units used").waitFor();
  const context = second.context();
  assert.deepEqual(await context.cookies(), []);
  const { origins } = await context.storageState({ indexedDB: true });
  assert.deepEqual(origins, [], "something would remain after the last tab");
  await second.close();
  const later = await context.newPage();
  await later.goto("/usage");
  await logInOf(later).waitFor();
});

test("a tab that shows the log-in is signed in by the log-in of another", async () => {
  await using visitor = await come();
  await visitor.page.goto("/login?next=/usage");
  await logInOf(visitor.page).waitFor();
  const other = await openTab(visitor, "/login");

  await logIn(other, ADA);

  await keysOf(other).waitFor();
  await visitor.page.getByText("of 1,000 units used").waitFor();
  visitor.assertQuiet();
});

test("a log-out in one of three tabs logs out all, at the service too", async () => {
  await using visitor = await comeLoggedIn();
  const { page } = visitor;
  const second = await openTab(visitor, "/usage");
  await second.getByText("of 1,000 units used").waitFor();
  const third = await openTab(visitor, "/docs");
  await third.getByRole("button", { name: "Log out" }).waitFor();
  const { token } = JSON.parse(await storedSession(page)) as { token: string };

  await logOut(second);

  await logInOf(second).waitFor();
  await logInOf(page).waitFor();
  await third.getByRole("link", { name: "Log in", exact: true }).waitFor();
  for (const tab of [page, second, third]) {
    assert.equal(await tab.evaluate("sessionStorage.length"), 0);
    await untilCount(tab.getByText(ADA), 0);
  }
  assert.equal((await service.get("/v1/account/usage", { session: token })).status, 401);
  await page.reload();
  await logInOf(page).waitFor();
  visitor.assertQuiet();
});

test("a session that one tab finds expired ends in the other, which leads back to its page", async () => {
  await using own = await startServiceNow();
  await own.register(ADA);
  await using visitor = await come(own.url);
  const { page } = visitor;
  await page.goto("/login");
  await logIn(page, ADA);
  await keysOf(page).waitFor();
  const second = await openTab(visitor, "/agents");
  await second.getByRole("heading", { name: "Agents" }).waitFor();
  own.clock.advanceMs(DAY_MS);

  visitor.expectError(/status of 401/);
  await turnTo(page, "Usage");

  await page.getByText("Your session has ended.").waitFor();
  await second.getByText("Your session has ended.").waitFor();
  assert.equal(new URL(second.url()).search, "?next=/agents");
  await logIn(second, ADA);
  await second.getByRole("heading", { name: "Agents" }).waitFor();
  await page.getByText("of 1,000 units used").waitFor();
  visitor.assertQuiet();
});

test("a private window is not signed in, and its log-out ends no other session", async () => {
  await using visitor = await comeLoggedIn();
  await using secret = await come();
  await secret.page.goto("/keys");
  await logInOf(secret.page).waitFor();
  await logIn(secret.page, BOB);
  await keysOf(secret.page).waitFor();
  const second = await openTab(visitor, "/keys");
  await emailOf(second, ADA).waitFor();

  await logOut(secret.page);

  await logInOf(secret.page).waitFor();
  await visitor.page.reload();
  await emailOf(visitor.page, ADA).waitFor();
  secret.assertQuiet();
  visitor.assertQuiet();
});

test("a tab keeps its account when another tab logs in with another one", async () => {
  await using visitor = await comeLoggedIn();
  const { page } = visitor;
  await using other = await comeLoggedIn(BOB);
  const bobs = await storedSession(other.page);
  const { token } = JSON.parse(bobs) as { token: string };
  // Two accounts meet only when a tab slept; here its storage says so.
  const second = await page.context().newPage();
  await second.addInitScript(`sessionStorage.getItem("kurs.session") ??
    sessionStorage.setItem("kurs.session", ${JSON.stringify(bobs)})`);
  await second.goto("/keys");
  await emailOf(second, BOB).waitFor();
  await emailOf(page, ADA).waitFor();

  await logOut(page);

  await logInOf(page).waitFor();
  await emailOf(second, BOB).waitFor();
  assert.equal((await service.get("/v1/account/usage", { session: token })).status, 200);
  visitor.assertQuiet();
});

test("a tab that slept through a log-out cannot sign in another with the ended session", async () => {
  await using visitor = await comeLoggedIn();
  const { page } = visitor;
  const ended = await storedSession(page);
  await logOut(page);
  await logInOf(page).waitFor();
  await using other = await comeLoggedIn(BOB);
  const valid = await storedSession(other.page);

  // What such a tab sends when it wakes up; the valid session shows that both have arrived.
  const sleeper = await openTab(visitor, "/favicon.svg");
  await sleeper.evaluate(`for (const session of [${ended}, ${valid}]) {
    new BroadcastChannel("kurs.session /").postMessage({ kind: "begin", session });
  }`);

  await emailOf(page, BOB).waitFor();
  visitor.assertQuiet();
});

test("a tab that a page opens is signed in too, and stays so when its opener is closed", async () => {
  await using visitor = await comeLoggedIn();
  const { page } = visitor;
  const opened = async (how: string) => {
    const [tab] = await Promise.all([page.context().waitForEvent("page"), page.evaluate(how)]);
    await tab.getByText("of 1,000 units used").waitFor();
    return tab;
  };

  const tabs = [
    await opened("void open('/usage')"),
    await opened("void open('/usage', '_blank', 'noopener')"),
    await opened(`{
      const link = Object.assign(document.createElement("a"), { href: "/usage", target: "_blank" });
      document.body.append(link);
      link.click();
    }`),
  ];

  await page.close();
  for (const tab of tabs) {
    await tab.reload();
    await tab.getByText("of 1,000 units used").waitFor();
  }
  const [first, ...others] = tabs as [Page, ...Page[]];
  await logOut(first);
  for (const tab of others) {
    await logInOf(tab).waitFor();
    assert.equal(await tab.evaluate("sessionStorage.length"), 0);
  }
  visitor.assertQuiet();
});

test("a tab that the browser restores with an ended session shows nothing of the account", async () => {
  await using visitor = await comeLoggedIn();
  const { page } = visitor;
  const stored = await storedSession(page);
  await logOut(page);
  await logInOf(page).waitFor();
  const restored = await page.context().newPage();
  // A browser restores a closed tab's storage, too: the session in it ended meanwhile.
  await restored.goto("/favicon.svg");
  await restored.evaluate(`sessionStorage.setItem("kurs.session", ${JSON.stringify(stored)})`);

  await restored.goto("/usage");

  await restored.getByText("Your session has ended.").waitFor();
  assert.equal(await restored.evaluate("sessionStorage.length"), 0);
  assert.equal(await emailOf(restored, ADA).count(), 0);
  assert.equal(await page.getByText("Your session has ended.").count(), 0);
  visitor.assertQuiet();
});

test("a page that the browser kept in memory is loaded anew, without the ended session", async () => {
  await using visitor = await comeLoggedIn();
  const { page } = visitor;
  await page.evaluate("sessionStorage.clear()");

  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");

  await logInOf(page).waitFor();
  assert.equal(await emailOf(page, ADA).count(), 0);
  visitor.assertQuiet();
});

test("the reply of a tab that comes late signs in the tab that shows the log-in", async () => {
  await using visitor = await comeLoggedIn();
  await using other = await come();
  const { page } = other;
  await page.goto("/login?next=/usage");
  await logInOf(page).waitFor();
  await page.getByLabel("Email").fill("someone");

  // Another tab answers long after this one has shown the log-in, and three times.
  const answer = `{ kind: "begin", session: ${await storedSession(visitor.page)} }`;
  const late = await openTab(other, "/favicon.svg");
  await late.evaluate(`{
    const channel = new BroadcastChannel("kurs.session /");
    for (let count = 0; count < 3; count += 1) channel.postMessage(${answer});
  }`);

  await page.getByText("of 1,000 units used").waitFor();
  await emailOf(page, ADA).waitFor();
  other.assertQuiet();
});

test("where the browser blocks storage and channels, the session is in this page alone", async () => {
  await using visitor = await come();
  const { page } = visitor;
  await page.addInitScript(`
    const blocked = () => { throw new DOMException("blocked", "SecurityError"); };
    for (const name of ["sessionStorage", "localStorage"]) {
      Object.defineProperty(window, name, { get: blocked });
    }
    globalThis.BroadcastChannel = class { constructor() { blocked(); } };`);
  await page.goto("/login");

  await logIn(page, ADA);

  await keysOf(page).waitFor();
  await turnTo(page, "Usage");
  await page.getByText("of 1,000 units used").waitFor();
  await logOut(page);
  await logInOf(page).waitFor();
  await logIn(page, ADA);
  await keysOf(page).waitFor();
  await page.reload();
  await logInOf(page).waitFor();
  visitor.assertQuiet();
});
