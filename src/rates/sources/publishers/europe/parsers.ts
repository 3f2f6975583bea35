import { parseCsvText } from "../formats/csv-text.ts";
import { jsonRows, listAt, parseJsonText, textsOf } from "../formats/json-text.ts";
import { decimalOfComma, isoDateOfMonthFirst, powerOfTen } from "../formats/notation.ts";
import { lineOf, lineOfUnits, linesOfKinds, required } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";
import { EcbDocument } from "./ecb-xml.ts";

/**
 * Reads the National Bank of Romania's reference rates (curs.bnr.ro, nbrfxrates.xml): the lei per
 * `multiplier` units of a currency, or per unit without one.
 */
export const parseBnr: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "DataSet");
  const quote = textAt(document, "Body", "OrigCurrency");
  if (quote !== "RON") throw new ParseError("the layout has changed: OrigCurrency is not RON");
  return elementsAt(document, "Body", "Cube").flatMap((cube) => {
    const asOf = momentOf(cube.attributes.date);
    return elementsAt(cube, "Rate").map(
      ({ attributes: { currency: base, multiplier = "1" }, text: rate }) =>
        lineOfUnits(multiplier, { base, quote, rate, asOf }),
    );
  });
};

/**
 * Reads the Czech National Bank's exchange rate fixing (api.cnb.cz, cnbapi/exrates/daily): the
 * korunas per `amount` units of a currency.
 */
export const parseCnb: Parse = ([response], momentOf) =>
  jsonRows(response, "rates").map(({ amount, currencyCode: base, rate, validFor }) =>
    lineOfUnits(amount, { base, quote: "CZK", rate, asOf: momentOf(validFor) }),
  );

/**
 * Reads Danmarks Nationalbank's exchange rates (nationalbanken.dk, api/currencyratesxml), whatever
 * `refamt` says: "listed as the price in Danish kroner for 100 units of foreign currency".
 */
export const parseDnb: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "exchangerates");
  const { refcur: quote } = document.attributes;
  if (quote !== "DKK") throw new ParseError("the layout has changed: refcur is not DKK");
  return elementsAt(document, "dailyrates").flatMap((day) => {
    const asOf = momentOf(day.attributes.id);
    return elementsAt(day, "currency").map(({ attributes: { code: base, rate } }) =>
      lineOfUnits("100", { base, quote, rate, asOf }),
    );
  });
};

/**
 * Reads the European Central Bank's daily reference rates, eurofxref-daily.xml: a dated Cube with
 * a Cube per currency; one euro is worth `rate` units of it.
 */
export const parseEcb: Parse = ([response]) => {
  const document = new EcbDocument();
  const lines = document.end(new TextDecoder("utf-8").decode(response?.body));
  if (!document.stopped) return lines;
  // The lines before the fault may be right, but a truncated document is not a publication.
  const fault = lines.at(-1);
  throw new ParseError(fault !== undefined && "reason" in fault ? fault.reason : "not XML");
};

/**
 * Reads the Croatian National Bank's list (api.hnb.hr, tecajn-eur/v3): what one euro costs in a
 * currency, with a decimal comma, from the date `datum_primjene` on.
 */
export const parseHnb: Parse = ([response], momentOf) =>
  jsonRows(response).flatMap((row) => {
    const { srednji_tecaj: middle, kupovni_tecaj: buying, prodajni_tecaj: selling } = row;
    const stated = { base: "EUR", quote: row.valuta, asOf: momentOf(row.datum_primjene) };
    return linesOfKinds({ middle, buying, selling }, (rate) =>
      lineOf({ ...stated, rate: decimalOfComma(rate) }),
    );
  });

/**
 * Reads Narodowy Bank Polski's tables of middle rates (api.nbp.pl, api/exchangerates/tables): the
 * zlotys per unit of a currency. Each table has its own `effectiveDate`.
 */
export const parseNbp: Parse = ([response], momentOf) =>
  listAt(parseJsonText(response)).flatMap((table) => {
    const { effectiveDate, no } = textsOf(table);
    const asOf = required(momentOf(effectiveDate), "effectiveDate is not a date");
    return listAt(table, "rates").map((entry) => {
      const { code: base, mid: rate } = textsOf(entry);
      return { ...lineOf({ base, quote: "PLN", rate, asOf }), table: no };
    });
  });

const NORGES_COLUMNS = ["BASE_CUR", "QUOTE_CUR", "UNIT_MULT", "TIME_PERIOD", "OBS_VALUE"] as const;

/** Norges Bank's krone indexes: listed among the currencies, but not exchange rates. */
const NORGES_INDEXES = new Set(["TWI", "I44"]);

