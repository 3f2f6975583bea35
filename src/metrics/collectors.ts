import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Buckets } from "./histogram.ts";

// Metrics whose values live elsewhere and are collected on a scrape: prom-client's own observe
// methods join the labels to a key on every call, and are eight times as slow.

type Labels = Readonly<Record<string, string>>;

/** Labels, empty for a metric without any, and a value. */
export type Sample = readonly [labels: Labels, value: number];

interface About {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly read: () => Iterable<Sample>;
}

export function addCounter(registry: Registry, { name, help, labels = [], read }: About): void {
  new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, value] of read()) this.inc({ ...values }, value);
    },
  });
}

/** A gauge without samples is left out. */
export function addGauge(
  registry: Registry,
  { name, help, labels = [], read }: Omit<About, "read"> & { readonly read: ReadSamples },
): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const samples = await read();
      this.reset();
      if (labels.length === 0) this.remove();
      for (const [values, value] of samples) this.set({ ...values }, value);
    },
  });
}

type ReadSamples = () => Iterable<Sample> | Promise<Iterable<Sample>>;

export function addHistogram(
  registry: Registry,
  about: Omit<About, "read"> & {
    readonly read: () => Iterable<readonly [labels: Labels, histogram: Buckets]>;
  },
): void {
  const { name, help, labels = [], read } = about;
  registry.registerMetric(
    new CollectedHistogram({ name, help, labelNames: [...labels], registers: [] }, read),
  );
}

class CollectedHistogram extends Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #read: () => Iterable<readonly [Labels, Buckets]>;

  constructor(
    configuration: ConstructorParameters<typeof Histogram>[0],
    read: () => Iterable<readonly [Labels, Buckets]>,
  ) {
    super(configuration);
    this.#name = configuration.name;
    this.#help = configuration.help;
    this.#read = read;
  }

  /** The registry calls this on a scrape. */
  async getForPromString() {
    const values = [...this.#read()].flatMap(([labels, histogram]) =>
      linesOf(this.#name, labels, histogram),
    );
    return { name: this.#name, help: this.#help, type: "histogram", values };
  }
}

/** The buckets of the exposition format: each counts all values up to its bound. */
function linesOf(name: string, labels: Labels, { bounds, counts, sum }: Buckets) {
  let total = 0;
  const buckets = [...counts].map((count, index) => {
    total += count;
    const le = bounds[index] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
