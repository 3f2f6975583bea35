import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import sparticuz from "@sparticuz/chromium";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Every rule, but only what is broken is told at length: 0.1 s a page instead of 0.25. */
const RUN_AXE = 'axe.run({ resultTypes: ["violations"] })';

/** Our own, not the package's: those are made for functions in a cloud. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
];

/** How someone looks at the console. */
export interface Look {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
  readonly hasTouch: boolean;
}

const desktop = { width: 1280, height: 860, hasTouch: false } as const;
const phone = { width: 375, height: 740, hasTouch: true } as const;

export const looks: readonly Look[] = [
  { name: "desktop light", ...desktop, colorScheme: "light" },
  { name: "desktop dark", ...desktop, colorScheme: "dark" },
  { name: "phone light", ...phone, colorScheme: "light" },
  { name: "phone dark", ...phone, colorScheme: "dark" },
];

/** A real Chromium from npm, or the one that CHROMIUM names where that does not run. */
export async function startBrowser(): Promise<Browser & AsyncDisposable> {
  const executablePath = process.env.CHROMIUM ?? (await sparticuz.executablePath());
  return await chromium.launch({ executablePath, args: ARGUMENTS });
}

/** What went on in a window that nobody looks at. */
interface Overheard {
  /** Errors on the console and those that no one caught. */
  readonly errors: string[];
  /** Requests to anywhere but the service. */
  readonly strayRequests: string[];
}

/** A window of its own, with its own storage, on one service. */
export class Visitor implements AsyncDisposable {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #overheard: Overheard = { errors: [], strayRequests: [] };
  readonly #expected: RegExp[] = [];

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.#context = context;
    this.page = page;
    const { errors, strayRequests } = this.#overheard;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`)) strayRequests.push(request.url());
    });
  }

  static async come(browser: Browser, url: string, look: Look): Promise<Visitor> {
    const { width, height, colorScheme, hasTouch } = look;
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width, height },
      colorScheme,
      hasTouch,
      isMobile: hasTouch,
      reducedMotion: "reduce",
      locale: "en-US",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(120_000);
    await context.addInitScript(countShifts);
    return new Visitor(context, await context.newPage(), url);
  }

  /** Chromium itself puts every failed request on the console: this one was meant to fail. */
  expectError(text: RegExp): void {
    this.#expected.push(text);
  }

  /** What axe-core finds against WCAG 2.2 AA and its own best practices, a line for each place. */
  async violations(): Promise<string[]> {
    // A document that was looked at before has it still.
    const isLoaded = await this.page.evaluate<boolean>('"axe" in globalThis');
    if (!isLoaded) await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate<AxeResults>(RUN_AXE);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
  }

  /** How far what was shown has jumped so far, as Chromium scores it: 0 is not at all. */
  async layoutShift(): Promise<number> {
    return await this.page.evaluate<number>("shiftSum");
  }

  /** Whether the page is wider than its window. */
  async overflows(): Promise<boolean> {
    return await this.page.evaluate<boolean>(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth",
    );
  }

  /** A page as it must be: accessible, as wide as its window, and it has not jumped. */
  async assertSound(where: string): Promise<void> {
    assert.deepEqual(await this.violations(), [], `axe on ${where}`);
    assert.equal(await this.overflows(), false, `${where} is wider than the window`);
    const shift = await this.layoutShift();
    assert.ok(shift < 0.01, `${where} has jumped by ${shift}`);
  }

  /** Nothing went wrong unseen, and nothing was asked of anyone else. */
  assertQuiet(): void {
    const { errors, strayRequests } = this.#overheard;
    const unexpected = errors.filter((text) => !this.#expected.some((known) => known.test(text)));
    assert.deepEqual(unexpected, []);
    assert.deepEqual(strayRequests, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}

/** Runs in the page: sums what Chromium calls layout shift, whatever caused it but the visitor. */
const countShifts = `
  globalThis.shiftSum = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) {
      if (!hadRecentInput) globalThis.shiftSum += value;
    }
  }).observe({ type: "layout-shift", buffered: true });`;