/**
 * Reads Norges Bank's business-day rates as SDMX-CSV (data.norges-bank.no, dataflow EXR): the
 * kroner per 10 to the power of `UNIT_MULT` units of a currency. It may include ended series.
 */
export const parseNorges: Parse = ([response], momentOf) =>
  parseCsvText(response, NORGES_COLUMNS)
    .filter(({ BASE_CUR = "" }) => !NORGES_INDEXES.has(BASE_CUR))
    .map(({ BASE_CUR: base, QUOTE_CUR: quote, UNIT_MULT, ...row }) => {
      const asOf = momentOf(row.TIME_PERIOD);
      return lineOfUnits(powerOfTen(UNIT_MULT), { base, quote, rate: row.OBS_VALUE, asOf });
    });

const RIKSBANK_SERIES = /^SEK([A-Z]{3})PMI$/;

/** The krona in kronor ("ett" is one), which is listed among the currencies. */
const KRONA_ITSELF = "SEKETT";

/**
 * Reads Sveriges Riksbank's middle rates (api.riksbank.se, swea/v1, group 130): the series
 * SEKUSDPMI has the kronor per US dollar. The group's response includes ended series.
 */
export const parseRiksbank: Parse = ([response], momentOf) =>
  jsonRows(response)
    .filter(({ seriesId }) => seriesId !== KRONA_ITSELF)
    .map(({ seriesId: name, date, value: rate }) => {
      const base = RIKSBANK_SERIES.exec(name ?? "")?.[1];
      return lineOf({ base, quote: "SEK", rate, asOf: momentOf(date) }, name);
    });

/**
 * The bank names a series by its number and by the currency's name in Icelandic. These are the
 * middle rates of the groups 9 and 7; those of the other numbers ended with their currencies, or,
 * for buying and selling, in 2020.
 */
const SBI_SERIES: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ 4055: "USD", 4061: "DKK", 4064: "EUR", 4085: "JPY", 4088: "CAD" }),
  ...Object.entries({ 4091: "NOK", 4097: "XDR", 4103: "GBP", 4106: "CHF", 4109: "SEK" }),
  ...Object.entries({ 29: "CNY", 31: "PLN", 35: "NGN", 36: "TWD", 37: "KRW", 38: "SRD" }),
  ...Object.entries({ 39: "AUD", 40: "NZD", 41: "HKD", 42: "HUF", 43: "ILS", 44: "ZAR" }),
  ...Object.entries({ 45: "SGD", 46: "MXN", 48: "TRY", 50: "INR", 52: "CZK", 53: "BRL" }),
  ...Object.entries({ 74: "THB", 288: "JMD", 3503: "SAR", 19254: "KWD" }),
]);

/**
 * Reads the Central Bank of Iceland's time series (sedlabanki.is, xmltimeseries): the krónur per
 * unit of a currency.
 */
export const parseSbi: Parse = ([response], momentOf) =>
  elementsAt(parseXmlText(response, "Group"), "TimeSeries").flatMap((series) => {
    const base = SBI_SERIES.get(series.attributes.ID ?? "");
    if (base === undefined) return [];
    return elementsAt(series, "TimeSeriesData", "Entry").map((entry) => {
      // As in 3/24/2026 12:00:00 AM, whose midnight stands for no time.
      const date = textAt(entry, "Date")?.replace(/ 12:00:00 AM$/, "");
      const asOf = momentOf(isoDateOfMonthFirst(date));
      return lineOf({ base, quote: "ISK", rate: textAt(entry, "Value"), asOf });
    });
  });

/**
 * Reads the Swiss National Bank's feed of exchange rates (snb.ch, public/en/rss/exchangeRates) of
 * several days: the francs for a unit or, by `unit_mult`, 100 of the "target currency". Although
 * the feed names the franc the base, 0.9378 is what a euro costs.
 */
export const parseSnb: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "rss");
  const path = ["channel", "item", "cb:statistics", "cb:exchangeRate"];
  return elementsAt(document, ...path).map((item) => {
    // `1` stands for one unit, and -2 for 10 to the power of 2.
    const multiplier = textAt(item, "cb:observation", "cb:unit_mult")?.replace(/^1$/, "-0");
    const [, exponent] = /^-([0-9])$/.exec(multiplier ?? "") ?? [];
    return lineOfUnits(powerOfTen(exponent), {
      base: textAt(item, "cb:targetCurrency"),
      quote: textAt(item, "cb:observation", "cb:unit"),
      rate: textAt(item, "cb:observation", "cb:value"),
      asOf: momentOf(textAt(item, "cb:observationPeriod", "cb:period")),
    });
  });
};
