import { lineFormat } from "../format.ts";

// Formats in which every figure has a line of its own.

/** CSV with a header, which `kurs rates import` and spreadsheets read. No cell needs quotes. */
export const csv = lineFormat(
  ({ base, quote, rate, asOf, source, kind, date, validUntil }) =>
    `${base},${quote},${rate},${asOf},${source},${kind},${date},${validUntil ?? ""}`,
  { head: "base,quote,rate,as_of,source,kind,date,valid_until\n" },
);

/** An object on each line, which `kurs rates import` reads; the rate is a text. */
export const ndjson = lineFormat((figure) => {
  const { base, quote, rate, asOf, source, kind, date, validUntil } = figure;
  return JSON.stringify({
    base,
    quote,
    rate,
    as_of: asOf,
    source,
    kind,
    date,
    valid_until: validUntil ?? null,
  });
});

/** Beancount's lexer reads these words as values. */
const VALUES: readonly string[] = ["TRUE", "FALSE", "NULL"];

const isName = (symbol: string) => /^[A-Z]/.test(symbol) && !VALUES.includes(symbol);

/**
 * Beancount's price directive: `2026-03-13 price EUR 1.1476 USD`. Names of commodities begin with a
 * letter, and have no quotes.
 *
 * Defined by "Beancount Language Syntax", sections "Commodities / Currencies" and "Prices"
 * (https://beancount.github.io/docs/beancount_language_syntax.html); tried with Beancount 2.3.5.
 */
export const beancount = lineFormat(
  ({ date, base, rate, quote }) => `${date} price ${base} ${rate} ${quote}`,
  {
    limit: {
      includes: ({ base, quote }) => isName(base) && isName(quote),
      rule: "Beancount's names begin with a letter, and are not TRUE, FALSE or NULL",
    },
  },
);

/**
 * Bodies of ERPNext's POST /api/resource/Currency Exchange, one on each line. It rejects a second
 * record of a date and pair, and keeps 9 decimal places.
 *
 * Defined by its document type: frappe/erpnext,
 * erpnext/setup/doctype/currency_exchange/currency_exchange.json at cd3fbe77ef46, and
 * currency_exchange.py (its names) at 8968211b2a8d.
 */
export const erpnext = lineFormat(({ date, base, rate, quote }) => {
  const currencies = `"from_currency":"${base}","to_currency":"${quote}"`;
  // A number by its digits: JSON.stringify would take it through a float.
  return `{"date":"${date}",${currencies},"exchange_rate":${rate},"for_buying":1,"for_selling":1}`;
});

/**
 * Bodies of Firefly III's POST /api/v1/exchange-rates, one on each line. A rate that it has of the
 * same date and currencies is replaced.
 *
 * Defined by its schema CurrencyExchangeRateStore: firefly-iii/api-docs,
 * dist/firefly-iii-v6.6.2-v1.yaml at 8356c933413e; and by its code: firefly-iii/firefly-iii,
 * app/Api/V1/Requests/Models/CurrencyExchangeRate/StoreRequest.php at 768d8b15151a.
 */
export const firefly = lineFormat(
  ({ date, base, rate, quote }) =>
    `{"date":"${date}","from":"${base}","to":"${quote}","rate":"${rate}"}`,
);

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

/** A name with a digit is in quotes: the digit would belong to the amount. */
const quotedName = (symbol: string) => (/[0-9]/.test(symbol) ? `"${symbol}"` : symbol);

/**
 * The price directive of hledger and Ledger: `P 2026-03-13 EUR 1.1476 USD`.
 *
 * Defined by the hledger manual, "P directive" (https://hledger.org/hledger.html#p-directive), and
 * by the Ledger manual, "Commodity price histories" and "Naming Commodities"
 * (https://ledger-cli.org/doc/ledger3.html); tried with hledger 1.25 and Ledger 3.3.0.
 */
export const priceDirective = lineFormat(
  ({ date, base, rate, quote }) => `P ${date} ${quotedName(base)} ${rate} ${quotedName(quote)}`,
);
