import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import type { Client } from "../support/client.ts";
import { type Server, serve, temporaryDirectory } from "../support/process.ts";
import { callIn, excuseShift, turnTo, untilCount } from "./steps.ts";

const [desktop] = twoLooks as readonly [Look];
const EMAIL = "ada@example.org";

const resources = new AsyncDisposableStack();
let server: Server;
let client: Client;

before(async () => {
  const { path } = resources.use(await temporaryDirectory());
  server = resources.use(await serve({ dataDirectory: path }));
  client = server;
  await client.register(EMAIL);
});

after(() => resources.disposeAsync());

/** Opens the API reference and waits for its list of calls. */
async function open(look = desktop, path = "/docs"): Promise<Visitor> {
  const visitor = await Visitor.come(server.url, look);
  await visitor.page.goto(path);
  await callIn(visitor.page, "/healthz").waitFor();
  return visitor;
}

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

/** Visits every state of the page once. */
async function walk(look: Look): Promise<void> {
  const account = await client.openSession(`${look.name.replace(" ", ".")}@example.org`);
  const { apiKey } = await client.createKey(account);
  await using visitor = await open(look);
  const { page } = visitor;
  await visitor.assertSound("the reference");

  await button(page, "Authorize").click();
  await visitor.assertSound("the dialog");
  await page.keyboard.press("Escape");
  await authorize(page, apiKey);

  await callIn(page, "/v1/rates/{base}/{quote}").click();
  await visitor.assertSound("an open call");
  await page.getByRole("tab", { name: "Schema" }).first().click();
  await button(page, "Try it out").click();
  await visitor.assertSound("a call before it is executed");
  assert.equal(await execute(page), "200");
  await callIn(page, "/v1/auth/register", "POST").click();
  await page.locator(".opblock.is-open .opblock-body").nth(1).waitFor();
  await excuseShift(page);
  await visitor.assertSound("an executed call above one with a body");
  visitor.assertQuiet();
}

// Concurrent, because most of the time goes into axe-core, which each window runs separately.
test("every state of the API reference is accessible and without errors in every look", {
  concurrency: true,
}, async (t) => {
  await Promise.all(twoLooks.map((look) => t.test(look.name, () => walk(look))));
});

const forms = [
  { name: "bare", words: ["", ""] },
  { name: "with their scheme names", words: ["ApiKey ", "Session "] },
] as const;

for (const { name, words } of forms) {
  test(`credentials pasted ${name} authorize their own calls until the visitor forgets them`, async () => {
    const account = await client.openSession(`pasted${words[0].length}@example.org`);
    const { apiKey } = await client.createKey(account);
    await using visitor = await open();
    const { page } = visitor;
    visitor.expectError(/401 \(Unauthorized\)/);

    await authorize(page, words[0] + apiKey);
    await authorize(page, words[1] + account);
    assert.equal(await client.usedUnits(account), 0);
    assert.equal(await tryOut(page, "/v1/rates/{base}/{quote}"), "200");
    const response = page.locator(".live-responses-table");
    assert.match(await response.innerText(), /"base": "EUR"[\s\S]*"rate": "[0-9.]+"/);
    assert.equal(await client.usedUnits(account), 1);

    await callIn(page, "/v1/rates/{base}/{quote}").click();
    assert.equal(await tryOut(page, "/v1/account/usage"), "200");
    assert.match(await response.innerText(), /"used_units": 1,/);
    await button(page, "Forget").click();
    await button(page, "Clear").click();
    assert.equal(await execute(page), "401");
    assert.equal(await client.usedUnits(account), 1);
    visitor.assertQuiet();
  });
}

test("the page rejects a credential that is neither an API key nor a session, before any call", async () => {
  await using visitor = await open();
  const { page } = visitor;
  await authorize(page, "Bearer abc");
  await page.getByRole("alert").getByText("That is neither an API key").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("no API key yet").waitFor();
  await page.getByText("no session yet").waitFor();
  visitor.assertQuiet();
});

test("the page rejects an invalid parameter before any call", async () => {
  await using visitor = await open();
  const { page } = visitor;
  let callCount = 0;
  page.on("request", (request) => {
    if (request.url().includes("/v1/")) callCount += 1;
  });
  await callIn(page, "/v1/account/usage/daily").click();
  await button(page, "Try it out").click();
  await page.getByRole("textbox", { name: "days" }).fill("many");
  await button(page, "Execute").click();
  await page.getByText("Value must be an integer").waitFor();
  await visitor.assertSound("an invalid parameter");
  assert.equal(callCount, 0);
  visitor.assertQuiet();
});

