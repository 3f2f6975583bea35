import { readProgramFile } from "../../../platform/shared/program/program-files.ts";
import type { BundledPublication, Snapshot } from "../source.ts";

interface SnapshotFile {
  readonly publications: readonly {
    readonly source: string;
    readonly published_on: string;
    readonly as_of: string;
    readonly rates: readonly (readonly [base: string, quote: string, rate: string])[];
  }[];
}

const FILE_NAME = "snapshot/rates.json";

/** Loads the rates bundled with the program. */
export function loadSnapshot(): Snapshot {
  const content = readProgramFile(FILE_NAME);
  return { publications: parseSnapshot(content), fileName: FILE_NAME, content };
}

/** Parses the file of a snapshot. */
export function parseSnapshot(content: Uint8Array): readonly BundledPublication[] {
  const { publications } = JSON.parse(new TextDecoder().decode(content)) as SnapshotFile;
  return publications.map(({ source, published_on, as_of, rates }) => ({
    source,
    publishedOn: published_on,
    quotations: rates.map(([base, quote, rate]) => ({ base, quote, rate, asOf: as_of })),
  }));
}
