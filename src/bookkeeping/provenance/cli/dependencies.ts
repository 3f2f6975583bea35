import type { AuditStore } from "../../../platform/audit/store.ts";
import type { CommandIo, OpenStore } from "../../../platform/cli/command.ts";
import type { FileUses } from "../../../platform/cli/input-file.ts";
import type { SeriesReads } from "../../../rates/series/store.ts";
import type { RateLineReader, SourceLookup } from "../../../rates/sources/source.ts";
import type { DocumentReader } from "../document-reader.ts";
import type { ObservationReads } from "../observations.ts";

/** The part of the store that tells where rates came from. */
export interface ProvenanceStore {
  readonly history: ObservationReads;
  readonly series: SeriesReads;
  readonly audit: AuditStore;
}

/** The dependencies of the commands that tell where rates came from. */
export interface ProvenanceCommandDeps extends CommandIo, FileUses, SourceLookup {
  readonly openStore: OpenStore<ProvenanceStore>;
  readonly documents: DocumentReader;
  readonly readRateFile: RateLineReader;
}
