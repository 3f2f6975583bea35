import assert from "node:assert/strict";
import { test } from "node:test";
import { newInvitation } from "../contract/suite/customers.ts";
import { BY } from "../contract/suite/origins.ts";
import { startServiceOn } from "../support/both-engines.ts";
import { phone } from "../support/browser.ts";
import { invitationTo, mailTo, tokenOf } from "../support/mails.ts";
import { startService } from "../support/service.ts";
import {
  comeLoggedIn,
  comeTo,
  NOW,
  PASSWORD,
  startForVisitors,
  stepsOn,
  tokenIn,
} from "./steps.ts";

// The ways into an account and out of it.

const service = await startForVisitors();

test("a mailed link confirms the email once, and another tab knows when it is shown again", async () => {
  const email = "ada@example.org";
  await using visitor = await comeTo(service, "/signup");
  const { page, see, press, fill, signUp } = visitor;
  await signUp(email);
  await press("Resend");
  await see("A new mail is in the files.");
  const token = tokenOf(await mailTo(service.dataDirectory, email, "verify", 2));

  const other = await page.context().newPage();
  await other.goto(`/verify#token=${token}`);
  await stepsOn(other).seeHeading("Your email is confirmed");
  assert.equal(new URL(other.url()).hash, "", "the token is still in the address bar");
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText(`To confirm ${email}`).waitFor({ state: "detached" });

  visitor.expectError(/status of 400/);
  await page.goto(`/verify#token=${token}`);
  await page.getByRole("alert").getByText("This link is invalid").waitFor();
  await fill({ Email: "nobody@example.org" });
  await press("Send link");
  await see("If there is an account for nobody@example.org");
});

test("a mailed link resets a forgotten password once, and ends every session", async () => {
  const email = "grace@example.org";
  const session = await service.openSession(email);
  await using visitor = await comeTo(service, "/login");
  const { page, see, seeHeading, press, fill, logIn } = visitor;
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await fill({ Email: email });
  await press("Send reset link");
  await see(`If there is an account for ${email}`);
  const token = tokenOf(await mailTo(service.dataDirectory, email, "reset"));
  const setPassword = async (password: string) => {
    await page.goto("about:blank");
    await page.goto(`/reset#token=${token}`);
    await fill({ "New password": password });
    await press("Set password");
  };

  await setPassword("a quite different one");
  await seeHeading("Your password is set");
  assert.equal((await service.get("/v1/account", { session })).status, 401);
  await page.getByRole("main").getByRole("link", { name: "Log in" }).click();
  await logIn(email, "a quite different one");
  await see("No active key");
  visitor.expectError(/status of 400/);
  await setPassword("one more password");
  await page.getByRole("alert").getByText("This link is invalid").waitFor();
  await see("Send me a new link");
});

test("a rejected field shows what to do, and no request id; a password can be shown", async () => {
  await service.register("taken@example.org");
  await using visitor = await comeTo(service, "/signup");
  const { page, press, fill, signUp } = visitor;
  visitor.expectError(/status of (409|400)/);
  const rejection = page.getByRole("alert");
  await signUp("taken@example.org");
  await rejection.getByText("already").waitFor();
  await fill({ Email: "new@example.org", "New password": "password" });
  const type = () => page.getByLabel("New password").getAttribute("type");
  await press("Show New password");
  assert.equal(await type(), "text");
  await press("Hide New password");
  assert.equal(await type(), "password");
  await press("Create account");
  await rejection.getByText("That password is too common. Choose another.").waitFor();
  assert.equal(await rejection.locator("code").count(), 0);
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
});

test("a log-in leads to the keys while there is none, then home; a log-out ends it at the service", async () => {
  const email = "first@example.org";
  await service.register(email);
  await using visitor = await comeTo(service, "/login");
  const { page, see, seeHeading, logIn, logOut, createKey } = visitor;
  await logIn(email);
  await createKey("billing");
  assert.equal(page.url(), `${service.url}/keys`);
  await page.reload();
  await see("Revoke");
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(await page.evaluate("localStorage.length"), 0);
  const session = await tokenIn(page);
  await logOut();
  await seeHeading("Log in");
  assert.equal(new URL(page.url()).search, "", "a log-out leaves no page to return to");
  assert.equal((await service.get("/v1/account", { session })).status, 401);
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
  await logIn(email);
  await see("last used: never");
  assert.equal(page.url(), `${service.url}/home`);
  await page.getByRole("link", { name: "Try your first read" }).click();
  await seeHeading("Try it");
});

test("after a session's end at the service, a log-in leads back to the page and its parameters", async () => {
  await using visitor = await comeLoggedIn(service, "/keys");
  const { page, email, see, seeHeading, logIn, logOut, turnTo } = visitor;
  await see("No active key");
  service.query("DELETE FROM sessions");
  visitor.expectError(/status of 401/);
  await turnTo("Usage");
  await see("Your session has ended.");
  assert.equal(await page.evaluate("sessionStorage.length"), 0, "the session is still stored");
  await logIn(email);
  await see("of 1,000 units used");
  assert.equal(new URL(page.url()).pathname, "/usage");
  await logOut();
  await seeHeading("Log in");
  await page.goto("/source?key=ecb");
  await logIn(email);
  await seeHeading("European Central Bank");
  assert.equal(page.url(), `${service.url}/source?key=ecb`);
});

