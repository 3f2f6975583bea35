import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import {
  comeLoggedIn,
  comeTo,
  startForVisitors,
  stepsOn,
  storeSession,
  tokenIn,
  untilCount,
} from "./steps.ts";

// One log-in in the tabs of a real browser; session.test.ts has the rules.

const service = await startForVisitors();

const USAGE = "of 1,000 units used";

async function openTab(context: BrowserContext, path: string): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(path);
  return tab;
}

test("a second tab is signed in too, without a cookie or anything else that stays", async () => {
  await using visitor = await comeLoggedIn(service, "/keys");
  const context = visitor.page.context();
  await stepsOn(visitor.page).see("No active key");
  const second = await openTab(context, "/usage?days=7");
  await stepsOn(second).see(USAGE);
  assert.equal(new URL(second.url()).search, "?days=7");
  await visitor.page.close();
  await second.reload();
  await stepsOn(second).see(USAGE);
  assert.deepEqual(await context.cookies(), []);
  const { origins } = await context.storageState({ indexedDB: true });
  assert.deepEqual(origins, [], "something would remain after the last tab");
  await second.close();
  await stepsOn(await openTab(context, "/usage")).seeHeading("Log in");
});

test("a log-in and a log-out are those of every tab, at the service too, and of no other window", async () => {
  const email = "tabs@example.org";
  await using visitor = await comeTo(service, "/login?next=/usage");
  await using secret = await comeLoggedIn(service, "/keys");
  await service.register(email);
  const { page, see, seeHeading, logOut } = visitor;
  await seeHeading("Log in");
  const second = await openTab(page.context(), "/login");
  const third = await openTab(page.context(), "/docs");
  await stepsOn(second).logIn(email);
  await see(USAGE);
  await third.getByRole("button", { name: "Log out" }).waitFor();
  const session = await tokenIn(page);

  await logOut();
  for (const tab of [page, second]) await stepsOn(tab).seeHeading("Log in");
  await third.getByRole("link", { name: "Log in", exact: true }).waitFor();
  for (const tab of [page, second, third]) {
    assert.equal(await tab.evaluate("sessionStorage.length"), 0);
    await untilCount(tab.getByText(email), 0);
  }
  assert.equal((await service.get("/v1/account/usage", { session })).status, 401);
  await second.reload();
  await stepsOn(second).seeHeading("Log in");
  // A browser restores a closed tab's storage, too: the session in it ended meanwhile.
  const restored = await openTab(page.context(), "/favicon.svg");
  await storeSession(restored, email, session);
  await restored.goto("/usage");
  await stepsOn(restored).see("Your session has ended.");
  assert.equal(await restored.evaluate("sessionStorage.length"), 0);
  assert.equal(await restored.getByText(email).count(), 0);
  assert.equal(await page.getByText("Your session has ended.").count(), 0);
  await secret.page.reload();
  await stepsOn(secret.page).see("No active key");
});

test("a tab that a page opens is signed in too, and stays so when its opener is closed", async () => {
  await using visitor = await comeLoggedIn(service, "/keys");
  const { page, see } = visitor;
  await see("No active key");
  const tabs: Page[] = [];
  for (const how of [
    "void open('/usage')",
    "void open('/usage', '_blank', 'noopener')",
    `{
      const link = Object.assign(document.createElement("a"), { href: "/usage", target: "_blank" });
      document.body.append(link);
      link.click();
    }`,
  ]) {
    const opening = page.context().waitForEvent("page");
    await page.evaluate(how);
    const tab = await opening;
    await stepsOn(tab).see(USAGE);
    tabs.push(tab);
  }
  await page.close();
  for (const tab of tabs) {
    await tab.reload();
    await stepsOn(tab).see(USAGE);
  }
  const [first, ...others] = tabs as [Page, ...Page[]];
  await stepsOn(first).logOut();
  for (const tab of others) {
    await stepsOn(tab).seeHeading("Log in");
    assert.equal(await tab.evaluate("sessionStorage.length"), 0);
  }
});
