import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { atEnd } from "./at-end.ts";
import { unpackChromium } from "./chromium.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Every rule, but only violations in detail: 0.1 s per page instead of 0.25. */
const RUN_AXE = 'axe.run({ resultTypes: ["violations"] })';

/** Our own arguments: those of the package are made for cloud functions. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
];

/** A size and color scheme of the browser window. */
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

/** Both sizes and both themes, each once: a page sees all four together in the whole visit. */
export const twoLooks: readonly Look[] = [
  { name: "desktop light", ...desktop, colorScheme: "light" },
  { name: "phone dark", ...phone, colorScheme: "dark" },
];

/**
 * A real Chromium from npm, or the one in CHROMIUM where that does not run.
 *
 * @param environment variables besides those of the tests.
 */
export async function startBrowser(
  environment: Readonly<Record<string, string>> = {},
): Promise<Browser & AsyncDisposable> {
  const executablePath = process.env.CHROMIUM ?? (await unpackChromium());
  const env = { ...process.env, ...environment };
  return await chromium.launch({ executablePath, args: ARGUMENTS, env });
}

let shared: Promise<Browser> | undefined;
atEnd(async () => await (await shared)?.close());

/** @returns the browser of all files in this process: each start takes a second of CPU time. */
function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser();
  return shared;
}

/** Events in a window that the user does not see. */
interface HiddenEvents {
  /** Errors on the console and uncaught errors. */
  readonly errors: string[];
  /** Requests to other hosts than the service. */
  readonly strayRequests: string[];
}

/** A separate window with its own storage, on one service. */
export class Visitor implements AsyncDisposable {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #events: HiddenEvents = { errors: [], strayRequests: [] };
  readonly #expected: RegExp[] = [];

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.#context = context;
    this.page = page;
    const { errors, strayRequests } = this.#events;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`)) strayRequests.push(request.url());
    });
  }

  /** @param waitMsMax the longest wait for what a page shows; by default ample on any machine. */
  static async come(
    url: string,
    look: Look,
    { browser, waitMsMax = 120_000 }: { browser?: Browser; waitMsMax?: number } = {},
  ): Promise<Visitor> {
    const { width, height, colorScheme, hasTouch } = look;
    browser ??= await sharedBrowser();
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
    context.setDefaultTimeout(waitMsMax);
    await context.addInitScript(countShifts);
    return new Visitor(context, await context.newPage(), url);
  }

  /** Chromium writes every failed request to the console: this one is intended. */
  expectError(text: RegExp): void {
    this.#expected.push(text);
  }

  /** The violations of WCAG 2.2 AA and best practices that axe-core finds, one line per element. */
  async violations(): Promise<string[]> {
    // A page that was checked before still has it.
    const isLoaded = await this.page.evaluate<boolean>('"axe" in globalThis');
    if (!isLoaded) await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate<AxeResults>(RUN_AXE);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
  }

  /** Chromium's layout-shift score from the load to the first input: 0 means none. */
  async layoutShift(): Promise<number> {
    // Lets the observer receive the shifts of everything painted so far.
    await this.page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))",
    );
    return await this.page.evaluate<number>("shiftSum");
  }

  /** Whether the page is wider than its window. */
  async overflows(): Promise<boolean> {
    return await this.page.evaluate<boolean>(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth",
    );
  }

  /** Asserts that a page is accessible, as wide as its window, and without layout shifts. */
  async assertSound(where: string): Promise<void> {
    // A page asks other tabs for their session before it shows anything.
    await this.page.locator("h1").first().waitFor();
    assert.deepEqual(await this.violations(), [], `axe on ${where}`);
    assert.equal(await this.overflows(), false, `${where} is wider than the window`);
    const shift = await this.layoutShift();
    assert.ok(shift < 0.01, `${where} has jumped by ${shift}`);
  }

  /** Asserts that there were no unexpected errors and no requests to other hosts. */
  assertQuiet(): void {
    const { errors, strayRequests } = this.#events;
    const unexpected = errors.filter((text) => !this.#expected.some((known) => known.test(text)));
    assert.deepEqual(unexpected, []);
    assert.deepEqual(strayRequests, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}

/**
 * Runs in the page: sums Chromium's layout shifts until the visitor's first input. Later ones bring
 * what was asked for: Chromium itself ignores them for half a second only, which a busy machine or
 * a slow response exceeds. It knows neither a text that a test fills in nor a chosen option.
 */
const countShifts = `
  globalThis.shiftSum = 0;
  let inputAtMs = Infinity;
  // A test may replace the page's clock.
  const nowMs = performance.now.bind(performance);
  for (const type of ["pointerdown", "keydown", "input", "resize"]) {
    addEventListener(type, () => { inputAtMs = Math.min(inputAtMs, nowMs()); }, true);
  }
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime } of list.getEntries()) {
      if (!hadRecentInput && startTime < inputAtMs) globalThis.shiftSum += value;
    }
  }).observe({ type: "layout-shift", buffered: true });`;
