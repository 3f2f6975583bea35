import { seededRandom } from "../faults/ledger.ts";

/** Pseudo-random choices: one seed always gives the same ones. */
export class Draw {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** An integer from 0 to below a limit. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  /** @returns true with a probability in percent. */
  percent(share: number): boolean {
    return this.#random() * 100 < share;
  }

  one<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("cannot draw from an empty list");
    return item;
  }

  hexadecimal(digits: number): string {
    return Array.from({ length: digits }, () => this.below(16).toString(16)).join("");
  }
}

/** Mixes numbers into one seed, so that neighbouring numbers give unrelated sequences. */
export function seedOf(...parts: readonly number[]): number {
  let seed = 0x9e3779b9;
  for (const part of parts) seed = Math.imul(seed ^ part, 0x85ebca6b) ^ (seed >>> 13);
  return seed | 0;
}
