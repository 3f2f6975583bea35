const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/**
 * Rewrites a date with the day before the month as `2026-04-25`: `25.04.2026`, `25/4/2026`,
 * `25-Apr-2026` or `25 April 2026`; "" for any other text.
 */
export function isoDateOf(text = ""): string {
  const date = /^([0-9]{1,2})([./ -])([0-9]{1,2}|[A-Za-z]{3,9})\2([0-9]{4})$/;
  const [, day = "", , month = "", year] = date.exec(text) ?? [];
  return year === undefined ? "" : `${year}-${monthOf(month)}-${day.padStart(2, "0")}`;
}

/** Rewrites a date such as `20260425` as `2026-04-25`. */
export const isoDateOfDigits = (text = ""): string =>
  text.replace(/^([0-9]{4})([0-9]{2})([0-9]{2})$/, "$1-$2-$3");

/** Writes a date in a form of `yyyy`, `Mon`, `mm` and `dd`, such as `dd.mm.yyyy`. */
export function dateAs(form: string, stated: Temporal.PlainDate | string): string {
  const date = Temporal.PlainDate.from(stated);
  const [yyyy = "", mm = "", dd = ""] = date.toString().split("-");
  const Mon = (MONTHS[date.month - 1] ?? "").replace(/^./, (letter) => letter.toUpperCase());
  const parts: Readonly<Record<string, string>> = { yyyy, mm, dd, Mon };
  return form.replaceAll(/yyyy|Mon|mm|dd/g, (part) => parts[part] ?? part);
}

/** Rewrites an American date: `April 25, 2026` or `04/25/2026`; "" for any other text. */
export function isoDateOfMonthFirst(text = ""): string {
  return isoDateOf(text.replace(/^([A-Za-z]+|[0-9]{1,2})([ /-])([0-9]{1,2}),?/, "$3$2$1"));
}

/** The number of a month in two digits; English names count by their first three letters. */
function monthOf(text: string): string {
  const number = MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1;
  return number === 0 ? text.padStart(2, "0") : String(number).padStart(2, "0");
}

/**
 * Rewrites a number such as `79,4500` as `79.4500`; undefined for any other text.
 *
 * @param groups what stands between groups of three digits: `1.079,4500`.
 */
export function decimalOfComma(text = "", groups = ""): string | undefined {
  const [whole = "", fraction] = text.split(",");
  const digits = withoutGroups(whole, groups);
  if (digits === undefined || text.split(",").length > 2) return undefined;
  if (fraction === undefined) return digits;
  return /^[0-9]+$/.test(fraction) ? `${digits}.${fraction}` : undefined;
}

/** Rewrites a number such as `1,479.80` as `1479.80`; undefined for any other text. */
export function decimalWithoutCommas(text = ""): string | undefined {
  const [, whole, fraction = ""] = /^([0-9,]+)(\.[0-9]+)?$/.exec(text) ?? [];
  const digits = withoutGroups(whole, ",");
  return digits === undefined ? undefined : `${digits}${fraction}`;
}

function withoutGroups(whole = "", groups: string): string | undefined {
  const parts = groups === "" ? [whole] : whole.split(groups);
  const [first = "", ...others] = parts;
  const isWhole = /^[0-9]+$/.test(first) && others.every((part) => /^[0-9]{3}$/.test(part));
  return isWhole && (others.length === 0 || first.length <= 3) ? parts.join("") : undefined;
}

/** Rewrites an exponent such as `2`, the units of an SDMX series, as `100`. */
export const powerOfTen = (exponent = ""): string | undefined =>
  /^[0-9]$/.test(exponent) ? "1".padEnd(1 + Number.parseInt(exponent, 10), "0") : undefined;

/** The last date of a month such as `2026-02`; undefined for any other text. */
export function lastDayOf(month = ""): string | undefined {
  if (!/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(month)) return undefined;
  const { daysInMonth } = Temporal.PlainYearMonth.from(month);
  return `${month}-${daysInMonth}`;
}

/** The last date of some days from a date on. */
export const lastOfDays = (date: string, days: number): string =>
  Temporal.PlainDate.from(date)
    .add({ days: days - 1 })
    .toString();

/** Rewrites a date such as `2026-03-13T00:00:00.000Z`, whose midnight stands for no time. */
export function withoutMidnight(text = ""): string {
  return text.replace(/T00:00:00(\.000)?Z?$/, "");
}

/** Reads a table such as `EUR Euro, USD US dollar`. @returns the codes by their names. */
export function codesByName(table: string): ReadonlyMap<string, string> {
  const rows = table.trim().split(/,\s+/);
  return new Map(rows.map((row) => [row.slice(4), row.slice(0, 3)]));
}
