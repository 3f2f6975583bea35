import { parseHolidays } from "../../rules/holidays.ts";
import { codesByName, isoDateOf } from "../formats/notation.ts";
import { lineOfUnits, required, utf8TextOf } from "../formats/source-lines.ts";
import { type Entry, type Parse, ParseError } from "../publisher.ts";

/** Public holidays of 2026 by the Ministry of Manpower; one on a Sunday is kept after it. */
const singaporeHolidays = parseHolidays(`2026:
  01-01, easter-2, 05-01, 12-25, 2026-02-17, 2026-02-18, 2026-05-27, 2026-06-01, 2026-08-10,
  2026-11-09`);

const currencies = codesByName(`
  EUR Euro, GBP Pound Sterling, USD US Dollar, AUD Australian Dollar, CAD Canadian Dollar,
  CNY Chinese Renminbi, HKD Hong Kong Dollar, INR Indian Rupee, IDR Indonesian Rupiah,
  JPY Japanese Yen, KRW Korean Won, MYR Malaysian Ringgit, TWD New Taiwan Dollar,
  NZD New Zealand Dollar, PHP Philippine Peso, QAR Qatar Riyal, SAR Saudi Arabia Riyal,
  CHF Swiss Franc, THB Thai Baht, AED UAE Dirham, VND Vietnamese Dong`);

/**
 * Reads the Monetary Authority of Singapore's rates (eservices.mas.gov.sg, ExchangeRates.aspx): a
 * column such as `S$ Per 100 Units of Japanese Yen`, a row for each day, of which only the first
 * names the year and the month.
 */
const parseMas: Parse = ([response], momentOf) => {
  const text = utf8TextOf(response?.body);
  if (!/values as of noon\."\s*$/.test(text)) {
    throw new ParseError("the body is cut short: its last note is missing");
  }
  const table = required(/^End of Period,,,.+(\n.+)*/m.exec(text)?.[0], "no End of Period");
  const [header = [], ...rows] = table.split("\n").map((line) => line.split(","));
  let [year, month]: (string | undefined)[] = [];
  return rows.flatMap(([ownYear, ownMonth, day, ...rates]) => {
    [year, month] = [ownYear || year, ownMonth || month];
    const asOf = momentOf(isoDateOf(`${day}-${month}-${year}`));
    return rates.map((rate, index) => {
      const column = /^S\$ Per (?:Unit|([0-9]+) Units) of (.+)$/.exec(header[index + 3] ?? "");
      const base = currencies.get(column?.[2] ?? "");
      return lineOfUnits(column?.[1] ?? "1", { base, quote: "SGD", rate, asOf });
    });
  });
};

const PAGE = "https://eservices.mas.gov.sg/statistics/msb/ExchangeRates.aspx";
const FIELD = "ctl00$ContentPlaceHolder1$";

const fieldOfBox = (_: unknown, index: number) =>
  index < 3 ? `PerUnitCheckBoxList$${index}` : `Per100UnitsCheckBoxList$${index - 3}`;

/** The form's fields, of which those of time are for months: these have ten days or more. */
function fieldsOf(today: Temporal.PlainDate): Readonly<Record<string, string>> {
  const { year, month } = today.subtract({ days: 10 });
  const lists = { StartYear: year, StartMonth: month, EndYear: today.year, EndMonth: today.month };
  const form: Record<string, string> = { [`${FIELD}DownloadButton`]: "Download" };
  for (const [name, value] of Object.entries({ ...lists, Frequency: "D" })) {
    form[`${FIELD}${name}DropDownList`] = `${value}`;
  }
  for (const box of Array.from(currencies, fieldOfBox)) form[`${FIELD}EndOfPeriod${box}`] = "on";
  return form;
}

export const mas: Entry = {
  key: "mas",
  name: "Monetary Authority of Singapore",
  country: "SG",
  terms: "The conditions of the authority apply; check them before passing the figures on.",
  addresses: [(today) => ({ address: PAGE, form: fieldsOf(today) })],
  // "Values as of noon"; the authority names no time of publication.
  schedule: { cron: "30 18 * * 1-5", timeZone: "Asia/Singapore", holidays: singaporeHolidays },
  publishedAt: "12:00",
  parse: parseMas,
};
