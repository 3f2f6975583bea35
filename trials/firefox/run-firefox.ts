import assert from "node:assert/strict";
import { test } from "node:test";
import { PASSWORD } from "../../test/console/steps.ts";
import { eventually } from "../../test/support/mails.ts";
import { startServiceNow } from "../../test/support/service.ts";
import { type FirefoxTab, startFirefox } from "./firefox.ts";

// The main flows in Firefox, where it is installed: `npm run trials -- firefox`.

const EMAIL = "ada@example.org";

const see = (tab: FirefoxTab, text: string) =>
  eventually(`text ${text}`, async () => {
    const shown = String(await tab.evaluate("document.body?.innerText ?? ''"));
    return shown.includes(text) ? true : undefined;
  });

/** Fills in the field with a label, as typing does. */
const fill = (tab: FirefoxTab, label: string, value: string) =>
  tab.evaluate(`(() => {
    const found = [...document.querySelectorAll("label")].find(
      (element) => element.textContent === ${JSON.stringify(label)});
    const { control } = found;
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    set.call(control, ${JSON.stringify(value)});
    control.dispatchEvent(new InputEvent("input", { bubbles: true }));
  })()`);

/** Clicks a visible link or button. */
const click = (tab: FirefoxTab, name: string) =>
  eventually(`a link or button ${name}`, async () => {
    const isClicked = await tab.evaluate(`(() => {
      const found = [...document.querySelectorAll("a, button")].find((element) =>
        element.checkVisibility() && element.textContent === ${JSON.stringify(name)});
      found?.click();
      return found !== undefined;
    })()`);
    return isClicked ? true : undefined;
  });

test("Firefox: an account, a key, a read, its usage, and a session in two tabs", async () => {
  await using service = await startServiceNow();
  await using firefox = await startFirefox();
  const tab = await firefox.openTab();

  await tab.goto(`${service.url}/signup`);
  await see(tab, "Create an account");
  await fill(tab, "Email", EMAIL);
  await fill(tab, "New password", PASSWORD);
  await click(tab, "Create account");
  await see(tab, "No active key");
  await fill(tab, "Name of a new key", "billing");
  await click(tab, "Create key");
  await see(tab, "Copy the key “billing” now");
  await click(tab, "Try it");
  await see(tab, "The key “billing” that you have just created.");
  await click(tab, "Read the rate");
  await see(tab, "1.1476");
  await click(tab, "Usage");
  await see(tab, "1 of 1,000 units used");
  await eventually("the chart", async () =>
    (await tab.evaluate("document.querySelector('canvas') !== null")) ? true : undefined,
  );
  await click(tab, "Theme: system");
  await click(tab, "Theme: light");
  assert.equal(await tab.evaluate("getComputedStyle(document.body).colorScheme"), "dark");

  const second = await firefox.openTab();
  await second.goto(`${service.url}/keys`);
  await see(second, EMAIL);
  await see(second, "billing");
  await second.goto(`${service.url}/docs`);
  await see(second, "Get one direct rate for one unit");
  await click(second, "Log out");
  await see(tab, "Forgot your password?");
  assert.equal(await tab.evaluate("sessionStorage.length"), 0);
  assert.equal(await tab.evaluate("document.cookie"), "");
  assert.deepEqual(firefox.errors, []);
});
