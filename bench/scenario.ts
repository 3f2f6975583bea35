import type { Table } from "./figures.ts";
import type { GeneratorName, Load } from "./load/load.ts";
import type { BenchOptions } from "./options.ts";

/** The settings and resources of a scenario. */
export interface Bench {
  readonly options: BenchOptions;
  readonly generator: GeneratorName;
  readonly load: Load;
  /** The scenario's own, removed at its end. */
  readonly directory: string;
  /** Ends the servers and programs that the scenario started. */
  readonly cleanup: AsyncDisposableStack;
  /** Prints a line of progress. */
  readonly print: (text: string) => void;
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
