import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../support/mails.ts";
import { startService, TestClock } from "../support/service.ts";
import { comeLoggedIn, NOW, PASSWORD, startForVisitors, untilCount } from "./steps.ts";

// The pages Account and Activity.

const ACCOUNT = "/v1/account";
const service = await startForVisitors();

const statusOf = async (session: string, on = service) =>
  (await on.get(ACCOUNT, { session })).status;

test("the sessions of an account, the own first, are ended one by one and all at once", async () => {
  await using own = await startService({ clock: new TestClock("2026-11-21T11:50:00.000Z") });
  const email = "ada@example.org";
  const others = [await own.openSession(email)];
  for (let count = 1; count < 6; count += 1) {
    own.clock.advanceMs(60_000);
    others.push(await own.logIn(email));
  }
  own.clock.set(NOW);
  await using visitor = await comeLoggedIn(own, "/favicon.svg", { email });
  const { page, session, see, press, focused } = visitor;
  const statuses = () => Promise.all([session, ...others].map((each) => statusOf(each, own)));
  own.clock.advanceMs(60_000);
  others.push(await own.logIn(email));
  await page.goto("/account");
  const rows = page.getByRole("region", { name: "Sessions" }).getByRole("listitem");
  await untilCount(rows, 6);
  await page.getByText("More sessions (2)").click();
  await untilCount(rows, 8);
  const texts = await rows.allTextContents();
  assert.equal(texts[0], "Unknown program from 127.0.0.121 Nov 2026, 12:00 UTCThis session");
  assert.equal(texts[7], "Unknown program from 127.0.0.121 Nov 2026, 11:50 UTCLog out");

  await press(/^Log out Unknown program from 127\.0\.0\.1, started 21 Nov 2026, 11:50 UTC$/);
  await see("The session has ended.");
  assert.equal(await focused(), "Sessions");
  assert.deepEqual(await statuses(), [200, 401, ...Array(6).fill(200)]);
  await see("Session ended");
  await press("Log out everywhere else");
  await see("Every other session has ended.");
  await untilCount(rows, 1);
  assert.deepEqual(await statuses(), [200, ...Array(7).fill(401)]);
});

test("a deletion needs the password, and ends on the front page with a notice", async () => {
  await using visitor = await comeLoggedIn(service, "/account");
  const { page, email, session, see, seeHeading, press } = visitor;
  const dialog = page.getByRole("dialog", { name: `Delete the account ${email}?` });
  const password = dialog.getByLabel("Password");
  await press("Delete the account …");
  await password.fill("not the password");
  visitor.expectError(/status of 401/);
  await dialog.getByRole("button", { name: "Delete the account" }).click();
  await see("The password is incorrect. Nothing was deleted.");
  await press("Keep the account");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await statusOf(session), 200);

  await press("Delete the account …");
  await password.fill(PASSWORD);
  await page.keyboard.press("Enter");
  await see(`The account ${email} has been deleted.`);
  assert.equal(page.url(), `${service.url}/`);
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
  assert.equal(await statusOf(session), 401);
  await page.goBack();
  await seeHeading("Log in");
});

test("the export is a file with what the API returns, and no URL has the session", async () => {
  await using visitor = await comeLoggedIn(service, "/account");
  const { page, session, see, press } = visitor;
  const waiting = "SELECT 1 FROM mails WHERE delivered_at IS NULL";
  await eventually("delivery", async () => service.query(waiting).length === 0 || undefined);
  const urls: string[] = [];
  page.on("request", (request) => void urls.push(request.url()));
  const saving = page.waitForEvent("download");
  await press("Download the export");
  const download = await saving;

  await see("Saved as kurs-account-2026-11-21.json");
  assert.equal(download.suggestedFilename(), "kurs-account-2026-11-21.json");
  const { events, ...saved } = JSON.parse(await readFile(await download.path(), "utf8"));
  const { events: _later, ...sent } = (await service.get(`${ACCOUNT}/export`, { session })).body;
  assert.deepEqual(saved, sent);
  assert.equal(events.length, 3, "the registration, the log-in, and this export");
  assert.doesNotMatch([...urls, download.url()].join(), /svc_sess|token/);
});

