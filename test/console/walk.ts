import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Visitor } from "../support/browser.ts";
import type { TestService } from "../support/service.ts";
import { charge, stepsOn } from "./steps.ts";

// One walk through every page and the states that it has: whole-visit.test.ts examines each of them,
// and `npm run screenshots` takes its picture.

export interface Walker {
  /** Opens a page, and waits for each of the texts in it. */
  readonly open: (path: string, texts: readonly RegExp[]) => Promise<void>;
  /** Looks at what the window shows now. */
  readonly look: (state: string) => Promise<void>;
}

type Pages = readonly (readonly [path: string, ...texts: readonly RegExp[]])[];

const guestsPages: Pages = [
  [
    "/",
    /pairs to read299publishers6of them up to date0per read1 unitThe rates came with Kurs: no/,
    /A new account has 1,000 units a month\. .+See the publishers and their pairs/,
    /Kurs \d+\.\d+\.\d+, free software under the MIT licenceAPI referenceOpenAPI document/,
  ],
  [
    "/coverage",
    /Create an account.+299 pairs of 149 currencies from 6 publishersWestern, Northern and Central/,
    /EuropeEuropean Central Banknot fetched yetEU\. 16:05 on/,
    /Berlin\. Free to reuse, .+ Read themEUR\/AUD.+EUR\/ZARCzech National Bank/,
  ],
  ["/docs", /GET \/healthz/],
  ["/docs#/Rates/getRate", /429 quota_exceeded: the quota is used up, or a limit of the key/],
  ["/signup", /You can create your first API key right afterwards/],
  ["/forgot", /Send reset link/],
  ["/verify", /Open this page with the link in your mail/],
  ["/reset", /Open this page with the link in your mail/],
  ["/reset#token=1", /At least 8 characters/],
  ["/nothing", /There is nothing at this address/],
  ["/login", /Forgot your password\?/],
];

const MISSED = /The rates are from 5 March to 2 April 2026: no publisher has been reached since\./;

const ownersPages: Pages = [
  [
    "/home",
    /Confirm your email\. .+Resend/,
    MISSED,
    /3\d+ of 1,000 units usedPlan free.+Resets in 10 days, on 1 Dec 2026, 00:00 UTCAt the/,
    /API keysAll keys.*billing svc_live_\w{8}…last used: today.+Try a read/,
  ],
  [
    "/rates",
    MISSED,
    /299 pairsEuropean Central Bank99\+ publications missedNewest rates: 13 Mar 2026, 15:00 UTC, 252/,
    /days old\. Next publication: 23 Nov 2026, 15:05 UTC\.EUR\/USD Euro, US DollarTry itEUR\/GBP/,
    /1 to 40 of 299Next$/,
  ],
  [
    "/sources",
    /Western, Northern and Central EuropeEuropean Central Bank13 Mar 2026, 15:00 UTC99\+ publications/,
    /missed23 Nov 2026, 15:05 UTC29Czech National Bank/,
  ],
  [
    // A longer name would take a second line on a phone, and move what is below it.
    "/source?key=norges",
    /^Norges BankAll publishersState99\+ publications missedSchedule16:05 on working days, Europe/,
    /OsloNext publication23 Nov 2026, 15:05 UTCLast fetchednot yet: its rates .+ importNewest rates24 /,
    /days oldArchivesince 4 Jan 1999TermsOpen data .+ Read themCountryNOKey in the APInorgesPairs35AUD/,
    /USD\/NOK US Dollar, Norwegian KroneTry it/,
  ],
  ["/try", /It stays on this page.+units used this periodRequestcurlTypeScript/],
  [
    "/usage",
    /units usedPlan free.+23 Oct 2026 to 21 Nov 20263\d+ unitsWith 33 units a day the quota lasts/,
    /KeyUnitsSharebilling svc_live_\w{8}…\d+9\d\.\d+%shop svc_.+Download CSVMail me when/,
  ],
  ["/activity", /API key “billing” svc_live_\w{8}… createdfrom 127\.0\.0\.121 Nov 2026, 12:00 UTC/],
  [
    "/account",
    /Not confirmedPlan freeCreated 21 Nov 2026.+Chrome on \w+ from 127\.0\.0\.121 Nov 2026, 12:00 UTCThis/,
    /This session.+All activityAPI key “/,
  ],
  ["/agents", /Streamable HTTP at http:.+\/v1\/mcp, with/, /get_usageno arguments.+unitsnothing/],
  [
    "/keys",
    /billingsvc_live_\w{8}…just nowtoday\d+noneLimitsRotateRevokeshopsvc_live_\w{8}…18 days ago2 Nov/,
  ],
];

