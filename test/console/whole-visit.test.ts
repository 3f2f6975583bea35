import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { looks, Visitor } from "../support/browser.ts";
import { mailTo, tokenOf } from "../support/mails.ts";
import {
  type Server,
  serve,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../support/process.ts";
import {
  copyWith,
  createKey,
  excuseShift,
  logIn,
  logOut,
  PASSWORD,
  signUp,
  tryIt,
  turnTo,
} from "./steps.ts";

let directory: TemporaryDirectory;
let server: Server;

before(async () => {
  directory = await temporaryDirectory();
  server = await serve({ dataDirectory: directory.path });
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
  await directory?.[Symbol.asyncDispose]();
});

for (const look of looks) {
  test(`${look.name}: from sign-up to a revoked key every page is accessible and without errors`, async () => {
    await using visitor = await Visitor.come(server.url, look);
    const { page } = visitor;
    const email = `ada-${look.name.replace(" ", "-")}@example.org`;

    await page.goto("/");
    await visitor.assertSound("the welcome page");
    await page.getByRole("link", { name: "Create an account" }).click();
    await visitor.assertSound("the sign-up");
    await signUp(page, email);
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    // The navigation bar changes to its logged-in form.
    await excuseShift(page);
    await page.getByText("No active key").waitFor();
    await visitor.assertSound("the keys, empty");

    await page.goto(`/verify#token=${tokenOf(await mailTo(directory.path, email, "verify"))}`);
    await page.getByRole("heading", { name: "Your email is confirmed" }).waitFor();
    assert.equal(new URL(page.url()).hash, "", "the token is still in the address bar");
    await visitor.assertSound("the confirmation");

    await logOut(page);
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    // The navigation bar changes to its logged-out form.
    await excuseShift(page);
    await visitor.assertSound("the log-in");
    await logIn(page, email);
    await page.getByText("No active key").waitFor();

    const secret = await createKey(page, "billing");
    assert.match(secret, /^svc_live_[0-9a-f]{64}$/);
    await page.getByText("You won't see this key again").waitFor();
    await visitor.assertSound("the new key");
    assert.equal(await copyWith(page, "Copy the key"), secret);
    await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();

    await turnTo(page, "Try it");
    await visitor.assertSound("try it");
    assert.equal(await page.getByLabel("API key").inputValue(), secret);
    assert.equal(await tryIt(page), "1 unit");
    await page.getByText("1 EUR = 1.1476 USD").waitFor();
    await page.getByText("1 of 1,000 units used").waitFor();
    await visitor.assertSound("the response");

    await turnTo(page, "Usage");
    await page.getByText("of 1,000 units used").waitFor();
    await page.getByRole("img", { name: /: 1 in all$/ }).waitFor();
    await page.getByRole("cell", { name: /^billing/ }).waitFor();
    await visitor.assertSound("the usage");

    await turnTo(page, "Keys");
    await page.getByRole("button", { name: "Revoke billing" }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke “billing”?" });
    await dialog.waitFor();
    await visitor.assertSound("the confirmation dialog");
    await dialog.getByRole("button", { name: "Keep it" }).click();
    await dialog.waitFor({ state: "detached" });
    const asKey = { apiKey: secret };
    assert.equal((await server.get("/v1/rates/EUR/USD", asKey)).status, 200, "the key is invalid");
    await page.getByRole("button", { name: "Revoke billing" }).click();
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("Revoked keys (1)").click();
    await page.getByText("No active key").waitFor();
    await excuseShift(page);
    await visitor.assertSound("the keys, one revoked");
    assert.equal(await page.getByText(secret).count(), 0, "the revoked key is visible");

    await turnTo(page, "Try it");
    await page.getByLabel("API key").fill(secret);
    visitor.expectError(/status of 401/);
    assert.equal(await tryIt(page), "nothing");
    await page.getByRole("alert").getByText("A valid API key is required.").waitFor();
    await excuseShift(page);
    await page.getByText("2 of 1,000 units used").waitFor();
    await visitor.assertSound("the rejection");

    await turnTo(page, "Activity");
    await page.getByText("Email confirmed").waitFor();
    await visitor.assertSound("the activity");

    await turnTo(page, "Agents");
    await visitor.assertSound("agents");
    assert.equal(await server.usedUnits(await server.logIn(email)), 2);
    visitor.assertQuiet();
  });
}

for (const look of looks) {
  test(`${look.name}: a mailed link resets a forgotten password`, async () => {
    await using visitor = await Visitor.come(server.url, look);
    const { page } = visitor;
    const email = `grace-${look.name.replace(" ", "-")}@example.org`;
    const session = await server.openSession(email);

    await page.goto("/login");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("Email").fill(email);
    await visitor.assertSound("the forgotten password");
    await page.getByRole("button", { name: "Send reset link" }).click();
    await page.getByText(`If there is an account for ${email}`).waitFor();

    const token = tokenOf(await mailTo(directory.path, email, "reset"));
    await page.goto(`/reset#token=${token}`);
    await visitor.assertSound("the reset");
    await page.getByLabel("New password").fill("a quite different one");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("heading", { name: "Your password is set" }).waitFor();
    await visitor.assertSound("the new password");
    assert.equal((await server.get("/v1/account/usage", { session })).status, 401);

    await page.getByRole("main").getByRole("link", { name: "Log in" }).click();
    visitor.expectError(/status of 401/);
    await logIn(page, email, PASSWORD);
    await page.getByText("Email or password is incorrect.").waitFor();
    await excuseShift(page);
    await visitor.assertSound("the rejected log-in");
    await logIn(page, email, "a quite different one");
    await page.getByText("No active key").waitFor();

    visitor.expectError(/status of 400/);
    await page.goto("about:blank");
    await page.goto(`/reset#token=${token}`);
    await page.getByLabel("New password").fill("one more password");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("alert").getByText("This link is invalid").waitFor();
    await page.getByRole("link", { name: "Send me a new link" }).waitFor();
    visitor.assertQuiet();
  });
}
