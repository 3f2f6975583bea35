import type { AuditStore } from "../../audit/store.ts";
import type { CommandIo, OpenStore } from "../../cli/command.ts";
import type { FileUses } from "../../cli/input-file.ts";
import type { DocumentReader } from "../../provenance/document-reader.ts";
import type { ObservationReads } from "../../provenance/observations.ts";
import type { SeriesReads } from "../../series/store.ts";
import type { RateSource } from "../../sources/source.ts";

/** The part of the store that these commands read. */
export interface ApplicableRateStore {
  readonly history: ObservationReads;
  readonly series: SeriesReads;
  readonly audit: AuditStore;
}

/** A line of a text with its number from 1, or why it could not be read. */
export type NumberedLine =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly reason: string };

/** The dependencies of the commands on the rate that a rule names. */
export interface ApplicableRateDeps extends CommandIo, FileUses {
  readonly openStore: OpenStore<ApplicableRateStore>;
  readonly documents: DocumentReader;
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
  /** Reads lines of any length in batches; a blank one is left out. */
  readonly readTextLines: (
    bytes: AsyncIterable<Uint8Array>,
  ) => AsyncIterable<readonly NumberedLine[]>;
}
