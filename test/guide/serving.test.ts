import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { guides } from "../../console/src/guides.ts";
import { assertFailure } from "../support/assertions.ts";
import { startService, startSharedService } from "../support/service.ts";

const service = await startSharedService();

const index = readFileSync(join(import.meta.dirname, "../../docs/README.md"), "utf8");

/** The paths of the pages that the navigation leads to. */
async function pagesOf(): Promise<readonly string[]> {
  const { text } = await service.get("/guide/");
  const found = [...text.matchAll(/href="(\/guide\/[^"#]*)"/g)];
  const isPage = (path: string) => !/assets|\.css$|\.\./.test(path);
  return [...new Set(found.map(([, path = ""]) => path))].filter(isPage);
}

test("every document of the index is a page, uncached, with a strict policy", async () => {
  const pages = await pagesOf();
  const listed = index.match(/^- \[/gm)?.length ?? 0;
  assert.ok(pages.length >= listed && listed > 30, `${pages.length} pages, ${listed} in the index`);
  for (const path of pages) {
    const { status, headers, text } = await service.get(path);
    assert.equal(status, 200, path);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "no-store");
    const policy = (headers["content-security-policy"] ?? "").split("; ");
    assert.ok(policy.includes("default-src 'self'"));
    assert.doesNotMatch(policy.join(), /script-src|style-src|https?:|data:|\*/);
    assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)|<style|\s(?:style|on\w+)="/, path);
    assert.doesNotMatch(text, /href="(?!https?:)[^"]*\.md/, path);
    assert.doesNotMatch(text, /<(?:script|img|link)\b[^>]*(?:src|href)="(?:https?:)?\/\//, path);
  }
});

test("a page has an address without a suffix, and one as Markdown", async () => {
  const { status, headers } = await service.get("/guide");
  assert.equal(status, 308);
  assert.equal(headers.location, "guide/");
  for (const [path, expected] of [
    ["/guide/api", 200],
    ["/guide/reference/errors", 200],
    ["/guide/api.html", 404],
    ["/guide/api/", 404],
    ["/guide/none", 404],
    ["/guide/../package.json", 404],
    ["/guide/404", 404],
    ["/guide/%zz", 404],
    [`/guide/${"a".repeat(200)}`, 404],
    ["/guide/assets/none.js", 404],
  ] as const) {
    const answer = await service.get(path);
    assert.equal(answer.status, expected, path);
    if (expected === 404) assertFailure(answer, 404, "not_found", "There is nothing at this path.");
  }
  const { text, headers: ofText } = await service.get("/guide/api.md");
  assert.equal(ofText["content-type"], "text/markdown; charset=utf-8");
  assert.match(text, /^# The API in words\n/);
  const posted = await service.post("/guide/api");
  assert.equal(posted.status, 405);
  assert.equal(posted.headers.allow, "GET, HEAD");
});

test("/llms.txt lists every page as Markdown, and /llms-full.txt has all in one text", async () => {
  const { text, headers } = await service.get("/llms.txt");
  assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  assert.match(text, /^# Kurs\n\n> Kurs stores/);
  const paths = [...text.matchAll(/\]\((\/guide\/[^)]+\.md)\)/g)].map(([, path = ""]) => path);
  assert.deepEqual(
    [...new Set(paths)].sort(),
    (await pagesOf())
      .filter((path) => path !== "/guide/")
      .map((path) => `${path}.md`)
      .sort(),
  );
  const full = (await service.get("/llms-full.txt")).text;
  for (const path of paths) {
    const page = await service.get(path);
    assert.equal(page.status, 200, path);
    assert.ok(full.includes(page.text), `${path} is not in the whole text`);
  }
});

test("no link in a Markdown page leads to a file of a clone or to a page that is not there", async () => {
  const pages = await pagesOf();
  for (const path of pages) {
    const { text } = await service.get(path === "/guide/" ? "/guide/index.md" : `${path}.md`);
    const prose = text.replaceAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm, "");
    for (const [, target = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:\w+:|#)/.test(target)) continue;
      const [file = ""] = target.split("#");
      assert.equal((await service.get(file)).status, 200, `${path}: ${target}`);
    }
  }
});

test("behind a path of PUBLIC_URL, whatever its characters, every address begins with it", async () => {
  const path = "/a$&b";
  await using prefixed = await startService({
    config: { publicUrl: `https://example.org${path}` },
  });
  const { text, headers } = await prefixed.get("/guide/api");
  assert.equal(headers["content-encoding"], undefined);
  const own = [...text.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, address = ""]) => address);
  assert.ok(own.length > 30);
  const others = own.filter((address) => !address.startsWith(`${path}/guide/`));
  assert.deepEqual(others, []);
  const script = own.find((address) => /assets\/app\..*\.js$/.test(address)) ?? "";
  const { status, text: code } = await prefixed.get(script.slice(path.length));
  assert.equal(status, 200);
  assert.doesNotMatch(code, /["'`]\/guide\//);
  const list = (await prefixed.get("/llms.txt")).text;
  assert.match(list, /\]\(\/a\$&b\/guide\/api\.md\)/);
  assert.doesNotMatch(list, /\]\(\/guide\//);
});

test("each page of the console has a guide, at a heading that its page has", async () => {
  for (const [page, guide] of Object.entries(guides)) {
    const [path = "", anchor] = guide.split("#");
    const { status, text } = await service.get(`/guide/${path}`);
    assert.equal(status, 200, `${page}: ${guide}`);
    if (anchor !== undefined) assert.ok(text.includes(`id="${anchor}"`), `${page}: ${guide}`);
  }
});
