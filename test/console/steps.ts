import type { Page } from "playwright-core";

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
 * Ignores layout shifts so far. Call it as soon as the requested content is visible: Chromium
 * ignores shifts within half a second after an input, but a busy machine takes longer.
 */
export async function excuseShift(page: Page): Promise<void> {
  // Lets the observer receive the shifts of everything painted so far.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
  await page.evaluate("shiftSum = 0");
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

/** Opens a page through the navigation bar. */
export async function turnTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
}

/** Presses the button of "Try it" and waits for the response. @returns the displayed cost. */
export async function tryIt(page: Page, button = "Read the rate"): Promise<string> {
  await page.getByRole("button", { name: button }).click();
  const cost = page.getByText("It cost").locator("strong");
  return (await cost.textContent()) ?? "";
}
