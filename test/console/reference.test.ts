import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { startServiceNow } from "../support/service.ts";
import { callIn, comeTo, untilCount } from "./steps.ts";

// The API reference. Few visits with many steps: each takes 1 s of processor time to load it, by the
// browser's own clock, because swagger-ui waits for time to pass.

const EMAIL = "ada@example.org";
const BY_ITSELF = { hasOwnClock: true };

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function authorize(page: Page, credential: string): Promise<void> {
  await button(page, "Authorize").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("API key or session").fill(credential);
  await dialog.getByRole("button", { name: "Authorize" }).click();
}

/** Executes the open call. @returns the status that the page shows. */
async function execute(page: Page): Promise<string> {
  await button(page, "Execute").click();
  return await page.locator(".live-responses-table tbody .response-col_status").innerText();
}

async function tryOut(page: Page, path: string): Promise<string> {
  await callIn(page, path).click();
  await button(page, "Try it out").click();
  return await execute(page);
}

test("pasted credentials authorize their own calls until the visitor forgets them", async () => {
  await using service = await startServiceNow();
  const { session, apiKey } = await service.newCustomer(EMAIL);
  await using visitor = await comeTo(service, "/favicon.svg", BY_ITSELF);
  const { page, see } = visitor;
  const calls: string[] = [];
  page.on("request", (request) => void calls.push(request.url()));
  await page.goto("/docs#/Rates/getRate");
  visitor.expectError(/401 \(Unauthorized\)/);

  // The address names a call, which is open.
  await button(page, "Try it out").waitFor();
  const rates = "/v1/rates/{base}/{quote}";
  assert.equal(await callIn(page, rates).getAttribute("aria-expanded"), "true");
  await callIn(page, rates).click();
  await authorize(page, "Bearer abc");
  await see("That is neither an API key");
  await page.keyboard.press("Escape");
  await see("no API key yet", "no session yet");
  await callIn(page, "/v1/account/usage/daily").click();
  await button(page, "Try it out").click();
  await page.getByRole("textbox", { name: "days" }).fill("many");
  await button(page, "Execute").click();
  await see("Value must be an integer");
  await visitor.assertSound("an invalid parameter");
  assert.doesNotMatch(calls.join(), /\/v1\//);
  await callIn(page, "/v1/account/usage/daily").click();

  await authorize(page, `ApiKey ${apiKey}`);
  await authorize(page, session);
  assert.equal(await tryOut(page, rates), "200");
  const response = page.locator(".live-responses-table");
  assert.match(await response.innerText(), /"base": "EUR"[\s\S]*"rate": "[0-9.]+"/);
  assert.equal(await service.usedUnits(session), 1);
  await visitor.assertSound("an executed call");
  await callIn(page, rates).click();
  assert.equal(await tryOut(page, "/v1/account/usage"), "200");
  assert.match(await response.innerText(), /"used_units": 1,/);
  await button(page, "Forget").click();
  await button(page, "Clear").click();
  assert.equal(await execute(page), "401");
  assert.equal(await service.usedUnits(session), 1);
});

test("a log-in authorizes account calls until the log-out, and a call is found by its words", async () => {
  await using service = await startServiceNow();
  await service.register(EMAIL);
  await using visitor = await comeTo(service, "/login", BY_ITSELF);
  const { page, see, fill, logIn, turnTo } = visitor;
  await logIn(EMAIL);
  await turnTo("API reference");
  await see(`your session as ${EMAIL}`);
  const list = page.getByRole("navigation", { name: "Calls" });
  const links = list.getByRole("link");
  await links.nth(20).waitFor();
  for (const tool of [/^get_rate.*1 unit/, /^convert_currency.*1 unit/, /^get_usage.*nothing/])
    await page.getByRole("row", { name: tool }).waitFor();

  await fill({ "Find a call": "api-keys list" });
  await untilCount(links, 1);
  assert.match(await links.innerText(), /^List /);
  await links.click();
  const line = callIn(page, "/v1/account/api-keys");
  await button(page, "Try it out").waitFor();
  assert.ok(await line.evaluate((element) => element.matches(":focus")));
  assert.equal(await line.getAttribute("aria-expanded"), "true");
  assert.match(page.url(), /#\/API%20keys\/\w+$/);
  await button(page, "Try it out").click();
  assert.equal(await execute(page), "200");
  await fill({ "Find a call": "bicycle" });
  await see("No call is about this.");

  await button(page, "Log out").click();
  await see("no session yet");
  await page.getByRole("button", { name: "Session needed: authorize" }).first().waitFor();
  await page.getByRole("link", { name: "Log in", exact: true }).click();
  await page.waitForURL(`${service.url}/login`);
});

test("the page reports a service that is away or fails, and shows the calls once it is back", async () => {
  await using service = await startServiceNow();
  await using visitor = await comeTo(service, "/favicon.svg", BY_ITSELF);
  const { page, see, seeHeading } = visitor;
  visitor.expectError(/Failed to load resource/);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/openapi.json", async (route) => {
    await released;
    await route.abort();
  });
  await page.goto("/docs");
  await seeHeading("API reference");
  await see("Loading the calls");
  release();
  const alert = page.getByRole("alert");
  await alert.getByText("The service cannot be reached").waitFor();
  await page.unrouteAll();
  const json = { code: "internal_error", message: "Something went wrong.", request_id: "01a1" };
  await page.route("**/openapi.json", (route) => route.fulfill({ status: 500, json }));
  await alert.filter({ hasText: /Something went wrong\..*01a1/ }).waitFor();
  await page.unrouteAll();
  await button(page, "Try again").click();
  await callIn(page, "/healthz").waitFor();
  await untilCount(alert, 0);
});
