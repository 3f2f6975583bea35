import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { externalAssets } from "../../guide/pages/external-assets.ts";
import { withSiteLinks } from "../../guide/pages/links.ts";

const pages = new Map([
  ["docs/api.md", "/api.md"],
  ["docs/alarms/", "/alarms/kurs-down.md"],
]);

const rewrite = (markdown: string) =>
  withSiteLinks(markdown, "docs/operating/mail.md", {
    page: (file) => pages.get(file),
    image: (file) => `/images/${file}`,
  });

test("links to documents lead to their pages, and those to other files become text", () => {
  assert.equal(rewrite("[the API](../api.md#errors)"), "[the API](/api.md#errors)");
  assert.equal(rewrite("[alarms](../alarms/)"), "[alarms](/alarms/kurs-down.md)");
  assert.equal(
    rewrite("![a picture](../images/usage.png)"),
    "![a picture](/images/docs/images/usage.png)",
  );
  assert.equal(rewrite("[`kurs.service`](../../deploy/kurs.service)"), "`kurs.service`");
  assert.equal(
    rewrite("[ECB](https://www.ecb.europa.eu/#a) [here](#mail)"),
    "[ECB](https://www.ecb.europa.eu/#a) [here](#mail)",
  );
});

test("code is left as it is", () => {
  const fenced = "```sh\nsee [x](nowhere.md)\n```";
  assert.equal(rewrite(fenced), fenced);
  const indented = "  ```sh\n  b\n\n  c\n  ```\n\n";
  assert.equal(rewrite(`${indented}[API](../api.md) \`c\``), `${indented}[API](/api.md) \`c\``);
  assert.equal(rewrite("`[x](nowhere.md)`"), "`[x](nowhere.md)`");
  assert.equal(rewrite("`a\nb` [API](../api.md), `c`"), "`a\nb` [API](/api.md), `c`");
});

test("a link that leads to nothing fails the build, with its document and itself", () => {
  assert.throws(
    () => rewrite("see [the moon](../moon.md)"),
    /docs\/operating\/mail\.md: the link \[the moon\]\(\.\.\/moon\.md\) leads nowhere/,
  );
});

test("an image, script or style of another host fails the build; a link in the text does not", () => {
  const site = mkdtempSync(join(tmpdir(), "kurs-test-site-"));
  try {
    writeFileSync(join(site, "links.html"), '<a href="https://example.org/">x</a>');
    assert.deepEqual(externalAssets(site), []);
    writeFileSync(join(site, "image.html"), '<img alt="" src="https://example.org/a.png">');
    writeFileSync(join(site, "fonts.css"), "@import url('//fonts.example.org/inter.css');");
    assert.deepEqual(externalAssets(site), [
      'image.html: <img alt="" src="https://example.org/a.png"',
      "fonts.css: url('//fonts.example.org/inter.css",
    ]);
  } finally {
    rmSync(site, { recursive: true });
  }
});
