import { parseHolidays } from "../../rules/holidays.ts";
import { lastDayOf } from "../formats/notation.ts";
import type { Entry } from "../publisher.ts";
import { parseImf, parseKraken } from "./parsers.ts";

/** The federal holidays of the United States on which the Fund is closed in every year. */
const fundHolidays = parseHolidays(`2026-:
  01-01, 07-04, 12-25, 01-15 monday (Martin Luther King Day), 02-15 monday (Presidents' Day),
  05-25 monday (Memorial Day), 09-01 monday (Labor Day)`);

const IMF_MONTH = "https://www.imf.org/external/np/fin/data/rms_mth.aspx";

/** Publishers of no region. */
export const globalPublishers: readonly Entry[] = [
  {
    key: "kraken",
    name: "Kraken",
    country: "US",
    terms: "The terms of Kraken apply; check them before passing the figures on.",
    termsUrl: "https://www.kraken.com/legal",
    addresses: [
      "https://api.kraken.com/0/public/AssetPairs",
      "https://api.kraken.com/0/public/Ticker",
    ],
    schedule: { everySeconds: 30 },
    documentsAreOne: true,
    parse: parseKraken,
  },
  {
    key: "imf",
    name: "International Monetary Fund",
    country: "US",
    terms: "The terms of the Fund apply; check them before passing the figures on.",
    termsUrl: "https://www.imf.org/en/about/copyright-and-terms",
    addresses: ["https://www.imf.org/external/np/fin/data/rms_five.aspx?tsvflag=Y"],
    // "Published daily except on IMF holidays", by the table's own note. The rates that central
    // banks report come in over the day, so it is read in Washington's evening.
    schedule: { cron: "0 18 * * 1-5", timeZone: "America/New_York", holidays: fundHolidays },
    publishedAt: "12:00",
    parse: parseImf,
    // "Exchange Rate Archives by Month": the two tables of the month of a date, since the Fund's
    // names of currencies are known.
    archive: {
      since: "2021-01-04",
      requestsBy: "month",
      addresses: ({ from }) => {
        const last = lastDayOf(from.slice(0, 7));
        return ["SDRCV", "CVSDR"].map(
          (table) => `${IMF_MONTH}?SelectDate=${last}&reportType=${table}&tsvflag=Y`,
        );
      },
    },
  },
];
