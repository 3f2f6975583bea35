import type { Decimal } from "../shared/decimal.ts";

/** The most digits that an amount may have, on both sides of its point together. */
export const MAX_AMOUNT_DIGITS = 40;

const amount = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;

/**
 * Reads an amount that is to be converted: digits with at most one point between them. A sign, an
 * exponent, a group separator or white space is refused rather than guessed at.
 *
 * @returns `undefined` for a text that is none.
 */
export function parseAmount(text: string): Decimal | undefined {
  const digits = text.length - (text.includes(".") ? 1 : 0);
  return digits <= MAX_AMOUNT_DIGITS && amount.test(text) ? (text as Decimal) : undefined;
}
