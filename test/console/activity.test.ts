import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { temporaryDirectory } from "../support/process.ts";
import { startServiceNow, type TestService } from "../support/service.ts";
import {
  assertSoundAndNarrow,
  createKey,
  excuseShift,
  logIn,
  signUp,
  turnTo,
  untilCount,
} from "./steps.ts";

const EMAIL = "ada@example.org";
const [look] = twoLooks as [Look];

/** Starts a service by the browser's clock. */
const startHere = (rest: { dataDirectory?: string; port?: number } = {}) => {
  const { port = 0, ...options } = rest;
  return startServiceNow({ config: { port }, ...options });
};

const eventsOn = (page: Page) => page.getByRole("region", { name: "Your events" });

/** Waits for a number of events. @returns the actions and where they came from, newest first. */
async function shown(page: Page, count: number): Promise<string[]> {
  const rows = eventsOn(page).getByRole("listitem");
  await untilCount(rows, count);
  const spans = await rows.locator("span").allTextContents();
  return spans.flatMap((words, index) =>
    index % 2 === 0 ? [`${words} | ${spans[index + 1]}`] : [],
  );
}

/** Opens the page Activity with a new log-in. */
async function openActivity(page: Page): Promise<void> {
  await page.goto("/activity");
  await logIn(page, EMAIL);
  await page.getByRole("heading", { name: "Activity" }).waitFor();
}

/** Stores an event of an account, as the service or a newer version of it would. */
function storeEvent(
  service: TestService,
  { email = EMAIL, actor = "account", at = "2026-03-13T15:00:00.000Z", action = "", details = {} },
): void {
  const origin = { account: "192.0.2.1", operator: "host.example.org" }[actor] ?? null;
  const name = actor === "operator" ? "root" : null;
  service.query(
    `INSERT INTO events (id, at, actor, actor_name, origin, action, account_id, details)
     SELECT ?, ?, ?, ?, ?, ?, id, ? FROM accounts WHERE email = ?`,
    randomUUID(),
    at,
    actor,
    name,
    origin,
    action,
    JSON.stringify(details),
    email,
  );
}

