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

/** In alphabetical order, in which an import stores its rates. */
export function importedPair(index: number): { base: string; quote: string } {
  return { base: `T${String(index).padStart(4, "0")}`, quote: QUOTE };
}

/** The date of every import's figures; of a date, the last one counts. */
export const IMPORT_DATE = new Date(FIRST_TIME_MS).toISOString().slice(0, 10);

/** The time of an import's figures, in whole seconds. */
export const timeOf = (number: number) => new Date(FIRST_TIME_MS + number * 1000);

/** The rate and time of all pairs of an import. */
function rateOf(number: number): { rate: string; as_of: string } {
  const asOf = timeOf(number).toISOString();
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

export const SELECT_IMPORTED_OBSERVATIONS = `
  SELECT base, sequence, rate, as_of FROM observations WHERE quote = '${QUOTE}'
  ORDER BY base, sequence`;

/** Figures of imports that are no observation, or are there twice; and observations without one. */
export const SELECT_BROKEN_SERIES = `
  SELECT f.base, f.quote, f.date, f.as_of, f.revision, f.rate FROM figures f
  WHERE f.quote = '${QUOTE}' AND (f.revision <> 1 OR f.source <> 'import' OR NOT EXISTS (
    SELECT 1 FROM observations o WHERE o.base = f.base AND o.quote = f.quote
      AND o.as_of = f.as_of AND o.rate = f.rate AND o.publication = f.publication))
  UNION ALL
  SELECT o.base, o.quote, '', o.as_of, 0, o.rate FROM observations o
  WHERE o.quote = '${QUOTE}' AND NOT EXISTS (
    SELECT 1 FROM figures f WHERE f.base = o.base AND f.quote = o.quote
      AND f.as_of = o.as_of AND f.rate = o.rate)`;

/** Pairs whose observations have a gap, or whose served rate is not the last of them. */
export const SELECT_BROKEN_HISTORIES = `
  SELECT o.base, o.quote, 'not consecutive' AS problem FROM observations o
  GROUP BY o.base, o.quote HAVING min(o.sequence) <> 1 OR count(*) <> max(o.sequence)
  UNION ALL
  SELECT r.base, r.quote, 'served, but not the last' FROM rates r
  LEFT JOIN observations o
    ON o.base = r.base AND o.quote = r.quote AND o.sequence = r.observation
    AND o.rate = r.rate AND o.as_of = r.as_of AND o.source = r.source
  WHERE o.base IS NULL OR r.observation <> (
    SELECT max(l.sequence) FROM observations l WHERE l.base = r.base AND l.quote = r.quote)`;

/** The number of the import that a rate comes from; `undefined` for another rate. */
export function importOf(rate: Readonly<Record<string, unknown>>): number | undefined {
  const number = Number(String(rate.rate).slice(2, -1));
  const wanted = rateOf(number);
  return rate.rate === wanted.rate && rate.as_of === wanted.as_of ? number : undefined;
}
