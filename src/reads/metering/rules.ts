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

export const EXAMPLE_OF_TIME = "Tue, 14 Oct 2025 16:00:00 GMT";

export const invalidAcceptDatetime = new Failure(
  "invalid_request",
  `Accept-Datetime must be one time in the form ${EXAMPLE_OF_TIME}, with its day of the week ` +
    "(RFC 7089).",
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
    `it; the header Accept-Datetime: ${EXAMPLE_OF_TIME} asks for the rate of a past time, and ` +
    "convert_currency of MCP multiplies an amount.";
  return new Failure("invalid_request", message);
}

/**
 * The failure of a pair that is not stored: the specification's message, and the way out.
 *
 * @param inverse the other direction, where it has a rate.
 */
export function unsupportedPair(publicUrl: string, inverse?: Pair): Failure {
  const message = "The requested currency pair is not currently supported.";
  const help =
    inverse === undefined
      ? { text: "The supported pairs are listed free of charge", url: `${publicUrl}/coverage` }
      : {
          text: `${pairName(inverse)} exists; Kurs does not invert`,
          url: publicUrl + WHY_NO_INVERSE,
        };
  return new Failure("unsupported_pair", message, { help });
}

/** The failure of a read of a past time before the first figure that is stored of its pair. */
export function noFigure(publicUrl: string, pair: Pair): Failure {
  const { message } = unsupportedPair(publicUrl);
  const text = `${pairName(pair)} has no figure of that time or before it`;
  return new Failure("unsupported_pair", message, { help: { text, url: publicUrl + PAST } });
}

const PAST = "/guide/api#rates-of-the-past";

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
