import type { Format } from "../format.ts";
import { beancount } from "./beancount.ts";
import { ecbCsv, ecbXml } from "./ecb.ts";
import { erpnext } from "./erpnext.ts";
import { firefly } from "./firefly.ts";
import { gnucashCsv } from "./gnucash.ts";
import { odoo } from "./odoo.ts";
import { csv, ndjson } from "./own.ts";
import { priceDirective } from "./price-directive.ts";

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
