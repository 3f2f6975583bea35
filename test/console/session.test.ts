import assert from "node:assert/strict";
import { test } from "node:test";
import { twoLooks, Visitor } from "../support/browser.ts";
import { startService, startServiceNow, TestClock } from "../support/service.ts";
import { excuseShift, logIn, logOut, turnTo } from "./steps.ts";

const DAY_MS = 86_400_000;

const [look] = twoLooks;
assert.ok(look !== undefined);

/** Starts a service whose clock starts at the browser's time, and a visitor with an account. */
async function comeWithAccount(chosen = look) {
  assert.ok(chosen !== undefined);
  const clock = new TestClock(new Date().toISOString());
  const service = await startService({ clock });
  const email = "ada@example.org";
  await service.openSession(email);
  const visitor = await Visitor.come(service.url, chosen);
  await visitor.page.goto("/login");
  await logIn(visitor.page, email);
  await visitor.page.getByText("No active key").waitFor();
  return {
    email,
    clock,
    service,
    visitor,
    page: visitor.page,
    async [Symbol.asyncDispose]() {
      await visitor[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

for (const each of twoLooks) {
  test(`${each.name}: after a session expires at the service, a log-in leads back to the page`, async () => {
    await using visit = await comeWithAccount(each);
    const { page, visitor, clock, email } = visit;
    clock.advanceMs(DAY_MS);

    visitor.expectError(/status of 401/);
    await turnTo(page, "Usage");
    await page.getByText("Your session has ended.").waitFor();
    // The navigation bar changes to its logged-out form.
    await excuseShift(page);
    assert.equal(new URL(page.url()).pathname, "/login");
    assert.equal(await page.evaluate("sessionStorage.length"), 0, "the session is still stored");
    await visitor.assertSound("the log-in page after the session's end");

    await logIn(page, email);
    await page.getByText("of 1,000 units used").waitFor();
    assert.equal(new URL(page.url()).pathname, "/usage");
    visitor.assertQuiet();
  });
}

test("the page ends an expired session without a request", async () => {
  await using service = await startServiceNow();
  await service.openSession("ada@example.org");
  assert.ok(look !== undefined);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await page.clock.install();
  await page.goto("/login");
  await logIn(page, "ada@example.org");
  await page.getByText("No active key").waitFor();
  await page.waitForLoadState("networkidle");
  const calls: string[] = [];
  page.on("request", (request) => void calls.push(request.url()));

  await page.clock.fastForward(DAY_MS - 60_000);
  await page.getByText("No active key").waitFor();
  await page.clock.fastForward(61_000);

  await page.getByText("Your session has ended.").waitFor();
  assert.equal(new URL(page.url()).search, "?next=/keys");
  assert.deepEqual(calls, [], "the page sent a request");
  visitor.assertQuiet();
});

test("a session survives a reload and uses no cookie", async () => {
  await using visit = await comeWithAccount();
  const { page } = visit;

  await page.reload();
  await page.getByText("No active key").waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(await page.evaluate("localStorage.length"), 0);
  visit.visitor.assertQuiet();
});

test("a log-out ends the session at the service, not only in the tab", async () => {
  await using visit = await comeWithAccount();
  const { page, service } = visit;
  const stored = String(await page.evaluate("sessionStorage.getItem('kurs.session')"));
  const { token } = JSON.parse(stored) as { token: string };
  assert.equal((await service.get("/v1/account/usage", { session: token })).status, 200);

  await logOut(page);

  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.equal(new URL(page.url()).search, "", "a log-out leaves no page to return to");
  assert.equal((await service.get("/v1/account/usage", { session: token })).status, 401);
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
  await page.goBack();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  visit.visitor.assertQuiet();
});

test("after a log-in the console only returns to its own pages", async () => {
  await using service = await startServiceNow();
  await service.openSession("ada@example.org");
  assert.ok(look !== undefined);
  for (const next of [
    "https://example.com/",
    "//example.com",
    "/v1/account/usage",
    "javascript:1",
  ]) {
    await using visitor = await Visitor.come(service.url, look);
    const { page } = visitor;
    await page.goto(`/login?next=${encodeURIComponent(next)}`);
    await logIn(page, "ada@example.org");
    await page.getByText("No active key").waitFor();
    assert.equal(page.url(), `${service.url}/keys`);
    visitor.assertQuiet();
  }
});

test("a visitor can log in, create a key and revoke it with the keyboard alone", async () => {
  await using service = await startServiceNow();
  await service.openSession("ada@example.org");
  assert.ok(look !== undefined);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await page.goto("/");
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const focused = () =>
    page.evaluate<string>("document.activeElement.textContent || document.activeElement.name");

  await page.getByRole("heading", { level: 1 }).waitFor();
  await press("Tab");
  assert.equal(await focused(), "Skip to the content");
  await page.getByRole("link", { name: "Log in" }).first().focus();
  await press("Enter");
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.equal(await focused(), "Log in", "the new page's heading must have the focus");
  await press("Tab");
  await page.keyboard.type("ada@example.org");
  await press("Tab");
  await page.keyboard.type("correct horse battery");
  await press("Enter");
  await page.getByText("No active key").waitFor();
  await press("Tab");
  assert.equal(await focused(), "Resend", "the notice about the email comes first");
  await press("Tab");
  await page.keyboard.type("billing");
  await press("Enter");
  await page.getByRole("heading", { name: "Copy the key “billing” now" }).waitFor();
  assert.equal(await focused(), "Copy the key “billing” now");
  const revoke = page.getByRole("button", { name: "Revoke billing" });
  await revoke.focus();
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  assert.equal(await focused(), "Keep it", "the button that changes nothing must come first");
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Revoke billing");
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  await press("Tab");
  assert.equal(await focused(), "Revoke key");
  await press("Enter");
  await page.getByText("Revoked keys (1)").waitFor();
  visitor.assertQuiet();
});
