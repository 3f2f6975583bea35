import { readProgramFile } from "../../shared/program-files.ts";
import type { Publication } from "../source.ts";

interface SnapshotFile {
  readonly publications: readonly {
    readonly source: string;
    readonly published_on: string;
    readonly as_of: string;
    readonly rates: readonly (readonly [base: string, quote: string, rate: string])[];
  }[];
}

/** Loads the rates bundled with the program, in their order of precedence. */
export function loadSnapshot(): readonly Publication[] {
  const { publications } = JSON.parse(
    readProgramFile("snapshot/rates.json").toString(),
  ) as SnapshotFile;
  return publications.map(({ source, published_on, as_of, rates }) => ({
    source,
    publishedOn: published_on,
    quotations: rates.map(([base, quote, rate]) => ({ base, quote, rate, asOf: as_of })),
  }));
}
