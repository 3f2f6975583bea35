import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import { isDayOff, workdayUntil } from "../../rules/holidays.ts";
import { parseCsvText } from "../formats/csv-text.ts";
import { lineOf, utf8TextOf } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";
import { targetHolidays } from "./holidays.ts";

const COLUMNS = ["ISO Code", "Rate", "Rate convention", "Reference date (CET)"] as const;

const PER_EURO = /^Foreign currency amount for 1 Euro ?\.?$/;

/**
 * Reads Banca d'Italia's rates of a day (tassidicambio.bancaditalia.it, dailyRates): the units of a
 * currency for a euro, with a row for each country that uses it, and notes under the table.
 */
const parseBdi: Parse = ([response], momentOf) => {
  if (response === undefined) return [];
  const table = utf8TextOf(response.body).replace(/^#.*\n/gm, "");
  return parseCsvText({ ...response, body: Buffer.from(table) }, COLUMNS).flatMap((row) => {
    const { "ISO Code": quote, Rate: rate, "Rate convention": convention = "" } = row;
    // A rate that is not available. Zimbabwe's dollars of 2006 to 2009 share one code.
    if (rate === "N.A." || quote === "ZWD") return [];
    const stated = { base: "EUR", quote, rate, asOf: momentOf(row["Reference date (CET)"]) };
    if (PER_EURO.test(convention)) return [lineOf(stated)];
    return [{ stated, reason: `${quoted(`EUR/${quote}`)} is stated as ${quoted(convention)}` }];
  });
};

/** A day or, where it has no rates, the last one before it that has. */
const openDayUntil = (day: Temporal.PlainDate) => workdayUntil(day, targetHolidays);

const addressOf = (day: Temporal.PlainDate) =>
  "https://tassidicambio.bancaditalia.it/terzevalute-wf-web/rest/v1.0/dailyRates" +
  `?referenceDate=${day}&currencyIsoCode=EUR&lang=en`;

export const bdi: Entry = {
  key: "bdi",
  name: "Banca d'Italia",
  country: "IT",
  // The notes in each response; nothing that was read allows passing the figures on.
  terms:
    "Indicative, and no benchmark by Regulation (EU) 2016/1011; no permission to pass them on.",
  // The day before has rates at any time of a day.
  addresses: [
    (today) => addressOf(openDayUntil(openDayUntil(today).subtract({ days: 1 }))),
    (today) => addressOf(openDayUntil(today)),
  ],
  // "Foreign exchange reference rates of the Euro": "published at around 16:00 (CET)". The others
  // are "worked out from the cross-rates"; the notes state "a lag", and no time.
  schedule: { cron: "0 18 * * 1-5", timeZone: "Europe/Rome", holidays: targetHolidays },
  publishedAt: "16:00",
  parse: parseBdi,
  // "Exchange Rates – REST API (Version 1.0)". Euros since 1999, but with one code for the afghani
  // and the new afghani, which is a thousand of it since January 2003.
  archive: {
    since: "2004-01-02",
    requestsBy: "day",
    addresses: ({ from }) => {
      const day = Temporal.PlainDate.from(from);
      return isDayOff(day, targetHolidays) ? [] : addressOf(day);
    },
  },
};
