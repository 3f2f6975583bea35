import type { DayFormat } from "../format.ts";

/**
 * The XML of the European Central Bank's eurofxref-hist.xml: a Cube for each date, the newest
 * first, with a Cube for each currency. The sender is Kurs, which may have other sources.
 *
 * Defined by https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.xml; Kurs reads it by
 * src/rates/sources/publishers/europe/ecb-xml.ts.
 */
export const ecbXml: DayFormat = {
  order: "by date",
  begin: () => ({
    head: `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
  xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject>
<gesmes:Sender><gesmes:name>Kurs</gesmes:name></gesmes:Sender>
<Cube>
`,
    textOf({ date, rates }) {
      const cubes = [...rates].map(
        ([quote, rate]) => `<Cube currency="${quote}" rate="${rate}"/>\n`,
      );
      return `<Cube time="${date}">\n${cubes.join("")}</Cube>\n`;
    },
    tail: "</Cube>\n</gesmes:Envelope>\n",
  }),
};

/**
 * The CSV of the European Central Bank's eurofxref-hist.csv: a line for each date, the newest
 * first, a column for each currency, `N/A` where it has no figure, and a comma at the end.
 *
 * Defined by https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip.
 */
export const ecbCsv: DayFormat = {
  order: "by date",
  begin: (quotes) => ({
    head: `${["Date", ...quotes].join(",")},\n`,
    textOf: ({ date, rates }) =>
      `${[date, ...quotes.map((quote) => rates.get(quote) ?? "N/A")].join(",")},\n`,
    tail: "",
  }),
};
