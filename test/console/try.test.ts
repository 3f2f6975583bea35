import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { eventually } from "../support/mails.ts";
import { temporaryDirectory } from "../support/process.ts";
import { startServiceNow, type TestService } from "../support/service.ts";
import {
  assertSoundAndNarrow,
  copyWith,
  createKey,
  excuseShift,
  signUp,
  tryIt,
  turnTo,
  untilCount,
} from "./steps.ts";

const EMAIL = "ada@example.org";
const [look] = twoLooks as [Look];

/** Opens the page "Try it" with a new key. @returns the key. */
async function openTryIt(visitor: Visitor): Promise<string> {
  const { page } = visitor;
  await signUp(page, EMAIL);
  const secret = await createKey(page, "billing");
  await turnTo(page, "Try it");
  await page.getByText("Euro", { exact: true }).waitFor();
  return secret;
}

const usedUnits = async (service: TestService) => service.usedUnits(await service.logIn(EMAIL));

const optionsOf = (page: Page) => page.getByRole("listbox").getByRole("option");

for (const each of twoLooks) {
  test(`${each.name}: base and quote are chosen from the pairs, also with the keyboard alone`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await openTryIt(visitor);
    const base = page.getByLabel("Base");
    const quote = page.getByLabel("Quote");

    await quote.click();
    await untilCount(optionsOf(page), 30);
    await assertSoundAndNarrow(visitor, "the list of quotes");
    await quote.press("Escape");
    await untilCount(optionsOf(page), 0);
    await quote.fill("fran");
    await untilCount(optionsOf(page), 1);
    await optionsOf(page).getByText("CHF Swiss Franc").waitFor();
    await quote.press("ArrowDown");
    assert.equal(
      await quote.getAttribute("aria-activedescendant"),
      await optionsOf(page).first().getAttribute("id"),
    );
    await quote.press("Enter");
    assert.equal(await quote.inputValue(), "CHF");
    await page.getByText("Swiss Franc", { exact: true }).waitFor();

    await base.fill("us");
    await optionsOf(page).filter({ hasText: "US Dollar" }).first().click();
    assert.equal(await base.inputValue(), "USD");
    await untilCount(optionsOf(page), 0);
    await page.getByRole("button", { name: "Swap the symbols" }).click();
    assert.equal(await base.inputValue(), "CHF");
    assert.equal(await quote.inputValue(), "USD");
    await assertSoundAndNarrow(visitor, "the swapped pair");
    assert.equal(await usedUnits(service), 0);
    visitor.assertQuiet();
  });

  test(`${each.name}: a request for a pair that does not exist is sent only at the second click`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await openTryIt(visitor);

    await page.getByLabel("Base").fill("xyz");
    await page.getByRole("button", { name: "Read the rate" }).click();

    const warning = "XYZ/USD is not in the list; the request would cost a unit.";
    await page.getByText(warning).waitFor();
    await assertSoundAndNarrow(visitor, "the warning");
    assert.equal(await usedUnits(service), 0);
    visitor.expectError(/status of 404/);
    assert.equal(await tryIt(page, "Read the rate anyway"), "1 unit");
    assert.equal(await page.getByText(warning).count(), 0);
    assert.equal(await usedUnits(service), 1);

    await page.getByRole("button", { name: "Read the rate" }).click();
    await page.getByText(warning).waitFor();
    await page.getByLabel("Base").fill("EUR");
    // It was for another pair.
    await untilCount(page.getByText(warning), 0);
    assert.equal(await tryIt(page), "1 unit");
    visitor.assertQuiet();
  });

  test(`${each.name}: a conversion shows amount, rate, result and age, and folds the JSON-RPC away`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await openTryIt(visitor);
    await page.getByText("Convert").first().click();
    await page.getByLabel("Amount").fill("1234567.5");

    assert.equal(await tryIt(page, "Convert"), "1 unit");

    await page.getByText("1,234,567.5 EUR = 1,416,789.66300 USD").waitFor();
    await page.getByText("at 1 EUR = 1.1476 USD").waitFor();
    await page.getByText("Published by European Central Bank, as of Mar 13, 2026").waitFor();
    const age = page.getByText(/^\d{3,} days old$/);
    assert.match((await age.getAttribute("class")) ?? "", /badge-warn/);
    const response = page.getByRole("region", { name: "Response", exact: true });
    assert.equal(await response.getByText('"jsonrpc"').isVisible(), false);
    await assertSoundAndNarrow(visitor, "the conversion");
    await page.getByText("JSON-RPC", { exact: true }).click();
    await response.getByText('"jsonrpc"').waitFor();
    await excuseShift(page);
    await assertSoundAndNarrow(visitor, "the JSON-RPC");
    visitor.assertQuiet();
  });
}

