import type { Preset } from "./preset.ts";

export const EURO = { place: "base", symbol: "EUR" } as const;
const VAT_DIRECTIVE = "Council Directive 2006/112/EC";
/** Council Directive 2010/45/EU, Article 2: the sentence on the European Central Bank. */
export const ECB_RATE_SINCE = "2013-01-01";
const NWB = "https://datenbank.nwb.de/Dokument/Anzeigen/452295_Article366/";
export const READ_ON = "2026-11-25";
export const READ_LATER = "2026-11-27";
export const UNOFFICIAL = "; only a copy of the text was read";
const HMRC_ON_ARTICLE_91 = "https://www.gov.uk/hmrc-internal-manuals/vat-valuation/vatval09500";

export const euPresets: readonly Preset[] = [
  {
    name: "eu-customs",
    purpose: "EU customs value in countries with the euro, by the month",
    source: "ecb",
    rule: "on-or-before",
    period: "customs-month",
    currency: EURO,
    law: "Commission Implementing Regulation (EU) 2015/2447, Article 146",
    since: "2016-05-01",
    says:
      "the rate published by the European Central Bank on the second last Wednesday of a month, " +
      "or the most recent one before it, applies for the following month; read as the Italian " +
      "customs authority states it",
    readAt:
      "https://www.agenziadoganemonopoli.gov.it/portale/web/guest/dogane/operatore/e-inoltre" +
      "/cambi-doganali",
    readOn: READ_LATER,
  },
  {
    name: "eu-ioss",
    purpose: "EU VAT returns of the import scheme, by the month",
    source: "ecb",
    rule: "on-or-next",
    period: "month",
    currency: EURO,
    law: `${VAT_DIRECTIVE}, Article 369u(2)`,
    // The import scheme began with Council Directive (EU) 2017/2455, as amended.
    since: "2021-07-01",
    says:
      "the rates published by the European Central Bank for the last day of the tax period " +
      `or, if there is no publication on that day, on the next day of publication${UNOFFICIAL}`,
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
    // Article 369h is of Council Directive 2008/8/EC.
    since: "2015-01-01",
    says:
      "the rates published by the European Central Bank for the last day of the tax period " +
      `or, if there is no publication on that day, on the next day of publication${UNOFFICIAL}`,
    readAt: NWB,
    readOn: READ_ON,
  },
  {
    name: "eu-vat",
    purpose: "VAT of EU countries that accept the ECB's rate, from 16:00 on",
    source: "ecb",
    rule: "on-or-before",
    currency: EURO,
    law: `${VAT_DIRECTIVE}, Article 91(2)`,
    since: ECB_RATE_SINCE,
    says:
      "the latest exchange rate published by the European Central Bank at the time the tax " +
      "becomes chargeable: from about 16:00 in Frankfurt on, the day's own, as where the hour " +
      "is not known; before it see eu-vat-before-16",
    readAt: HMRC_ON_ARTICLE_91,
    readOn: READ_ON,
  },
  {
    name: "eu-vat-before-16",
    purpose: "VAT of EU countries that accept the ECB's rate, before 16:00",
    source: "ecb",
    rule: "before",
    currency: EURO,
    law: `${VAT_DIRECTIVE}, Article 91(2)`,
    since: ECB_RATE_SINCE,
    says:
      "the latest exchange rate published by the European Central Bank at the time the tax " +
      "becomes chargeable: before about 16:00 in Frankfurt, that of the day before",
    readAt: HMRC_ON_ARTICLE_91,
    readOn: READ_LATER,
  },
];
