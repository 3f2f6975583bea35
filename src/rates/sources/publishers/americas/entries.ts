import { type Entry, EURO } from "../publisher.ts";
import { bcch } from "./bcch.ts";
import { bcrp } from "./bcrp.ts";
import { frb } from "./frb.ts";
import {
  argentineHolidays,
  brazilianHolidays,
  canadianHolidays,
  colombianHolidays,
  mexicanHolidays,
} from "./holidays.ts";
import {
  BCB_CURRENCIES,
  BCB_ZONE,
  parseBanxico,
  parseBcb,
  parseBcra,
  parseBoc,
  parseSfc,
  requestBanxico,
  requestBcb,
} from "./parsers.ts";

/** Authorities of the Americas. */
export const americanPublishers: readonly Entry[] = [
  {
    key: "boc",
    name: "Bank of Canada",
    country: "CA",
    terms: "Free for non-commercial use only, the Bank of Canada named as the source.",
    termsUrl: "https://www.bankofcanada.ca/terms/",
    addresses: [
      "https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json?recent=1",
    ],
    // The group's own description: "published once each business day by 16:30 ET".
    schedule: { cron: "35 16 * * 1-5", timeZone: "America/Toronto", holidays: canadianHolidays },
    publishedAt: "16:30",
    parse: parseBoc,
    // Valet's start_date and end_date. The group FX_RATES_DAILY begins on this date.
    archive: {
      since: "2017-01-03",
      requestsBy: "year",
      addresses: ({ from, to }) =>
        "https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json" +
        `?start_date=${from}&end_date=${to}`,
    },
  },
  {
    key: "sfc",
    name: "Superintendencia Financiera de Colombia",
    country: "CO",
    terms: "The conditions of the authority apply; check them before passing the figures on.",
    addresses: [
      "https://www.datos.gov.co/resource/32sa-8pi3.json?$order=vigenciadesde%20DESC&$limit=1",
    ],
    // Computed from the trades of a working day, in effect from the next calendar day on; the
    // dataset is updated at 18:05.
    schedule: { cron: "30 18 * * 1-5", timeZone: "America/Bogota", holidays: colombianHolidays },
    publishedAt: "00:00",
    isServedAhead: true,
    parse: parseSfc,
    // Socrata's SoQL; without $limit it responds with 1,000 rows.
    archive: {
      since: "2000-01-03",
      requestsBy: "year",
      addresses: ({ from, to }) =>
        "https://www.datos.gov.co/resource/32sa-8pi3.json?$order=vigenciadesde&$limit=5000" +
        `&$where=vigenciadesde%20between%20'${from}T00:00:00'%20and%20'${to}T00:00:00'`,
    },
  },
  {
    key: "bcra",
    name: "Central Bank of Argentina",
    country: "AR",
    termsUrl: "https://www.bcra.gob.ar/aviso-legal/",
    addresses: ["https://api.bcra.gob.ar/estadisticascambiarias/v1.0/Cotizaciones"],
    // The quotations of the day, for which the bank names no time. The market in US dollars is open
    // from 10:00 to 15:00.
    schedule: {
      cron: "30 17 * * 1-5",
      timeZone: "America/Argentina/Buenos_Aires",
      holidays: argentineHolidays,
    },
    publishedAt: "17:00",
    parse: parseBcra,
  },
  {
    key: "bcb",
    name: "Banco Central do Brasil",
    country: "BR",
    addresses: { latestDays: 7 },
    // The last of four inquiries among dealers is between 13:00 and 13:10 (circular 3506); the
    // recorded closing bulletins are of 13:03 to 13:11.
    schedule: { cron: "30 13 * * 1-5", timeZone: BCB_ZONE, holidays: brazilianHolidays },
    // At which the dealers sell: the figure that contracts in foreign currency use.
    servedKind: "selling",
    parse: parseBcb,
    // The same operation of PTAX, which takes ranges.
    archive: {
      since: "2000-01-03",
      requestsBy: "year",
      addresses: (dates) => BCB_CURRENCIES.map((currency) => requestBcb(currency, dates)),
    },
  },
  {
    key: "banxico",
    name: "Banco de México",
    country: "MX",
    termsUrl: "https://www.banxico.org.mx/footer-en/terms-and-conditions.html",
    addresses: { latestDays: 10 },
    tokenUrl: "https://www.banxico.org.mx/SieAPIRest/service/v1/token",
    // "Exchange Rates": the bank "informs the FIX from 12 o'clock onwards each banking day".
    schedule: {
      cron: "30 12 * * 1-5",
      timeZone: "America/Mexico_City",
      holidays: mexicanHolidays,
    },
    publishedAt: "12:00",
    parse: parseBanxico,
    // "SIE API REST": datos/{fechaIni}/{fechaFin}. The FIX is older than the euro.
    archive: { since: EURO, requestsBy: "year", addresses: requestBanxico },
  },
  bcrp,
  bcch,
  frb,
];