for (const each of twoLooks) {
  test(`${each.name}: the response is in view, with its publisher and its headers`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;
    await openTryIt(visitor);
    const response = page.getByRole("region", { name: "Response", exact: true });
    const isInView = async () => {
      const { y = -1 } = (await response.boundingBox()) ?? {};
      return y >= 0 && y < each.height - 150;
    };
    if (each.hasTouch) assert.equal(await isInView(), false, "the form fills a phone");

    await tryIt(page);

    await response.getByText("1 EUR = 1.1476 USD").waitFor();
    // The page scrolls there after it has painted the response.
    await eventually("response in view", async () => (await isInView()) || undefined);
    await response.getByText(/^Headers \(\d+\)$/).click();
    const headers = response.locator("dl");
    assert.match((await headers.textContent()) ?? "", /ratelimit-policy"units";q=1000/);
    assert.match((await headers.textContent()) ?? "", /rate-sourceecb;name="European/);
    await excuseShift(page);
    await assertSoundAndNarrow(visitor, "the headers of the response");
    await response.getByRole("link", { name: "European Central Bank" }).click();
    await page.getByRole("heading", { name: "European Central Bank", level: 1 }).waitFor();
    visitor.assertQuiet();
  });
}

test("a suspended pair is not read at the first click, and a symbol that costs nothing is", async () => {
  await using service = await startServiceNow();
  service.query("UPDATE rates SET suspended_at = '2026-01-01' WHERE base = 'EUR'");
  service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openTryIt(visitor);

  await page.getByRole("button", { name: "Read the rate" }).click();
  await page.getByText("EUR/USD is suspended; the request would cost a unit.").waitFor();
  visitor.expectError(/status of 400/);
  // JavaScript makes "SS" of "ß", which the service rejects.
  for (const symbol of ["E", "ß"]) {
    await page.getByLabel("Base").fill(symbol);
    await page.getByLabel("Base").press("Tab");
    assert.equal(await tryIt(page), "nothing");
  }

  assert.equal(await usedUnits(service), 0);
  visitor.assertQuiet();
});

test("while the list of pairs cannot be loaded, a request is sent at the first click", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await signUp(page, EMAIL);
  await createKey(page, "billing");
  await page.route("**/v1/account/pairs", (route) => route.abort());
  visitor.expectError(/ERR_FAILED/);
  await turnTo(page, "Try it");

  assert.equal(await tryIt(page), "1 unit");

  await page.getByText("1 EUR = 1.1476 USD").waitFor();
  visitor.assertQuiet();
});

test("while a newer list of pairs cannot be loaded, the last one names a pair that does not exist", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openTryIt(visitor);
  await page.route("**/v1/account/pairs", (route) => route.abort());
  visitor.expectError(/ERR_FAILED/);

  await page.getByLabel("Base").fill("xyz");
  await page.getByRole("button", { name: "Read the rate" }).click();

  await page.getByText("XYZ/USD is not in the list; the request would cost a unit.").waitFor();
  assert.equal(await usedUnits(service), 0);
  visitor.assertQuiet();
});

test("an incomplete key is not sent, and the page says what a key is", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  const secret = await openTryIt(visitor);
  const calls: string[] = [];
  page.on("request", (request) => {
    if (/\/v1\/(rates|mcp)/.test(request.url())) calls.push(request.url());
  });
  const problem = page
    .getByRole("alert")
    .getByText(/^This is not a complete key\. Paste the whole/);

  for (const key of [`${secret.slice(0, 17)}…`, "🔑", `${secret}é`]) {
    await page.getByLabel("API key", { exact: true }).fill(key);
    for (const [kind, button] of [
      ["Convert", "Convert"],
      ["Read a rate", "Read the rate"],
    ] as const) {
      await page.getByText(kind).first().click();
      await page.getByRole("button", { name: button, exact: true }).click();
      await problem.waitFor();
    }
  }
  await excuseShift(page);
  await assertSoundAndNarrow(visitor, "the incomplete key");
  assert.deepEqual(calls, []);

  await page.getByLabel("API key", { exact: true }).fill(` ${secret} `);
  assert.equal(await tryIt(page), "1 unit");
  assert.equal(await problem.count(), 0);
  assert.equal(calls.length, 1);
  visitor.assertQuiet();
});

test("a response that is no JSON counts as none, and the next request is shown", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openTryIt(visitor);
  await page.route("**/v1/rates/**", (route) =>
    route.fulfill({ body: '{"base":"EUR","rate":"1.' }),
  );

  await page.getByRole("button", { name: "Read the rate" }).click();

  await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
  await page.unroute("**/v1/rates/**");
  assert.equal(await tryIt(page), "1 unit");
  visitor.assertQuiet();
});

test("a response that does not say what it cost is not called free", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openTryIt(visitor);
  visitor.expectError(/status of 503/);
  const body = { code: "temporarily_unavailable", message: "Try again.", request_id: "1" };
  const read = async (headers: Record<string, string>) => {
    await page.route("**/v1/rates/**", (route) =>
      route.fulfill({ status: 503, headers, json: body }),
    );
    await page.getByRole("button", { name: "Read the rate" }).click();
  };

  await read({});
  await page.getByText("Whether it cost a unit is not known").waitFor();
  assert.equal(await page.getByText(/^It cost/).count(), 0);
  for (const [units, cost] of [
    ["0", "It cost nothing."],
    ["1", "It cost 1 unit."],
  ] as const) {
    await read({ "units-charged": units });
    await page.getByText(cost).waitFor();
  }
  visitor.assertQuiet();
});