/** Waits for a number of events. @returns their texts, newest first. */
async function eventsOn(page: Page, count: number): Promise<readonly string[]> {
  const rows = page.getByRole("region", { name: "Your events" }).getByRole("listitem");
  await untilCount(rows, count);
  return await rows.allTextContents();
}

/** Stores events of an account, each a second older than the one before. */
function storeEvents(email: string, count: number, action: string): void {
  const [{ id } = {}] = service.query("SELECT id FROM accounts WHERE email = ?", email);
  using database = service.database();
  const insert = database.prepare(
    "INSERT INTO events (id, at, actor, action, account_id, details) VALUES (?, ?, 'service', ?, ?, ?)",
  );
  for (let older = 1; older <= count; older += 1) {
    const at = new Date(Date.parse("2026-03-13T15:04:05.678Z") - older * 1000).toISOString();
    insert.run(randomUUID(), at, action, String(id), JSON.stringify({ plan: `p${older}` }));
  }
}

test("the activity is narrowed down to a kind and a key, which the address keeps", async () => {
  await using visitor = await comeLoggedIn(service, "/keys");
  const { page, email, see, createKey } = visitor;
  await service.newCustomer("bob@example.org");
  for (const name of ["billing", "shop"]) await createKey(name);
  storeEvents(email, 1, "quota.threshold_reached");
  await page.goto("/activity");
  const [shop, billing, ...others] = await eventsOn(page, 5);
  assert.match(others.join(), /^Logged in.+,Account created.+,Most of the quota usedby the/);
  const time = page.locator("time").last();
  assert.equal(await time.textContent(), "13 Mar 2026, 15:04 UTC");
  for (const name of ["datetime", "title"])
    assert.equal(await time.getAttribute(name), "2026-03-13T15:04:04.678Z");

  const choose = (label: string, option: string) =>
    page.getByLabel(label, { exact: true }).selectOption(option);
  await choose("Kind", "API keys");
  assert.deepEqual(await eventsOn(page, 2), [shop, billing]);
  await choose("API key", "billing");
  await page.reload();
  assert.deepEqual(await eventsOn(page, 1), [billing]);
  await choose("Kind", "Quota");
  await see("None of the newest 5 events is of this kind.");
  await choose("API key", "All keys");
  assert.match((await eventsOn(page, 1)).join(), /^Most of the quota used/);
  assert.equal(await page.getByRole("button", { name: "Show older" }).count(), 0);
});

test("older events are added with the keyboard, without leaving the place, at a second try too", async () => {
  await using visitor = await comeLoggedIn(service, "/favicon.svg");
  const { page, email } = visitor;
  // With the registration and the log-in 200 events: two full pages, and then an empty one.
  storeEvents(email, 198, "account.plan_changed");
  await page.goto("/activity");
  const button = (name: string) => page.getByRole("button", { name });
  const focusedEvent = () => page.evaluate("document.activeElement.firstChild.textContent");
  await eventsOn(page, 100);
  visitor.expectError(/ERR_FAILED/);
  await page.route("**/v1/account/events?*", (route) => route.abort());
  await button("Show older").click();
  await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
  await eventsOn(page, 100);
  await page.unrouteAll();

  await button("Try again").focus();
  await page.keyboard.press("Enter");
  const rows = await eventsOn(page, 200);
  assert.equal(new Set(rows).size, 200, "an event is listed twice");
  assert.equal(await focusedEvent(), "Moved to plan p99", "the first older event has the focus");
  assert.equal(await page.getByRole("alert").count(), 0);
  await button("Show older").focus();
  await page.keyboard.press("Enter");
  await button("Show older").waitFor({ state: "detached" });
  assert.equal(await focusedEvent(), "Moved to plan p198", "the focus is lost with the button");
});
