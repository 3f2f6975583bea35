import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { request as sendRequest } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { consolePages } from "../../src/platform/pages/paths.ts";
import { startServer } from "../support/other-server.ts";
import { startService } from "../support/service.ts";
import { comeTo, startForVisitors } from "./steps.ts";

// The console's files, as they are sent.

const ASSETS = join(import.meta.dirname, "../../console/dist/assets");
const CONSOLE_SCRIPT_BYTES_MAX = 70_000;

const service = await startForVisitors();

/** Fetches a file, which is decompressed by what its headers say. */
async function fetchFile(path: string, encodings: string) {
  const response = await fetch(service.url + path, { headers: { "accept-encoding": encodings } });
  const headers = Object.fromEntries(response.headers) as Readonly<Record<string, string>>;
  return { headers, content: Buffer.from(await response.arrayBuffer()) };
}

test("the console's scripts, including the chart, are at most 70 kB gzipped", async () => {
  const { text } = await service.get("/");
  const found = new Set([...text.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, name = ""]) => name));
  let sum = 0;
  // A set also yields what is added meanwhile: the scripts that a script loads.
  for (const name of found) {
    const script = await readFile(join(ASSETS, name));
    sum += gzipSync(script, { level: 9 }).length;
    for (const [, next = ""] of script.toString().matchAll(/\.\/([\w.-]+\.js)/g)) found.add(next);
  }
  assert.match([...found].join(), /uPlot/, "the chart is missing");
  assert.ok(sum > 20_000 && sum <= CONSOLE_SCRIPT_BYTES_MAX, `${sum} bytes`);
});

const asBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

test("every page is uncached, with a strict Content-Security-Policy; so is that of an unknown path", async () => {
  const unknown = ["/nothing", "/guide/nothing", "/guide/assets/nothing.js"];
  for (const path of [...consolePages, ...unknown]) {
    const { status, headers, text } = await service.get(path, { headers: asBrowser });
    assert.equal(status, unknown.includes(path) ? 404 : 200, path);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "no-store");
    const policy = (headers["content-security-policy"] ?? "").split("; ");
    for (const rule of ["default-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(rule), path);
    assert.doesNotMatch(policy.join(), /unsafe|https?:|\*/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["permissions-policy"], "camera=(), geolocation=(), microphone=()");
    assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)|<style|\son\w+=|https?:\/\//);
    assert.equal(headers["set-cookie"], undefined);
  }
});

test("the document says who can register and where mails go, however it is sent", async () => {
  const config = { registration: "invite", smtpUrl: "smtp://127.0.0.1:9" } as const;
  await using own = await startService({ config });
  for (const headers of [{}, { "accept-encoding": "gzip, br" }]) {
    const { text, headers: sent } = await own.get("/", { headers });
    for (const meta of ['name="registration" content="invite"', 'name="mail" content="server"'])
      assert.ok(text.includes(`<meta ${meta}`), text);
    assert.equal(sent["content-encoding"], undefined);
  }
});

test("a hashed asset is immutable, and sent compressed to clients that accept it", async () => {
  const names = (await readdir(ASSETS)).filter((name) => /\.(js|css)$/.test(name));
  assert.ok(names.length > 3);
  for (const name of names) {
    const expected = await readFile(join(ASSETS, name));
    for (const [encodings, coding] of [
      ["identity", undefined],
      ["gzip", "gzip"],
      ["gzip, br", "br"],
    ] as const) {
      const { headers, content } = await fetchFile(`/assets/${name}`, encodings);
      assert.equal(headers["content-encoding"], coding);
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.match(headers.vary ?? "", /accept-encoding/i);
      assert.ok(content.equals(expected), name);
    }
  }
});

test("a file without a hash in its name is not kept by browsers", async () => {
  const { headers } = await fetchFile("/favicon.svg", "identity");
  assert.equal(headers["content-type"], "image/svg+xml");
  assert.equal(headers["cache-control"], "no-store");
});

for (const [encodings, coding] of [
  ["BR", "br"],
  ["gzip;q=0.1, br;q=0.0", "gzip"],
  ["br;q=0, *", undefined],
  ["br;q=0, gzip;q=0, *;q=1", undefined],
  ["*", undefined],
  ["br2, xgzip", undefined],
  ["", undefined],
] as const) {
  test(`with Accept-Encoding "${encodings}" a page is sent ${coding ?? "as it is"}`, async () => {
    const { headers, content } = await fetchFile("/docs", encodings);
    assert.equal(headers["content-encoding"], coding);
    assert.match(headers.vary ?? "", /accept-encoding/i);
    assert.match(content.toString(), /^<!doctype html>/i);
  });
}

const ACCEPTED = ["*/*", "application/json", "text/html;q=0", "text/*", ""];
const unknown: readonly (readonly [path: string, headers: Readonly<Record<string, string>>])[] = [
  ...["/index.html", "/docs/x", "/keys/", "/assets/", "/assets/none.js", "/keys/1"],
  ...["/assets/..%2f..%2fpackage.json", "/assets/../../package.json", "/favicon.svg.br"],
].map((path) => [path, {}]);
const ofPrograms = ["/v1", "/v1/nothing", "/v1/rates/EUR", "/.well-known/x", "/register"];

test("a program at an unknown path gets the API's 404, and an unsupported method its 405", async () => {
  for (const [path, headers] of [
    ...unknown,
    ...[...ofPrograms, `/${"a/".repeat(40)}`].map((path) => [path, asBrowser] as const),
    ...ACCEPTED.map((accept) => ["/nothing", { accept }] as const),
  ]) {
    const { status, body, headers: sent } = await service.get(path, { headers });
    assert.deepEqual([status, body.code], [404, "not_found"], path);
    assert.equal(sent["cache-control"], "no-store");
    assert.match(sent["content-security-policy"] ?? "", /default-src 'none'/);
  }
  const { status, headers: ofDocs } = await service.get("/docs/");
  assert.deepEqual([status, ofDocs.location], [308, "../docs"]);
  assert.equal((await service.post("/nothing", { headers: asBrowser })).body.code, "not_found");
  for (const path of ["/", "/keys", "/docs", "/favicon.svg"]) {
    const { status, headers } = await service.post(path);
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD"], path);
    assert.equal(headers["cache-control"], "no-store");
  }
});

test("the console works behind a proxy that serves it under a path prefix", async () => {
  const PREFIX = "/kurs";
  const { hostname, port } = new URL(service.url);
  await using proxy = await startServer((request, response) => {
    const { method, headers, url: path = "" } = request;
    if (!path.startsWith(`${PREFIX}/`)) return void response.writeHead(418).end();
    const onward = { hostname, port, method, path: path.slice(PREFIX.length), headers };
    const forwarded = sendRequest(onward, (upstream) => {
      response.writeHead(upstream.statusCode ?? 0, upstream.headers);
      upstream.pipe(response);
    });
    request.pipe(forwarded);
  });
  await using visitor = await comeTo(proxy, `${PREFIX}/`);
  const { page, see, signUp, turnTo } = visitor;

  await page.getByRole("link", { name: "Create an account" }).click();
  await page.waitForURL(`**${PREFIX}/signup`);
  await signUp("ada@example.org");
  await see("No active key");
  await turnTo("Usage");
  await see("of 1,000 units used");
  await page.reload();
  await see("of 1,000 units used");
});
