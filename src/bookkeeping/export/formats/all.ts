import { type Format, lineFormat } from "../format.ts";
import { beancount } from "./beancount.ts";
import { ecbCsv, ecbXml } from "./ecb.ts";
import { erpnext } from "./erpnext.ts";
import { firefly } from "./firefly.ts";
import { gnucashCsv } from "./gnucash.ts";
import { odoo } from "./odoo.ts";
import { priceDirective } from "./price-directive.ts";

/** CSV with a header, which `kurs rates import` and spreadsheets read. No cell needs quotes. */
const csv = lineFormat(
  ({ base, quote, rate, asOf, source, kind, date, validUntil }) =>
    `${base},${quote},${rate},${asOf},${source},${kind},${date},${validUntil ?? ""}`,
  { head: "base,quote,rate,as_of,source,kind,date,valid_until\n" },
);

/** An object on each line, which `kurs rates import` reads; the rate is a text. */
const ndjson = lineFormat((figure) => {
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

/** The formats by the names that `--format` has. */
export const formats: Readonly<Record<string, Format>> = {
  beancount,
  hledger: priceDirective,
  ledger: priceDirective,
  "gnucash-csv": gnucashCsv,
  "ecb-xml": ecbXml,
  "ecb-csv": ecbCsv,
  firefly,
  odoo,
  erpnext,
  csv,
  ndjson,
};
