import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Publication } from "../source.ts";

const FILE = join(import.meta.dirname, "../../../snapshot/rates.json");

interface SnapshotFile {
  readonly publications: readonly {
    readonly source: string;
    readonly published_on: string;
    readonly as_of: string;
    readonly rates: readonly (readonly [base: string, quote: string, rate: string])[];
  }[];
}

/** Loads the rates bundled with the program, in their order of precedence. */
export async function loadSnapshot(): Promise<readonly Publication[]> {
  const { publications } = JSON.parse(await readFile(FILE, "utf8")) as SnapshotFile;
  return publications.map(({ source, published_on, as_of, rates }) => ({
    source,
    publishedOn: published_on,
    quotations: rates.map(([base, quote, rate]) => ({ base, quote, rate, asOf: as_of })),
  }));
}