for (const each of twoLooks) {
  test(`${each.name}: the page Activity lists the log-in and the key of its account alone`, async () => {
    await using service = await startHere();
    const bob = await service.newCustomer("bob@example.org");
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await signUp(page, EMAIL);
    const prefix = (await createKey(page, "billing")).slice(0, 17);
    await page.getByRole("button", { name: "Revoke billing" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("No active key").waitFor();

    await turnTo(page, "Activity");

    const from = "from 127.0.0.1";
    assert.deepEqual(await shown(page, 4), [
      `API key “billing” ${prefix}… revoked | ${from}`,
      `API key “billing” ${prefix}… created | ${from}`,
      `Logged in | ${from}`,
      `Account created | ${from}`,
    ]);
    await visitor.assertSound("the activity");
    const text = await page.locator("body").textContent();
    assert.ok(!text?.includes(bob.apiKey.slice(0, 17)), "another account's key is on the page");
    await page.setViewportSize({ width: 320, height: 740 });
    await excuseShift(page);
    await visitor.assertSound("the activity, 320 px wide");
    visitor.assertQuiet();
  });
}

test("an event has its time in UTC, to the minute, and exactly as the service stored it", async () => {
  await using service = await startHere();
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  storeEvent(service, { at: "2026-03-13T15:04:05.678Z", action: "email.verified" });

  await openActivity(visitor.page);

  const row = eventsOn(visitor.page).getByRole("listitem").filter({ hasText: "Email confirmed" });
  const time = row.locator("time");
  assert.equal(await time.textContent(), "Mar 13, 2026, 15:04 UTC");
  assert.equal(await time.getAttribute("datetime"), "2026-03-13T15:04:05.678Z");
  assert.equal(await time.getAttribute("title"), "2026-03-13T15:04:05.678Z");
  visitor.assertQuiet();
});

const prefix = "svc_live_1a2b3c4d";
const burned = "burned";

/** Actions as they are stored, and as they are shown. */
const actions = [
  ["account", "account.registered", { plan: "free" }, "Account created"],
  ["account", "account.registered", { invited: true }, "Account created with an invitation"],
  ["operator", "account.created", { plan: "pro" }, "Account created"],
  ["operator", "account.invited", { plan: "pro" }, "Invited to plan pro"],
  ["operator", "account.plan_changed", { plan: "pro" }, "Moved to plan pro"],
  ["operator", "account.suspended", {}, "Account suspended"],
  ["operator", "account.resumed", {}, "Account resumed"],
  ["operator", "account.deleted", {}, "Account deleted"],
  ["operator", "account.export_begun", {}, "Export of the account's data begun"],
  ["operator", "account.exported", {}, "Data of the account exported"],
  ["service", "account.export_cut_off", {}, "Export of the account's data cut off"],
  ["account", "account.quota_mails_changed", { quota_mails: true }, "Quota mails turned on"],
  ["operator", "account.quota_mails_changed", { quota_mails: false }, "Quota mails turned off"],
  ["account", "email.verification_requested", {}, "Confirmation mail requested"],
  ["operator", "email.verified", {}, "Email confirmed"],
  ["account", "password.reset_requested", {}, "Password reset requested"],
  ["operator", "password.reset_link_created", {}, "Link to reset the password created"],
  ["account", "password.changed", { keys_revoked: 0 }, "Password changed"],
  ["account", "password.changed", { keys_revoked: 2 }, "Password changed; 2 keys revoked"],
  ["account", "session.started", {}, "Logged in"],
  ["account", "session.ended", {}, "Logged out"],
  ["operator", "session.ended", { reason: burned }, "Session ended: its token was found in a leak"],
  ["operator", "sessions.ended", { sessions: 1 }, "1 session ended"],
  ["account", "api_key.created", { key_prefix: prefix }, `API key ${prefix}… created`],
  ["account", "api_key.revoked", { key_prefix: prefix }, `API key ${prefix}… revoked`],
  [
    "operator",
    "api_key.revoked",
    { key_prefix: prefix, reason: burned },
    `API key ${prefix}… revoked: it was found in a leak`,
  ],
  ["service", "quota.threshold_reached", { threshold: 80 }, "80% of the quota used"],
  // A newer server's: the name, as text.
  ["service", "account.moved_to_the_moon", { plan: "pro" }, "account.moved_to_the_moon"],
  ["service", "constructor", {}, "constructor"],
  ["service", "<img src=x onerror=alert(1)>", {}, "<img src=x onerror=alert(1)>"],
  // Details that a newer server does not write.
  ["operator", "account.plan_changed", {}, "Moved to a plan"],
  ["operator", "sessions.ended", {}, "Sessions ended"],
  ["account", "api_key.created", {}, "API key created"],
  ["service", "quota.threshold_reached", {}, "A large part of the quota used"],
] as const;

const origins = {
  account: "from 192.0.2.1",
  operator: "by an operator",
  service: "by the service",
} as const;

test("every action on an account has plain words, and an unknown one its name", async () => {
  await using service = await startHere();
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  const newestMs = Date.parse("2026-03-13T15:00:00.000Z");
  for (const [index, [actor, action, details]] of actions.entries()) {
    const at = new Date(newestMs - index * 1000).toISOString();
    storeEvent(service, { actor, action, details, at });
  }

  await openActivity(page);

  const rows = await shown(page, actions.length + 2);
  assert.deepEqual(
    rows.slice(-actions.length),
    actions.map(([actor, , , words]) => `${words} | ${origins[actor]}`),
  );
  assert.equal(await page.getByText(/root|host\.example\.org/).count(), 0, "the operator is named");
  await visitor.assertSound("all actions");
  visitor.assertQuiet();
});

for (const each of twoLooks) {
  test(`${each.name}: the activity is narrowed down to a kind and a key, which the address keeps`, async () => {
    await using service = await startHere();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await signUp(page, EMAIL);
    await createKey(page, "billing");
    await createKey(page, "shop");
    storeEvent(service, { action: "quota.threshold_reached", actor: "service" });
    await turnTo(page, "Activity");
    await shown(page, 5);

    await page.getByLabel("Kind").selectOption("API keys");
    assert.match((await shown(page, 2)).join(), /^API key “shop” .+,API key “billing” [^,]+$/);
    await page.getByLabel("API key", { exact: true }).selectOption("billing");
    assert.match((await shown(page, 1)).join(), /^API key “billing” [^,]+$/);
    await assertSoundAndNarrow(visitor, "the narrowed activity");
    await page.reload();
    assert.match((await shown(page, 1)).join(), /^API key “billing” [^,]+$/);
    await page.getByLabel("Kind").selectOption("Quota");
    await page.getByText("None of the newest 5 events is of this kind.").waitFor();
    await page.getByLabel("API key", { exact: true }).selectOption("All keys");
    assert.match(
      (await shown(page, 1)).join(),
      /^A large part of the quota used \| by the service$/,
    );
    visitor.assertQuiet();
  });
}

test("older events are added with the keyboard, without leaving the place", async () => {
  await using service = await startHere();
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  // With the registration and the log-in 200 events: two full pages, and then an empty one.
  for (let count = 1; count <= 198; count += 1) {
    const at = new Date(Date.parse("2026-03-13T15:00:00.000Z") - count * 1000).toISOString();
    storeEvent(service, { action: "account.plan_changed", details: { plan: `p${count}` }, at });
  }
  await openActivity(page);
  const button = page.getByRole("button", { name: "Show older" });
  const focused = () => page.evaluate<string>("document.activeElement.firstChild.textContent");
  await shown(page, 100);

  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Moved to plan p198", { exact: true }).waitFor();
  await excuseShift(page);

  const rows = await shown(page, 200);
  assert.equal(new Set(rows).size, 200, "an event is listed twice");
  assert.equal(await focused(), "Moved to plan p99", "the first older event must have the focus");
  await visitor.assertSound("older events");

  await button.focus();
  await page.keyboard.press("Enter");
  await button.waitFor({ state: "detached" });
  await shown(page, 200);
  assert.equal(await focused(), "Moved to plan p198", "the focus is lost with the button");
  visitor.assertQuiet();
});

test("with fewer than 100 events there is no button, and without any a sentence", async () => {
  await using service = await startHere();
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openActivity(page);
  await shown(page, 2);
  assert.equal(await page.getByRole("button", { name: "Show older" }).count(), 0);

  service.query("DELETE FROM events");
  await page.reload();

  await page.getByRole("heading", { name: "No events" }).waitFor();
  await visitor.assertSound("no events");
  visitor.assertQuiet();
});

test("when older events cannot be read, the newer stay, and a second try adds them", async () => {
  await using directory = await temporaryDirectory();
  const kept = { dataDirectory: directory.path };
  await using running = new AsyncDisposableStack();
  const first = running.use(await startHere(kept));
  await first.register(EMAIL);
  for (let count = 0; count < 100; count += 1) storeEvent(first, { action: "account.exported" });
  await using visitor = await Visitor.come(first.url, look);
  const { page } = visitor;
  await openActivity(page);
  await shown(page, 100);
  await running.disposeAsync();

  visitor.expectError(/ERR_CONNECTION_REFUSED/);
  await page.getByRole("button", { name: "Show older" }).click();
  await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
  await excuseShift(page);
  await shown(page, 100);
  await visitor.assertSound("older events, unreachable");

  await using _again = await startHere({ ...kept, port: Number(new URL(first.url).port) });
  await page.getByRole("button", { name: "Try again" }).click();
  await shown(page, 102);
  assert.equal(await page.getByRole("alert").count(), 0);
  visitor.assertQuiet();
});

test("the page Activity reports a failure with its request id and offers another try", async () => {
  await using service = await startHere();
  await service.register(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  visitor.expectError(/status of 500/);
  service.query("UPDATE events SET details = '{'");

  await openActivity(page);
  const id = (await page.getByRole("alert").locator("code").textContent()) ?? "";
  assert.notEqual(id, "");
  assert.ok(service.logLines.some((line) => line.includes(id) && line.includes('"status":500')));
  await visitor.assertSound("the activity, failed");
  service.query("UPDATE events SET details = NULL");
  await page.getByRole("button", { name: "Try again" }).click();

  await shown(page, 2);
  assert.equal(await page.getByRole("alert").count(), 0);
  visitor.assertQuiet();
});

test("a session that ends before older events are read leads to the log-in and back", async () => {
  await using service = await startHere();
  await service.register(EMAIL);
  for (let count = 0; count < 100; count += 1) storeEvent(service, { action: "account.exported" });
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openActivity(page);
  await eventsOn(page).waitFor();
  service.query("DELETE FROM sessions");

  visitor.expectError(/status of 401/);
  await page.getByRole("button", { name: "Show older" }).click();
  await page.getByText("Your session has ended.").waitFor();
  assert.equal(await eventsOn(page).count(), 0, "events are shown without a session");
  await logIn(page, EMAIL);

  await eventsOn(page).waitFor();
  assert.equal(new URL(page.url()).pathname, "/activity");
  visitor.assertQuiet();
});
