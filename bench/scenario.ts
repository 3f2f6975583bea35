import type { Table } from "./figures.ts";
import type { Load } from "./load/generator.ts";
import type { GeneratorName } from "./load/load.ts";
import type { BenchOptions } from "./options.ts";
import type { Target } from "./round.ts";

export interface Comparison {
  /** Connections of each table, unless the command line sets others. */
  readonly connections: readonly number[];
  /** The first is the yardstick: ratios are relative to it. */
  readonly targets: readonly Target[];
  /** Further ratios to print: of the first to the second, by their names. */
  readonly ratios?: readonly (readonly [name: string, other: string])[];
}

/** The settings and resources of a scenario. */
export interface Bench {
  readonly options: BenchOptions;
  readonly generator: GeneratorName;
  readonly load: Load;
  /** The checkout of the version of Kurs that is measured. */
  readonly root: string;
  /** The scenario's own, removed at its end. */
  readonly directory: string;
  /** Ends the servers and programs that the scenario started. */
  readonly cleanup: AsyncDisposableStack;
  /** Prints a line of progress. */
  readonly print: (text: string) => void;
  /** Loads targets in turn: a table for each number of connections. */
  readonly compare: (comparison: Comparison) => Promise<Report>;
}

export interface Report {
  readonly tables: readonly Table[];
  /** Violated expectations, such as a missing charge; empty when there are none. */
  readonly failures: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly summary: string;
  run(bench: Bench): Promise<Report>;
}
