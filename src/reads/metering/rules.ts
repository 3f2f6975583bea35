import type { Decimal } from "../../platform/shared/decimal.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { type Pair, pairName } from "../../rates/served/rules/symbol.ts";

/** The maximum number of an amount's digits, on both sides of its point together. */
export const MAX_AMOUNT_DIGITS = 40;

const amount = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;

/**
 * Parses an amount to convert: digits with at most one point between them. A sign, an exponent, a
 * group separator or white space is rejected rather than guessed at.
 *
 * @returns `undefined` for an invalid text.
 */
export function parseAmount(text: string): Decimal | undefined {
  const digits = text.length - (text.includes(".") ? 1 : 0);
  return digits <= MAX_AMOUNT_DIGITS && amount.test(text) ? (text as Decimal) : undefined;
}

export const invalidAssetSymbol = new Failure(
  "invalid_asset_symbol",
  "Asset symbol format is invalid.",
);

/** Parameters of the query that other services have, where they change what a read means. */
const foreignParameters = new Set([
  ...["date", "at", "as_of", "time", "timestamp", "from", "to", "start", "end", "start_date"],
  ...["end_date", "amount", "base", "quote", "symbols", "source", "provider", "expand"],
]);

/** @returns the failure of a query that asks for anything but the newest rate of the pair. */
export function rejectQuery(query: object): Failure | undefined {
  const name = Object.keys(query).find((each) => foreignParameters.has(each.toLowerCase()));
  if (name === undefined) return undefined;
  const message =
    `There is no parameter ${name}: a read has the newest rate of the pair in its path. Remove ` +
    "it; the operator has earlier figures, and convert_currency of MCP multiplies an amount.";
  return new Failure("invalid_request", message);
}

/**
 * The failure of a pair that is not stored: the specification's message, and the way out.
 *
 * @param inverse the other direction, where it has a rate.
 */
export function unsupportedPair(publicUrl: string, inverse?: Pair): Failure {
  const wayOut =
    inverse === undefined
      ? `The supported pairs cost nothing to list: ${publicUrl}/coverage, or GET ` +
        "/v1/account/pairs with a session."
      : `${pairName(inverse)} exists; Kurs does not invert: ${publicUrl}${WHY_NO_INVERSE}`;
  const message = `The requested currency pair is not currently supported. ${wayOut}`;
  return new Failure("unsupported_pair", message);
}

const WHY_NO_INVERSE = "/guide/sources#which-directions-there-are-and-why-no-inverse";

/** The operator has suspended the pair, and every retry is charged. */
const SUSPENDED_RETRY_SECONDS = 3600;

export const rateSuspended = new Failure(
  "temporarily_unavailable",
  "The service is temporarily unable to serve this rate. Please retry.",
  { retryAfterSeconds: SUSPENDED_RETRY_SECONDS },
);

/** The failure under overload. Nothing was started or charged. */
export const readsOverloaded = new Failure("temporarily_unavailable", rateSuspended.message, {
  retryAfterSeconds: 1,
});

/** @returns the failure of a read whose rate or charge failed in the store. */
export function rateUnavailable(cause: unknown): Failure {
  return new Failure("temporarily_unavailable", rateSuspended.message, {
    retryAfterSeconds: 1,
    cause,
  });
}
