import type { Page } from "playwright-core";

/** The password of whoever visits in a test. */
export const PASSWORD = "correct horse battery";

/** @param prefix the path that the service is under. */
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

/** Fills in the log-in form that is shown. */
export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

/**
 * Leaves out what has moved so far. To be called as soon as what the visitor has asked for is shown:
 * Chromium excuses what moves within half a second after the input, and a busy machine takes longer.
 */
export async function excuseShift(page: Page): Promise<void> {
  // What was painted before is told to the observer by then.
  await page.evaluate("new Promise((told) => requestAnimationFrame(() => setTimeout(told)))");
  await page.evaluate("shiftSum = 0");
}

/** @returns the secret, as it is shown this once. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByLabel("Name of a new key").fill(name);
  await page.getByRole("button", { name: "Create key" }).click();
  const notice = page.getByRole("region", { name: `Copy the key “${name}” now` });
  const secret = (await notice.locator("code").textContent()) ?? "";
  await excuseShift(page);
  return secret;
}

/** Goes to a page by the bar on top. */
export async function turnTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
}

/** Presses the button of "Try it" and waits for the answer. @returns what it cost. */
export async function tryIt(page: Page, button = "Read the rate"): Promise<string> {
  await page.getByRole("button", { name: button }).click();
  const cost = page.getByText("It cost").locator("strong");
  return (await cost.textContent()) ?? "";
}
