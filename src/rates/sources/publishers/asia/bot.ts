import type { Dates } from "../../rules/archive-ranges.ts";
import { parseHolidays } from "../../rules/holidays.ts";
import { jsonRows } from "../formats/json-text.ts";
import { lineOfUnits, linesOfKinds } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/**
 * The bank's yearly "Financial Institutions Holidays", without days that its government may still
 * move; those of the moon's calendar and substitutes are listed for 2026.
 */
const thaiHolidays = parseHolidays(`2026:
  01-01, 04-06 (Chakri Day), 04-13 (Songkran), 04-14, 04-15, 05-01, 05-04 (Coronation Day),
  06-03 (the Queen's birthday), 07-28 (the King's birthday), 10-13, 10-23, 12-05, 12-10, 12-31,
  2026-01-02, 2026-03-03 (Makha Bucha), 2026-06-01 (Visakha Bucha), 2026-07-29 (Asarnha Bucha),
  2026-12-07`);

/** At most 31 days. */
const requestBot = ({ from, to }: Dates, token: string) => ({
  address:
    "https://gateway.api.bot.or.th/Stat-ExchangeRate/v2/DAILY_AVG_EXG_RATE/" +
    `?start_period=${from}&end_period=${to}`,
  headers: { authorization: token, accept: "application/json" },
});

/**
 * Reads the Bank of Thailand's averages of commercial banks' rates (DAILY_AVG_EXG_RATE): the baht
 * per unit or, as in `INDONESIA : RUPIAH (1,000 RUPIAH) (IDR)`, per several units of a currency.
 */
const parseBot: Parse = ([response], momentOf) =>
  jsonRows(response, "result", "data", "data_detail").flatMap((row) => {
    const { currency_id: base, currency_name_eng: name = "" } = row;
    // `buying_sight` is a rate for bills.
    const { mid_rate: middle, buying_transfer: buying, selling, period } = row;
    const stated = { base, quote: "THB", asOf: momentOf(period) };
    const [, units = "1"] = /\(([0-9,]+) [A-Z]+\)/.exec(name) ?? [];
    return linesOfKinds({ middle, buying, selling }, (rate) =>
      lineOfUnits(units.replaceAll(",", ""), { ...stated, rate }),
    );
  });

export const bot: Entry = {
  key: "bot",
  name: "Bank of Thailand",
  country: "TH",
  addresses: { latestDays: 10 },
  tokenUrl: "https://portal.api.bot.or.th",
  // The API's own description: "Release schedule : Every business day at 6.00 p.m.".
  schedule: { cron: "10 18 * * 1-5", timeZone: "Asia/Bangkok", holidays: thaiHolidays },
  publishedAt: "18:00",
  parse: parseBot,
  // The first date from which lineofflight/frankfurter has had them.
  archive: { since: "2002-01-02", requestsBy: "month", addresses: requestBot },
};
