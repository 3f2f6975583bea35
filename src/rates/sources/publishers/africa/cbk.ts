import { parseHolidays } from "../../rules/holidays.ts";
import { listAt, parseJsonText, textOf } from "../formats/json-text.ts";
import { codesByName, isoDateOf } from "../formats/notation.ts";
import { lineOf, lineOfUnits, unknownCurrency } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/**
 * By the Public Holidays Act, after one on a Sunday the Monday; the days of the Islamic calendar
 * and of the government's notices are those without figures in the bank's table.
 */
const kenyanHolidays = parseHolidays(`2024-:
  01-01, easter-2, easter+1, 05-01, 06-01 (Madaraka Day), 10-10 (Mazingira Day),
  10-20 (Mashujaa Day), 12-12 (Jamhuri Day), 12-25, 12-26, 2024-04-10, 2024-05-10, 2024-06-17,
  2024-10-21, 2024-11-01, 2025-03-31, 2025-06-02, 2025-06-06, 2025-10-17, 2027-10-11, 2027-12-13,
  2027-12-27`);

const CURRENCIES = codesByName(`AED AE DIRHAM, AUD AUSTRALIAN $, CAD CAN $, CHF S FRANC,
  CNY CHINESE YUAN, DKK DAN KRONER, EUR EURO, GBP STG POUND, HKD HONGKONG DOLLAR, INR IND RUPEE,
  JPY JPY, NOK NOR KRONER, SAR SAUDI RIYAL, SEK SW KRONER, SGD SINGAPORE DOLLAR,
  USD US DOLLAR, ZAR SA RAND`);

/** The neighbors' currencies are quoted per Kenyan shilling. */
const NEIGHBORS = codesByName("BIF KES / BIF, RWF KES / RWF, TZS KES / TSHS, UGX KES / USHS");

/**
 * Reads the Central Bank of Kenya's table of indicative rates (centralbank.go.ke, get_wdtable): a
 * list for each day and currency with the date, the name, and the shillings per unit.
 */
const parseCbk: Parse = ([response], momentOf) =>
  listAt(parseJsonText(response), "data").map((row) => {
    const [date, name = "?", rate] = Array.isArray(row) ? row.map(textOf) : [];
    const asOf = momentOf(isoDateOf(date));
    const neighbor = NEIGHBORS.get(name);
    if (neighbor !== undefined) return lineOf({ base: "KES", quote: neighbor, rate, asOf });
    const [, currency = "", units = "1"] = /^(.+?)(?: \(([0-9]+)\))?$/.exec(name) ?? [];
    const base = CURRENCIES.get(currency);
    if (base === undefined) return unknownCurrency(name);
    return lineOfUnits(units, { base, quote: "KES", rate, asOf });
  });

export const cbk: Entry = {
  key: "cbk",
  name: "Central Bank of Kenya",
  country: "KE",
  addresses: [
    // By POST: every day since January 2024, at any length of a page but -1 the oldest.
    () => ({
      address:
        "https://www.centralbank.go.ke/wp-admin/admin-ajax.php?action=get_wdtable&table_id=193",
      body: "draw=1&start=0&length=-1",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
  ],
  // "Forex Exchange Rates": "average buying and selling rates of the major participants in the
  // foreign exchange market at the open of trade every day".
  schedule: { cron: "30 11 * * 1-5", timeZone: "Africa/Nairobi", holidays: kenyanHolidays },
  publishedAt: "09:00",
  parse: parseCbk,
  endedAfterDays: 31,
};
