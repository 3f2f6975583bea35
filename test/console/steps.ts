import type { Locator, Page } from "playwright-core";
import { desktop, Visitor } from "../support/browser.ts";
import { eventually } from "../support/mails.ts";
import { startSharedService, type TestService } from "../support/service.ts";

/** The password of every visitor in the tests. */
export const PASSWORD = "correct horse battery";

/** The time of the services here, and of the pages that they show. */
export const NOW = "2026-11-21T12:00:00.000Z";
const TOMORROW = "2026-11-22T12:00:00.000Z";

/** A service for the accounts of a file's tests, all from one address. */
export const startForVisitors = () =>
  startSharedService({ config: { authCallsPerWindow: 10_000 } });

/** A window at a page of a service, in which nothing unexpected may fail. */
export async function comeTo(
  { url }: Pick<TestService, "url">,
  path: string,
  { look = desktop } = {},
) {
  const visitor = await Visitor.come(url, look, { time: NOW });
  const close = visitor[Symbol.asyncDispose].bind(visitor);
  const leave = async () => {
    await close();
    visitor.assertQuiet();
  };
  await visitor.page.goto(path);
  return Object.assign(visitor, stepsOn(visitor.page), { [Symbol.asyncDispose]: leave });
}

let accounts = 0;

/** A window of an account that is logged in: a new one, or the one of an email. */
export async function comeLoggedIn(
  service: TestService,
  path: string,
  { look = desktop, email = "" } = {},
) {
  const address = email || `owner-${++accounts}@example.org`;
  const session = await (email ? service.logIn(address) : service.openSession(address));
  const visitor = await comeTo(service, "/favicon.svg", { look });
  await storeSession(visitor.page, address, session);
  await visitor.page.goto(path);
  return Object.assign(visitor, { email: address, session });
}

/** Puts a session into a tab's storage, as a log-in does. */
export async function storeSession(page: Page, email: string, token: string): Promise<void> {
  const stored = JSON.stringify({ email, token, expiresAt: TOMORROW });
  await page.evaluate(`sessionStorage.setItem("kurs.session", ${JSON.stringify(stored)})`);
}

/** The token of the tab's session. */
export async function tokenIn(page: Page): Promise<string> {
  const stored = await page.evaluate<string>("sessionStorage.getItem('kurs.session')");
  return (JSON.parse(stored) as { token: string }).token;
}

/**
 * Waits until a list has exactly so many elements. Counting it at once is a race: the click that
 * fills it returns before the response comes.
 */
export async function untilCount(list: Locator, count: number): Promise<void> {
  if (count > 0) await list.nth(count - 1).waitFor();
  await list.nth(count).waitFor({ state: "detached" });
}

/** Stores that a key was charged so many units on a day: in the row of the day and of the period. */
export function charge({ query }: TestService, keyId: string, day: string, units: number): void {
  query(
    `INSERT INTO charged_units (period, account, day, api_key, units)
     SELECT ?1, a.number, row.day, CASE row.day WHEN 0 THEN 0 ELSE k.number END, ?2
     FROM api_keys k JOIN accounts a ON a.id = k.account_id
     JOIN (SELECT 0 AS day UNION SELECT ?3) AS row WHERE k.id = ?4
     ON CONFLICT DO UPDATE SET units = units + excluded.units`,
    ...[day.slice(0, 7), units, Number(day.slice(8)), keyId],
  );
}

/** What a visitor does in a tab, and waits for. */
export function stepsOn(page: Page) {
  const steps = {
    /** Waits for each text. */
    async see(...texts: readonly (string | RegExp)[]) {
      for (const text of texts) await page.getByText(text).first().waitFor();
    },

    seeHeading: (name: string) => page.getByRole("heading", { name }).first().waitFor(),

    /** Presses buttons, one after the other. */
    async press(...names: readonly (string | RegExp)[]) {
      for (const name of names) await page.getByRole("button", { name }).first().click();
    },

    /**
     * Fills in fields, by their labels. The click waits until a dialog that covers the field is
     * closed: until then the field is inert, and a text filled in is lost.
     */
    async fill(values: Readonly<Record<string, string>>) {
      for (const [label, value] of Object.entries(values)) {
        const field = page.getByLabel(label);
        await field.click();
        await field.fill(value);
      }
    },

    async signUp(email: string, password = PASSWORD) {
      await steps.fill({ Email: email, "New password": password });
      await steps.press("Create account");
    },

    async logIn(email: string, password = PASSWORD) {
      await steps.fill({ Email: email, Password: password });
      await page.getByRole("button", { name: "Log in" }).click();
    },

    /** @returns the secret, which the page shows only once. */
    async createKey(name: string) {
      await steps.fill({ "Name of a new key": name });
      await steps.press("Create key");
      const notice = page.getByRole("region", { name: `Copy the key “${name}” now` });
      return (await notice.locator("code").textContent()) ?? "";
    },

    /** The text of the focused element. */
    focused: () =>
      page.evaluate<string>("document.activeElement.textContent || document.activeElement.name"),

    /**
     * Opens the menu, which a narrow window has instead of the bar's links, once the owner's page
     * is shown: it takes the focus after a log-in, and that would close the menu again.
     */
    async openMenu() {
      await page.locator(".signed-in").waitFor();
      await page.locator("h1").first().waitFor();
      const button = page.getByRole("button", { name: "Menu", exact: true, expanded: false });
      if (await button.isVisible()) await button.click();
    },

    async logOut() {
      await steps.openMenu();
      await page.getByRole("button", { name: "Log out", exact: true }).click();
    },

    /** Opens a page through the navigation bar; in a wide window, its group first. */
    async turnTo(name: string) {
      await steps.openMenu();
      const link = page.locator("a").getByText(name, { exact: true });
      const group = page.locator(".nav-group").filter({ has: link });
      const button = group.getByRole("button", { expanded: false });
      if ((await button.count()) > 0) await button.click();
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    },

    /** Presses a button that copies. @returns the text, which the browser writes after the click. */
    async copyWith(name: string) {
      await page.evaluate("navigator.clipboard.writeText('')");
      await steps.press(name);
      const read = () => page.evaluate<string>("navigator.clipboard.readText()");
      return await eventually("copied text", async () => (await read()) || undefined);
    },

    /** Presses the button of "Try it" and waits for the response. @returns the displayed cost. */
    async tryIt(button = "Read the rate") {
      await page.getByRole("button", { name: button, exact: true }).click();
      return (await page.getByText("It cost").locator("strong").textContent()) ?? "";
    },
  };
  return steps;
}
