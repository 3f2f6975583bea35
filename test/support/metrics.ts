import assert from "node:assert/strict";
import { type Answer, clientOf } from "./client.ts";
import type { TestService } from "./service.ts";

type Labels = Readonly<Record<string, string>>;

/** The result of a scrape. */
export interface Scrape {
  /** The metrics by name, each with its type. A histogram is one metric. */
  readonly types: ReadonlyMap<string, string>;
  /** Every label of every series, as `name=value`. */
  readonly labels: ReadonlySet<string>;
  /** The value of the one series with exactly these labels; undefined if it does not exist. */
  value(name: string, labels?: Labels): number | undefined;
  /** The sum over all series that have these labels among others. */
  total(name: string, labels?: Labels): number;
  /** The number of series of a name. */
  series(name: string): number;
}

/** Scrapes a service and parses the response strictly. */
export async function scrape({ metricsUrl }: Pick<TestService, "metricsUrl">): Promise<Scrape> {
  const { status, headers, text } = await ask(metricsUrl, "GET", "/metrics");
  assert.equal(status, 200, text);
  assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
  return parseExposition(text);
}

/** Sends a request to the metrics server. */
export function ask(metricsUrl: string | undefined, method: string, path: string): Promise<Answer> {
  assert.ok(metricsUrl !== undefined, "there are no metrics");
  return clientOf(new URL(metricsUrl).origin).call(method, path);
}

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const sampleLine = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const typeLine = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const helpLine = new RegExp(`^# HELP (${NAME}) \\S.*$`);
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/**
 * Parses Prometheus' text format 0.0.4: each metric once, with its help and type before its
 * samples, no series twice, and histograms whose buckets add up.
 *
 * @throws for any violation.
 */
export function parseExposition(text: string): Scrape {
  assert.ok(text.endsWith("\n"), "the last line has no line feed");
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const samples: Sample[] = [];
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, help] = helpLine.exec(line) ?? [];
    const [, typed, type = ""] = typeLine.exec(line) ?? [];
    if (line === "") continue;
    if (help !== undefined) {
      assert.ok(!helped.has(help), `two helps: ${line}`);
      helped.add(help);
    } else if (typed !== undefined) {
      assert.ok(helped.has(typed) && !types.has(typed), `no help, or two types: ${line}`);
      types.set(typed, type);
      current = typed;
    } else {
      const sample = sampleOf(line);
      assert.equal(metricOf(sample.name, types), current, `not beneath its type: ${line}`);
      samples.push(sample);
    }
  }
  assert.deepEqual([...helped].sort(), [...types.keys()].sort());
  for (const [name, type] of types) {
    if (type === "histogram") assertBuckets(name, samples);
    else if (type === "counter") assert.match(name, /_total$/);
  }
  return scrapeOf(types, samples);
}

function sampleOf(line: string): Sample {
  const [, name = "", inBraces = "", number = ""] = sampleLine.exec(line) ?? [];
  assert.ok(name !== "", `not a sample: ${line}`);
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  let read = 0;
  for (let found = label.exec(inBraces); found !== null; found = label.exec(inBraces)) {
    const [, key = "", value = ""] = found;
    assert.ok(!(key in labels), `a repeated label: ${line}`);
    labels[key] = value;
    read = label.lastIndex;
  }
  assert.equal(read, inBraces.length, `labels: ${line}`);
  const value = number === "+Inf" ? Number.POSITIVE_INFINITY : Number(number);
  assert.ok(!Number.isNaN(value), `not a number: ${line}`);
  return { name, labels, value };
}

function metricOf(name: string, types: ReadonlyMap<string, string>): string {
  const base = name.replace(/_(?:bucket|sum|count)$/, "");
  return types.get(base) === "histogram" ? base : name;
}

const nameOf = ({ name, labels }: Pick<Sample, "name" | "labels">) =>
  `${name} ${JSON.stringify(Object.entries(labels).sort())}`;

function assertBuckets(name: string, samples: readonly Sample[]): void {
  const countOf = (labels: Labels) =>
    samples.filter((sample) => nameOf(sample) === nameOf({ name: `${name}_count`, labels }));
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const groups = Map.groupBy(buckets, ({ labels: { le, ...rest } }) =>
    nameOf({ name, labels: rest }),
  );
  for (const group of groups.values()) {
    const { le: _, ...labels } = group[0]?.labels ?? {};
    const bounds = group.map((sample) => Number(sample.labels.le?.replace("+Inf", "Infinity")));
    const counts = group.map(({ value }) => value);
    assert.deepEqual(
      bounds,
      [...new Set(bounds)].sort((one, other) => one - other),
      name,
    );
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => one - other),
      name,
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, name);
    assert.deepEqual(
      countOf(labels).map(({ value }) => value),
      [counts.at(-1)],
      name,
    );
  }
}

function scrapeOf(types: ReadonlyMap<string, string>, samples: readonly Sample[]): Scrape {
  const values = new Map(samples.map((sample) => [nameOf(sample), sample.value]));
  assert.equal(values.size, samples.length, "a repeated series");
  const of = (name: string) => samples.filter((sample) => sample.name === name);
  return {
    types,
    labels: new Set(
      samples.flatMap(({ labels }) =>
        Object.entries(labels).map(([key, value]) => `${key}=${value}`),
      ),
    ),
    value: (name, labels = {}) => values.get(nameOf({ name, labels })),
    total: (name, labels = {}) =>
      of(name)
        .filter((sample) =>
          Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
        )
        .reduce((sum, { value }) => sum + value, 0),
    series: (name) => of(name).length,
  };
}
