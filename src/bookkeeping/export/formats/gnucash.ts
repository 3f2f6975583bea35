import { lineFormat } from "../format.ts";

/** ISO 4217, current and withdrawn. */
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/**
 * CSV for "Import Prices from a CSV file" of GnuCash: the names of the columns are those that its
 * assistant offers, and every base is in its namespace of currencies. GnuCash rounds a price to a
 * 10,000th of the smallest unit of the currency.
 *
 * Defined by the code of its importer: Gnucash/gnucash,
 * gnucash/import-export/csv-imp/gnc-imp-props-price.cpp at 091d4aff2205.
 */
export const gnucashCsv = lineFormat(
  ({ date, base, rate, quote }) => `${date},${rate},CURRENCY,${base},${quote}`,
  {
    head: "Date,Amount,From Namespace,From Symbol,Currency To\n",
    limit: {
      includes: ({ base, quote }) => currencies.has(base) && currencies.has(quote),
      rule: "GnuCash imports prices of the currencies in ISO 4217",
    },
  },
);
