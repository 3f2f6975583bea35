import { quoted } from "../../../platform/shared/text/visible-text.ts";
import { parseCsvText } from "../publishers/formats/csv-text.ts";
import { parseJsonText, textOf } from "../publishers/formats/json-text.ts";
import { decimalOfComma } from "../publishers/formats/notation.ts";
import { lineOfUnits } from "../publishers/formats/source-lines.ts";
import { type Parse, ParseError, type PublisherResponse } from "../publishers/publisher.ts";
import { dateFormats, type Entry } from "./entry.ts";

/** The text of a row at a place. */
type Row = (place: string) => string | undefined;

/** Creates the parser of documents. Rates stay texts, and none is inverted. */
export function createParse(entry: Entry): Parse {
  const { kind = "middle", pairs, units = "=1", decimal, date, asOf: time = "" } = entry;
  const toIsoDate = dateFormats[entry.dateFormat ?? "yyyy-mm-dd"];
  const { base = "", quote = "", rate = "" } = entry;
  const figures = pairs
    ? Object.entries(pairs).map(([place, name]) => {
        const [of, inWhat] = name.split("/");
        return { base: `=${of}`, quote: `=${inWhat}`, rate: place };
      })
    : [{ base, quote, rate }];
  const places = [units, date ?? time, ...figures.flatMap((one) => Object.values(one))];
  const columns = [...new Set(places.filter((place) => !place.startsWith("=")))];
  const rowsIn = (response: PublisherResponse | undefined): readonly Row[] => {
    if (entry.format === "json") return jsonRows(response, entry.rows);
    const records = parseCsvText(response, columns, entry.delimiter);
    return records.map((record) => (place) => record[place]);
  };
  return ([response], momentOf) =>
    rowsIn(response).flatMap((row) => {
      const at = (place: string) => (place.startsWith("=") ? place.slice(1) : row(place)?.trim());
      const asOf = date === undefined ? at(time) : momentOf(toIsoDate?.(at(date)));
      return figures.flatMap((one) => {
        const stated = at(one.rate);
        // A day without a figure of this pair.
        if (stated === "") return [];
        const figure = decimal === "," ? decimalOfComma(stated, ".") : stated;
        const line = { base: at(one.base), quote: at(one.quote), rate: figure, asOf };
        return [{ ...lineOfUnits(at(units), line), kind }];
      });
    });
}

function jsonRows(response: PublisherResponse | undefined, place = ""): readonly Row[] {
  const document = parseJsonText(response);
  const rows = valueAt(document, place);
  if (typeof rows !== "object" || rows === null) {
    throw new ParseError(`the layout has changed: there are no rows at ${quoted(place)}`);
  }
  return [rows].flat().map((row: unknown) => (at) => {
    return textOf(at.startsWith("#") ? valueAt(document, at) : valueAt(row, at));
  });
}

/** The value at a pointer; undefined where there is none. */
function valueAt(document: unknown, pointer: string): unknown {
  const [, ...tokens] = pointer.split("/");
  return tokens.reduce((value, token) => {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const members = Object(value) as Readonly<Record<string, unknown>>;
    return Object.hasOwn(members, name) ? members[name] : undefined;
  }, document);
}
