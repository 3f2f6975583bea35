import assert from "node:assert/strict";
import { test } from "node:test";
import { consolePages } from "../../src/platform/pages/paths.ts";
import { twoLooks, Visitor } from "../support/browser.ts";
import { NOW, startForVisitors } from "./steps.ts";
import { type Walker, walk } from "./walk.ts";

// 10 s of processor time: every page in two looks, each with every rule of axe-core in a browser.

const service = await startForVisitors();

/** What a page waits for before it shows what it is for. */
const DATA = /\/(?:v1\/account|about\.json|coverage\.json|openapi\.json)/;

/** Examines what a visitor sees; each page gets its data after its first picture, as on a slow line. */
function examining(visitor: Visitor): Walker & { readonly opened: ReadonlySet<string> } {
  const { page } = visitor;
  const opened = new Set<string>();
  return {
    opened,
    look: (state) => visitor.assertSound(state),
    async open(path, texts) {
      const { promise: painted, resolve: arrive } = Promise.withResolvers<void>();
      await page.route(DATA, async (route) => {
        await painted;
        await route.fallback();
      });
      await page.goto("about:blank");
      await page.goto(path);
      opened.add(new URL(page.url()).pathname);
      await page.locator("h1").first().waitFor();
      await visitor.assertInPlace(path);
      arrive();
      const main = page.locator("main");
      for (const text of texts) await main.filter({ hasText: text }).waitFor();
      await visitor.assertInPlace(path);
      const hasExample = path === "/" || path.startsWith("/docs");
      if (!hasExample) assert.doesNotMatch((await main.textContent()) ?? "", /1\.1476/, path);
      await page.unrouteAll();
    },
  };
}

for (const look of twoLooks) {
  test(`${look.name}: every page is accessible, fits the window and stays in place`, async () => {
    await using visitor = await Visitor.come(service.url, look, { time: NOW });
    await visitor.watchShifts();
    const walker = examining(visitor);
    await walk(service, visitor, `${look.name.replace(" ", "-")}@example.org`, walker);
    const missing = consolePages.filter((path) => !walker.opened.has(path));
    assert.deepEqual(missing, [], "the walk leaves a page out");
    visitor.assertQuiet();
  });
}