test("a recent rate is not amber, and its source has its name as it is written", async () => {
  await using service = await startServiceNow();
  const asOf = `${new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, -1)}000000Z`;
  const headers = JSON.stringify(["rate-source", 'import;name=%"Banco de M%c3%a9xico"']);
  const update = "UPDATE rates SET as_of = ?, source = 'import', headers = ? WHERE base = 'EUR'";
  service.query(update, asOf, headers);
  service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  await openTryIt(visitor);

  await tryIt(page);

  const age = page.getByText("3 hours old");
  assert.equal(await age.getAttribute("class"), "badge");
  await page.getByText("Banco de México, as of").waitFor();
  visitor.assertQuiet();
});

/** How to run a snippet on this machine, and the file that it goes into. */
const runners: Readonly<Record<string, readonly [file: string, ...command: string[]]>> = {
  curl: ["read.sh", "sh"],
  TypeScript: ["read.mts", process.execPath],
  Python: ["read.py", "python3"],
  Go: ["main.go", "go", "run"],
  PHP: ["read.php", "php"],
};

async function isInstalled(program: string): Promise<boolean> {
  return promisify(execFile)("sh", ["-c", `command -v "${program}"`]).then(
    () => true,
    () => false,
  );
}

/** @returns what it prints; undefined where the language is not installed. */
async function run(name: string, code: string, apiKey: string): Promise<string | undefined> {
  const [file, program, ...options] = runners[name] ?? [];
  if (file === undefined || program === undefined || !(await isInstalled(program))) {
    return undefined;
  }
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, file), code);
  const env = { ...process.env, KURS_API_KEY: apiKey, NODE_NO_WARNINGS: "1" };
  const { stdout } = await promisify(execFile)(program, [...options, file], {
    cwd: directory.path,
    env,
  });
  return stdout;
}

/** What a snippet must contain in any case. */
const marks: Readonly<Record<string, readonly string[]>> = {
  curl: ["curl -s"],
  TypeScript: ["await fetch("],
  Python: ["urllib.request.urlopen(request)"],
  Go: ["http.DefaultClient.Do(request)"],
  PHP: ["<?php", "getenv('KURS_API_KEY')", "file_get_contents("],
  "C#": ["using var client = new HttpClient();", 'new AuthenticationHeaderValue("ApiKey", key)'],
};

for (const [kind, printed] of [
  ["Read a rate", /^1\.1476$|"rate":"1\.1476"/m],
  ["Convert", /"result\\?":\\?"114\.7600\\?"/],
] as const) {
  test(`${kind}: the code in each language runs, in colours, and contains no key`, async () => {
    await using service = await startServiceNow();
    await using visitor = await Visitor.come(service.url, look);
    const { page } = visitor;
    const secret = await openTryIt(visitor);
    await page.getByText(kind).first().click();
    let runs = 0;

    for (const [name, texts] of Object.entries(marks)) {
      await page.getByRole("tab", { name, exact: true }).click();
      const code = await copyWith(page, `Copy ${name}`);
      const shown = page.getByRole("tabpanel").locator("code");
      assert.equal(await shown.textContent(), code);
      await shown.locator(".token-string").first().waitFor();
      assert.doesNotMatch(code, /svc_live_/, "a pasted secret would stay in files and histories");
      for (const text of texts) assert.ok(code.includes(text), `${name}: ${text}`);
      assert.ok(code.includes(kind === "Convert" ? "/v1/mcp" : "/v1/rates/EUR/USD"), name);
      const output = await run(name, code, secret);
      if (output === undefined) continue;
      assert.match(output, printed, name);
      runs += 1;
    }

    assert.equal(await usedUnits(service), runs);
    assert.ok(runs >= 2, "curl and TypeScript run everywhere");
    await page.getByRole("tab", { name: "C#", exact: true }).click();
    await assertSoundAndNarrow(visitor, "the code");
    visitor.assertQuiet();
  });
}

test("an amount with quotes of every language stays text in the code", async () => {
  await using service = await startServiceNow();
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  const secret = await openTryIt(visitor);
  await page.getByText("Convert").first().click();
  await page.getByLabel("Amount").fill(`'"\`\${1}$(id)\\<b>`);

  for (const name of Object.keys(marks)) {
    await page.getByRole("tab", { name, exact: true }).click();
    const shown = page.getByRole("tabpanel").locator("code");
    assert.equal(await shown.locator("b").count(), 0);
    const output = await run(name, (await shown.textContent()) ?? "", secret);
    if (output !== undefined) assert.match(output, /invalid_request/, name);
  }

  assert.equal(await usedUnits(service), 0, "an invalid amount costs nothing");
  visitor.assertQuiet();
});
