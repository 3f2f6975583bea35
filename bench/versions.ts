import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { compare } from "./comparison.ts";
import { medianOf, type Row, type Table } from "./figures.ts";
import type { BenchOptions } from "./options.ts";
import { run } from "./run.ts";
import type { Bench, Comparison, Report, Scenario } from "./scenario.ts";

const BEFORE = ", before";

/**
 * Runs a scenario for this version and for another one. The servers of both that it compares, and
 * one of each yardstick, are loaded in turn. What it measures outside of comparisons runs for the
 * other version first, and then for this one.
 *
 * @param before a checkout of the other version, with its packages.
 */
export function runBothVersions(
  scenario: Scenario,
  before: string,
  options: BenchOptions,
): Promise<Report> {
  return run(async (bench) => {
    const directory = join(bench.directory, "before");
    await mkdir(directory);
    let arrival = Promise.withResolvers<Comparison>();
    let departure = Promise.withResolvers<Report>();
    const older = scenario.run({
      ...bench,
      root: resolve(before),
      directory,
      compare: (comparison) => {
        arrival.resolve(comparison);
        return departure.promise;
      },
    });
    const olderEnded = older.then(() => undefined);
    await Promise.race([arrival.promise, olderEnded]);
    const now = await scenario.run({
      ...bench,
      compare: async (comparison) => {
        const ofOlder = await Promise.race([arrival.promise, olderEnded]);
        if (ofOlder === undefined) throw new Error("the version before did not compare this");
        const report = await compareBoth(bench, comparison, ofOlder);
        const { resolve: depart } = departure;
        arrival = Promise.withResolvers();
        departure = Promise.withResolvers();
        depart({ tables: [], failures: [] });
        return report;
      },
    });
    const { tables, failures } = await older;
    return {
      // A scenario reports its comparisons last: the other version's have no tables of their own.
      tables: now.tables.map((table, index) => withOlder(table, tables[index]?.rows ?? [])),
      failures: [...now.failures, ...failures.map((failure) => `before: ${failure}`)],
    };
  }, options);
}

async function compareBoth(bench: Bench, now: Comparison, older: Comparison): Promise<Report> {
  const ofOlder = older.targets.filter(({ isYardstick }) => isYardstick !== true);
  const targets = now.targets.flatMap((target) => {
    const others = ofOlder.filter(({ name }) => name === target.name);
    return [target, ...others.map((other) => ({ ...other, name: other.name + BEFORE }))];
  });
  const { tables, failures } = await compare(bench, { ...now, targets });
  return { tables: tables.map(withRatios), failures };
}

/** Adds the other version's rows, each behind this version's, and the ratios to them. */
function withOlder(table: Table, older: readonly Row[]): Table {
  if (older.length === 0) return table;
  const rows = table.rows.flatMap((row) => {
    const others = older.filter(({ name }) => name === row.name);
    return [row, ...others.map((other) => ({ ...other, name: other.name + BEFORE }))];
  });
  return withRatios({ ...table, rows });
}

/** Adds to each row of both versions the ratio of each figure: the median of the rounds' ratios. */
function withRatios(table: Table): Table {
  const notes = table.rows.flatMap(({ name, figures, rounds }) => {
    const older = table.rows.find((row) => row.name === name + BEFORE);
    if (older === undefined) return [];
    const ratios = (Object.keys(figures) as (keyof Row["figures"])[]).flatMap((figure) => {
      const ofRounds = rounds.flatMap((round, index) => {
        const [value, other] = [round[figure], older.rounds[index]?.[figure]];
        return value === undefined || other === undefined ? [] : [value / other];
      });
      return ofRounds.length === 0 ? [] : [`${figure} ${medianOf(ofRounds).toFixed(3)}`];
    });
    return [`${name} : before = ${ratios.join(", ")}`];
  });
  return { ...table, notes: [...(table.notes ?? []), ...notes] };
}