/** Walks through the console as a visitor who becomes the owner of an account with two keys. */
export async function walk(
  service: TestService,
  visitor: Visitor,
  email: string,
  { open, look }: Walker,
): Promise<void> {
  const { page } = visitor;
  const { see, press, fill, signUp, logIn, createKey, turnTo, tryIt } = stepsOn(page);
  visitor.expectError(/status of (?:400|401|404)/);
  for (const [path, ...texts] of guestsPages) {
    await open(path, texts);
    await look(path);
  }
  await logIn(email);
  await see("Email or password is incorrect.");
  await look("a rejected log-in");
  await page.goto("/signup");
  await signUp(email);
  await see("No active key");
  await look("the keys, empty");
  await turnTo("Usage");
  await see("No reads in the last 30 days");
  await look("the usage, empty");
  await turnTo("Keys");
  for (const name of ["shop", "billing"]) await createKey(name);
  await look("a new key");

  await turnTo("Try it");
  await see("The key “billing” that you have just created.", "Euro");
  await page.getByLabel("Quote").click();
  await look("the list of quotes");
  await page.keyboard.press("Escape");
  await page.getByText("Convert").first().click();
  await tryIt("Convert");
  await page.getByText("JSON-RPC", { exact: true }).click();
  await page.getByText(/^Headers/).click();
  await look("a conversion");
  await fill({ Base: "XX" });
  await press("Convert");
  await see("There is no rate for XX/USD");
  await look("a doubted pair");
  await press("Convert anyway");
  await see("unsupported_pair");
  await look("a failed conversion");

  const ids = service.query(
    "SELECT k.id, k.name FROM api_keys k JOIN accounts a ON a.id = account_id WHERE email = ? ORDER BY name",
    email,
  );
  const [billing, shop] = ids.map(({ id }) => String(id));
  for (let day = 1; day <= 20; day += 1)
    charge(service, billing ?? "", `2026-11-${`${day}`.padStart(2, "0")}`, 5 + day);
  charge(service, shop ?? "", "2026-11-02", 9);
  service.query(
    "UPDATE api_keys SET created_at = '2026-11-02T23:59:00.000Z' WHERE id = ?",
    shop ?? "",
  );
  for (const [path, ...texts] of ownersPages) {
    await open(path, texts);
    await look(path);
  }
  service.query(
    `INSERT INTO unit_grants (id, account_id, units, reference, granted_at)
     SELECT id, id, 5000, 'invoice 4711', created_at FROM accounts WHERE email = ?`,
    email,
  );
  await open("/usage", [
    /Plan free[67]\d\d1 Dec 2026, 00:00 UTCinvoice 47115,000 of 5,000no endMail/,
    /80% of the quotaRemove100% of the quotaRemoveNew threshold/,
  ]);
  await fill({ "New threshold": "80" });
  await press("Add");
  await see("“80% of the quota” repeats an earlier one.");
  await look("grants, and a wrong threshold");
  await page.getByLabel("Percent or units").selectOption("units");
  await page.getByLabel("Of", { exact: true }).selectOption("billing");
  await fill({ "New threshold": "1,000" });
  await press("Add");
  await see("1,000 units of billing in a month");
  await press("Remove 100% of the quota");
  await page.getByText("100% of the quota").waitFor({ state: "detached" });
  assert.equal(await focusedLabel(page), "Thresholds");
  await open("/keys", [/billingsvc_live_/]);
  await limit(page, look);
  await press("Revoke billing");
  await see("This key was used today");
  await look("the question before a revocation");
  await press("Revoke key");
  await page.getByText("Revoked keys (1)").click();
  await look("a revoked key");
  await rotate(page, look);
  await open("/account", [/Download the exportDelete the account …/]);
  await press("Delete the account …");
  await look("the question before a deletion");
}

/** What a screen reader calls the focused element. */
const focusedLabel = (page: Page) => page.evaluate("document.activeElement.ariaLabel");

/** Wrong and right limits of a key. */
async function limit(page: Page, look: Walker["look"]): Promise<void> {
  const { see, press } = stepsOn(page);
  const field = (label: string) => page.getByRole("dialog").getByLabel(label);
  await press("Limits of billing");
  await field("End").fill("2026-11-25");
  await field("Units per month").fill("400");
  await field("Units per UTC day").fill("many");
  await press("Save the limits");
  await see("Units per UTC day must be a whole number.");
  await look("wrong limits");
  await field("Units per UTC day").fill("2");
  await page.keyboard.press("Enter");
  await see("Ends in 4 days, on 25 Nov 2026");
  await see(/\d of 400 units this month/, "2 of 2 units today: used up");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await focusedLabel(page), "Limits of billing");
  await look("limits that are near");
}

/** Rotates a key: the secret of the new one is shown once, as that of a created one. */
async function rotate(page: Page, look: Walker["look"]): Promise<void> {
  const { see, press, focused } = stepsOn(page);
  await press("Rotate shop");
  await see("A new key with the same name and limits");
  await look("the question before a rotation");
  await press("Rotate key");
  await see("Ends in 1 day, on 22 Nov 2026", "2 of 100 active keys");
  assert.equal(await focused(), "Copy the key “shop” now");
  await look("a rotated key");
}
