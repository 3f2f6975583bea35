import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Look, looks, startBrowser, Visitor } from "../support/browser.ts";
import { serve, temporaryDirectory } from "../support/process.ts";
import { seedUsage } from "./seed-usage.ts";
import { callIn, createKey, logIn, signUp, tryIt, turnTo } from "./steps.ts";

// Takes a screenshot of every page and state, in three widths, light and dark, for review by eye.

const DIRECTORY = join(import.meta.dirname, "../../screenshots");

await mkdir(DIRECTORY, { recursive: true });
await using directory = await temporaryDirectory();
await using server = await serve({ dataDirectory: directory.path });
await using browser = await startBrowser();

const small = { width: 1024, height: 768, hasTouch: false } as const;

const allLooks: readonly Look[] = [
  ...looks,
  { name: "small light", ...small, colorScheme: "light" },
  { name: "small dark", ...small, colorScheme: "dark" },
];

for (const look of allLooks) {
  await using visitor = await Visitor.come(server.url, look, { browser });
  const slug = look.name.replace(" ", "-");
  await visit(visitor, `ada-${slug}@example.org`, async (name) => {
    const path = join(DIRECTORY, `${slug}-${name}.png`);
    await visitor.page.screenshot({ path, fullPage: true });
  });
  console.log(`${look.name}: done`);
}
console.log(`The screenshots are in ${DIRECTORY}`);

/** Visits every page and takes a screenshot of each of its states. */
async function visit(
  { page }: Visitor,
  email: string,
  keep: (name: string) => Promise<void>,
): Promise<void> {
  const guestPages = [
    "/",
    "/coverage",
    "/login",
    "/forgot",
    "/verify",
    "/reset",
    "/reset#token=1",
    "/nothing",
    "/guide/nothing",
  ];
  for (const [index, path] of guestPages.entries()) {
    await page.goto("about:blank");
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    if (path === "/") await page.getByText("299", { exact: true }).waitFor();
    if (path === "/coverage") await page.getByText("299 pairs of").waitFor();
    await keep(`0${index + 1}${path.replaceAll(/[/#=]/g, "-")}`);
  }
  await signUp(page, email, "password");
  await page.getByRole("alert").waitFor();
  await keep("07-signup-rejected");
  await signUp(page, email);
  await page.getByText("No active key").waitFor();
  await keep("08-keys-empty");
  await turnTo(page, "Usage");
  await page.getByText("No reads in these").waitFor();
  await keep("09-usage-empty");

  await turnTo(page, "Keys");
  for (const name of ["nightly invoices", "a shop with quite a long name of its key", "try"]) {
    await createKey(page, name);
  }
  await keep("10-keys-new");
  // The pages from here on show the same units.
  seedUsage(directory.path, email);
  await page.getByRole("button", { name: "Revoke try" }).click();
  await keep("11-keys-question");
  await page.getByRole("button", { name: "Keep it" }).click();

  await turnTo(page, "Home");
  await page.getByRole("region", { name: "This period" }).waitFor();
  await keep("11-home");
  await turnTo(page, "Rates");
  await page.getByText("299 pairs").waitFor();
  await keep("12-rates");
  await page.getByRole("searchbox", { name: "Search" }).fill("franc");
  await keep("12-rates-search");
  await turnTo(page, "Try it");
  await page.getByText("Euro", { exact: true }).waitFor();
  await keep("12-try");
  await page.getByLabel("Quote").click();
  await keep("12-try-quotes");
  await page.keyboard.press("Escape");
  await tryIt(page);
  await page.getByText(/^Headers/).click();
  await keep("13-try-read");
  await page.getByText("Convert").first().click();
  await page.getByLabel("Amount").fill("1250.50");
  await tryIt(page, "Convert");
  await keep("14-try-converted");
  await page.getByRole("tab", { name: "TypeScript" }).click();
  await page.getByText("Read a rate").click();
  await page.getByLabel("Base").fill("XX");
  await page.getByRole("button", { name: "Read the rate" }).click();
  await page.getByText("XX/USD is not in the list").waitFor();
  await keep("15-try-doubted");
  await tryIt(page, "Read the rate anyway");
  await keep("15-try-unsupported");

  await turnTo(page, "Keys");
  await page.getByRole("button", { name: "Revoke try" }).click();
  await page.getByText("This key was used today").waitFor();
  await keep("16-keys-warning");
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Revoked keys (1)").click();
  await keep("16-keys");
  await turnTo(page, "Usage");
  await page.locator("canvas").waitFor();
  await keep("17-usage");
  const develop = page.getByRole("button", { name: "Develop", exact: true });
  if (await develop.isVisible()) {
    await develop.click();
    await keep("18-group");
    await page.keyboard.press("Escape");
  }
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  if (await menu.isVisible()) {
    await menu.click();
    await keep("18-menu");
    await page.keyboard.press("Escape");
  }
  await turnTo(page, "Activity");
  await page.getByRole("region", { name: "Your events" }).waitFor();
  await keep("19-activity");
  await turnTo(page, "Sources");
  await page.getByRole("region", { name: "Sources as a table" }).waitFor();
  await keep("20-sources");
  await page.getByRole("link", { name: "European Central Bank", exact: true }).click();
  await page.getByRole("region", { name: "Pairs" }).waitFor();
  await keep("20-source");
  await turnTo(page, "Agents");
  await keep("21-agents");
  await turnTo(page, "Account");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await keep("25-account");
  await page.getByRole("button", { name: "Delete the account …" }).click();
  await keep("26-account-question");
  await page.getByRole("button", { name: "Keep the account" }).click();
  await page.goto("/docs");
  await page.getByRole("heading", { name: "Rates", exact: true }).waitFor();
  await keep("22-reference");
  await callIn(page, "/v1/rates/{base}/{quote}").click();
  await keep("23-reference-call");
  await page.goto("/guide/installing");
  await page.getByRole("heading", { level: 1, name: "Installing" }).waitFor();
  await keep("27-guide");
  await page.evaluate("sessionStorage.clear()");
  await page.goto("/usage");
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await logIn(page, email, "not the password");
  await page.getByRole("alert").waitFor();
  await keep("24-login-rejected");
}
