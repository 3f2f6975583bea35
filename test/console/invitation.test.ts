import assert from "node:assert/strict";
import { test } from "node:test";
import { BY, newInvitation } from "../contract/suite/database.ts";
import { type ServiceOnEngine, startServiceOn } from "../support/both-engines.ts";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { invitationTo, mailTo, tokenOf } from "../support/mails.ts";
import { kurs } from "../support/process.ts";
import { TestClock } from "../support/service.ts";
import { excuseShift, logIn, logOut, PASSWORD } from "./steps.ts";

const EMAIL = "ada+kurs@example.org";
const [look] = twoLooks as [Look];

/** A service in a mode of registration, by the browser's clock. */
async function startIn(registration: "open" | "invite" | "closed", requireVerifiedEmail = false) {
  const clock = new TestClock(new Date().toISOString());
  const config = { registration, requireVerifiedEmail };
  return await startServiceOn("sqlite", { clock, config });
}

/** Invites EMAIL. @returns the link of the mail, without the server's address. */
async function invite({ service, openStore }: ServiceOnEngine): Promise<string> {
  const createdAt = new Date(service.clock.nowMs()).toISOString();
  const expiresAt = new Date(service.clock.nowMs() + 7 * 86_400_000).toISOString();
  {
    await using store = await openStore();
    await store.invitations.create(newInvitation({ email: EMAIL, createdAt, expiresAt }), BY);
  }
  const { address } = await invitationTo(service.dataDirectory, EMAIL);
  return address.slice(service.url.length);
}

for (const each of twoLooks) {
  test(`${each.name}: the link of an invitation's mail opens an account where registration is by invitation`, async () => {
    await using on = await startIn("invite", true);
    const link = await invite(on);
    await using visitor = await Visitor.come(on.service.url, each);
    const { page } = visitor;

    await page.goto(link);

    const email = page.getByLabel("Email");
    assert.equal(await email.inputValue(), EMAIL);
    assert.equal(await email.getAttribute("readonly"), "");
    assert.equal(page.url(), `${on.service.url}/signup`, "the secret is in the address bar");
    await page.getByText("Your invitation is for this address.").waitFor();
    await visitor.assertSound("the invitation");
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("No active key").waitFor();
    await excuseShift(page);
    assert.equal(await page.getByText("To confirm").count(), 0, "no mail was sent");
    await visitor.assertSound("the keys of an invited account");

    await logOut(page);
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    visitor.expectError(/status of 403/);
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("alert").getByText("Registration is by invitation only.").waitFor();
    await excuseShift(page);
    await visitor.assertSound("the used invitation");
    visitor.assertQuiet();
  });
}

for (const mode of ["invite", "closed"] as const) {
  const text = { invite: "Accounts are by invitation", closed: "Registration is closed" }[mode];

  test(`registration ${mode}: no page offers an account in vain, and the pages say what to do`, async () => {
    await using on = await startIn(mode);
    await using visitor = await Visitor.come(on.service.url, look);
    const { page } = visitor;

    for (const [path, heading] of [
      ["/", "Exact rates, exactly metered."],
      ["/login", "Log in"],
      ["/docs", "API reference"],
    ] as const) {
      await page.goto(path);
      await page.getByRole("heading", { name: heading }).first().waitFor();
      assert.equal(await page.locator('a[href$="signup"]').count(), 0, path);
    }
    await page.goto("/");
    await page.getByText(text).waitFor();
    await visitor.assertSound("the welcome page");
    await page.goto("/signup");
    await page.getByText(`${text}: ask the operator of this service`).waitFor();
    assert.equal(await page.getByLabel("Email").count(), 0);
    await visitor.assertSound("the page without a form");
    visitor.assertQuiet();
  });

  test(`registration ${mode}: the document names the mode, also for a client that accepts compressed ones`, async () => {
    await using on = await startIn(mode);

    for (const headers of [{}, { "accept-encoding": "gzip, br" }]) {
      const { text: html, headers: sent } = await on.service.get("/", { headers });
      assert.ok(html.includes(`<meta name="registration" content="${mode}"`), html);
      assert.equal(sent["content-encoding"], undefined);
    }
  });
}

test("registration closed: the link of an invitation shows that registration is closed", async () => {
  await using on = await startIn("closed");
  const link = await invite(on);
  await using visitor = await Visitor.come(on.service.url, look);
  const { page } = visitor;

  await page.goto(link);

  await page.getByText("Registration is closed: ask the operator").waitFor();
  assert.equal(page.url(), `${on.service.url}/signup`, "the secret is in the address bar");
  visitor.assertQuiet();
});

test("registration open: a visitor with a used invitation can continue without it", async () => {
  await using on = await startIn("open");
  const { service } = on;
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  visitor.expectError(/status of 400/);

  await page.goto(`/signup#invitation=${"3f".repeat(32)}&email=${encodeURIComponent(EMAIL)}`);
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("alert").getByText("This invitation is for another email").waitFor();
  await page.getByRole("button", { name: "Continue without the invitation" }).click();
  await page.getByLabel("Email").fill("grace@example.org");
  await page.getByRole("button", { name: "Create account" }).click();

  await page.getByText("To confirm grace@example.org, ask its operator").waitFor();
  visitor.assertQuiet();
});

test("an invitation's link without its email asks for the email", async () => {
  await using on = await startIn("invite");
  const link = await invite(on);
  await using visitor = await Visitor.come(on.service.url, look);
  const { page } = visitor;

  await page.goto(link.replace(/&email=.*/, ""));
  await page.getByLabel("Email").fill(EMAIL);
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();

  await page.getByText("No active key").waitFor();
  visitor.assertQuiet();
});

test("the owner of an account that the operator created chooses a password and logs in", async () => {
  await using on = await startIn("closed");
  const { service } = on;
  const { dataDirectory } = service;
  const env = { SMTP_URL: "smtp://127.0.0.1:9" };
  const { exitCode } = await kurs(["accounts", "create", EMAIL], { dataDirectory, env });
  assert.equal(exitCode, 0);
  service.clock.set(new Date().toISOString());
  const token = tokenOf(await mailTo(dataDirectory, EMAIL, "reset"));
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;

  await page.goto(`/reset#token=${token}`);
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("heading", { name: "Your password is set" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Log in" }).click();
  await logIn(page, EMAIL);

  await page.getByText("No active key").waitFor();
  visitor.assertQuiet();
});