test("a log-in in the same tab authorizes account calls until the log-out", async () => {
  await using visitor = await Visitor.come(server.url, desktop);
  const { page } = visitor;
  await page.goto("/login");
  await page.getByLabel("Email").fill(EMAIL);
  await page.getByLabel("Password").fill("correct horse battery");
  await button(page, "Log in").click();
  await button(page, "Log out").waitFor();
  await turnTo(page, "API reference");

  await page.getByText(`your session as ${EMAIL}`).waitFor();
  assert.equal(await tryOut(page, "/v1/account/api-keys"), "200");
  // The response may come so late that the browser does not count it to the click.
  await excuseShift(page);
  await visitor.assertSound("the reference after a log-in");
  await button(page, "Log out").click();
  await page.getByText("no session yet").waitFor();
  await page.getByRole("button", { name: "Session needed: authorize" }).first().waitFor();
  visitor.assertQuiet();
});

test("the navigation bar leads back to the console", async () => {
  await using visitor = await open();
  const { page } = visitor;
  await page.getByRole("link", { name: "Log in", exact: true }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.equal(page.url(), `${server.url}/login`);
});

test("a call is found by a word of its path or its description, and its link opens it", async () => {
  await using visitor = await open();
  const { page } = visitor;
  const list = page.getByRole("navigation", { name: "Calls" });
  const links = list.getByRole("link");
  await links.nth(20).waitFor();

  await list.getByLabel("Find a call").fill("api-keys list");
  await untilCount(links, 1);
  assert.match(await links.innerText(), /^List /);
  await links.click();
  const line = callIn(page, "/v1/account/api-keys");
  await page.getByRole("button", { name: "Try it out" }).waitFor();
  assert.equal(await line.getAttribute("aria-expanded"), "true");
  assert.ok(await line.evaluate((button) => button.matches(":focus")));
  assert.match(page.url(), /#\/API%20keys\/\w+$/);

  await list.getByLabel("Find a call").fill("bicycle");
  await list.getByText("No call is about this.").waitFor();
  // A browser does not count a text that a test fills in as a visitor's input.
  await excuseShift(page);
  await visitor.assertSound("a search without a result");
  visitor.assertQuiet();
});

test("the page names the tools of MCP and what each costs", async () => {
  await using visitor = await open();
  const tools = visitor.page.getByRole("region", { name: "MCP", exact: true });
  for (const tool of [
    /^get_rate\b.*1 unit/,
    /^convert_currency\b.*1 unit/,
    /^get_usage\b.*nothing/,
  ]) {
    await tools.getByRole("row", { name: tool }).waitFor();
  }
});

test("a URL fragment that names a call opens it", async () => {
  await using visitor = await open(desktop, "/docs#/Rates/getRate");
  await button(visitor.page, "Try it out").waitFor();
  const line = callIn(visitor.page, "/v1/rates/{base}/{quote}");
  assert.equal(await line.getAttribute("aria-expanded"), "true");
  visitor.assertQuiet();
});

test("the page reports an unreachable service and shows the calls once it is back", async () => {
  await using visitor = await Visitor.come(server.url, desktop);
  const { page } = visitor;
  visitor.expectError(/Failed to load resource/);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/openapi.json", async (route) => {
    await released;
    await route.abort();
  });

  await page.goto("/docs");
  await page.getByRole("heading", { level: 1, name: "API reference" }).waitFor();
  await page.getByRole("status").getByText("Loading the calls").waitFor();
  release();
  await page.getByRole("alert").getByText("The service cannot be reached").waitFor();
  await visitor.assertSound("the reference without a service");

  await page.unroute("**/openapi.json");
  await callIn(page, "/healthz").waitFor();
  await untilCount(page.getByRole("alert"), 0);
  visitor.assertQuiet();
});

test("the page shows a service failure with the request id and can retry", async () => {
  await using visitor = await Visitor.come(server.url, desktop);
  const { page } = visitor;
  visitor.expectError(/500 \(Internal Server Error\)/);
  const json = { code: "internal_error", message: "Something went wrong.", request_id: "01a1" };
  await page.route("**/openapi.json", (route) => route.fulfill({ status: 500, json }));

  await page.goto("/docs");
  await page.getByRole("alert").getByText("Something went wrong.").waitFor();
  await page.getByRole("alert").getByText("01a1").waitFor();
  await page.unroute("**/openapi.json");
  await button(page, "Try again").click();
  await callIn(page, "/healthz").waitFor();
  visitor.assertQuiet();
});
