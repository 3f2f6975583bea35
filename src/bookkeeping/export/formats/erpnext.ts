import { lineFormat } from "../format.ts";

/**
 * Bodies of ERPNext's POST /api/resource/Currency Exchange, one on each line. It rejects a second
 * record of a date and pair, and keeps 9 decimal places.
 *
 * Defined by its document type: frappe/erpnext,
 * erpnext/setup/doctype/currency_exchange/currency_exchange.json at cd3fbe77ef46, and
 * currency_exchange.py (its names) at 8968211b2a8d.
 */
export const erpnext = lineFormat(({ date, base, rate, quote }) => {
  const currencies = `"from_currency":"${base}","to_currency":"${quote}"`;
  // A number by its digits: JSON.stringify would take it through a float.
  return `{"date":"${date}",${currencies},"exchange_rate":${rate},"for_buying":1,"for_selling":1}`;
});
