import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { Config } from "../../src/config.ts";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { type Server, serve, temporaryDirectory } from "../support/process.ts";
import { startServiceNow } from "../support/service.ts";
import { copyWith, createKey, logIn, signUp, tryIt, turnTo, untilCount } from "./steps.ts";

/** Shared: each visitor uses an account of its own. */
let server: Server;
const resources = new AsyncDisposableStack();

before(async () => {
  const { path } = resources.use(await temporaryDirectory());
  server = resources.use(await serve({ dataDirectory: path }));
});
after(() => resources.disposeAsync());

/** Starts a service in this process, which takes a tenth of the CPU time of a child process. */
const startHere = (config: Partial<Config> = {}, rest: { dataDirectory?: string } = {}) =>
  startServiceNow({ config, ...rest });

for (const look of twoLooks) {
  test(`${look.name}: the page shows an exhausted quota, and a rejected read costs nothing`, async () => {
    await using service = await startHere({ freePlanUnits: 2 });
    await using visitor = await Visitor.come(service.url, look);
    const { page } = visitor;
    await signUp(page, "ada@example.org");
    await createKey(page, "billing");
    await turnTo(page, "Try it");
    assert.equal(await tryIt(page), "1 unit");
    await page.getByLabel("Base").fill("XX");
    await page.getByRole("button", { name: "Read the rate" }).click();
    await page.getByText("XX/USD is not in the list").waitFor();
    visitor.expectError(/status of 404/);
    const anyway = "Read the rate anyway";
    assert.equal(await tryIt(page, anyway), "1 unit", "an unsupported pair costs a unit");

    await page.getByLabel("Base").fill("EUR");
    visitor.expectError(/status of 429/);
    assert.equal(await tryIt(page), "nothing");
    await page.getByText("429 quota_exceeded").waitFor();
    await page.getByRole("alert").getByText("Request-unit quota exceeded").waitFor();
    await page.getByText("2 of 2 units used").waitFor();
    await visitor.assertSound("the exhausted quota");

    await page.getByText("Convert").first().click();
    assert.equal(await tryIt(page, "Convert"), "nothing");
    await page.getByText("quota_exceeded", { exact: true }).waitFor();
    assert.equal(await page.getByText("200 quota_exceeded").count(), 0);

    await turnTo(page, "Usage");
    await page.getByText("reads are rejected until the reset").waitFor();
    await visitor.assertSound("the full meter");
    visitor.assertQuiet();
  });

  test(`${look.name}: the page reports an unreachable service and recovers when it is back`, async () => {
    await using directory = await temporaryDirectory();
    const kept = { dataDirectory: directory.path };
    await using running = new AsyncDisposableStack();
    const first = running.use(await startHere({}, kept));
    await using visitor = await Visitor.come(first.url, look);
    const { page } = visitor;
    await signUp(page, "ada@example.org");
    await createKey(page, "billing");
    await running.disposeAsync();

    visitor.expectError(/ERR_CONNECTION_REFUSED/);
    await turnTo(page, "Usage");
    await page.getByText("The service cannot be reached.").waitFor();
    await visitor.assertSound("the usage, unreachable");
    await turnTo(page, "Keys");
    await page.getByLabel("Name of a new key").fill("second");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
    assert.equal(await page.getByLabel("Name of a new key").inputValue(), "second");
    await turnTo(page, "Usage");
    await page.getByText("The service cannot be reached.").waitFor();

    const port = Number(new URL(first.url).port);
    await using again = await startHere({ port }, kept);
    await page.getByText("of 1,000 units used").waitFor();
    await page.getByText("No reads in these 30 days").waitFor();
    await untilCount(page.getByText("The service cannot be reached."), 0);
    await turnTo(page, "Keys");
    await page.getByRole("button", { name: "Revoke billing" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Revoke second" }).count(), 0);
    assert.equal((await again.get("/readyz")).status, 200);
    visitor.assertQuiet();
  });
}

const [look] = twoLooks as [Look];
const phone = { ...look, width: 320, height: 640 };

for (const path of ["/rates", "/usage", "/account", "/keys", "/activity", "/sources"]) {
  test(`${path} reports a response that is no JSON as a missing one, and recovers`, async () => {
    await using service = await startHere();
    await service.register("ada@example.org");
    await using visitor = await Visitor.come(service.url, phone);
    const { page } = visitor;
    await page.goto("/login");
    await logIn(page, "ada@example.org");
    await page.getByText("No active key").waitFor();
    const bodies = ["<!doctype html><title>Log in to the network</title>", '{"sources":[', ""];
    let count = 0;
    await page.route("**/v1/account**", (route) => {
      count += 1;
      return route.fulfill({ body: bodies[count % bodies.length] ?? "" });
    });
    await page.route("**/v1/account/**", (route) => route.fulfill({ body: '{"pairs":[' }));

    await page.goto(path);

    const problem = page.getByText("The service cannot be reached.");
    await problem.first().waitFor();
    await visitor.assertSound(`${path} without JSON`);
    await page.unrouteAll();
    await untilCount(problem, 0);
    await untilCount(page.getByText("Loading"), 0);
    visitor.assertQuiet();
  });
}

for (const [path, name] of [
  ["/", "index"],
  ["/keys", "page-head"],
  ["/login", "copy-button"],
  ["/forgot", "preload-helper"],
  ["/docs", "docs"],
  ["/docs", "page-head"],
] as const) {
  test(`${path} without its script ${name} says after a while that it has not loaded`, async () => {
    await using visitor = await Visitor.come(server.url, phone);
    const { page } = visitor;
    visitor.expectError(/ERR_FAILED/);
    await page.route(`**/assets/${name}-*.js`, (route) => route.abort());

    await page.goto(path);

    const text = page.getByText("Reload the page to try again.");
    assert.equal(await text.count(), 1);
    // Not waited for: the animation is set to its first second and to its end instead.
    const animations = 'document.querySelector(".late").getAnimations()';
    assert.notEqual(await page.evaluate(`${animations}[0].playState`), "paused");
    await page.evaluate(
      `${animations}.forEach((each) => { each.pause(); each.currentTime = 1000; })`,
    );
    assert.equal(await text.isVisible(), false, "it flashes while the scripts load");
    await page.evaluate(`${animations}.forEach((each) => each.finish())`);
    await text.waitFor();
    await visitor.assertSound(`${path} without ${name}`);

    await page.unrouteAll();
    await page.reload();
    await page.getByRole("banner").waitFor();
    await untilCount(text, 0);
    visitor.assertQuiet();
  });
}

test("a rejected field shows what to do, and no request id", async () => {
  await server.register("ada@example.org");
  await using visitor = await Visitor.come(server.url, look);
  const { page } = visitor;
  visitor.expectError(/status of (401|409|400)/);
  const rejection = page.getByRole("alert");

  await page.goto("/login");
  await logIn(page, "ada@example.org", "not the password");
  await rejection.getByText("Email or password is incorrect.").waitFor();
  assert.equal(await rejection.locator("code").count(), 0);
  assert.equal(await page.evaluate("sessionStorage.length"), 0);

  await signUp(page, "ada@example.org");
  await rejection.getByText("already").waitFor();
  assert.equal(await rejection.locator("code").count(), 0);
  assert.equal(new URL(page.url()).pathname, "/signup");
  await page.getByLabel("Email").fill("grace@example.org");
  await page.getByLabel("New password").fill("password");
  await page.getByRole("button", { name: "Create account" }).click();
  await rejection.getByText("That password is too common. Choose another.").waitFor();
  assert.equal(await rejection.locator("code").count(), 0);
  visitor.assertQuiet();
});

test("a log-in with an unconfirmed email shows what to do and can send another mail", async () => {
  await using service = await startHere({ requireVerifiedEmail: true });
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  visitor.expectError(/status of 403/);

  await signUp(page, "ada@example.org");
  await page.getByRole("heading", { name: "Confirm your email" }).waitFor();
  await visitor.assertSound("the mail to wait for");
  await page.getByRole("button", { name: "Send another mail" }).click();
  await page.getByText("A new mail is in a file.").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Log in" }).click();
  await logIn(page, "ada@example.org");
  await page.getByRole("heading", { name: "Confirm your email" }).waitFor();
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
  visitor.assertQuiet();
});

test("a used link shows an error and offers a new one", async () => {
  await using visitor = await Visitor.come(server.url, look);
  const { page } = visitor;
  visitor.expectError(/status of 400/);

  await page.goto(`/verify#token=${"0".repeat(64)}`);
  await page.getByRole("alert").getByText("This link is invalid").waitFor();
  await visitor.assertSound("the used link");
  await page.getByLabel("Email").fill("nobody@example.org");
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByText("If there is an account for nobody@example.org").waitFor();
  visitor.assertQuiet();
});

test("the displayed curl command reads a rate when pasted into a shell", async () => {
  await using visitor = await Visitor.come(server.url, look);
  const { page } = visitor;
  await signUp(page, "curl@example.org");
  const secret = await createKey(page, "billing");
  await turnTo(page, "Try it");

  for (const call of ["Read a rate", "Convert"]) {
    await page.getByText(call).first().click();
    const command = await copyWith(page, "Copy curl");
    assert.doesNotMatch(command, /svc_live_/, "a pasted secret would stay in the shell's history");
    const output = await runShell(command, secret);
    assert.match(output, /1\.1476/);
  }
  visitor.assertQuiet();
});

async function runShell(command: string, apiKey: string): Promise<string> {
  const env = { PATH: process.env.PATH, KURS_API_KEY: apiKey };
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { env });
  return stdout;
}
