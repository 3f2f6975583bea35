import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { phone } from "../support/browser.ts";
import { comeLoggedIn, comeTo, NOW, startForVisitors, stepsOn, untilCount } from "./steps.ts";

// What the pages show of responses that the walk does not see, and of none.

const service = await startForVisitors();

type Body = Readonly<Record<string, readonly object[]>>;

/** Changes what the service responds at a path. */
const change = (page: Page, path: string, edit: (body: Body) => object) =>
  page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: edit((await response.json()) as Body) });
  });

/** Gives new members to all of a list in a response. */
const setInAll =
  (list: string, members: object) =>
  (body: Body): object => ({
    ...body,
    [list]: body[list]?.map((each) => ({ ...each, ...members })),
  });

const unchanged = (body: Body) => body;
const imported = { missed_publication: true, source: "import:treasury", next_publication: null };
const error = { last_error_at: "2026-11-21T11:00:00Z", failures: 3, last_error: "proxy.lan" };

/** What the pages at a path show when the response at another is changed. */
const states: readonly (readonly [string, string, (body: Body) => object, RegExp])[] = [
  ["/coverage", "coverage.json", () => ({ publishers: [] }), /No publishers.+imports are/],
  ["/rates", "v1/account/pairs", (body) => ({ ...body, pairs: [] }), /No rates yet/],
  ["/rates?base=%3Cb%3E", "v1/account/pairs", unchanged, /0 of 299 pairsNo such pair/],
  [
    "/rates?base=AUD",
    "v1/account/pairs",
    setInAll("pairs", { suspended: true }),
    /: AED\/PLN, .+ and 287 more\. .+pair costs a unit.+AUD\/CZK Australian Dollar.+suspendedTry it/,
  ],
  [
    "/rates?base=CHF",
    "v1/account/pairs",
    setInAll("pairs", imported),
    /Imported by the operator: treasuryCHF\/CZK Swiss Franc, Czech KorunaTry it/,
  ],
  ["/sources", "v1/account/sources", () => ({ sources: [] }), /No publishers/],
  ["/source?key=%3Cb%3E", "v1/account/sources", unchanged, /^No such publisherAll publishers$/],
  [
    "/source?key=ecb",
    "v1/account/sources",
    setInAll("sources", error),
    /Last error3 fetches have failed since the last success, most recently on 21 Nov 2026, 11:00 UTC\./,
  ],
  ["/activity", "v1/account/events", () => ({ events: [] }), /No events/],
  [
    "/home",
    "v1/account/sources",
    setInAll("sources", { last_success_at: NOW }),
    /6 publishers have missed a publication, so some rates are older than usual: European .+donia\./,
  ],
  [
    "/home",
    "v1/account/api-keys",
    () => ({ api_keys: [] }),
    /You need a key to read rates.+Create a key/,
  ],
];

test("pages say what is missing, suspended, imported or failing, and never an operator's reason", async () => {
  await using visitor = await comeLoggedIn(service, "/favicon.svg");
  const { page, see } = visitor;
  for (const [path, changed, edit, text] of states) {
    await change(page, `**/${changed}`, edit);
    await page.goto(path);
    await page.locator("main").filter({ hasText: text }).waitFor();
    assert.doesNotMatch(await page.content(), /proxy\.lan|publication missed/);
    await page.unrouteAll();
  }
  await page.route("**/about.json", (route) => route.fulfill({ status: 500, json: { code: "-" } }));
  visitor.expectError(/status of 500/);
  await page.evaluate("sessionStorage.clear()");
  await page.goto("/");
  await see("per read");
  assert.equal(await page.getByText("A new account has").count(), 0);
});

test("while the service is away the pages say so and lose nothing, and recover when it is back", async () => {
  await using visitor = await comeLoggedIn(service, "/keys", { look: phone });
  const { page, session, see, press } = visitor;
  const away = page.getByText("The service cannot be reached.");
  await see("No active key");
  await page.context().setOffline(true);
  visitor.expectError(/ERR_INTERNET_DISCONNECTED/);

  await page.getByLabel("Name of a new key").fill("second");
  await press("Create key");
  await page.getByRole("alert").filter({ has: away }).waitFor();
  assert.equal(await page.getByLabel("Name of a new key").inputValue(), "second");
  await page.context().setOffline(false);
  await page.goto("/account");
  await see("This session");
  await page.context().setOffline(true);
  await press("Download the export", "Resend");
  await away.nth(1).waitFor();
  assert.equal(await page.getByText(/Saved as|A new mail/).count(), 0);
  await page.getByRole("link", { name: "All activity" }).click();
  await see("The service cannot be reached. Trying again every two seconds.");
  await visitor.assertSound("the activity, unreachable");
  await page.context().setOffline(false);
  await see("Account created");
  await untilCount(away, 0);
  const { api_keys: keys } = (await service.get("/v1/account/api-keys", { session })).body;
  assert.deepEqual(keys, [], "a key was created");
});

