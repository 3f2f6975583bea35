import { seededRandom } from "../../harness/seeded-random.ts";

/** Choices that are the same for the same seed. */
export class Draw {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A whole number from 0 to below a limit. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  /** Whether it happens, of so many times in a hundred. */
  percent(share: number): boolean {
    return this.#random() * 100 < share;
  }

  one<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("there is none to draw from");
    return item;
  }

  hexadecimal(digits: number): string {
    return Array.from({ length: digits }, () => this.below(16).toString(16)).join("");
  }
}

/** Mixes numbers into one seed, so that neighbours begin far apart. */
export function seedOf(...parts: readonly number[]): number {
  let seed = 0x9e3779b9;
  for (const part of parts) seed = Math.imul(seed ^ part, 0x85ebca6b) ^ (seed >>> 13);
  return seed | 0;
}
