import { lineFormat } from "../format.ts";

/** CSV with a header, which `kurs rates import` and spreadsheets read. No cell needs quotes. */
export const csv = lineFormat(
  ({ base, quote, rate, asOf, source, kind, date, validUntil }) =>
    `${base},${quote},${rate},${asOf},${source},${kind},${date},${validUntil ?? ""}`,
  { head: "base,quote,rate,as_of,source,kind,date,valid_until\n" },
);

/** An object on each line, which `kurs rates import` reads; the rate is a text. */
export const ndjson = lineFormat((figure) => {
  const { base, quote, rate, asOf, source, kind, date, validUntil } = figure;
  return JSON.stringify({
    base,
    quote,
    rate,
    as_of: asOf,
    source,
    kind,
    date,
    valid_until: validUntil ?? null,
  });
});
