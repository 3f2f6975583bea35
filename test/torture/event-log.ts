/** Kept of a round's doings; the reads alone are thousands, and only told when they are odd. */
const LINES_KEPT = 2000;

/** Something that must not be. The text names whom it befell, so that the story can follow it. */
export class Violation extends Error {}

/** What has happened in a round, in order. */
export class Story {
  readonly #beganMs = performance.now();
  #lines: string[] = [];

  /** @param what names accounts by their emails. */
  tell(what: string): void {
    const elapsedMs = Math.round(performance.now() - this.#beganMs);
    this.#lines.push(`${String(elapsedMs).padStart(6)} ms  ${what}`);
    if (this.#lines.length > 2 * LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT);
  }

  /** The last lines, and before them those about anybody whom a text names. */
  about(text: string, last = 25, lastAbout = 40): string[] {
    const names = new Set(text.match(/[\w.-]+@example\.org/g) ?? []);
    const isAbout = (line: string) => [...names].some((name) => line.includes(name));
    const older = this.#lines.slice(0, -last).filter(isAbout).slice(-lastAbout);
    return [...older, ...this.#lines.slice(-last)];
  }
}

/** Answers of a round: what its instants are counted in. */
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

  /** Settles once so many answers have come, or none come any more. */
  reached(at: number): Promise<void> {
    if (this.#isOver || this.total >= at) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ at, resolve }));
  }

  /** No more answers come: nobody waits any longer. */
  end(): void {
    this.#isOver = true;
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
