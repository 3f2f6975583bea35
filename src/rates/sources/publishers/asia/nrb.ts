import type { Dates } from "../../rules/archive-ranges.ts";
import { listAt, membersOf, parseJsonText, textOf, textsOf } from "../formats/json-text.ts";
import { lineOfUnits, linesOfKinds } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** A page has at most 100 days. */
const addressOf = ({ from, to }: Dates) =>
  `https://www.nrb.org.np/api/forex/v1/rates?page=1&per_page=100&from=${from}&to=${to}`;

/**
 * Reads the Nepal Rastra Bank's rates (nrb.org.np, api/forex/v1): for each day the rupees at which
 * it buys and sells `unit` units of a currency.
 */
const parseNrb: Parse = ([response], momentOf) =>
  listAt(parseJsonText(response), "data", "payload").flatMap((day) => {
    const asOf = momentOf(textOf(membersOf(day).date));
    return listAt(day, "rates").flatMap((row) => {
      const { iso3: base, unit } = textsOf(membersOf(row).currency);
      const { buy: buying, sell: selling } = textsOf(row);
      return linesOfKinds({ buying, selling }, (rate) =>
        lineOfUnits(unit, { base, quote: "NPR", rate, asOf }),
      );
    });
  });

export const nrb: Entry = {
  key: "nrb",
  name: "Nepal Rastra Bank",
  country: "NP",
  addresses: { latestDays: 7 },
  // Every day, of which the response itself says "published_on" a few seconds after midnight.
  schedule: { cron: "15 0 * * *", timeZone: "Asia/Kathmandu" },
  publishedAt: "00:00",
  // At which the bank sells: what an importer pays.
  servedKind: "selling",
  parse: parseNrb,
  // By "FOREX API Documentation (V1)"; it names no first day, and of this one a response is known.
  archive: { since: "2022-06-28", requestsBy: "quarter", addresses: addressOf },
};
