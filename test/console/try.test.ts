import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { requestInLanguages } from "../../console/src/languages.ts";
import { requestFor } from "../../console/src/requests.ts";
import { desktop, phone } from "../support/browser.ts";
import { eventually } from "../support/mails.ts";
import { temporaryDirectory } from "../support/process.ts";
import { startService } from "../support/service.ts";
import { comeLoggedIn, startForVisitors, untilCount } from "./steps.ts";

// The page "Try it", and the code that it shows, which runs where its language is installed.

const service = await startForVisitors();

/** A window at the page "Try it", of an account whose key is filled in. */
async function comeToTry(on = service, look = desktop) {
  const visitor = await comeLoggedIn(on, "/keys", { look });
  const { session, see, createKey, turnTo } = visitor;
  const secret = await createKey("billing");
  await turnTo("Try it");
  await see("Euro");
  return Object.assign(visitor, { secret, usedUnits: () => on.usedUnits(session) });
}

const READ = /^Read the rate$/;

test("base and quote are chosen from the pairs, also with the keyboard alone", async () => {
  await using visitor = await comeToTry();
  const { page, see, press } = visitor;
  const [base, quote] = [page.getByLabel("Base"), page.getByLabel("Quote")];
  const choices = page.getByRole("listbox").getByRole("option");
  await quote.click();
  await untilCount(choices, 30);
  await quote.press("Escape");
  await untilCount(choices, 0);
  await quote.fill("fran");
  await untilCount(choices, 1);
  await quote.press("ArrowDown");
  const active = await quote.getAttribute("aria-activedescendant");
  assert.equal(active, await choices.first().getAttribute("id"));
  await quote.press("Enter");
  assert.equal(await quote.inputValue(), "CHF");
  await see("Swiss Franc");
  await base.fill("us");
  await choices.filter({ hasText: "US Dollar" }).first().click();
  await untilCount(choices, 0);
  const names = await page.locator(".picker-name").allTextContents();
  assert.deepEqual(names, ["US Dollar", "Swiss Franc"]);
  assert.equal(await page.getByRole("button", { name: "Swap" }).count(), 0, "CHF/USD is not there");
  await base.fill("CZK");
  await quote.fill("PLN");
  await press("Swap the symbols");
  assert.deepEqual([await base.inputValue(), await quote.inputValue()], ["PLN", "CZK"]);
});

test("a request that would cost a unit in vain is sent only at the second click", async () => {
  await using visitor = await comeToTry();
  const { page, secret, usedUnits, see, press, fill, tryIt } = visitor;
  const warning = page.getByText(
    "There is no rate for XYZ/USD; the request would still cost a unit.",
  );
  await fill({ Base: "xyz" });
  await press(READ);
  await warning.waitFor();
  assert.equal(await usedUnits(), 0);
  visitor.expectError(/status of 404/);
  assert.equal(await tryIt("Read the rate anyway"), "1 unit");
  assert.equal(await warning.count(), 0);
  await press(READ);
  await warning.waitFor();
  await fill({ Base: "EUR" });
  // It was for another pair.
  await untilCount(warning, 0);
  assert.equal(await tryIt(), "1 unit");
  await see("1 EUR = 1.1476 USD");
  await fill({ Quote: "GBP" });
  // The response was to another request.
  await see("Send the request to see it.");
  assert.equal(await page.getByText("1.1476").count(), 0);
  await page.getByLabel("API key", { exact: true }).fill(`${secret.slice(0, 17)}…`);
  await press(READ);
  await see("This is not a complete key.");
  assert.equal(await usedUnits(), 2);
});

