// The rates of the imports: each import has the same pairs, and its number determines its rates and
// times, so that a response shows its import.

/** Several chunks per import, so that a kill interrupts it. */
export const IMPORTED_PAIRS = 2000;

/** The last pairs of each import, read so often that they are surely cached. */
export const HOT_PAIRS = 10;

/** An import's transactions hold a multiple of this, except for the last. */
export const CHUNK = 100;

const QUOTE = "TOR";
const FIRST_TIME_MS = Date.parse("2026-03-01T00:00:00Z");

export function importedPair(index: number): { base: string; quote: string } {
  return { base: `T${index}`, quote: QUOTE };
}

/** The rate and time of all pairs of an import. */
function rateOf(number: number): { rate: string; as_of: string } {
  const asOf = new Date(FIRST_TIME_MS + number * 1000).toISOString();
  return { rate: `1.${String(number).padStart(6, "0")}0`, as_of: asOf.replace("Z", "000000Z") };
}

/** The file of an import. */
export function rateFile(number: number): string {
  const { rate, as_of: asOf } = rateOf(number);
  const lines = Array.from({ length: IMPORTED_PAIRS }, (_, index) => {
    const { base, quote } = importedPair(index);
    return `${base},${quote},${rate},${asOf}`;
  });
  return ["base,quote,rate,as_of", ...lines, ""].join("\n");
}

export const SELECT_IMPORTED = `SELECT base, rate, as_of FROM rates WHERE quote = '${QUOTE}'`;

/** The number of the import that a rate comes from; `undefined` for another rate. */
export function importOf(rate: Readonly<Record<string, unknown>>): number | undefined {
  const number = Number(String(rate.rate).slice(2, -1));
  const wanted = rateOf(number);
  return rate.rate === wanted.rate && rate.as_of === wanted.as_of ? number : undefined;
}
