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

/** The longest wait for what a page shows: ample on any machine. */
const WAIT_MS_MAX = 120_000;

/** Our own arguments: those of the package are made for cloud functions. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
];

/** Resolves when the browser has painted what the page has so far. */
const PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

const WATCH_SHIFTS = `globalThis.shifted = 0;
  globalThis.count = (entries) => { for (const { value } of entries) shifted += value; };
  globalThis.shifts = new PerformanceObserver((list) => count(list.getEntries()));
  shifts.observe({ type: "layout-shift", buffered: true });`;

/** How far the content of a page has jumped: Chromium's layout-shift score. */
const SHIFTS = "count(shifts.takeRecords()), shifted";

/** A line of small print that becomes two lines on a phone. */
const SHIFT_MAX = 0.01;

/** A size and color scheme of the browser window. */
export interface Look {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
  readonly hasTouch: boolean;
}

const wide = { width: 1280, height: 860, hasTouch: false } as const;
/** The narrowest window that people use. */
const narrow = { width: 320, height: 740, hasTouch: true } as const;

export const desktop: Look = { name: "desktop light", ...wide, colorScheme: "light" };
export const phone: Look = { name: "phone dark", ...narrow, colorScheme: "dark" };

export const looks: readonly Look[] = [
  desktop,
  { name: "desktop dark", ...wide, colorScheme: "dark" },
  { name: "phone light", ...narrow, colorScheme: "light" },
  phone,
];

/** Both sizes and both themes, each once. */
export const twoLooks: readonly Look[] = [desktop, phone];

/** A real Chromium from npm, or the one in CHROMIUM where that does not run. */
export async function startBrowser(): Promise<Browser & AsyncDisposable> {
  const executablePath = process.env.CHROMIUM ?? (await unpackChromium());
  return await chromium.launch({ executablePath, args: ARGUMENTS });
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

  /** @param time what the clock of the pages shows; by default the machine's. */
  static async come(
    url: string,
    look: Look,
    { time, ...options }: { browser?: Browser; time?: string } = {},
  ): Promise<Visitor> {
    const { width, height, colorScheme, hasTouch } = look;
    const browser = options.browser ?? (await sharedBrowser());
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width, height },
      colorScheme,
      hasTouch,
      isMobile: hasTouch,
      reducedMotion: "reduce",
      locale: "en-US",
      // Pages show UTC wherever the reader is.
      timezoneId: "America/New_York",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(WAIT_MS_MAX);
    if (time !== undefined) await context.clock.setFixedTime(time);
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

  /** Whether the page is wider than its window. */
  async overflows(): Promise<boolean> {
    return await this.page.evaluate<boolean>(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth",
    );
  }

  /** Asserts that a page is accessible, and as wide as its window. */
  async assertSound(where: string): Promise<void> {
    // A page asks other tabs for their session before it shows anything.
    await this.page.locator("h1").first().waitFor();
    assert.deepEqual(await this.violations(), [], `axe on ${where}`);
    assert.equal(await this.overflows(), false, `${where} is wider than the window`);
  }

  /** From here on each page that is opened notes how far its content jumps. */
  async watchShifts(): Promise<void> {
    await this.page.addInitScript(WATCH_SHIFTS);
  }

  /** Asserts that nothing has jumped since the page was opened, without an input meanwhile. */
  async assertInPlace(where: string): Promise<void> {
    await this.page.evaluate(PAINTED);
    const shift = await this.page.evaluate<number>(SHIFTS);
    assert.ok(shift < SHIFT_MAX, `the content of ${where} has jumped by ${shift}`);
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
