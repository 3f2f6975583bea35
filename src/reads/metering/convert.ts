import type { ApiKeys } from "../../customers/api-keys/api-keys.ts";
import type { Caller } from "../../platform/shared/caller.ts";
import { type Decimal, multiply } from "../../platform/shared/decimal.ts";
import { Failure } from "../../platform/shared/failure.ts";
import type { PastMoment } from "../../rates/served/rules/past.ts";
import type { ServedRate } from "../../rates/served/rules/rate.ts";
import { parsePair } from "../../rates/served/rules/symbol.ts";
import type { ReadRate, UnitsCharged } from "./read-rate.ts";
import { invalidAssetSymbol, MAX_AMOUNT_DIGITS, parseAmount } from "./rules.ts";

export interface Conversion {
  readonly rate: ServedRate;
  readonly amount: Decimal;
  /** The exact product, unrounded. */
  readonly result: Decimal;
}

/**
 * Converts an amount for one unit, the cost of reading its rate. An invalid key, symbol or amount
 * (checked in this order) is rejected before anything is charged.
 *
 * @throws {Failure} `unauthorized`
 */
export type ConvertCurrency = (
  apiKey: string | undefined,
  base: string,
  quote: string,
  amount: string,
  past?: PastMoment,
) => Promise<ConversionResult>;

interface ConversionResult {
  readonly result: Conversion | Failure;
  readonly unitsCharged: UnitsCharged;
  readonly caller: Caller | undefined;
}

const invalidAmount = new Failure(
  "invalid_request",
  "amount must be a decimal string such as 1250.50: digits with at most one point, not negative, " +
    `without exponent or separators, at most ${MAX_AMOUNT_DIGITS} digits.`,
);

export function createConvertCurrency(uses: {
  readonly readRate: ReadRate;
  readonly apiKeys: Pick<ApiKeys, "authenticate">;
}): ConvertCurrency {
  const { readRate, apiKeys } = uses;
  return async (apiKey, base, quote, typed, past) => {
    const amount = parseAmount(typed);
    if (amount === undefined) {
      const caller = await apiKeys.authenticate(apiKey);
      const result = parsePair(base, quote) === undefined ? invalidAssetSymbol : invalidAmount;
      return { result, unitsCharged: 0, caller };
    }
    const { result: rate, unitsCharged, caller } = await readRate(apiKey, base, quote, past);
    if (rate instanceof Failure) return { result: rate, unitsCharged, caller };
    const result = { rate, amount, result: multiply(amount, rate.rate) };
    return { result, unitsCharged, caller };
  };
}
