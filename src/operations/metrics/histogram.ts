/** Observed values, counted in buckets by upper bound. */
export class Buckets {
  /** Upper bounds, each greater than the one before. */
  readonly bounds: readonly number[];
  /** Observations up to each bound and above the one before; at the end those above the last. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
    counts[index] = (counts[index] ?? 0) + 1;
    this.sum += value;
  }
}
