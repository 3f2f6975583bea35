import { hash } from "node:crypto";
import { seededRandom } from "../../harness/seeded-random.ts";

/** What is left to chance, and yet the same for the same seed. */
export class Draws {
  readonly #random: () => number;

  /** @param seed of several parts: the same whenever the same parts are given. */
  constructor(seed: number | readonly (string | number)[]) {
    this.#random = seededRandom(typeof seed === "number" ? seed : seedOf(seed));
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  /** A whole number from 0 to below a limit. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  one<Thing>(things: readonly Thing[]): Thing {
    const thing = this.any(things);
    if (thing === undefined) throw new Error("there is none to draw from");
    return thing;
  }

  /** @returns `undefined` where there is none to choose from. */
  any<Thing>(things: readonly Thing[]): Thing | undefined {
    return things[this.below(things.length)];
  }

  /** One of several kinds, each as often as its weight says. */
  kind<Kind extends string>(weights: Readonly<Record<Kind, number>>): Kind {
    const entries = Object.entries(weights) as [Kind, number][];
    let left = this.#random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [kind, weight] of entries) {
      left -= weight;
      if (left < 0) return kind;
    }
    throw new Error("there is no kind to draw");
  }
}

function seedOf(parts: readonly (string | number)[]): number {
  return Number.parseInt(hash("sha256", parts.join(" ")).slice(0, 8), 16);
}
