import { ECB_RATE_SINCE, EURO, euPresets, READ_LATER, READ_ON, UNOFFICIAL } from "./eu-presets.ts";
import type { Preset } from "./preset.ts";

export type { Preset } from "./preset.ts";

/** A copy of the act as it was until January 2026. */
const POLISH_ACT =
  "https://github.com/IuriiPosidielov/RyczaltAI/blob/7bbb9159d228580362ff6a6327623f8b629d8443" +
  "/vat-db/vat-31a.md";
/** The ordinance in force; the one before it had another article. */
const SWISS_SINCE = "2010-01-01";
const CZECH_ACT = "https://navody.zabukem.online/427";

const nationalPresets: readonly Preset[] = [
  {
    name: "au-gst",
    purpose: "Australian GST",
    source: "rba",
    rule: "on-or-before",
    currency: { place: "base", symbol: "AUD" },
    law: "A New Tax System (Goods and Services Tax) Act 1999, subsection 9-85(2)",
    since: "2000-07-01",
    says:
      "by the determination of 2017, the Reserve Bank of Australia's rate on the conversion " +
      "day, where it was chosen and is used consistently; that of 2018, which replaced it, was " +
      "not read",
    readAt:
      "https://www.ato.gov.au/law/view/print?DocID=GLD%2FFOREX20171%2F00001&PiT=9999123123" +
      "5958",
    readOn: READ_LATER,
  },
  {
    name: "ca-gst",
    purpose: "Canadian GST/HST",
    source: "boc",
    rule: "on-or-before",
    currency: { place: "quote", symbol: "CAD" },
    law: "Excise Tax Act, section 159; GST/HST Memorandum 3-6, paragraphs 9 and 13",
    says:
      "the value on the day the tax is payable, by the Bank of Canada among others; on a weekend" +
      " or a holiday the rate of the previous business day",
    readAt:
      "https://www.canada.ca/en/revenue-agency/services/forms-publications/publications/3-6" +
      "/conversion-foreign-currency.html",
    readOn: READ_LATER,
  },
  {
    name: "ch-vat",
    purpose: "Swiss VAT by the month's average",
    source: "bazg-monthly",
    rule: "month",
    currency: { place: "quote", symbol: "CHF" },
    law: "Mehrwertsteuerverordnung (SR 641.201), Article 45(3)",
    since: SWISS_SINCE,
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
    since: SWISS_SINCE,
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
    purpose: "Czech VAT by the Czech National Bank's rate",
    source: "cnb",
    rule: "on-or-before",
    currency: { place: "quote", symbol: "CZK" },
    law: "Act No. 235/2004 Coll. on Value Added Tax, Section 4(5)(a)",
    since: "2004-05-01",
    says:
      "the rate of the foreign exchange market announced by the Czech National Bank that is" +
      ` valid on the day when the duty to declare the tax arises${UNOFFICIAL}`,
    readAt: CZECH_ACT,
    readOn: READ_ON,
  },
  {
    name: "cz-vat-ecb",
    purpose: "Czech VAT by the ECB's rate, of amounts in euro",
    source: "ecb",
    rule: "on-or-before",
    currency: { place: "quote", symbol: "CZK" },
    law: "Act No. 235/2004 Coll. on Value Added Tax, Section 4(5)(b)",
    since: ECB_RATE_SINCE,
    says:
      "the last exchange rate published by the European Central Bank that is valid on the day " +
      "when the duty to declare the tax arises; other currencies go through the euro, by two " +
      `figures${UNOFFICIAL}`,
    readAt: CZECH_ACT,
    readOn: READ_LATER,
  },
  {
    name: "de-vat",
    purpose: "German VAT",
    source: "bmf",
    rule: "month",
    currency: EURO,
    law: "Umsatzsteuergesetz, § 16 Abs. 6",
    says:
      "the average that the Federal Ministry of Finance makes public for the month in which" +
      " the supply is made or the payment is received; its file is handed in: kurs rates " +
      `import --document --source bmf${UNOFFICIAL}`,
    readAt:
      "https://github.com/bundestag/gesetze/blob/075533071f062b17241a587e728dfe1fb33df0d4" +
      "/u/ustg_1980/index.md",
    readOn: READ_LATER,
  },
  {
    name: "hu-vat",
    purpose: "Hungarian VAT by Magyar Nemzeti Bank's rate",
    source: "mnb",
    rule: "on-or-before",
    currency: { place: "quote", symbol: "HUF" },
    law: "Act CXXVII of 2007 on Value Added Tax, Section 80",
    since: "2008-01-01",
    says:
      "the last rate that is valid at the completion, at the issue of an invoice for a period, " +
      "or when the tax is assessed; Magyar Nemzeti Bank's official rate where the taxpayer has " +
      "announced that choice; read in the tax office's guide of 2007, which it keeps as archived",
    readAt: "https://nav.gov.hu/nav/archiv/adoinfo/afa/mnb_arfolyam_afa_alapja.html",
    readOn: READ_LATER,
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
      `the day when the tax obligation arises${UNOFFICIAL}`,
    readAt: POLISH_ACT,
    readOn: READ_LATER,
  },
  {
    name: "pl-vat-ecb",
    purpose: "Polish VAT by the ECB's rate, of amounts in euro",
    source: "ecb",
    rule: "before",
    currency: { place: "quote", symbol: "PLN" },
    law: "Ustawa o podatku od towarów i usług, Article 31a(1), second sentence",
    // The act of 16 November 2012 (Dz. U. 2012, item 1342), which was not read, added the sentence.
    since: ECB_RATE_SINCE,
    says:
      "the last exchange rate published by the European Central Bank for the last day before " +
      "the day when the tax obligation arises; other currencies go through the euro, by two " +
      `figures${UNOFFICIAL}`,
    readAt: POLISH_ACT,
    readOn: READ_LATER,
  },
  {
    name: "pl-vat-invoice",
    purpose: "Polish VAT of an invoice issued before the tax obligation: pass its date",
    source: "nbp",
    rule: "before",
    currency: { place: "quote", symbol: "PLN" },
    law: "Ustawa o podatku od towarów i usług, Article 31a(2)",
    says:
      "the middle rate announced by Narodowy Bank Polski for the last working day before the " +
      "day when the invoice is issued, where that is before the tax obligation arises" +
      UNOFFICIAL,
    readAt: POLISH_ACT,
    readOn: READ_LATER,
  },
  {
    name: "ro-vat",
    purpose: "Romanian VAT by the National Bank of Romania's rate",
    source: "bnr",
    rule: "before",
    currency: { place: "quote", symbol: "RON" },
    law: "Codul fiscal (Legea 227/2015), Article 290(2); Norme (HG 1/2016), Title VII, point 35(1)",
    since: "2016-01-01",
    says:
      "the last rate communicated by the National Bank of Romania that is valid on the date when " +
      "the tax becomes chargeable: the one communicated on the day before; read under the former" +
      ` code's Article 139^1, in the same words${UNOFFICIAL}`,
    readAt:
      "https://infotva.manager.ro/articole/studii-de-caz/achizitia-de-servicii-din-ue-si-din-" +
      "afara-ue-ce-curs-valutar-folosim-9689.html",
    readOn: READ_LATER,
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
    law: "FinCEN Form 114, Report of Foreign Bank and Financial Accounts, instructions to item 15",
    // The reports for earlier years were made on form TD F 90-22.1.
    since: "2013-01-01",
    says:
      "the Treasury Reporting Rates of Exchange of the Bureau of the Fiscal Service, formerly " +
      `the Financial Management Service, for the last day of the calendar year${UNOFFICIAL}`,
    readAt: "https://investguiding.com/article/reporting-maximum-account-value-fincen-gov/1781",
    readOn: READ_ON,
  },
];

/** Ordered by name. */
export const presets: readonly Preset[] = [...nationalPresets, ...euPresets].sort((left, right) =>
  left.name < right.name ? -1 : 1,
);
