import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import { parseHolidays } from "../../rules/holidays.ts";
import { listAt, membersOf, parseJsonText, textsOf } from "../formats/json-text.ts";
import { isoDateOf } from "../formats/notation.ts";
import { lineOf, unknownCurrency } from "../formats/source-lines.ts";
import { type Address, type Entry, type Parse, ParseError } from "../publisher.ts";

/** By law; two holidays move to a Monday by rules that depend on the weekday, listed for 2026. */
const chileanHolidays = parseHolidays(`2026-:
  01-01, easter-2, 05-01, 05-21, 07-16, 08-15, 09-18, 09-19, 11-01, 12-08, 12-25, 2026-06-29,
  2026-10-12`);

/** The observed dollar, and the rates of seven more currencies, by their series. */
const SERIES: ReadonlyMap<string | undefined, string> = new Map([
  ["F073.TCO.PRE.Z.D", "USD"],
  ...["EUR", "GBP", "JPY", "CAD", "AUD", "CNY", "BRL"].map(
    (currency) => [`F072.CLP.${currency}.N.O.D`, currency] as const,
  ),
]);

/** The bank wants a user's name and password in the address, which is stored without them. */
const requestOf =
  (series = ""): Address =>
  (today, token) => {
    const [user = "", ...pass] = token.split(":");
    return {
      address:
        "https://si3.bcentral.cl/SieteRestWS/SieteRestWS.ashx?function=GetSeries" +
        `&timeseries=${series}&firstdate=${today.subtract({ days: 10 })}&lastdate=${today}`,
      credentials: { user, pass: pass.join(":") },
    };
  };

/** Reads a series of the Central Bank of Chile (SieteRestWS, GetSeries): the pesos per unit. */
const parseBcch: Parse = ([response], momentOf) => {
  const document = parseJsonText(response);
  const { Codigo: code = "0", Descripcion: description } = textsOf(document);
  if (code !== "0") throw new ParseError(`the bank reports ${quoted(description)}`);
  const { Series: series } = membersOf(document);
  const { seriesId } = textsOf(series);
  const base = SERIES.get(seriesId);
  return listAt(series, "Obs").flatMap((observation) => {
    const { indexDateString: date, value: rate, statusCode } = textsOf(observation);
    // Days without a rate.
    if (statusCode === "ND") return [];
    if (base === undefined) return [unknownCurrency(seriesId)];
    return [lineOf({ base, quote: "CLP", rate, asOf: momentOf(isoDateOf(date)) })];
  });
};

export const bcch: Entry = {
  key: "bcch",
  name: "Central Bank of Chile",
  country: "CL",
  terms: "For your own use only: passing the figures on needs the bank's authorization.",
  termsUrl: "https://portalbiblioteca.bcentral.cl/en/terms-of-use",
  addresses: [...SERIES.keys()].map(requestOf),
  tokenUrl: "https://si3.bcentral.cl/estadisticas/Principal1/Web_Services/index.htm",
  // "Observed Dollar": of the operations "during the previous bank working day". The bank names no
  // time for the series.
  schedule: { cron: "30 9 * * 1-5", timeZone: "America/Santiago", holidays: chileanHolidays },
  publishedAt: "00:00",
  parse: parseBcch,
};
