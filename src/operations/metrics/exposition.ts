import { Buckets } from "./histogram.ts";

/** Of Prometheus' text format. */
export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A metric, whose samples are read on a scrape. */
export interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  readonly name: string;
  readonly help: string;
  readonly read: () => Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** Labels, empty for a metric without any, and a value: of a histogram its buckets. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | Buckets];

/** @returns the metrics in their order, with the samples of this moment. */
export async function expose(metrics: readonly Metric[]): Promise<string> {
  return `${(await Promise.all(metrics.map(render))).join("\n\n")}\n`;
}

async function render({ type, name, help, read }: Metric): Promise<string> {
  const lines = [...(await read())].flatMap(([labels, value]) =>
    value instanceof Buckets ? bucketLines(name, labels, value) : sampleLine(name, labels, value),
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n");
}

/** Each bucket counts all values up to its bound. */
function bucketLines(name: string, labels: Sample[0], { bounds, counts, sum }: Buckets): string[] {
  let total = 0;
  const buckets = [...counts].map((count, index) => {
    total += count;
    const le = String(bounds[index] ?? "+Inf");
    return sampleLine(`${name}_bucket`, { ...labels, le }, total);
  });
  return [
    ...buckets,
    sampleLine(`${name}_sum`, labels, sum),
    sampleLine(`${name}_count`, labels, total),
  ];
}

function sampleLine(name: string, labels: Sample[0], value: number): string {
  // JSON escapes a quote, a backslash and a line feed as this format does.
  const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
  const text = value === Infinity ? "+Inf" : value;
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${text}`;
}
