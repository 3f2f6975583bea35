declare const decimal: unique symbol;

/**
 * A non-negative decimal number as text, written out: digits with at most one point between them,
 * no sign, no exponent, trailing zeros as they were. Only the functions of this file make one.
 */
export type Decimal = string & { readonly [decimal]: true };

/** The most characters a rate may take once it is written out. */
export const MAX_DECIMAL_LENGTH = 64;

const writtenOut = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;
const number = /^(-?)((?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?:[eE]([+-]?[0-9]{1,4}))?$/;

/**
 * Parses a number in JSON's grammar (RFC 8259, section 6) and writes its exponent out, digit by
 * digit: `1.0e-5` becomes `0.000010`.
 *
 * @returns the decimal; `"negative"` for a number below zero; `"malformed"` for anything else,
 *   including one that would take more than {@link MAX_DECIMAL_LENGTH} characters.
 */
export function parseDecimal(text: string): Decimal | "negative" | "malformed" {
  if (text.length <= MAX_DECIMAL_LENGTH && writtenOut.test(text)) return text as Decimal;
  const [, sign, digits, exponent] = number.exec(text) ?? [];
  if (digits === undefined || digits.length > MAX_DECIMAL_LENGTH) return "malformed";
  if (sign === "-" && !isZero(digits)) return "negative";
  const places = exponent === undefined ? 0 : Number.parseInt(exponent, 10);
  if (Math.abs(places) > MAX_DECIMAL_LENGTH) return "malformed";
  const written = movePoint(digits as Decimal, places);
  return written.length > MAX_DECIMAL_LENGTH ? "malformed" : written;
}

/** Whether {@link parseDecimal} returned a decimal, not the reason why there is none. */
export function isDecimal(parsed: ReturnType<typeof parseDecimal>): parsed is Decimal {
  return parsed !== "negative" && parsed !== "malformed";
}

/**
 * Moves the decimal point, which multiplies by a power of ten without changing a digit: it
 * converts a quotation per 100 units to one per unit.
 *
 * @param places how far to the right; to the left when negative.
 */
export function movePoint(value: Decimal, places: number): Decimal {
  if (places === 0) return value;
  const [whole = "0", fraction = ""] = value.split(".");
  const digits = whole + fraction;
  const point = whole.length + places;
  const padded =
    point <= 0
      ? "0".repeat(1 - point) + digits
      : digits.padEnd(Math.max(point, digits.length), "0");
  const position = Math.max(point, 1);
  const movedWhole = padded.slice(0, position).replace(/^0+(?=[0-9])/, "");
  const movedFraction = padded.slice(position);
  return (movedFraction === "" ? movedWhole : `${movedWhole}.${movedFraction}`) as Decimal;
}

/**
 * The exact product: every digit of it, with as many decimal places as the two factors have
 * together, as in `2.50` × `1.1476` = `2.869000`.
 */
export function multiply(left: Decimal, right: Decimal): Decimal {
  const places = countPlaces(left) + countPlaces(right);
  const product = scaled(left, countPlaces(left)) * scaled(right, countPlaces(right));
  return movePoint(String(product) as Decimal, -places);
}

/** The exact difference of a value and one that is not greater. */
export function subtract(value: Decimal, less: Decimal): Decimal {
  const places = Math.max(countPlaces(value), countPlaces(less));
  const difference = scaled(value, places) - scaled(less, places);
  return movePoint(String(difference) as Decimal, -places);
}

/** Whether the first value is less than the second: 1.1 is not less than 1.10. */
export function isLess(value: Decimal, than: Decimal): boolean {
  const places = Math.max(countPlaces(value), countPlaces(than));
  return scaled(value, places) < scaled(than, places);
}

/** Whether two values are equal: 1.1 equals 1.10. */
export function isEqual(one: Decimal, other: Decimal): boolean {
  return !isLess(one, other) && !isLess(other, one);
}

/** How the digits after the last decimal place are dropped; "up" is away from zero. */
export type Rounding = (typeof roundings)[number];

export const roundings = ["half-up", "half-even", "down", "up"] as const;

/** The quotient of a value and one above zero, rounded to some decimal places. */
export function divide(
  value: Decimal,
  divisor: Decimal,
  decimalPlaces: number,
  rounding: Rounding,
): Decimal {
  const places = Math.max(countPlaces(value), countPlaces(divisor));
  const dividend = scaled(value, places) * 10n ** BigInt(decimalPlaces);
  const whole = scaled(divisor, places);
  const kept = dividend / whole;
  const rest = 2n * (dividend % whole);
  const isUp = {
    "half-up": rest >= whole,
    "half-even": rest > whole || (rest === whole && kept % 2n === 1n),
    down: false,
    up: rest > 0n,
  }[rounding];
  return movePoint(String(isUp ? kept + 1n : kept) as Decimal, -decimalPlaces);
}

/**
 * By how many percent of a value above zero another one is greater.
 *
 * @param decimalPlaces of the result, of which the last is rounded, half up.
 */
export function percentAbove(value: Decimal, greater: Decimal, decimalPlaces: number): Decimal {
  return divide(movePoint(subtract(greater, value), 2), value, decimalPlaces, "half-up");
}

/** Whether every digit is a zero. */
export function isZero(value: string): boolean {
  return /^[0.]+$/.test(value);
}

/** Whether a change from one value to another is more than `part` of the first. Exact. */
export function ratioExceeds(from: Decimal, to: Decimal, part: Decimal): boolean {
  const places = Math.max(countPlaces(from), countPlaces(to));
  const start = scaled(from, places);
  const change = scaled(to, places) - start;
  const size = change < 0n ? -change : change;
  return size * 10n ** BigInt(countPlaces(part)) > start * scaled(part, countPlaces(part));
}

function countPlaces(value: Decimal): number {
  const point = value.indexOf(".");
  return point === -1 ? 0 : value.length - point - 1;
}

/** The value as a whole number of its `places`th decimal place. */
function scaled(value: Decimal, places: number): bigint {
  return BigInt(value.replace(".", "") + "0".repeat(places - countPlaces(value)));
}

/** A reviver for JSON.parse: keeps numbers as texts, so that no digit goes through a float. */
export function sourceOfNumber(
  _name: string,
  value: unknown,
  context?: { source?: string },
): unknown {
  return typeof value === "number" ? context?.source : value;
}
