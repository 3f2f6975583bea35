import {
  type Decimal,
  divide,
  isDecimal,
  isZero,
  multiply,
  parseDecimal,
  type Rounding,
} from "../../platform/shared/decimal.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import type { Rejection } from "../../rates/served/rules/rate.ts";

/** An amount of money, which a credit note has below zero. */
export interface Amount {
  readonly isNegative: boolean;
  readonly value: Decimal;
}

/** How an amount is rounded once it was converted. */
export interface Precision {
  readonly scale: number;
  readonly rounding: Rounding;
}

/** Digits, perhaps in groups of three, and perhaps a fraction after another sign. */
const grouped = "[0-9]{1,3}([., '\\u2019\\u00a0\\u202f])[0-9]{3}(?:\\3[0-9]{3})*";
const amountForm = new RegExp(`^([-\\u2212]?)([0-9]+|${grouped})(?:([.,])([0-9]+))?$`);

/** 1.234 in Germany is 1,234 in Ireland, and both are 1.234 elsewhere. */
const ambiguousForm = /^[-\u2212]?[1-9][0-9]{0,2}[.,][0-9]{3}$/;

/** Reads an amount as spreadsheets write it: `-1.234,56`, `1,234.56`, `1 234,56`, `1234.5`. */
export function parseAmount(text: string): Amount | Rejection {
  if (ambiguousForm.test(text)) {
    const digits = text.replace(/[.,]/, "");
    const either = `${digits} or ${text.replace(",", ".")}0`;
    return { reason: `amount ${quoted(text)} may mean two amounts: write ${either}` };
  }
  const [, sign, whole = "", group, point, fraction] = amountForm.exec(text) ?? [];
  const digits = whole.replaceAll(/[^0-9]/g, "").replace(/^0+(?=[0-9])/, "");
  const value = parseDecimal(fraction === undefined ? digits : `${digits}.${fraction}`);
  const isOneSign = point !== undefined && point === group;
  if (sign === undefined || isOneSign || !isDecimal(value)) {
    return { reason: `amount ${quoted(text)} must be a number such as 1234.56 or -1.234,56` };
  }
  return { isNegative: sign !== "" && !isZero(value), value };
}

/** The amount with a point before its decimals. */
export const amountText = ({ isNegative, value }: Amount): string =>
  (isNegative ? "-" : "") + value;

/** How a rate leads from an amount to another currency: from the pair's base, or to it. */
export type Operation = "multiply" | "divide";

/** Converts an amount exactly, and rounds it once. */
export function convert(
  { isNegative, value }: Amount,
  operation: Operation,
  rate: Decimal,
  { scale, rounding }: Precision,
): Amount {
  const [dividend, divisor] =
    operation === "divide" ? [value, rate] : [multiply(value, rate), "1" as Decimal];
  const converted = divide(dividend, divisor, scale, rounding);
  return { isNegative: isNegative && !isZero(converted), value: converted };
}
