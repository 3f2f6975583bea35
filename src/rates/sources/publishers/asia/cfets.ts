import type { Dates } from "../../rules/archive-ranges.ts";
import { parseHolidays } from "../../rules/holidays.ts";
import { listAt, membersOf, parseJsonText, textOf } from "../formats/json-text.ts";
import { lineOf, lineOfUnits } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** The State Council's notice of November 2025 for 2026; days that it names each year again. */
const chineseHolidays = parseHolidays(`2026:
  01-01, 05-01, 10-01, 10-02, 10-03, 2026-01-02, 2026-02-16, 2026-02-17, 2026-02-18, 2026-02-19,
  2026-02-20, 2026-02-23, 2026-04-06, 2026-05-04, 2026-05-05, 2026-06-19, 2026-09-25, 2026-10-05,
  2026-10-06, 2026-10-07`);

/** By POST, with an empty body. A page has at most 50 days. */
const requestCfets = ({ from, to }: Dates) => ({
  address:
    "https://www.chinamoney.com.cn/ags/ms/cm-u-bk-ccpr/CcprHisNew" +
    `?startDate=${from}&endDate=${to}&currency=&pageNum=1&pageSize=50`,
  body: "",
});

const PAIR = /^([0-9]*)([A-Z]{3})\/([A-Z]{3})$/;

/**
 * Reads the central parity of the yuan (chinamoney.com.cn, CcprHisNew): a list of values for each
 * day, in the order of the pairs in `data.head`, of which one is `100JPY/CNY`.
 */
const parseCfets: Parse = ([response], momentOf) => {
  const document = membersOf(parseJsonText(response));
  const pairs = listAt(document.data, "head").map(textOf);
  return listAt(document, "records").flatMap((record) => {
    const asOf = momentOf(textOf(membersOf(record).date));
    const values = listAt(record, "values").map(textOf);
    return pairs.flatMap((pair, index) => {
      const rate = values[index];
      // A pair that had no parity yet, or no longer has one.
      if (rate === "---") return [];
      const [, units, base, quote] = PAIR.exec(pair ?? "") ?? [];
      const stated = { base, quote, rate, asOf };
      return [units ? lineOfUnits(units, stated) : lineOf(stated, pair)];
    });
  });
};

export const cfets: Entry = {
  key: "cfets",
  name: "China Foreign Exchange Trade System",
  country: "CN",
  terms: "Copyright of CFETS: copying and passing the figures on needs its written permission.",
  termsUrl: "https://www.chinamoney.com.cn/english/homflkdcm/",
  addresses: { latestDays: 14 },
  // The People's Bank's circular of 1 July 2014, article 1: "at 9:15 AM on each business day".
  schedule: { cron: "25 9 * * 1-5", timeZone: "Asia/Shanghai", holidays: chineseHolidays },
  publishedAt: "09:15",
  parse: parseCfets,
  // The publisher names no first day; that it has figures of 2016 is known.
  archive: { since: "2016-01-04", requestsBy: "month", addresses: requestCfets },
};
