import type { Dates } from "../../rules/archive-ranges.ts";
import { parseHolidays } from "../../rules/holidays.ts";
import { codesByName, isoDateOf } from "../formats/notation.ts";
import { lineOfUnits, required, utf8TextOf } from "../formats/source-lines.ts";
import { type Entry, EURO, type Parse } from "../publisher.ts";

/** Public holidays of 2026 by the Ministry of Manpower; one on a Sunday is kept after it. */
const singaporeHolidays = parseHolidays(`2026: 01-01, easter-2, 05-01, 12-25, 2026-02-17,
  2026-02-18, 2026-05-27, 2026-06-01, 2026-08-10, 2026-11-09`);

/** In the order of the form, in which three are per unit. */
const currencies = codesByName(`
  EUR Euro, GBP Pound Sterling, USD US Dollar, AUD Australian Dollar, CAD Canadian Dollar,
  CNY Chinese Renminbi, HKD Hong Kong Dollar, INR Indian Rupee, IDR Indonesian Rupiah,
  JPY Japanese Yen, KRW Korean Won, MYR Malaysian Ringgit, TWD New Taiwan Dollar,
  NZD New Zealand Dollar, PHP Philippine Peso, QAR Qatar Riyal, SAR Saudi Arabia Riyal,
  CHF Swiss Franc, THB Thai Baht, AED UAE Dirham, VND Vietnamese Dong`);

/**
 * Reads the Monetary Authority of Singapore's rates (eservices.mas.gov.sg, ExchangeRates.aspx): a
 * column such as `S$ Per 100 Units of Japanese Yen`. Only the first day of several names the month.
 */
const parseMas: Parse = ([response], momentOf) => {
  const text = utf8TextOf(response?.body);
  required(/values as of noon\."\s*$/.exec(text) ?? undefined, "the last note is missing");
  const table = required(/^End of Period,,,.+(\n.+)*/m.exec(text)?.[0], "no End of Period");
  const [header = [], ...rows] = table.split("\n").map((line) => line.split(","));
  let [year, month]: (string | undefined)[] = [];
  return rows.flatMap(([ownYear, ownMonth, day, ...rates]) => {
    [year, month] = [ownYear || year, ownMonth || month];
    const asOf = momentOf(isoDateOf(`${day}-${month}-${year}`));
    return rates.flatMap((rate, index) => {
      const column = /^S\$ Per (?:Unit|([0-9]+) Units) of (.+)$/.exec(header[index + 3] ?? "");
      const base = currencies.get(column?.[2] ?? "");
      const line = lineOfUnits(column?.[1] ?? "1", { base, quote: "SGD", rate, asOf });
      return rate === "" ? [] : [line];
    });
  });
};

const PAGE = "https://eservices.mas.gov.sg/statistics/msb/ExchangeRates.aspx";
const FIELD = "ctl00$ContentPlaceHolder1$";

/** Fills in the form for the months of two dates. */
function requestOf({ from, to }: Dates) {
  const form = new Map([["FrequencyDropDownList", "D"]]).set("DownloadButton", "Download");
  for (const [end, date] of Object.entries({ Start: from, End: to })) {
    form.set(`${end}YearDropDownList`, date.slice(0, 4));
    form.set(`${end}MonthDropDownList`, date.slice(5, 7).replace(/^0/, ""));
  }
  for (const index of Array.from(currencies).keys()) {
    const box = index < 3 ? `UnitCheckBoxList$${index}` : `100UnitsCheckBoxList$${index - 3}`;
    form.set(`EndOfPeriodPer${box}`, "on");
  }
  const fields = [...form].map(([name, value]) => [FIELD + name, value]);
  return { address: PAGE, form: Object.fromEntries(fields) };
}

export const mas: Entry = {
  key: "mas",
  name: "Monetary Authority of Singapore",
  country: "SG",
  terms: "The conditions of the authority apply; check them before passing the figures on.",
  addresses: { latestDays: 10 },
  // "Values as of noon"; the authority names no time of publication.
  schedule: { cron: "30 18 * * 1-5", timeZone: "Asia/Singapore", holidays: singaporeHolidays },
  publishedAt: "12:00",
  parse: parseMas,
  archive: { since: EURO, requestsBy: "year", addresses: requestOf },
};
