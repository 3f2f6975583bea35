import { lineFormat } from "../format.ts";

/** The lexer reads these words as values. */
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