test("without a list of pairs a request is sent at the first click; half of a response is none", async () => {
  await using visitor = await comeLoggedIn(service, "/keys");
  const { page, see, press, createKey, turnTo, tryIt } = visitor;
  await createKey("billing");
  await page.route("**/v1/account/pairs", (route) => route.abort());
  await page.route("**/v1/rates/**", (route) => route.fulfill({ body: '{"rate":"1.' }));
  visitor.expectError(/ERR_FAILED/);
  await turnTo("Try it");
  await press(READ);
  await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
  await page.unroute("**/v1/rates/**");
  assert.equal(await tryIt(), "1 unit");
  await see("1 EUR = 1.1476 USD");
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("a conversion shows amount, rate, result and age; on a phone the response comes into view", async () => {
  await using visitor = await comeToTry(service, phone);
  const { page, see, fill, tryIt } = visitor;
  const response = page.getByRole("region", { name: "Response", exact: true });
  const isInView = async () => {
    const { y = -1 } = (await response.boundingBox()) ?? {};
    return y >= 0 && y < phone.height - 150;
  };
  await page.getByText("Convert").first().click();
  await fill({ Amount: "1234567.5" });
  assert.equal(await isInView(), false, "the form fills a phone");
  assert.equal(await tryIt("Convert"), "1 unit");
  // The page scrolls there after it has painted the response.
  await eventually("response in view", async () => (await isInView()) || undefined);
  await see("1,234,567.5 EUR = 1,416,789.66300 USD", "at 1 EUR = 1.1476 USD");
  await see("Published by European Central Bank, as of 13 Mar 2026");
  assert.equal(await page.getByText("252 days old").getAttribute("class"), "badge badge-warn");
  assert.equal(await response.getByText('"jsonrpc"').isVisible(), false);
  await page.getByText("JSON-RPC", { exact: true }).click();
  await response.getByText('"jsonrpc"').waitFor();
});

test("a read has its publisher and headers; beyond the quota it is rejected and costs nothing", async () => {
  await using own = await startService({ config: { freePlanUnits: 1 } });
  await using visitor = await comeToTry(own);
  const { page, see, fill, tryIt } = visitor;
  visitor.expectError(/status of 429/);
  assert.equal(await tryIt(), "1 unit");
  await see("1 of 1 unit used");
  await page.getByText(/^Headers \(\d+\)$/).click();
  const headers = await page.locator(".response-headers").textContent();
  assert.match(headers ?? "", /rate-sourceecb;name="European.*ratelimit-policy"units";q=1;/);
  assert.equal(await tryIt(), "nothing");
  await see("429 quota_exceeded", "Request-unit quota exceeded");
  await page.getByText("Convert").first().click();
  assert.equal(await tryIt("Convert"), "nothing");
  await page.getByText("quota_exceeded", { exact: true }).waitFor();
  await page.goto("/try");
  await fill({ "API key": "svc_live_0" });
  visitor.expectError(/status of 401/);
  assert.equal(await tryIt(), "nothing");
  await see("A valid API key is required.");
});

test("a date gets a past rate, with what the server lacks, or says why there is none", async () => {
  service.storePast("2026-03-06", "1.16060");
  await using visitor = await comeToTry();
  const { page, see, fill, tryIt, turnTo } = visitor;
  await fill({ "Date in UTC": "2026-03-10" });
  await see("-H 'Accept-Datetime: Tue, 10 Mar 2026 23:59:59 GMT'");
  assert.equal(await tryIt(), "1 unit");
  await see("1 EUR = 1.16060 USD", "as of 6 Mar 2026, 15:00 UTC", "2 publications missed");
  assert.equal(await page.getByText("days old").count(), 0);
  await visitor.assertSound("a past rate");
  visitor.expectError(/status of 404/);
  await fill({ "Date in UTC": "2026-03-05" });
  assert.equal(await tryIt(), "1 unit");
  const help = page.getByRole("link", { name: "EUR/USD has no figure of that time or before it" });
  assert.equal(await help.getAttribute("href"), `${service.url}/guide/api#rates-of-the-past`);
  await page.getByText("Convert").first().click();
  await fill({ "Publisher's date": "2026-03-06" });
  assert.equal(await tryIt("Convert"), "1 unit");
  await see("100 EUR = 116.06000 USD");
  await turnTo("Rates");
  await see("EUR/USD");
  assert.equal(await page.getByText("1.16060").count(), 0, "the list has newest rates");
});

test("the code in each language is shown in colours and copied as it is", async () => {
  await using visitor = await comeToTry();
  const { page, copyWith } = visitor;
  const request = requestFor({ kind: "read", base: "EUR", quote: "USD" });
  for (const { name, code } of requestInLanguages(request, service.url)) {
    await page.getByRole("tab", { name, exact: true }).click();
    assert.equal(await copyWith(`Copy ${name}`), code);
    const shown = page.getByRole("tabpanel").locator("code");
    assert.equal(await shown.textContent(), code);
    await shown.locator(".token-string").first().waitFor();
  }
  await page.getByRole("tab", { selected: true }).focus();
  for (const _ of ["MCP", "curl"]) await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "curl", selected: true }).waitFor();
});

/** How to run a snippet on this machine, the file that it goes into, and what it has in any case. */
const languages: Readonly<Record<string, readonly [mark: string, file: string, ...string[]]>> = {
  curl: ["curl -s", "read.sh", "sh"],
  TypeScript: ["await fetch(", "read.mts", process.execPath],
  Python: ["urllib.request.urlopen(request)", "read.py", "python3"],
};

const isInstalled = (program: string): Promise<boolean> =>
  promisify(execFile)("sh", ["-c", `command -v "${program}"`]).then(
    () => true,
    () => false,
  );

const convert = (amount: string) =>
  ({ kind: "convert", base: "EUR", quote: "USD", amount }) as const;

for (const [what, wish, path, printed, cost] of [
  [
    "a read",
    { kind: "read", base: "EUR", quote: "USD" },
    "/v1/rates/EUR/USD",
    /^1\.1476$|"rate":"1\.1476"/m,
    1,
  ],
  ["a conversion", convert("100"), "/v1/mcp", /"result\\?":\\?"114\.7600\\?"/, 1],
  ["quotes of every language", convert(`'"\`\${1}$(id)\\<b>`), "/v1/mcp", /invalid_request/, 0],
] as const) {
  test(`the code of ${what} runs in each language, and contains no key`, async () => {
    const { apiKey, usedUnits } = await service.newCustomer();
    await using directory = await temporaryDirectory();
    const env = { ...process.env, KURS_API_KEY: apiKey, NODE_NO_WARNINGS: "1" };
    const where = { cwd: directory.path, env };
    let runs = 0;
    for (const { name, code } of requestInLanguages(requestFor(wish), service.url)) {
      assert.doesNotMatch(code, /svc_live_/, "a pasted secret would stay in files and histories");
      const [mark = "", file = "", program = "", ...options] = languages[name] ?? [];
      for (const text of [path, mark]) assert.ok(code.includes(text), name + text);
      if (!(await isInstalled(program))) continue;
      await writeFile(join(directory.path, file), code);
      const { stdout } = await promisify(execFile)(program, [...options, file], where);
      assert.match(stdout, printed, name);
      runs += 1;
    }
    assert.ok(runs >= 2, "curl and TypeScript run everywhere");
    assert.equal(await usedUnits(), runs * cost);
  });
}