test("every page reports a response that is no JSON as a missing one, and recovers", async () => {
  await using visitor = await comeLoggedIn(service, "/agents");
  const context = visitor.page.context();
  const errors: unknown[] = [];
  context.on("weberror", (failure) => errors.push(failure.error()));
  const bodies = ["<!doctype html><title>Log in to the network</title>", '{"pairs":[', ""];
  let count = 0;
  await context.route("**/v1/account**", (route) => {
    count += 1;
    return route.fulfill({ body: bodies[count % bodies.length] ?? "" });
  });
  await context.route("**/v1/account/**", (route) => route.fulfill({ body: '{"pairs":[' }));
  const paths = ["home", "rates", "source", "usage", "account", "keys", "activity", "sources"];
  const open = async (path: string) => {
    const tab = await context.newPage();
    await tab.goto(`/${path}`);
    await stepsOn(tab).see("The service cannot be reached.");
    return tab;
  };
  const tabs = await Promise.all(paths.map(open));

  await context.unrouteAll();

  const texts = ["The service cannot be reached.", "Loading"];
  await Promise.all(tabs.flatMap((tab) => texts.map((text) => untilCount(tab.getByText(text), 0))));
  assert.deepEqual(errors, []);
});

test("a failure of the service is shown with its request id, and another try is offered", async () => {
  await using visitor = await comeLoggedIn(service, "/favicon.svg");
  const { page, see, press } = visitor;
  visitor.expectError(/status of 500/);
  service.query("UPDATE events SET details = '{'");
  await page.goto("/activity");
  const id = (await page.getByRole("alert").locator("code").textContent()) ?? "";
  assert.ok(service.logLines.some((line) => line.includes(id) && line.includes('"status":500')));
  service.query("UPDATE events SET details = NULL");
  await press("Try again");
  await see("Account created");
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("what the service rejects shows why, and nothing counts as done", async () => {
  await using visitor = await comeLoggedIn(service, "/account");
  const { page, see, press } = visitor;
  const box = page.getByRole("checkbox", { name: "Mail me when the usage reaches a threshold" });
  await box.waitFor();
  visitor.expectError(/status of 429/);
  const json = { code: "rate_limited", message: "Too many." };
  await page.route(/v1\/(?!account$)/, (route) => route.fulfill({ status: 429, json }));
  await press("Download the export", "Resend");
  await box.click();
  await untilCount(page.getByRole("alert").filter({ hasText: "Too many." }), 3);
  assert.equal(await box.isChecked(), true);
  assert.equal(await page.getByText(/Saved as|A new mail/).count(), 0);

  await page.unrouteAll();
  await box.focus();
  await page.keyboard.press("Space");
  await see("Quota mails turned off");
  await page.reload();
  await page.getByRole("checkbox", { checked: false }).waitFor();
});

test("without JavaScript a page says in view that the console needs it", async () => {
  await using visitor = await comeTo(service, "/favicon.svg");
  const browser = visitor.page.context().browser();
  const context = await browser?.newContext({ baseURL: service.url, javaScriptEnabled: false });
  const page = await context?.newPage();
  await page?.goto("/login");
  const { y = -1 } = (await page?.locator("noscript").boundingBox()) ?? {};
  await context?.close();
  assert.ok(y >= 0 && y < 400, `the sentence is ${y} px below the top`);
});

test("a page without one of its scripts says after a while that it has not loaded", async () => {
  await using visitor = await comeTo(service, "/favicon.svg", { look: phone });
  const { page } = visitor;
  visitor.expectError(/ERR_FAILED/);
  const text = page.getByText("Reload the page to try again.");
  const animations = 'document.querySelector(".late").getAnimations()';
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Animation.enable");
  await page.route("**/assets/index-*.js", (route) => route.abort());
  // Time stands still for animations: this one is set to its first second, and to its end.
  await devTools.send("Animation.setPlaybackRate", { playbackRate: 0 });
  await page.goto("/keys");
  await text.waitFor({ state: "attached" });
  assert.equal(await page.evaluate(`${animations}[0].playState`), "running");
  await page.evaluate(`${animations}.forEach((each) => { each.currentTime = 1000; })`);
  assert.equal(await text.isVisible(), false, "it flashes while the scripts load");
  await page.evaluate(`${animations}.forEach((each) => each.finish())`);
  await text.waitFor();
  await visitor.assertSound("a page that has not loaded");
  await devTools.send("Animation.setPlaybackRate", { playbackRate: 1 });
  await page.unrouteAll();
  await page.reload();
  await page.getByRole("banner").waitFor();
  await untilCount(text, 0);
});
