import type { Table } from "./figures.ts";
import type { GeneratorName, Load } from "./load/load.ts";
import type { BenchOptions } from "./options.ts";

/** What a scenario runs with. */
export interface Bench {
  readonly options: BenchOptions;
  readonly generator: GeneratorName;
  readonly load: Load;
  /** The scenario's own, removed after it. */
  readonly directory: string;
  /** Ends what the scenario has started. */
  readonly cleanup: AsyncDisposableStack;
  /** Tells how it goes. */
  readonly print: (text: string) => void;
}

export interface Report {
  readonly tables: readonly Table[];
  /** What was not as it must be: a charge that is missing, say. Empty: all is well. */
  readonly failures: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly summary: string;
  run(bench: Bench): Promise<Report>;
}
