import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { consolePages } from "../../src/pages/paths.ts";
import { looks, Visitor } from "../support/browser.ts";
import { startServiceNow, type TestService } from "../support/service.ts";
import { signUp, turnTo } from "./steps.ts";

const ASSETS = join(import.meta.dirname, "../../console/dist/assets");
const CONSOLE_SCRIPT_BYTES_MAX = 70_000;

let service: TestService;

before(async () => {
  // The browser, whose clock is the machine's, ends a session that is over by it.
  service = await startServiceNow();
});

after(async () => {
  await service[Symbol.asyncDispose]();
});

/** The names of the scripts that a page loads, directly or through other scripts. */
async function scriptsOf(path: string): Promise<string[]> {
  const { text } = await service.get(path);
  const found = new Set<string>();
  const waiting = [...text.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, name = ""]) => name);
  for (const name of waiting) {
    if (found.has(name)) continue;
    found.add(name);
    const script = await readFile(join(ASSETS, name), "utf8");
    waiting.push(...[...script.matchAll(/\.\/([\w.-]+\.js)/g)].map(([, next = ""]) => next));
  }
  return [...found];
}

test("the console's scripts, including the chart, are at most 70 kB gzipped", async () => {
  const names = await scriptsOf("/");
  assert.ok(
    names.some((name) => name.startsWith("uPlot")),
    "the chart is missing",
  );
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(join(ASSETS, name)), { level: 9 }).length),
  );
  const sum = sizes.reduce((total, size) => total + size, 0);
  assert.ok(sum > 20_000, `only ${sum} bytes: a script is missing`);
  assert.ok(sum <= CONSOLE_SCRIPT_BYTES_MAX, `${sum} bytes`);
});

for (const path of [...consolePages, "/docs"]) {
  test(`${path} is an uncached page with a strict Content-Security-Policy`, async () => {
    const { status, headers, text } = await service.get(path);
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "no-store");
    const policy = (headers["content-security-policy"] ?? "").split("; ");
    assert.ok(policy.includes("default-src 'self'"));
    assert.ok(policy.includes("frame-ancestors 'none'"));
    assert.doesNotMatch(policy.join(), /unsafe|https?:|\*/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)|<style|\son\w+=|https?:\/\//);
    assert.equal(headers["set-cookie"], undefined);
  });
}

test("a hashed asset is immutable, and the server compresses it for clients that accept it", async () => {
  const names = (await readdir(ASSETS)).filter((name) => /\.(js|css)$/.test(name));
  assert.ok(names.length > 3);
  for (const name of names) {
    const content = await readFile(join(ASSETS, name));
    const path = `/assets/${name}`;
    const plain = await fetchRaw(path, "identity");
    assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(plain.headers["x-content-type-options"], "nosniff");
    assert.ok(plain.body.equals(content));
    const gzipped = await fetchRaw(path, "gzip");
    assert.equal(gzipped.headers["content-encoding"], "gzip");
    assert.match(String(gzipped.headers.vary), /accept-encoding/i);
    assert.ok(gunzipSync(gzipped.body).equals(content));
    const brotli = await fetchRaw(path, "gzip, br");
    assert.equal(brotli.headers["content-encoding"], "br");
    assert.ok(brotliDecompressSync(brotli.body).equals(content));
  }
});

test("a file without a hash in its name is not kept by browsers", async () => {
  const { headers } = await fetchRaw("/favicon.svg", "identity");
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
    const { headers, body } = await fetchRaw("/docs", encodings);
    assert.equal(headers["content-encoding"], coding);
    assert.match(String(headers.vary), /accept-encoding/i);
    const bytes = coding === "br" ? brotliDecompressSync(body) : body;
    const text = (coding === "gzip" ? gunzipSync(bytes) : bytes).toString();
    assert.match(text, /^<!doctype html>/i);
  });
}

test("an unknown path returns the API's 404, and an unsupported method its 405", async () => {
  const unknown = ["/index.html", "/docs.html", "/docs/", "/assets/", "/assets/none.js", "/keys/1"];
  const odd = ["/assets/..%2f..%2fpackage.json", "/assets/../../package.json", "/favicon.svg.br"];
  for (const path of [...unknown, ...odd]) {
    const { status, body, headers } = await service.get(path);
    assert.equal(status, 404, path);
    assert.equal(body.code, "not_found");
    assert.equal(headers["cache-control"], "no-store");
    assert.match(headers["content-security-policy"] ?? "", /default-src 'none'/);
  }
  for (const path of ["/", "/keys", "/docs", "/favicon.svg"]) {
    const { status, headers } = await service.post(path);
    assert.equal(status, 405, path);
    assert.equal(headers.allow, "GET, HEAD");
    assert.equal(headers["cache-control"], "no-store");
  }
});

test("the console works behind a proxy that serves it under a path prefix", async () => {
  const PREFIX = "/kurs";
  const proxy = createServer((request, response) => {
    const path = request.url ?? "";
    if (!path.startsWith(`${PREFIX}/`)) return void response.writeHead(418).end();
    const { hostname, port } = new URL(service.url);
    const { method, headers } = request;
    const onward = { hostname, port, method, path: path.slice(PREFIX.length), headers };
    const forwarded = sendRequest(onward, (upstream) => {
      response.writeHead(upstream.statusCode ?? 0, upstream.headers);
      upstream.pipe(response);
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  using _running = {
    [Symbol.dispose]() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
  const { port } = proxy.address() as AddressInfo;
  const [look] = looks;
  assert.ok(look !== undefined);
  await using visitor = await Visitor.come(`http://127.0.0.1:${port}`, look);
  const { page } = visitor;

  await page.goto(`${PREFIX}/`);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.waitForURL(`**${PREFIX}/signup`);
  await signUp(page, "ada@example.org", "correct horse battery", PREFIX);
  await page.getByText("No active key").waitFor();
  await turnTo(page, "Usage");
  await page.getByText("of 1,000 units used").waitFor();
  await page.reload();
  await page.getByText("of 1,000 units used").waitFor();
  visitor.assertQuiet();
});

interface RawResponse {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Fetches a response without decompressing it. */
function fetchRaw(path: string, encodings: string): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
  const headers = { "accept-encoding": encodings };
  sendRequest(`${service.url}${path}`, { headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
  })
    .on("error", reject)
    .end();
  return promise;
}
