import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { looks, startBrowser, Visitor } from "../support/browser.ts";
import { startService } from "../support/service.ts";
import { NOW } from "./steps.ts";
import { type Walker, walk } from "./walk.ts";

// Takes a screenshot of every page and state, in three widths, light and dark, for review by eye.

const DIRECTORY = join(import.meta.dirname, "../../screenshots");

await mkdir(DIRECTORY, { recursive: true });
await using service = await startService({ config: { authCallsPerWindow: 10_000 } });
await using browser = await startBrowser();

const small = { width: 1024, height: 768, hasTouch: false } as const;
const smallLooks = (["light", "dark"] as const).map((colorScheme) => {
  return { name: `small ${colorScheme}`, ...small, colorScheme };
});

for (const look of [...looks, ...smallLooks]) {
  const slug = look.name.replace(" ", "-");
  let count = 0;
  const picturing = ({ page }: Visitor): Walker => ({
    async open(path, texts) {
      await page.goto("about:blank");
      await page.goto(path);
      for (const text of texts) await page.locator("main").filter({ hasText: text }).waitFor();
    },
    async look(state) {
      count += 1;
      const number = String(count).padStart(2, "0");
      const name = `${slug}-${number}-${state.replaceAll(/[^a-z]+/g, "-")}.png`;
      await page.screenshot({ path: join(DIRECTORY, name), fullPage: true });
    },
  });
  await using visitor = await Visitor.come(service.url, look, { browser, time: NOW });
  await walk(service, visitor, `${slug}@example.org`, picturing(visitor));
  console.log(`${look.name}: done`);
}
console.log(`The screenshots are in ${DIRECTORY}`);
