/** Lines kept per round; reads are logged only when something about them is unusual. */
const LINES_KEPT = 2000;

/** A violated guarantee. The text names the accounts, so that the report can show their events. */
export class Violation extends Error {}

/** The events of a round, in order. */
export class Story {
  readonly #beganMs = performance.now();
  #lines: string[] = [];

  /** @param what names accounts by their emails. */
  tell(what: string): void {
    const elapsedMs = Math.round(performance.now() - this.#beganMs);
    this.#lines.push(`${String(elapsedMs).padStart(6)} ms  ${what}`);
    if (this.#lines.length > 2 * LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT);
  }

  /** The last lines, and before them those about accounts that a text names. */
  about(text: string, last = 25, lastAbout = 40): string[] {
    const names = new Set(text.match(/[\w.-]+@example\.org/g) ?? []);
    const isAbout = (line: string) => [...names].some((name) => line.includes(name));
    const older = this.#lines.slice(0, -last).filter(isAbout).slice(-lastAbout);
    return [...older, ...this.#lines.slice(-last)];
  }
}

/** The number of responses in a round, by which its events are timed. */
export class AnswerCount {
  total = 0;
  #isOver = false;
  readonly #waiting = new Set<{ readonly at: number; readonly resolve: () => void }>();

  count(): void {
    this.total += 1;
    for (const waiter of this.#waiting) {
      if (this.total < waiter.at) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }

  /** Settles after this many responses, or when no more come. */
  reached(at: number): Promise<void> {
    if (this.#isOver || this.total >= at) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ at, resolve }));
  }

  /** No more responses come: nothing waits any longer. */
  end(): void {
    this.#isOver = true;
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
