import type { Period, RateRule } from "./rules.ts";

/** The source and the rule that a law or its guidance names for a purpose. No advice. */
export interface Preset {
  readonly name: string;
  /** What it is for: `Polish VAT`. */
  readonly purpose: string;
  readonly source: string;
  readonly rule: RateRule;
  /** The rule counts from the last day of the period with the date; unset: from the date. */
  readonly period?: Period;
  /** The currency that every pair of it has in this place. */
  readonly currency: { readonly place: "base" | "quote"; readonly symbol: string };
  /** The law or the guidance, and the section. */
  readonly law: string;
  /** What that says of the rate. */
  readonly says: string;
  /** Where the text was read, and on which date. */
  readonly readAt: string;
  readonly readOn: string;
}

const EURO = { place: "base", symbol: "EUR" } as const;
const VAT_DIRECTIVE = "Council Directive 2006/112/EC";
const NWB = "https://datenbank.nwb.de/Dokument/Anzeigen/452295_Article366/";
const READ_ON = "2026-11-25";

/** Ordered by name. */
export const presets: readonly Preset[] = [
  {
    name: "ch-vat",
    purpose: "Swiss VAT by the month's average",
    source: "bazg-monthly",
    rule: "month",
    currency: { place: "quote", symbol: "CHF" },
    law: "Mehrwertsteuerverordnung (SR 641.201), Article 45(3)",
    says:
      "the monthly average published by the Federal Tax Administration, or its daily rate " +
      "(selling); the choice holds for a tax period at least",
    readAt:
      "https://www.gate.estv.admin.ch/mwst-webpublikationen/public/pages/taxInfos/cipherDis" +
      "play.xhtml?publicationId=1007607&componentId=1007740",
    readOn: READ_ON,
  },
  {
    name: "ch-vat-daily",
    purpose: "Swiss VAT by the day's rate",
    source: "bazg",
    rule: "on-or-before",
    currency: { place: "quote", symbol: "CHF" },
    law: "Mehrwertsteuerverordnung (SR 641.201), Article 45(3)",
    says:
      "the daily rate (selling) on the day when the tax claim arises; before that is " +
      "published, the last one",
    readAt:
      "https://www.estv.admin.ch/estv/de/home/mehrwertsteuer/mwst-abrechnen/mwst-fremdwaehr" +
      "ungskurse.html",
    readOn: READ_ON,
  },
  {
    name: "cz-vat",
    purpose: "Czech VAT",
    source: "cnb",
    rule: "on-or-before",
    currency: { place: "quote", symbol: "CZK" },
    law: "Act No. 235/2004 Coll. on Value Added Tax, Section 4(5)",
    says:
      "the rate of the foreign exchange market announced by the Czech National Bank that is" +
      " valid on the day when the duty to declare the tax arises",
    readAt: "https://navody.zabukem.online/427",
    readOn: READ_ON,
  },
  {
    name: "de-vat",
    purpose: "German VAT",
    source: "import:bmf",
    rule: "month",
    currency: EURO,
    law: "Umsatzsteuergesetz, § 16 Abs. 6",
    says:
      "the average that the Federal Ministry of Finance makes public for the month in which" +
      " the supply is made or the payment is received",
    readAt:
      "https://frankfurt-main.ihk.de/recht/uebersicht-alle-rechtsthemen/steuerrecht/umsatzs" +
      "teuer-international/umsatzsteuer-umrechnungskurse-5195890",
    readOn: READ_ON,
  },
  {
    name: "eu-ioss",
    purpose: "EU VAT returns of the import scheme, by the month",
    source: "ecb",
    rule: "on-or-next",
    period: "month",
    currency: EURO,
    law: `${VAT_DIRECTIVE}, Article 369u(2)`,
    says:
      "the rates published by the European Central Bank for the last day of the tax period " +
      "or, if there is no publication on that day, on the next day of publication",
    readAt: "https://mydutycollect.eu/mdc/ioss-exchange-rate",
    readOn: READ_ON,
  },
  {
    name: "eu-oss",
    purpose: "EU VAT returns of the Union and the non-Union scheme, by the quarter",
    source: "ecb",
    rule: "on-or-next",
    period: "quarter",
    currency: EURO,
    law: `${VAT_DIRECTIVE}, Articles 366(2) and 369h(2)`,
    says:
      "the rates published by the European Central Bank for the last day of the tax period " +
      "or, if there is no publication on that day, on the next day of publication",
    readAt: NWB,
    readOn: READ_ON,
  },
  {
    name: "eu-vat",
    purpose: "VAT of EU countries that accept the ECB's rate",
    source: "ecb",
    rule: "on-or-before",
    currency: EURO,
    law: `${VAT_DIRECTIVE}, Article 91(2)`,
    says:
      "the latest exchange rate published by the European Central Bank at the time the tax " +
      "becomes chargeable",
    readAt: "https://www.gov.uk/hmrc-internal-manuals/vat-valuation/vatval09500",
    readOn: READ_ON,
  },
  {
    name: "pl-vat",
    purpose: "Polish VAT",
    source: "nbp",
    rule: "before",
    currency: { place: "quote", symbol: "PLN" },
    law: "Ustawa o podatku od towarów i usług, Article 31a(1)",
    says:
      "the middle rate announced by Narodowy Bank Polski for the last working day before " +
      "the day when the tax obligation arises",
    readAt:
      "http://focusfinance.pl/kursy-walut-stosowane-do-przeliczenia-kwot-wyrazonych-w-walut" +
      "ach-obcych-od-dnia-1-stycznia-2013-r-%E2%80%93-vat/",
    readOn: READ_ON,
  },
  {
    name: "uk-vat",
    purpose: "UK VAT by HMRC's period rate",
    source: "hmrc",
    rule: "month",
    currency: { place: "base", symbol: "GBP" },
    law:
      "VAT Act 1994, Schedule 6, paragraph 11; VAT tertiary legislation: Valuation, section" +
      " 1(b)",
    says:
      "as an alternative to the UK market selling rate, the period rate of exchange " +
      "published by HMRC for customs purposes that is current at the time of the supply",
    readAt: "https://www.gov.uk/guidance/vat-tertiary-legislation/valuation",
    readOn: READ_ON,
  },
  {
    name: "us-fbar",
    purpose: "US reports of foreign bank accounts, by the year",
    source: "ust",
    rule: "on",
    period: "year",
    currency: { place: "base", symbol: "USD" },
    law: "FinCEN Report 114, instructions to item 15, step 2",
    says: "the Treasury's Financial Management Service rate for the last day of the calendar year",
    readAt: "https://investguiding.com/article/reporting-maximum-account-value-fincen-gov/1781",
    readOn: READ_ON,
  },
];
