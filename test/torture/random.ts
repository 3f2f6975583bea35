import { hash } from "node:crypto";
import { seededRandom } from "../../harness/seeded-random.ts";

/** What is left to chance, and yet the same whenever the same parts are given. */
export class Draws {
  readonly #random: () => number;

  constructor(...parts: readonly (string | number)[]) {
    this.#random = seededRandom(Number.parseInt(hash("sha256", parts.join(" ")).slice(0, 8), 16));
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** A number from 0 to below 1. */
  part(): number {
    return this.#random();
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  /** @returns `undefined` where there is none to choose from. */
  one<Thing>(things: readonly Thing[]): Thing | undefined {
    return things[Math.floor(this.#random() * things.length)];
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
