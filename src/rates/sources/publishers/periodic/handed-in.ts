import { parse } from "csv-parse/sync";
import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import type { SourceLine } from "../../../served/rules/rate.ts";
import { decimalOfComma, lastDayOf } from "../formats/notation.ts";
import { lineOf, utf8TextOf } from "../formats/source-lines.ts";
import { type Entry, type Parse, ParseError, type ToInstant } from "../publisher.ts";

const MONTHS = [
  ...["Januar", "Februar", "März", "April", "Mai", "Juni"],
  ...["Juli", "August", "September", "Oktober", "November", "Dezember"],
];

/**
 * Reads a year of the German ministry's averages (uu-kurse-2025-csv.csv of its open data): a row
 * for each country, the currency for `1 Euro` in each month, such as `1.503,60 KRW`. A month to
 * come and a suspended currency are blank; footnotes follow.
 */
const parseBmf: Parse = ([response], momentOf) => {
  const [[title = ""] = [], header = [], ...rows] = cellsOf(utf8TextOf(response?.body));
  const [, year] = /Umsatzsteuer-Umrechnungskurse (20[0-9]{2})\b/.exec(title) ?? [];
  if (year === undefined) throw new ParseError("the layout has changed: the title has no year");
  const months = header.slice(2);
  // A file whose months are in other columns would give each average to another month.
  const isAsKnown = months.every((name, at) => name.replace(/ *\[[0-9]+\]$/, "") === MONTHS[at]);
  if (header[1] !== "Währung" || months.length === 0 || !isAsKnown) {
    throw new ParseError("the layout has changed: its columns are not Währung, Januar, Februar …");
  }
  return rows.flatMap(([country = "", unit, ...cells]) => {
    if (unit === undefined || unit === "") return []; // a footnote
    if (unit !== "1 Euro" || cells.length !== months.length) {
      return [{ reason: `${quoted(country)} has not the average of each month for 1 Euro` }];
    }
    const stated = cells.map((cell, at) => ({ cell, month: `${year}-${monthNumber(at)}` }));
    return stated.flatMap(({ cell, month }) =>
      cell === "" ? [] : [average(cell, month, momentOf)],
    );
  });
};

const monthNumber = (at: number) => String(at + 1).padStart(2, "0");

function cellsOf(text: string): readonly string[][] {
  try {
    return parse(text, { delimiter: ";", relax_column_count: true, trim: true });
  } catch (error) {
    throw new ParseError("the body is not CSV with semicolons", error);
  }
}

/** Some codes follow the figure without a space. */
function average(cell: string, month: string, momentOf: ToInstant): SourceLine {
  const [, figure, quote] = /^([0-9.,]+) ?([A-Z]{3})$/.exec(cell) ?? [];
  if (quote === undefined) return { reason: `${quoted(cell)} is no average such as 1,0354 USD` };
  const rate = decimalOfComma(figure, ".");
  const line = lineOf({ base: "EUR", quote, rate, asOf: momentOf(`${month}-01`) });
  return { ...line, validUntil: lastDayOf(month) };
}

/** Publishers whose documents only a browser gets: an operator hands them in. */
export const handedInPublishers: readonly Entry[] = [
  {
    key: "bmf",
    name: "Federal Ministry of Finance",
    country: "DE",
    terms: "Open data of the ministry; check its conditions before passing the figures on.",
    termsUrl:
      "https://www.bundesfinanzministerium.de/Datenportal/Daten/offene-daten/steuern-zoelle/" +
      "umsatzsteuer-umrechnungskurse/umsatzsteuer-umrechnungskurse.html",
    addresses: [],
    charset: "windows-1252",
    // "im Regelfall am 1. des Folgemonats".
    schedule: { cron: "0 12 1 * *", timeZone: "Europe/Berlin", monthsLater: 1 },
    publishedAt: "00:00",
    parse: parseBmf,
  },
];
