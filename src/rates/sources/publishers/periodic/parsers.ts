import { endedBy } from "../../../served/rules/ended-currencies.ts";
import { parseCsvText } from "../formats/csv-text.ts";
import { listAt, membersOf, parseJsonText, textsOf } from "../formats/json-text.ts";
import { codesByName, isoDateOf, lastDayOf } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import { type Parse, ParseError } from "../publisher.ts";

export const HMRC_RATE = "Currency Units per £1";

/**
 * Reads HM Revenue & Customs' rates of a month (trade-tariff.service.gov.uk, monthly_csv): the
 * units of a currency for a pound, valid from the start date to the end date.
 */
export const parseHmrc: Parse = ([response], momentOf) => {
  const columns = ["Currency Code", HMRC_RATE, "Start date", "End date"] as const;
  return parseCsvText(response, columns).map((row) => {
    const validUntil = isoDateOf(row["End date"]);
    const start = isoDateOf(row["Start date"]);
    const quote = hmrcCurrency(row["Currency Code"], start);
    const asOf = momentOf(validUntil) && momentOf(start);
    return { ...lineOf({ base: "GBP", quote, rate: row[HMRC_RATE], asOf }), validUntil };
  });
};

/** @param start the first date for which a table states a rate. */
export function hmrcCurrency(code: string | undefined, start: string): string | undefined {
  // The office names Ecuador's dollar by the code of the sucre, which it replaced in 2000.
  if (code === "ECS") return "USD";
  // Its files have the new leone since March 2023; before, the old one's 15,631 for a pound.
  return code === "SLE" && start < "2023-03-01" ? "SLL" : code;
}

const INFOREURO = "https://ec.europa.eu/budg/inforeuro/api/public/monthly-rates";

export const requestInforEuro = ({ year, month }: Temporal.PlainDate): string =>
  `${INFOREURO}?lang=EN&year=${year}&month=${month}`;

/**
 * Reads the European Commission's accounting rates of a month (ec.europa.eu, InforEuro): the units
 * of a currency for a euro or, until 1998, an ecu. Only the address says which month it is.
 */
export const parseInforEuro: Parse = ([response], momentOf) => {
  const query = URL.parse(response?.address ?? "")?.searchParams;
  const month = `${query?.get("year")}-${query?.get("month")?.padStart(2, "0")}`;
  const validUntil = lastDayOf(month);
  const asOf = momentOf(`${month}-01`);
  const base = month < "1999" ? "XEU" : "EUR";
  return listAt(parseJsonText(response)).flatMap((entry) => {
    const { isoA3Code, value: rate } = textsOf(entry);
    const quote = inforEuroCurrency(isoA3Code, month);
    // The euro itself is listed, too, and so is a currency without a rate.
    if (quote === base || membersOf(entry).value === null) return [];
    return [{ ...lineOf({ base, quote, rate, asOf }), validUntil }];
  });
};

function inforEuroCurrency(code: string | undefined, month: string): string | undefined {
  // The Congolese franc until February 1999; the new kwanza, 5.5 for a euro, in two months.
  if (code === "FRC") return "CDF";
  return code === "AOK" && month >= "2000-01" ? "AOA" : code;
}

/**
 * The currencies of the US Treasury's Reporting Rates of Exchange by their
 * `country_currency_desc`, in ISO 4217: the names in the archive since 2018. A name may change its
 * currency: one that is not certain is left out, so that its rates are rejected by name instead of
 * being published as another currency's.
 */
