import { lineFormat } from "../format.ts";

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
