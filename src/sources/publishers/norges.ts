import { parse } from "csv-parse/sync";
import { quoted } from "../../shared/text/visible-text.ts";
import { type Answer, ParseError, type SourceLine, type ToInstant } from "./publisher.ts";
import { lineOfUnits, utf8TextOf, withoutEndedSeries } from "./source-lines.ts";

const COLUMNS = ["BASE_CUR", "QUOTE_CUR", "UNIT_MULT", "TIME_PERIOD", "OBS_VALUE"] as const;

/** Norges Bank's krone indexes: listed among the currencies, but not exchange rates. */
const INDEXES = new Set(["TWI", "I44"]);

/**
 * Reads Norges Bank's business-day rates as SDMX-CSV (data.norges-bank.no, dataflow EXR): the
 * kroner per 10 to the power of `UNIT_MULT` units of a currency. It may include ended series.
 */
export function parseNorges(
  answers: readonly Answer[],
  momentOf: ToInstant,
): readonly SourceLine[] {
  return answers.flatMap((answer) => {
    const lines = rowsOf(answer.body)
      .filter(({ BASE_CUR = "" }) => !INDEXES.has(BASE_CUR))
      .map((row) =>
        lineOfUnits(`the series of ${quoted(row.BASE_CUR)}`, placesOf(row.UNIT_MULT), {
          base: row.BASE_CUR,
          quote: row.QUOTE_CUR,
          rate: row.OBS_VALUE,
          asOf: momentOf(row.TIME_PERIOD ?? ""),
        }),
      );
    return withoutEndedSeries(lines, answer);
  });
}

type Row = Partial<Record<(typeof COLUMNS)[number], string>>;

function rowsOf(body: Uint8Array): readonly Row[] {
  const text = utf8TextOf(body);
  // A truncated figure would be read as a shorter one.
  if (!text.endsWith("\n")) throw new ParseError("the body is cut short: its last line has no end");
  const [header = [], ...records] = recordsOf(text);
  const missing = COLUMNS.filter((column) => !header.includes(column));
  if (missing.length > 0) {
    throw new ParseError(`the layout has changed: no column ${missing.join(", ")}`);
  }
  return records.map((record) =>
    Object.fromEntries(COLUMNS.map((column) => [column, record[header.indexOf(column)]])),
  );
}

function recordsOf(text: string): readonly string[][] {
  try {
    return parse(text, { skip_empty_lines: true });
  } catch (error) {
    throw new ParseError(`the body is not CSV: ${quoted(text.trimStart())}`, error);
  }
}

/** UNIT_MULT, the "unit multiplier" of SDMX: an exponent to the base 10. */
function placesOf(unitMultiplier = ""): number | undefined {
  return /^[0-9]$/.test(unitMultiplier) ? Number.parseInt(unitMultiplier, 10) : undefined;
}
