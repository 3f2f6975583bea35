import { parseHolidays } from "../../rules/holidays.ts";
import { membersOf, parseJsonText, textsOf } from "../formats/json-text.ts";
import { lineOf, required } from "../formats/source-lines.ts";
import type { Address, Entry, Parse } from "../publisher.ts";

/** By the yearly decrees, without those of the Islamic calendar. */
const malagasyHolidays = parseHolidays(`2026-:
  01-01, 03-29, easter+1, 05-01, easter+39, easter+50, 06-26, 08-15, 11-01, 12-25`);

const SITE = "https://www.banky-foibe.mg";

const slashed = (date: Temporal.PlainDate) => encodeURIComponent(`${date}`.replaceAll("-", "/"));

/** By POST; no response says its currency: the address has it as a fragment, which stays here. */
const requestOf =
  (currency: string): Address =>
  (today) => {
    const [from, to] = [slashed(today.subtract({ days: 10 })), slashed(today)];
    return {
      address: `${SITE}/admin/wp-json/bfm/cours_mid_en_ar_filter#${currency}`,
      body: `dateFilterDebut=${from}&dateFilterFin=${to}&filterData=${currency}`,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: SITE,
        referer: `${SITE}/taux-reference`,
      },
    };
  };

/**
 * Reads the reference rates of Madagascar's interbank market (cours_mid_en_ar_filter): the ariary
 * by date, for people as `4 983,29` in `coursMid`, for a chart as `4983.29` in `grapheData`.
 */
const parseBfm: Parse = ([response], momentOf) => {
  const base = response?.address.split("#")[1];
  const { data } = membersOf(membersOf(parseJsonText(response)).data);
  const rates = required(membersOf(data).grapheData, "no grapheData");
  return Object.entries(textsOf(rates)).map(([date, rate]) =>
    lineOf({ base, quote: "MGA", rate, asOf: momentOf(date) }),
  );
};

export const bfm: Entry = {
  key: "bfm",
  name: "Banky Foiben'i Madagasikara",
  country: "MG",
  termsUrl: "https://www.banky-foibe.mg/mentions-legales",
  // The two currencies of the market; the bank computes others from them.
  addresses: ["EUR", "USD"].map(requestOf),
  // The bank's press conference on the reference: by the trades at 14:45, each day.
  schedule: { cron: "30 16 * * 1-5", timeZone: "Indian/Antananarivo", holidays: malagasyHolidays },
  publishedAt: "14:45",
  parse: parseBfm,
};
