import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { PASSWORD } from "../support/client.ts";
import { eventually, mailTo, tokenOf } from "../support/mails.ts";
import { temporaryDirectory } from "../support/process.ts";
import { startService, type TestService } from "../support/service.ts";
import { excuseShift, logIn, signUp, turnTo, untilCount } from "./steps.ts";

const EMAIL = "ada@example.org";
const ACCOUNT = "/v1/account";
const NOW = "2026-11-21T12:00:00.000Z";
const [look] = twoLooks as [Look];

/** Opens the page Account with a log-in, by the service's clock. */
async function openAccount(page: Page): Promise<void> {
  await page.clock.setFixedTime(NOW);
  await page.goto("/account");
  await logIn(page, EMAIL);
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await excuseShift(page);
}

/** The token of the tab's session. */
async function tokenIn(page: Page): Promise<string> {
  const stored = await page.evaluate<string>("sessionStorage.getItem('kurs.session')");
  return (JSON.parse(stored) as { token: string }).token;
}

const sessionsOn = (page: Page) => page.getByRole("region", { name: "Sessions" });

const statusOf = async (service: TestService, session: string) =>
  (await service.get(ACCOUNT, { session })).status;

for (const each of twoLooks) {
  test(`${each.name}: the page Account shows the email and its sessions, and ends the others`, async () => {
    await using service = await startService();
    const first = await service.openSession(EMAIL);
    service.clock.set("2026-11-21T12:05:00.000Z");
    const others = [await service.logIn(EMAIL), await service.logIn(EMAIL)];
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;

    await openAccount(page);

    const email = page.getByRole("region", { name: "Email" });
    await email.filter({ hasText: /ada@example\.org Not confirmedPlan free/ }).waitFor();
    const rows = sessionsOn(page).getByRole("listitem");
    await untilCount(rows, 4);
    const [own, ...rest] = await rows.allTextContents();
    assert.equal(own, "Started Nov 21, 2026, 12:05 UTCfrom 127.0.0.1This session");
    assert.equal(rest[2], "Started Nov 21, 2026, 12:00 UTCfrom 127.0.0.1Log out");
    await visitor.assertSound("the account");

    const name = "Log out the session started Nov 21, 2026, 12:00 UTC, from 127.0.0.1";
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByText("The session has ended.").waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "sessions");
    assert.equal(await statusOf(service, first), 401);
    assert.equal(await statusOf(service, others[0] ?? ""), 200, "another session has ended");
    await page.getByText("Session ended").first().waitFor();
    await excuseShift(page);
    await visitor.assertSound("the account, one session ended");

    await page.getByRole("button", { name: "Log out everywhere else" }).click();
    await page.getByText("Every other session has ended.").waitFor();
    await untilCount(rows, 1);
    for (const other of others) assert.equal(await statusOf(service, other), 401);
    assert.equal(await statusOf(service, await tokenIn(page)), 200);
    await page.setViewportSize({ width: 320, height: 740 });
    await excuseShift(page);
    await visitor.assertSound("the account, 320 px wide");
    visitor.assertQuiet();
  });

  test(`${each.name}: a deletion needs the password, and ends on the front page with a notice`, async () => {
    await using service = await startService();
    const { apiKey, session } = await service.newCustomer(EMAIL);
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await openAccount(page);
    const dialog = page.getByRole("dialog", { name: `Delete the account ${EMAIL}?` });

    await page.getByRole("button", { name: "Delete the account …" }).click();
    await dialog.getByText("Requests with your keys fail at once.").waitFor();
    await dialog.getByText("in the audit log, its events without addresses").waitFor();
    await visitor.assertSound("the question");
    await dialog.getByLabel("Password").fill("not the password");
    visitor.expectError(/status of 401/);
    await dialog.getByRole("button", { name: "Delete the account" }).click();
    await dialog.getByText("The password is incorrect. Nothing was deleted.").waitFor();
    await excuseShift(page);
    await visitor.assertSound("the wrong password");
    assert.equal(await statusOf(service, await tokenIn(page)), 200, "the session has ended");
    await dialog.getByRole("button", { name: "Keep the account" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await service.readRate("EUR/USD", apiKey)).status, 200);

    await page.getByRole("button", { name: "Delete the account …" }).click();
    await dialog.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText(`The account ${EMAIL} is deleted.`).waitFor();

    await excuseShift(page);
    assert.equal(page.url(), `${service.url}/`);
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
    await visitor.assertSound("the front page after the deletion");
    assert.equal((await service.readRate("EUR/USD", apiKey)).status, 401);
    assert.equal(await statusOf(service, session), 401);
    const login = { json: { email: EMAIL, password: PASSWORD } };
    assert.equal((await service.post("/v1/auth/login", login)).status, 401);
    await page.goBack();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    visitor.assertQuiet();
  });

  test(`${each.name}: the notice about the email is there until it is confirmed, and sends another mail`, async () => {
    await using service = await startService();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await page.clock.setFixedTime(NOW);
    await signUp(page, EMAIL);
    const notice = page.getByText(`To confirm ${EMAIL}, ask its operator for the link.`);
    await notice.waitFor();
    await page.getByText("No active key").waitFor();
    await excuseShift(page);
    await page.reload();
    await notice.waitFor();
    await visitor.assertSound("the keys of an unconfirmed account");

    await turnTo(page, "Account");
    await notice.waitFor();
    await page.getByRole("button", { name: "Resend" }).click();
    await page.getByText("A new mail is in the files.").waitFor();
    const token = tokenOf(await mailTo(service.dataDirectory, EMAIL, "verify", 2));
    await excuseShift(page);
    await visitor.assertSound("the account with another mail");

    const confirmed = await service.post("/v1/auth/verification", { json: { token } });
    assert.equal(confirmed.status, 204);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await notice.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Email" }).getByText("Confirmed").waitFor();
    await turnTo(page, "Keys");
    await page.getByText("No active key").waitFor();
    assert.equal(await notice.count(), 0);
    visitor.assertQuiet();
  });
}

