import { parseCsvText } from "../formats/csv-text.ts";
import { isoDateOf } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

const RATE = "Currency Units per £1";

/**
 * Reads HM Revenue & Customs' rates of a month (trade-tariff.service.gov.uk, monthly_csv): the
 * units of a currency for a pound, valid from the start date to the end date.
 */
export const parseHmrc: Parse = ([response], momentOf) => {
  const columns = ["Currency Code", RATE, "Start date", "End date"] as const;
  return parseCsvText(response, columns).map((row) => {
    const quote = row["Currency Code"];
    const validUntil = isoDateOf(row["End date"]);
    const asOf = momentOf(validUntil) && momentOf(isoDateOf(row["Start date"]));
    return { ...lineOf({ base: "GBP", quote, rate: row[RATE], asOf }), validUntil };
  });
};
