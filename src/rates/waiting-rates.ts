import type { Decimal } from "../shared/decimal.ts";
import type { Instant } from "../shared/instant.ts";
import type { Rate } from "./rules/rate.ts";
import { type Pair, pairName } from "./rules/symbol.ts";
import { IMPORT_SOURCE, type ReceivedRate } from "./rules/update-policy.ts";

/** A decimal has at most 64 characters, an instant 30. */
const RATE_BYTES_MAX = 94;

const INSTANT_CHARACTERS = 30;

/** A valid rate of a file. */
export interface ImportedRate extends ReceivedRate {
  readonly line: number;
}

/**
 * Rates of a file that wait to be sorted and stored, numbered from 0 in the file's order. They are
 * bytes, not objects: the garbage collector keeps objects that have waited long after they were
 * stored, which took 100 MB more in an import of a million lines.
 */
export class WaitingRates {
  readonly #capacity: number;
  /** Figures and times. The operating system provides only the pages that are written. */
  readonly #texts: Buffer;
  /** Where the text of each rate ends. */
  readonly #ends: Uint32Array;
  readonly #lines: Float64Array;
  /** The number of each rate's pair. */
  readonly #pairs: Uint32Array;
  readonly #pairNumbers = new Map<string, number>();
  #knownPairs: Pair[] = [];
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#texts = Buffer.allocUnsafeSlow(capacity * RATE_BYTES_MAX);
    this.#ends = new Uint32Array(capacity);
    this.#lines = new Float64Array(capacity);
    this.#pairs = new Uint32Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === this.#capacity;
  }

  /** @throws {RangeError} when it is full. */
  add(rate: Rate, line: number): void {
    if (this.isFull) throw new RangeError(`${this.#capacity} rates wait already`);
    const index = this.#count;
    const start = this.#startOf(index);
    const bytes = this.#texts.write(rate.rate + rate.asOf, start, "latin1");
    this.#ends[index] = start + bytes;
    this.#lines[index] = line;
    this.#pairs[index] = this.#numberOf(rate);
    this.#count += 1;
  }

  /** @returns the numbers of all rates by pair; those of a pair stay in the file's order. */
  sorted(): Uint32Array {
    const names = [...this.#pairNumbers.keys()].sort();
    const counts = new Uint32Array(names.length);
    for (let index = 0; index < this.#count; index += 1) {
      const pair = this.#pairs[index] as number;
      counts[pair] = (counts[pair] as number) + 1;
    }
    const places = new Uint32Array(names.length);
    let place = 0;
    for (const name of names) {
      const pair = this.#pairNumbers.get(name) as number;
      places[pair] = place;
      place += counts[pair] as number;
    }
    const sorted = new Uint32Array(this.#count);
    for (let index = 0; index < this.#count; index += 1) {
      const pair = this.#pairs[index] as number;
      sorted[places[pair] as number] = index;
      places[pair] = (places[pair] as number) + 1;
    }
    return sorted;
  }

  pairOf(index: number): Pair {
    return this.#knownPairs[this.#pairs[index] as number] as Pair;
  }

  lineOf(index: number): number {
    return this.#lines[index] as number;
  }

  at(index: number): ImportedRate {
    const { base, quote } = this.pairOf(index);
    const text = this.#texts.toString("latin1", this.#startOf(index), this.#ends[index]);
    return {
      base,
      quote,
      rate: text.slice(0, -INSTANT_CHARACTERS) as Decimal,
      asOf: text.slice(-INSTANT_CHARACTERS) as Instant,
      source: IMPORT_SOURCE,
      place: 0,
      line: this.lineOf(index),
    };
  }

  clear(): void {
    this.#pairNumbers.clear();
    this.#knownPairs = [];
    this.#count = 0;
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number);
  }

  #numberOf({ base, quote }: Pair): number {
    const name = pairName({ base, quote });
    const known = this.#pairNumbers.get(name);
    if (known !== undefined) return known;
    const number = this.#knownPairs.push({ base, quote }) - 1;
    this.#pairNumbers.set(name, number);
    return number;
  }
}
