import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { comeLoggedIn, comeTo, startForVisitors, untilCount } from "./steps.ts";

// The API reference, which the page makes from /openapi.json.

const service = await startForVisitors();

test("every call of the document is listed, with a link that opens it", async () => {
  const { body } = await service.get("/openapi.json");
  const paths = Object.entries(body.paths as Record<string, Record<string, object>>);
  const calls = paths.flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) =>
      method === "head" ? [] : `${method.toUpperCase()} ${path}`,
    ),
  );
  await using visitor = await comeTo(service, "/docs");
  const { page } = visitor;
  const lines = page.locator(".call > summary");
  await untilCount(lines, calls.length);
  const shown = (await lines.allTextContents()).map((text) =>
    calls.find((each) => text.startsWith(`${each} `)),
  );
  assert.deepEqual(shown.toSorted(), calls.toSorted());
  const links = page.getByRole("navigation", { name: "Calls" }).getByRole("link");
  await untilCount(links, calls.length);
  for (const tool of [/^get_rate.*1 unit/, /^convert_currency.*1 unit/, /^get_usage.*nothing/])
    await page.getByRole("row", { name: tool }).waitFor();
});

test("the address opens a call: its parameters, its responses, and a command that runs", async () => {
  const { apiKey, session, usedUnits } = await service.newCustomer();
  await using visitor = await comeTo(service, "/docs#/Rates/getRate");
  const { page, copyWith } = visitor;
  const call = page.locator("#call-getRate[open]");
  for (const text of [
    "base string, in the path, such as EUR",
    "Rate-Missed integer, 1 to 99, optional, such as 1",
  ])
    await call.getByRole("listitem").filter({ hasText: text }).waitFor();
  for (const text of ['"rate": "1.1476"', "matches ^(0|[1-9][0-9]*)(\\.[0-9]+)?$"])
    await call.getByText(text).waitFor();
  await call.getByText("the quota is used up").click();
  for (const text of ['"code": "quota_exceeded"', "The end of the period"])
    await call.getByText(text).waitFor();

  const env = { ...process.env, KURS_API_KEY: apiKey, KURS_SESSION: session };
  const run = async (id: string) => {
    const command = await copyWith(`Copy curl for ${id}`);
    return (await promisify(execFile)("sh", ["-c", command], { env })).stdout;
  };
  assert.match(await run("getRate"), /"rate":"1\.1476"/);
  assert.equal(await usedUnits(), 1);
  await page.goto("/docs#/Account/updateSettings");
  await page.locator("#call-updateSettings[open]").waitFor();
  assert.match(await run("updateSettings"), /"quota_mails":false/);
  await page.goBack();
  await call.getByRole("link", { name: "Try it" }).click();
  await page.waitForURL(`${service.url}/login?next=/try`);
});

test("a call is found by its words, and the page stays open after a log-out", async () => {
  await using visitor = await comeLoggedIn(service, "/docs");
  const { page, see, fill, logOut } = visitor;
  const links = page.getByRole("navigation", { name: "Calls" }).getByRole("link");
  await links.nth(20).waitFor();
  await fill({ "Find a call": "api-keys list" });
  await untilCount(links, 1);
  await untilCount(page.locator(".call"), 1);
  await links.click();
  const line = page.locator("#call-listApiKeys[open] > summary");
  await line.waitFor();
  assert.ok(await line.evaluate((element) => element.matches(":focus")));
  assert.match(page.url(), /#\/API%20keys\/listApiKeys$/);
  await fill({ "Find a call": "bicycle" });
  await see("No call matches.");
  await logOut();
  await page.getByRole("link", { name: "Log in", exact: true }).click();
  await page.waitForURL(`${service.url}/login`);
});