test("the export is a file with what the API returns, and no URL has the session", async () => {
  await using service = await startService();
  await service.openSession(EMAIL);
  await eventually("the delivery in the mail's row", async () =>
    service.query("SELECT 1 FROM mails WHERE delivered_at IS NOT NULL").at(0),
  );
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  const urls: string[] = [];
  page.on("request", (request) => void urls.push(request.url()));
  await openAccount(page);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the export" }).click(),
  ]);

  await page.getByText("Saved as kurs-account-2026-11-21.json").waitFor();
  assert.equal(download.suggestedFilename(), "kurs-account-2026-11-21.json");
  const saved = JSON.parse(await readFile(await download.path(), "utf8"));
  const session = await tokenIn(page);
  const { events: _later, ...sent } = (await service.get(`${ACCOUNT}/export`, { session })).body;
  const { events, ...rest } = saved;
  assert.deepEqual(rest, sent);
  assert.equal(events.length, 4, "the registration, two log-ins, and this export");
  assert.doesNotMatch([...urls, download.url()].join(), /svc_sess|token/);
  visitor.assertQuiet();
});

test("more than six sessions are folded, and one that is over already counts as ended", async () => {
  await using service = await startService();
  await service.register(EMAIL);
  for (let count = 0; count < 7; count += 1) await service.logIn(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openAccount(page);
  await untilCount(sessionsOn(page).getByRole("listitem"), 6);
  await page.getByText("More sessions (2)").click();
  await untilCount(sessionsOn(page).getByRole("listitem"), 8);
  await excuseShift(page);
  await visitor.assertSound("many sessions");
  const session = await tokenIn(page);
  assert.equal((await service.call("DELETE", `${ACCOUNT}/sessions`, { session })).status, 204);

  visitor.expectError(/status of 404/);
  await page
    .getByRole("button", { name: /^Log out the session/ })
    .first()
    .click();

  await page.getByText("The session has ended.").waitFor();
  await untilCount(sessionsOn(page).getByRole("listitem"), 1);
  assert.equal(await page.getByRole("alert").count(), 0);
  visitor.assertQuiet();
});

test("the page Account turns the mails about the quota off", async () => {
  await using service = await startService();
  const session = await service.openSession(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openAccount(page);

  await page.getByText("Mail me at 80 %").click();

  await page.getByText("Quota mails turned off").waitFor();
  const { body } = await service.get(`${ACCOUNT}/settings`, { session });
  assert.equal(body.quota_mails, false);
  await page.getByRole("link", { name: "All activity" }).click();
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  visitor.assertQuiet();
});

test("a deletion with a session that is over deletes nothing and leads to the log-in", async () => {
  await using service = await startService();
  const { apiKey } = await service.newCustomer(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openAccount(page);
  service.query("DELETE FROM sessions");

  visitor.expectError(/status of 401/);
  await page.getByRole("button", { name: "Delete the account …" }).click();
  await page.getByRole("dialog").getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");

  await page.getByText("Your session has ended.").waitFor();
  assert.equal((await service.readRate("EUR/USD", apiKey)).status, 200);
  await logIn(page, EMAIL);
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  visitor.assertQuiet();
});

test("while the service is away nothing on the page Account is lost, and its parts say so", async () => {
  await using directory = await temporaryDirectory();
  await using running = new AsyncDisposableStack();
  const service = running.use(await startService({ dataDirectory: directory.path }));
  await service.register(EMAIL);
  await service.logIn(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openAccount(page);
  await running.disposeAsync();

  visitor.expectError(/ERR_CONNECTION_REFUSED/);
  for (const button of ["Log out the session", "Log out everywhere else", "Download the export"]) {
    await page.getByRole("button", { name: button }).click();
  }

  await page.getByText("The service cannot be reached.").nth(2).waitFor();
  await untilCount(sessionsOn(page).getByRole("listitem"), 2);
  assert.equal(await page.getByText("has ended").count(), 0);
  assert.equal(await page.getByText("Saved as").count(), 0);
  await excuseShift(page);
  await visitor.assertSound("the account, unreachable");
  visitor.assertQuiet();
});

test("whoever asks too often is told so, and nothing is deleted, mailed or saved", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 5 } });
  const session = await service.openSession(EMAIL);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openAccount(page);
  const untilRejected = async (method: string, path: string, json: object | undefined) => {
    const call = () => service.call(method, path, { session, json });
    while ((await call()).status !== 429);
  };
  await untilRejected("GET", `${ACCOUNT}/export`, undefined);
  await untilRejected("POST", "/v1/auth/verification/resend", { email: EMAIL });
  await untilRejected("DELETE", ACCOUNT, { password: "not the password" });
  const { count: mails } = service.query("SELECT count(*) AS count FROM mails")[0] ?? {};

  visitor.expectError(/status of 429/);
  await page.getByRole("button", { name: "Download the export" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: /Too many/ })
    .waitFor();
  await page.getByRole("button", { name: "Resend" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: /Too many/ })
    .nth(1)
    .waitFor();
  assert.equal(await page.getByText("Saved as").count(), 0);
  assert.equal(await page.getByText("A new mail").count(), 0);
  await page.getByRole("button", { name: "Delete the account …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");

  await dialog
    .getByRole("alert")
    .filter({ hasText: /Too many/ })
    .waitFor();
  await excuseShift(page);
  await visitor.assertSound("the rejected deletion");
  assert.equal(await statusOf(service, await tokenIn(page)), 200);
  assert.equal(service.query("SELECT count(*) AS count FROM mails")[0]?.count, mails);
  visitor.assertQuiet();
});
