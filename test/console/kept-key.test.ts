import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { startServiceNow } from "../support/service.ts";
import {
  assertSoundAndNarrow,
  createKey,
  excuseShift,
  logOut,
  signUp,
  tryIt,
  turnTo,
} from "./steps.ts";

const EMAIL = "ada@example.org";
const [look] = twoLooks as [Look];

const keepBox = (page: Page) => page.getByLabel(/^Keep it in this tab/);

const keyField = (page: Page) => page.getByLabel("API key", { exact: true });

const stored = (page: Page) => page.evaluate<string | null>("sessionStorage.getItem('kurs.key')");

/** Opens "Try it" once the choice is made and the notice is closed. */
async function openTryIt(page: Page): Promise<void> {
  await page.getByRole("button", { name: "I have stored it" }).click();
  await turnTo(page, "Try it");
  await page.getByText("Euro", { exact: true }).waitFor();
}

for (const each of twoLooks) {
  test(`${each.name}: a new key is kept for the visit if its owner agrees, and forgotten on request`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await signUp(page, EMAIL);
    const secret = await createKey(page, "billing");
    assert.equal(await keepBox(page).isChecked(), false);
    await keepBox(page).check();
    await assertSoundAndNarrow(visitor, "a kept key");
    await openTryIt(page);
    await page.reload();

    await page.getByText("The key “billing”, kept in this tab.").waitFor();

    assert.equal(await keyField(page).inputValue(), secret);
    assert.equal(await tryIt(page), "1 unit");
    await excuseShift(page);
    await assertSoundAndNarrow(visitor, "a request with the kept key");
    await page.getByRole("button", { name: "Forget it" }).click();
    assert.equal(await keyField(page).inputValue(), "");
    assert.equal(await stored(page), null);
    await page.getByRole("main").getByRole("link", { name: "Create one" }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    assert.equal(await page.evaluate("localStorage.length"), 0);
    visitor.assertQuiet();
  });
}

test("a new key is not kept unless its owner agrees, and no longer when the box is cleared", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await signUp(page, EMAIL);
  const secret = await createKey(page, "billing");
  assert.equal(await stored(page), null);
  await keepBox(page).check();
  assert.ok((await stored(page))?.includes(secret));
  await keepBox(page).uncheck();
  assert.equal(await stored(page), null);

  await openTryIt(page);

  assert.equal(await keyField(page).inputValue(), "");
  visitor.assertQuiet();
});

test("a log-out and a revocation end the keeping of a key", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await signUp(page, EMAIL);
  await createKey(page, "first");
  await keepBox(page).check();

  await page.getByRole("button", { name: "Revoke first" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("No active key").waitFor();
  assert.equal(await stored(page), null);
  await createKey(page, "second");
  await keepBox(page).check();
  await logOut(page);
  await page.getByRole("heading", { name: "Log in" }).waitFor();

  assert.equal(await page.evaluate("sessionStorage.length"), 0);
  visitor.assertQuiet();
});
