/**
 * How to drop digits. At an equal distance `half-even` takes the even neighbor, and `half-up` the
 * one farther from zero. `down` goes towards zero, `up` away from it.
 */
export type Rounding = (typeof roundings)[number];

const roundings = ["half-even", "half-up", "down", "up"] as const;

export interface Precision {
  /** Digits after the point, 0 to 100. */
  readonly scale: number;
  readonly rounding: Rounding;
}

interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/**
 * Multiplies an amount by a rate, exactly, and rounds the product once.
 *
 * @param amount a decimal text such as `"1250.50"` or `"-3"`.
 * @param rate likewise, as `data.rate` is.
 * @returns a decimal text with exactly `scale` digits after the point.
 * @throws {TypeError} for another text, or for a number.
 * @throws {RangeError} for an invalid scale or rounding.
 */
export function times(amount: string, rate: string, { scale, rounding }: Precision): string {
  if (!Number.isInteger(scale) || scale < 0 || scale > 100) {
    throw new RangeError(`scale must be a whole number from 0 to 100 (got ${scale})`);
  }
  if (!roundings.includes(rounding)) {
    throw new RangeError(`rounding must be one of ${roundings.join(", ")} (got ${rounding})`);
  }
  const left = parse("amount", amount);
  const right = parse("rate", rate);
  const product = { digits: left.digits * right.digits, scale: left.scale + right.scale };
  return write(rescale(product, scale, rounding), scale);
}

/**
 * A rate as a number, for charts. It loses digits: a number has about 16 of them, and none of 0.1
 * is exact. For money use `times`.
 *
 * @throws {TypeError} for a text that is no rate, or for none.
 */
export function toNumber(rate: string): number {
  parse("rate", rate);
  return Number(rate);
}

function parse(name: string, text: string): Decimal {
  const [, whole, fraction = ""] =
    (typeof text === "string" && /^(-?\d+)(?:\.(\d+))?$/.exec(text)) || [];
  if (whole === undefined) {
    const given = typeof text === "string" ? `"${text}"` : text;
    throw new TypeError(`${name} must be a text such as "1250.50" (got ${given})`);
  }
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function rescale({ digits, scale }: Decimal, wanted: number, rounding: Rounding): bigint {
  if (scale <= wanted) return digits * 10n ** BigInt(wanted - scale);
  const divisor = 10n ** BigInt(scale - wanted);
  // Division of integers goes towards zero.
  const quotient = digits / divisor;
  const rest = magnitude(digits % divisor);
  if (!isAway(rounding, quotient, rest, divisor)) return quotient;
  return quotient + (digits < 0n ? -1n : 1n);
}

/** Whether to round away from zero. */
function isAway(rounding: Rounding, quotient: bigint, rest: bigint, divisor: bigint): boolean {
  switch (rounding) {
    case "down":
      return false;
    case "up":
      return rest > 0n;
    case "half-up":
      return 2n * rest >= divisor;
    case "half-even":
      return 2n * rest > divisor || (2n * rest === divisor && quotient % 2n !== 0n);
  }
}

function write(digits: bigint, scale: number): string {
  const text = String(magnitude(digits)).padStart(scale + 1, "0");
  const point = text.length - scale;
  const fraction = scale === 0 ? "" : `.${text.slice(point)}`;
  return `${digits < 0n ? "-" : ""}${text.slice(0, point)}${fraction}`;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