test("a visitor can log in, create a key and revoke it with the keyboard alone", async () => {
  await service.register("keys@example.org");
  await using visitor = await comeTo(service, "/");
  const { page, see, seeHeading, focused } = visitor;
  const { keyboard } = page;
  const typeAndTab = async (text: string) => {
    await keyboard.type(text);
    await keyboard.press("Tab");
  };
  await page.getByRole("heading", { level: 1 }).waitFor();
  await keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
  await page.getByRole("link", { name: "Log in" }).first().focus();
  await keyboard.press("Enter");
  await seeHeading("Log in");
  await page.getByLabel("Email").and(page.locator(":focus")).waitFor();
  await page.reload();
  await page.getByLabel("Email").and(page.locator(":focus")).waitFor();
  await typeAndTab("keys@example.org");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await see("No active key");
  await keyboard.press("Tab");
  assert.equal(await focused(), "Resend", "the notice about the email comes first");
  await keyboard.press("Tab");
  await keyboard.type("billing");
  await keyboard.press("Enter");
  await seeHeading("Copy the key “billing” now");
  assert.equal(await focused(), "Copy the key “billing” now");
  await page.getByRole("button", { name: "Revoke billing" }).focus();
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  assert.equal(await focused(), "Keep it", "the button that changes nothing must come first");
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Revoke billing");
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await keyboard.press("Tab");
  assert.equal(await focused(), "Revoke key");
  await keyboard.press("Enter");
  await see("Revoked keys (1)");
});

test("the owner of an account has a link to set a new password mailed, and stays logged in", async () => {
  await using visitor = await comeLoggedIn(service, "/account");
  const { email, session, see, press } = visitor;
  await press("Set a new password");
  await see("The mail is in a file: ask the operator of this service for its link.");
  tokenOf(await mailTo(service.dataDirectory, email, "reset"));
  assert.equal((await service.get("/v1/account", { session })).status, 200);
});

test("without a confirmed email a service that needs it lets nobody in, and mails again", async () => {
  await using own = await startService({ config: { requireVerifiedEmail: true } });
  await using visitor = await comeTo(own, "/signup");
  const { page, see, seeHeading, press, signUp, logIn } = visitor;
  visitor.expectError(/status of 403/);
  await signUp("ada@example.org");
  await seeHeading("Confirm your email");
  await press("Send another mail");
  await see("A new mail is in a file.");
  await page.getByRole("main").getByRole("link", { name: "Log in" }).click();
  await logIn("ada@example.org");
  await seeHeading("Confirm your email");
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
});

const invited = "ada+kurs@example.org";

/** A service in a mode of registration, and the link of an invitation's mail. */
async function startInvited(registration: "invite" | "closed") {
  const on = await startServiceOn("sqlite", {
    config: { registration, requireVerifiedEmail: true },
  });
  const invitation = { email: invited, createdAt: NOW, expiresAt: "2026-11-28T12:00:00.000Z" };
  await using store = await on.openStore();
  await store.invitations.create(newInvitation(invitation), BY);
  const { address } = await invitationTo(on.service.dataDirectory, invited);
  return Object.assign(on, { link: address.slice(on.service.url.length) });
}

test("registration by invitation: its mail's link opens one account", async () => {
  await using on = await startInvited("invite");
  await using visitor = await comeTo(on.service, on.link, { look: phone });
  const { page, see, seeHeading, press, fill, signUp, logOut } = visitor;
  const email = page.getByLabel("Email");
  assert.deepEqual([await email.inputValue(), await email.getAttribute("readonly")], [invited, ""]);
  assert.equal(page.url(), `${on.service.url}/signup`, "the secret is in the address bar");
  await see("Your invitation is for this address.");
  await fill({ "New password": PASSWORD });
  await press("Create account");
  await see("No active key");
  assert.equal(await page.getByText("To confirm").count(), 0, "no mail was sent");
  await logOut();
  await seeHeading("Log in");

  visitor.expectError(/status of 403/);
  await page.goto("about:blank");
  await page.goto(on.link.replace(/&email=.*/, ""));
  await signUp(invited);
  await page.getByRole("alert").getByText("Registration is by invitation only.").waitFor();
});

test("registration open: a visitor with a used invitation can continue without it", async () => {
  const link = `/signup#invitation=${"3f".repeat(32)}&email=x%40example.org`;
  await using visitor = await comeTo(service, link);
  const { page, see, press, fill, signUp } = visitor;
  visitor.expectError(/status of 400/);
  await fill({ "New password": PASSWORD });
  await press("Create account");
  await page.getByRole("alert").getByText("This invitation is for another email").waitFor();
  await press("Continue without the invitation");
  await signUp("y@example.org");
  await see("To confirm y@example.org, ask its operator");
});

for (const [mode, text] of [
  ["invite", "Accounts are by invitation"],
  ["closed", "Registration is closed"],
] as const) {
  test(`registration ${mode}: no page offers an account in vain, and the pages say what to do`, async () => {
    await using on = await startInvited(mode);
    await using visitor = await comeTo(on.service, "/favicon.svg");
    const { page, see } = visitor;
    for (const path of ["/", "/coverage", "/login"]) {
      await page.goto(path);
      await page.getByText(path === "/login" ? "Forgot your password?" : text).waitFor();
      assert.equal(await page.locator('a[href$="signup"]').count(), 0, path);
    }
    await page.goto(mode === "closed" ? on.link : "/signup");
    await see(`${text}: ask the operator of this service`);
    assert.equal(page.url(), `${on.service.url}/signup`, "the secret is in the address bar");
    assert.equal(await page.getByLabel("Email").count(), 0);
  });
}