export const treasuryCurrencies = codesByName(`
  AFN Afghanistan-Afghani, ALL Albania-Lek, DZD Algeria-Dinar, AOA Angola-Kwanza,
  XCD Antigua & Barbuda-East Caribbean Dollar, ARS Argentina-Peso, AMD Armenia-Dram,
  AUD Australia-Dollar, AZN Azerbaijan-Manat, BSD Bahamas-Dollar, BHD Bahrain-Dinar,
  BDT Bangladesh-Taka, BBD Barbados-Dollar, BYN Belarus-New Ruble, BZD Belize-Dollar,
  XOF Benin-Cfa Franc, BMD Bermuda-Dollar, BOB Bolivia-Boliviano, BAM Bosnia-Marka,
  BWP Botswana-Pula, BRL Brazil-Real, BND Brunei-Dollar, BGN Bulgaria-Lev New,
  XOF Burkina Faso-Cfa Franc, MMK Burma-Kyat, BIF Burundi-Franc, KHR Cambodia-Riel,
  XAF Cameroon-Cfa Franc, CAD Canada-Dollar, CVE Cape Verde-Escudo, KYD Cayman Islands-Dollar,
  XAF Central African Republic-Cfa Franc, XAF Chad-Cfa Franc, CLP Chile-Peso, CNY China-Renminbi,
  COP Colombia-Peso, KMF Comoros-Franc, XAF Congo-Cfa Franc, CRC Costa Rica-Colon,
  XOF Cote D'Ivoire-Cfa Franc, CUC Cuba-Chavito, HRK Croatia-Kuna, CUP Cuba-Peso,
  XCG Curacao-Caribbean Guilder, CZK Czech Republic-Koruna,
  CDF Democratic Republic Of Congo-Congolese Franc, CDF Democratic Republic Of Congo-Franc,
  DKK Denmark-Krone, DJF Djibouti-Franc, DOP Dominican Republic-Peso, EGP Egypt-Pound,
  XAF Equatorial Guinea-Cfa Franc, ERN Eritrea-Nakfa, SZL Eswatini-Lilangeni, ETB Ethiopia-Birr,
  EUR Euro Zone-Euro, FJD Fiji-Dollar, XAF Gabon-Cfa Franc, GMD Gambia-Dalasi, GEL Georgia-Lari,
  GHS Ghana-Cedi, XCD Grenada-East Caribbean Dollar, GTQ Guatemala-Quetzal,
  XOF Guinea Bissau-Cfa Franc, GNF Guinea-Franc, GYD Guyana-Dollar, HTG Haiti-Gourde,
  HNL Honduras-Lempira, HKD Hong Kong-Dollar, HUF Hungary-Forint, ISK Iceland-Krona,
  INR India-Rupee, IDR Indonesia-Rupiah, IRR Iran-Rial, IQD Iraq-Dinar, ILS Israel-Shekel,
  JMD Jamaica-Dollar, JPY Japan-Yen, JOD Jordan-Dinar, KZT Kazakhstan-Tenge, KES Kenya-Shilling,
  KRW Korea-Won, KWD Kuwait-Dinar, KGS Kyrgyzstan-Som, LAK Laos-Kip, LBP Lebanon-Pound,
  LSL Lesotho-Maloti, LRD Liberia-Dollar, LYD Libya-Dinar, MOP Macao-Mop, MGA Madagascar-Ariary,
  MWK Malawi-Kwacha, MYR Malaysia-Ringgit, MVR Maldives-Rufiyaa, XOF Mali-Cfa Franc,
  MRU Mauritania-Ouguiya, MUR Mauritius-Rupee, MXN Mexico-Peso, MDL Moldova-Leu,
  MNT Mongolia-Tugrik, MAD Morocco-Dirham, MZN Mozambique-Metical, MMK Myanmar-Kyat,
  NAD Namibia-Dollar, NPR Nepal-Rupee, ANG Netherlands Antilles-Guilder, NZD New Zealand-Dollar,
  NIO Nicaragua-Cordoba, XOF Niger-Cfa Franc, NGN Nigeria-Naira, NOK Norway-Krone, OMR Oman-Rial,
  PKR Pakistan-Rupee, PAB Panama-Balboa, PGK Papua New Guinea-Kina, PYG Paraguay-Guarani,
  PEN Peru-Sol, PHP Philippines-Peso, PLN Poland-Zloty, QAR Qatar-Riyal,
  MKD Republic Of North Macedonia-Denar, RON Romania-New Leu, RUB Russia-Ruble, RWF Rwanda-Franc,
  STN Sao Tome & Principe-New Dobras, SAR Saudi Arabia-Riyal, XOF Senegal-Cfa Franc,
  RSD Serbia-Dinar, SCR Seychelles-Rupee, SLE Sierra Leone-Leone, SLL Sierra Leone-Old Leone,
  SGD Singapore-Dollar, SBD Solomon Islands-Dollar, SOS Somali-Shilling, ZAR South Africa-Rand,
  SSP South Sudan-Sudanese Pound, LKR Sri Lanka-Rupee, XCD St. Lucia-East Caribbean Dollar,
  SDG Sudan-Pound, SDG Sudan-Sudanese Pound, SRD Suriname-Dollar, SZL Swaziland-Lilangeni,
  SEK Sweden-Krona, CHF Switzerland-Franc, SYP Syria-Pound, TWD Taiwan-Dollar,
  TJS Tajikistan-Somoni, TZS Tanzania-Shilling, THB Thailand-Baht, XOF Togo-Cfa Franc,
  TOP Tonga-Pa'Anga, TTD Trinidad & Tobago-Dollar, TND Tunisia-Dinar, TRY Turkey-New Lira,
  TMT Turkmenistan-New Manat, UGX Uganda-Shilling, UAH Ukraine-Hryvnia,
  AED United Arab Emirates-Dirham, GBP United Kingdom-Pound, UYU Uruguay-Peso, UZS Uzbekistan-Som,
  VUV Vanuatu-Vatu, VES Venezuela-Bolivar Soberano, VEF Venezuela-Fuerte, VND Vietnam-Dong,
  WST Western Samoa-Tala, YER Yemen-Rial, ZMW Zambia-New Kwacha, ZWG Zimbabwe-Gold,
  ZWL Zimbabwe-Rtgs`);

