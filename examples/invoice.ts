// Prints an invoice in another currency, with the rate, its time and its source, for one unit:
//   KURS_URL=… KURS_API_KEY=… node invoice.ts invoice.json USD
// It rejects a rate whose publisher has missed more than 3 publications since. Another number may
// follow; 99 takes a rate of any age.
import { readFile } from "node:fs/promises";
import { createClient, type Precision, type RateResult, times } from "@kurs/client";

/** How to round amounts in each currency: complete it by your own rules. */
const precisions: Readonly<Record<string, Precision>> = {
  CHF: { scale: 2, rounding: "half-up" },
  CZK: { scale: 2, rounding: "half-up" },
  EUR: { scale: 2, rounding: "half-up" },
  GBP: { scale: 2, rounding: "half-up" },
  JPY: { scale: 0, rounding: "down" },
  USD: { scale: 2, rounding: "half-up" },
};

interface Invoice {
  readonly number: string;
  readonly currency: string;
  /** The time whose rate it needs, such as "2026-03-13T23:59:59Z"; without it the newest. */
  readonly at?: string;
  /** Amounts are decimal texts such as "2850.00": a number in JSON would lose digits. */
  readonly lines: readonly { readonly text: string; readonly amount: string }[];
}

const { KURS_URL: url, KURS_API_KEY: apiKey } = process.env;
const [file, currency, maxMissed = "3"] = process.argv.slice(2);
if (url === undefined || apiKey === undefined || file === undefined || currency === undefined) {
  console.error("usage: KURS_URL=… KURS_API_KEY=… node invoice.ts INVOICE.json CURRENCY [MISSED]");
  process.exit(2);
}

try {
  // What is wrong with the invoice shows before the read costs a unit.
  const invoice = parseInvoice(await readFile(file, "utf8"));
  const precision = precisions[currency];
  if (precision === undefined) throw new Error(`add how to round ${currency} to invoice.ts.`);
  const kurs = createClient({ url, apiKey, maxMissed: Number(maxMissed) });
  const result = await kurs.rates.get(invoice.currency, currency, { at: invoice.at });
  console.log(printed(invoice, { currency, precision, result }));
} catch (error) {
  console.error(`invoice: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** @throws {Error} for a text that is no invoice. */
function parseInvoice(text: string): Invoice {
  const invoice = JSON.parse(text) as Partial<Invoice> | null;
  const isText = (value: unknown) => typeof value === "string";
  if (!isText(invoice?.number) || !isText(invoice.currency) || !Array.isArray(invoice.lines)) {
    throw new Error("the file has no number, currency and lines: see invoice.json.");
  }
  for (const { amount } of invoice.lines) {
    if (isText(amount) && /^-?\d+(\.\d+)?$/.test(amount)) continue;
    throw new Error(`an amount is a text such as "2850.00" (got ${JSON.stringify(amount)}).`);
  }
  return invoice as Invoice;
}

interface Conversion {
  readonly currency: string;
  readonly precision: Precision;
  readonly result: RateResult;
}

/** @throws {Error} with a sentence for the user where there is no rate. */
function printed(invoice: Invoice, { currency, precision, result }: Conversion): string {
  if (result.error !== undefined) throw new Error(sentenceOf(result, invoice.currency, currency));
  const { rate, as_of } = result.data;
  const lines = invoice.lines.map(({ text, amount }) => {
    return { text, amount, converted: times(amount, rate, precision) };
  });
  // The sum of the rounded lines: so what is printed adds up.
  const total = sum(
    lines.map(({ converted }) => converted),
    precision.scale,
  );
  const row = (text: string, amount: string, converted: string) =>
    `${text.padEnd(24)} ${amount.padStart(16)} ${converted.padStart(20)}`;
  const { headers } = result.response;
  return [
    `Invoice ${invoice.number} in ${currency}`,
    "",
    ...lines.map(({ text, amount, converted }) =>
      row(text, `${amount} ${invoice.currency}`, `${converted} ${currency}`),
    ),
    row("Total", "", `${total} ${currency}`),
    "",
    `Rate     1 ${invoice.currency} = ${rate} ${currency}`,
    `As of    ${as_of}`,
    `Source   ${headers.get("rate-source")}`,
    `Charged  ${charge(result)}`,
  ].join("\n");
}

/** Adds amounts that have exactly `scale` digits after the point. */
function sum(amounts: readonly string[], scale: number): string {
  const smallest = scale === 0 ? "1" : `0.${"1".padStart(scale, "0")}`;
  const units = amounts.reduce((total, amount) => total + BigInt(amount.replace(".", "")), 0n);
  return times(String(units), smallest, { scale, rounding: "half-even" });
}

function charge({ unitsCharged }: RateResult): string {
  if (unitsCharged === undefined) return "perhaps 1 unit";
  return unitsCharged === 1 ? "1 unit" : `${unitsCharged} units`;
}

/** What happened, and what to do. */
function sentenceOf(result: RateResult & { error: object }, base: string, quote: string): string {
  const { error } = result;
  const cost = `(charged: ${charge(result)})`;
  switch (error.code) {
    case "unsupported_pair":
      return `there is no direct rate ${base}/${quote}: choose another currency ${cost}.`;
    case "client:stale":
      return `the rate is too old: ${error.message} Ask the service's operator for newer ones ${cost}.`;
    case "unauthorized":
      return `the service rejected the key: set KURS_API_KEY to a valid one ${cost}.`;
    case "quota_exceeded":
      return `the quota is used up: try again after ${error.reset_at} ${cost}.`;
    default:
      return `${error.message} ${cost}`;
  }
}
