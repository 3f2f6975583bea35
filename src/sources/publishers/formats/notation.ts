/** Rewrites a date such as `25.04.2026` as `2026-04-25`; "" for any other text. */
export function isoDateOf(text = ""): string {
  const [, day, month, year] = /^([0-9]{2})\.([0-9]{2})\.([0-9]{4})$/.exec(text) ?? [];
  return year === undefined ? "" : `${year}-${month}-${day}`;
}

/** Rewrites a number such as `79,4500` as `79.4500`; undefined for any other text. */
export function decimalOfComma(text = ""): string | undefined {
  return /^[0-9]+(,[0-9]+)?$/.test(text) ? text.replace(",", ".") : undefined;
}

/** Rewrites a date such as `2026-03-13T00:00:00.000Z`, whose midnight stands for no time. */
export function withoutMidnight(text = ""): string {
  return text.replace(/T00:00:00(\.000)?Z?$/, "");
}
