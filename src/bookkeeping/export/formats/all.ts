import type { Format } from "../format.ts";
import { ecbCsv, ecbXml } from "./ecb.ts";
import { beancount, csv, erpnext, firefly, gnucashCsv, ndjson, priceDirective } from "./lines.ts";
import { odoo } from "./odoo.ts";

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
