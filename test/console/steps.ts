import type { Locator, Page } from "playwright-core";
import type { Visitor } from "../support/browser.ts";
import { eventually } from "../support/mails.ts";

/** The password of every visitor in the tests. */
export const PASSWORD = "correct horse battery";

/** @param prefix the path under which the proxy serves the console. */
export async function signUp(
  page: Page,
  email: string,
  password = PASSWORD,
  prefix = "",
): Promise<void> {
  await page.goto(`${prefix}/signup`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
}

/** Fills in the visible log-in form. */
export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

/**
 * Waits until a list has exactly so many elements. Counting it at once is a race: the click that
 * fills it returns before the response comes.
 */
export async function untilCount(list: Locator, count: number): Promise<void> {
  if (count > 0) await list.nth(count - 1).waitFor();
  await list.nth(count).waitFor({ state: "detached" });
}

/** Ignores the layout shifts of a load so far. After the visitor's first input none count anyway. */
export async function excuseShift(page: Page): Promise<void> {
  // Lets the observer receive the shifts of everything painted so far.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
  await page.evaluate("shiftSum = 0");
}

/** Asserts that a page is sound in its window, and in the narrowest that people use. */
export async function assertSoundAndNarrow(visitor: Visitor, where: string): Promise<void> {
  const { page } = visitor;
  await visitor.assertSound(where);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  await excuseShift(page);
  await visitor.assertSound(`${where}, 320 px wide`);
  if (size !== null) await page.setViewportSize(size);
  await excuseShift(page);
}

/** @returns the secret, which the page shows only once. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByLabel("Name of a new key").fill(name);
  await page.getByRole("button", { name: "Create key" }).click();
  const notice = page.getByRole("region", { name: `Copy the key “${name}” now` });
  const secret = (await notice.locator("code").textContent()) ?? "";
  await excuseShift(page);
  return secret;
}

/**
 * Opens the menu, which a narrow window has instead of the bar's links, once the owner's page is
 * shown: it takes the focus after a log-in, and that would close the menu again.
 */
async function openMenu(page: Page): Promise<void> {
  await page.locator(".signed-in").waitFor();
  await page.locator("h1").first().waitFor();
  const button = page.getByRole("button", { name: "Menu", exact: true, expanded: false });
  if (await button.isVisible()) await button.click();
}

export async function logOut(page: Page): Promise<void> {
  await openMenu(page);
  await page.getByRole("button", { name: "Log out", exact: true }).click();
}

/** Presses a button that copies. @returns the text: the browser writes it only after the click. */
export async function copyWith(page: Page, name: string): Promise<string> {
  await page.evaluate("navigator.clipboard.writeText('')");
  await page.getByRole("button", { name }).click();
  const read = () => page.evaluate<string>("navigator.clipboard.readText()");
  return await eventually("copied text", async () => (await read()) || undefined);
}

/** Opens a page through the navigation bar. */
export async function turnTo(page: Page, name: string): Promise<void> {
  await openMenu(page);
  await openGroup(page, name);
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
}

/** Opens the group of the link, which a wide window has where a narrow one has a heading. */
async function openGroup(page: Page, name: string): Promise<void> {
  const link = page.locator("a").getByText(name, { exact: true });
  const group = page.locator(".nav-group").filter({ has: link });
  const button = group.getByRole("button", { expanded: false });
  if ((await button.count()) > 0) await button.click();
}

/** The button that opens a call in the API reference. */
export const callIn = (page: Page, path: string, method = "GET"): Locator =>
  page.getByRole("button", { name: new RegExp(`^${method} ${RegExp.escape(path)} `) });

/** Presses the button of "Try it" and waits for the response. @returns the displayed cost. */
export async function tryIt(page: Page, button = "Read the rate"): Promise<string> {
  await page.getByRole("button", { name: button }).click();
  const cost = page.getByText("It cost").locator("strong");
  return (await cost.textContent()) ?? "";
}
