import type { ProvenanceCommandDeps } from "../../provenance/cli/arguments.ts";

/** A line of a text with its number from 1, or why it could not be read. */
export type NumberedLine =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly reason: string };

/** The dependencies of the commands on the rate that a rule names. */
export interface ApplicableRateDeps extends ProvenanceCommandDeps {
  /** Reads lines of any length in batches; a blank one is left out. */
  readonly readTextLines: (
    bytes: AsyncIterable<Uint8Array>,
  ) => AsyncIterable<readonly NumberedLine[]>;
}
