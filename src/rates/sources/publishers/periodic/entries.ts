import { parseBazgMonth } from "../europe/bazg.ts";
import type { Entry } from "../publisher.ts";
import { bis } from "./bis.ts";
import { HMRC_FILES, hmrcAverage, hmrcOffice, hmrcSpot } from "./hmrc-year.ts";
import { parseHmrc, parseInforEuro, parseUst, requestInforEuro, UST_PAGE } from "./parsers.ts";
import { unore } from "./unore.ts";

const requestHmrc = ({ year, month }: Temporal.PlainDate) =>
  `${HMRC_FILES}/monthly_csv_${year}-${month}.csv`;

const BAZG_AVERAGES = "https://www.backend-rates.bazg.admin.ch/api/xmlavgmonth";

function requestBazgMonth(date: Temporal.PlainDate): string {
  const [year, month] = date.toString().split("-");
  return `${BAZG_AVERAGES}?j=${year}&m=${month}`;
}

const FISCAL_DATA = "https://api.fiscaldata.treasury.gov/services/api/fiscal_service/v1";

/** Tables for a period, such as a month or a quarter. */
export const periodicPublishers: readonly Entry[] = [
  {
    key: "ust",
    name: "US Department of the Treasury",
    country: "US",
    terms: "A work of the United States government, in the public domain in the United States.",
    termsUrl: "https://fiscaldata.treasury.gov/api-documentation/#license-and-authorization",
    addresses: [`${FISCAL_DATA}/accounting/od/rates_of_exchange?sort=-record_date&page[size]=400`],
    // "Treasury Reporting Rates of Exchange": "released quarterly", dated the last day of the
    // quarter, without a day or a time of release. It appears in the first days of the next one.
    // The 7th of these months is no federal holiday in any year. Off by default: a quarter's
    // figure of two digits beside the day's figures of others would be taken for one of the day.
    schedule: {
      cron: "0 12 7 1,4,7,10 *",
      timeZone: "America/New_York",
      // The 7th less 8 days is before the quarter's last day, and after that of any month before.
      leadDays: 8,
      amendmentsCron: "0 12 * * 1-5",
    },
    publishedAt: "00:00",
    parse: parseUst,
    // A quarter's amendments follow its last day by up to 61 days; the next one ends 90 days later.
    endedAfterDays: 89,
    // Since the quarter in which Mauritania-Ouguiya became the new ouguiya, after the last other
    // names that changed their currency but for those that the parser tells apart by the date.
    // A year has some 700 rows, a page at most 10,000.
    archive: {
      since: "2018-06-30",
      requestsBy: "year",
      addresses: ({ from, to }) =>
        `${FISCAL_DATA}/accounting/od/rates_of_exchange?sort=effective_date&page[size]=10000` +
        `${UST_PAGE}&filter=effective_date:gte:${from},effective_date:lte:${to}`,
    },
  },
  {
    key: "hmrc",
    ...hmrcOffice,
    addresses: [requestHmrc],
    // "HMRC Exchange Rate Service": published "on the penultimate Thursday of every month", for
    // the next one. Fetched when it begins to apply: the address has the month.
    schedule: {
      cron: "5 0 1 * *",
      timeZone: "Europe/London",
      // "Exchange rates": compared with the market once a week, and amended "from midnight on
      // Tuesday" where they differ by more than 5%.
      amendmentsCron: "5 0 * * 3",
    },
    publishedAt: "00:00",
    parse: parseHmrc,
    // The service's files begin in 2021. Older ones were at an address that has gone.
    archive: {
      since: "2021-01-01",
      requestsBy: "month",
      addresses: ({ from }) => requestHmrc(Temporal.PlainDate.from(from)),
    },
  },
  hmrcAverage,
  hmrcSpot,
  {
    key: "inforeuro",
    name: "European Commission",
    country: "EU",
    terms: "Free to reuse when the Commission is named as the source; for information only.",
    termsUrl: "https://commission.europa.eu/legal-notice_en",
    addresses: [requestInforEuro],
    // "Exchange rate (InforEuro)": "the market rates for the penultimate day of the previous
    // month". The address has the month in which they apply.
    schedule: { cron: "5 6 1 * *", timeZone: "Europe/Brussels" },
    publishedAt: "00:00",
    parse: parseInforEuro,
    // The first month that has rates; until 1998 they are for an ecu.
    archive: {
      since: "1994-03-01",
      requestsBy: "month",
      addresses: ({ from }) => requestInforEuro(Temporal.PlainDate.from(from)),
    },
  },
  {
    key: "bazg-monthly",
    name: "Federal Office for Customs and Border Security",
    country: "CH",
    terms: "Copyright of SIX Financial Information: passing the figures on is forbidden.",
    termsUrl: "https://www.estv.admin.ch/de/mwst-fremdwaehrungskurse",
    addresses: [requestBazgMonth],
    // "Monatsmittelkurse": published on the 25th, and valid from the beginning of the next month.
    schedule: { cron: "5 0 1 * *", timeZone: "Europe/Zurich" },
    publishedAt: "00:00",
    servedKind: "selling",
    parse: parseBazgMonth,
    // By the same address; from the month on after the first known response of `bazg`.
    archive: {
      since: "2022-07-01",
      requestsBy: "month",
      addresses: ({ from }) => requestBazgMonth(Temporal.PlainDate.from(from)),
    },
  },
  bis,
  unore,
];