/** The currency of a name on a date; undefined where the archive has another one under its code. */
function treasuryCurrency(name: string, date = ""): string | undefined {
  const code = treasuryCurrencies.get(name);
  // The amendment of 15 July 2022 is the first figure of the new leone.
  if (code === "SLE" && date < "2022-07-01") return "SLL";
  // Two zeros were removed, and the code stayed: the table of June 2026 is the first that was seen
  // with the new pound, 112.5 for a dollar.
  if (code === "SYP" && date >= "2026-01-01" && date < "2026-06-30") return undefined;
  // Six zeros were removed, and the code stayed.
  return code === "VES" && date < "2021-10-01" ? undefined : code;
}

/** The US dollar itself, as the currency of other countries, and a second rate of the nakfa. */
const UST_LEFT_OUT = new Set([
  "Eritrea-Nakfa Salary Payment",
  "Ecuador-Dolares",
  "El Salvador-Dollar",
  "Marshall Islands-U.S. Dollar",
  "Micronesia-U.S. Dollar",
  "Palau-Dollar",
  "Panama-Dolares",
  "Timor-Leste-Dili",
]);

/**
 * Whether a row has no figure of its own: it repeats the euro of the `Euro Zone`, or is of a
 * currency that has ended, and repeats its last figure or its successor's, as 0.87 for the lev.
 */
function isRepetition(name: string, date = ""): boolean {
  const code = treasuryCurrencies.get(name);
  if (code !== undefined && endedBy(code, date) !== undefined) return true;
  return UST_LEFT_OUT.has(name) || (name.endsWith("-Euro") && name !== "Euro Zone-Euro");
}

/**
 * Reads the US Treasury's quarterly Reporting Rates of Exchange (fiscaldata.treasury.gov, dataset
 * treasury-reporting-rates-exchange): the units of a currency per US dollar. "An amendment to a
 * currency exchange rate for the quarter will appear on the report as a separate line with a new
 * effective date", so that date is the rate's.
 *
 * @throws {ParseError} a response of the archive is a page of several: some rows would be missing.
 */
export const parseUst: Parse = ([response], momentOf) => {
  const document = parseJsonText(response);
  const { meta } = membersOf(document);
  const { "total-pages": pages = "an unknown number" } = textsOf(meta);
  // What is fetched regularly is the first page of every quarter since 2001.
  if (response?.address.includes(UST_PAGE) && pages !== "0" && pages !== "1") {
    throw new ParseError(`the response is a page of ${pages}`);
  }
  return listAt(document, "data").flatMap((entry) => {
    const { country_currency_desc: name = "", exchange_rate: rate, ...row } = textsOf(entry);
    if (isRepetition(name, row.effective_date)) return [];
    const quote = treasuryCurrency(name, row.effective_date);
    const asOf = momentOf(row.record_date) && momentOf(row.effective_date);
    return [lineOf({ base: "USD", quote, rate, asOf }, name)];
  });
};

/** In the addresses whose response must have every row. */
export const UST_PAGE = "&page[number]=1";
