import type { Dates } from "../../rules/archive-ranges.ts";
import { parseHolidays } from "../../rules/holidays.ts";
import { powerOfTen } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText } from "../formats/xml-text.ts";
import type { Entry, Parse } from "../publisher.ts";

/** Public holidays of 2026 on weekdays, and two days by the bank's "Explanatory Notes". */
const israeliHolidays = parseHolidays(`2026:
  01-01, 12-25, 2026-04-02, 2026-04-08, 2026-04-22, 2026-05-22, 2026-09-21`);

/** Of daily representative rates, all currencies that have one. */
const SERIES = "USD GBP JPY EUR AUD CAD DKK NOK ZAR SEK CHF JOD LBP EGP"
  .split(" ")
  .map((currency) => `RER_${currency}_ILS.D.${currency}.ILS.ILS.OF00`)
  .join(",");

const addressOf = ({ from, to }: Dates) =>
  "https://edge.boi.gov.il/FusionEdgeServer/sdmx/v2/data/dataflow/BOI.STATISTICS/EXR/1.0" +
  `/${SERIES}?c%5BTIME_PERIOD%5D=ge:${from}+le:${to}`;

/**
 * Reads the Bank of Israel's representative rates as SDMX-ML (edge.boi.gov.il, dataflow EXR): the
 * shekels per 10 to the power of `UNIT_MULT` units of a currency.
 */
const parseBoi: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "message:StructureSpecificData");
  return elementsAt(document, "message:DataSet", "Series").flatMap((series) => {
    const { BASE_CURRENCY: base, COUNTER_CURRENCY: quote, UNIT_MULT } = series.attributes;
    return elementsAt(series, "Obs").map(({ attributes: { TIME_PERIOD, OBS_VALUE: rate } }) =>
      lineOfUnits(powerOfTen(UNIT_MULT), { base, quote, rate, asOf: momentOf(TIME_PERIOD) }),
    );
  });
};

export const boi: Entry = {
  key: "boi",
  name: "Bank of Israel",
  country: "IL",
  // As on the bank's site al.boi.gov.il, "Terms of use" (in Hebrew).
  terms: "Copyright of the Bank of Israel: copying and passing on need its written permission.",
  termsUrl: "https://www.boi.org.il/en/terms-of-use",
  addresses: { latestDays: 14 },
  // Between 15:15 and 15:30 on days with trade, on Fridays and before holidays earlier.
  schedule: { cron: "35 15 * * 1-5", timeZone: "Asia/Jerusalem", holidays: israeliHolidays },
  publishedAt: "15:30",
  parse: parseBoi,
  // A condition on TIME_PERIOD, as of the daily request.
  archive: { since: "2000-01-03", requestsBy: "year", addresses: addressOf },
};
