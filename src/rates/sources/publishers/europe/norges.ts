import { parseCsvText } from "../formats/csv-text.ts";
import { lineOfUnits, withoutEndedSeries } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

const COLUMNS = ["BASE_CUR", "QUOTE_CUR", "UNIT_MULT", "TIME_PERIOD", "OBS_VALUE"] as const;

/** Norges Bank's krone indexes: listed among the currencies, but not exchange rates. */
const INDEXES = new Set(["TWI", "I44"]);

/**
 * Reads Norges Bank's business-day rates as SDMX-CSV (data.norges-bank.no, dataflow EXR): the
 * kroner per 10 to the power of `UNIT_MULT` units of a currency. It may include ended series.
 */
export const parseNorges: Parse = (responses, momentOf) =>
  responses.flatMap((response) =>
    withoutEndedSeries(parseNorgesArchive([response], momentOf), response),
  );

/** Reads the same without leaving any series out. */
export const parseNorgesArchive: Parse = (responses, momentOf) =>
  responses.flatMap((response) =>
    parseCsvText(response, COLUMNS)
      .filter(({ BASE_CUR = "" }) => !INDEXES.has(BASE_CUR))
      .map((row) =>
        lineOfUnits(unitsOf(row.UNIT_MULT), {
          base: row.BASE_CUR,
          quote: row.QUOTE_CUR,
          rate: row.OBS_VALUE,
          asOf: momentOf(row.TIME_PERIOD ?? ""),
        }),
      ),
  );

/** UNIT_MULT, the "unit multiplier" of SDMX: an exponent to the base 10. */
function unitsOf(unitMultiplier = ""): string | undefined {
  if (!/^[0-9]$/.test(unitMultiplier)) return undefined;
  return "1".padEnd(1 + Number.parseInt(unitMultiplier, 10), "0");
}
