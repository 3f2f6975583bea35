import type { AuditStore } from "../../audit/store.ts";
import type { CommandIo, OpenStore } from "../../cli/command.ts";
import type { FileUses } from "../../cli/input-file.ts";
import type { SeriesReads } from "../../series/store.ts";
import type { RateLineReader, RateSource } from "../../sources/source.ts";
import type { DocumentReader } from "../document-reader.ts";
import type { ObservationReads } from "../observations.ts";

/** The dependencies of the commands that tell where rates came from. */
export interface ProvenanceCommandDeps extends CommandIo, FileUses {
  readonly openStore: OpenStore<{
    readonly history: ObservationReads;
    readonly series: SeriesReads;
    readonly audit: AuditStore;
  }>;
  readonly documents: DocumentReader;
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
  readonly readRateFile: RateLineReader;
}
