import { archives } from "../archives.ts";
import type { Entry } from "../publisher.ts";
import { parseBanxico, requestBanxico } from "./banxico.ts";
import { BCB_ZONE, bcbAddresses, parseBcb } from "./bcb.ts";
import { parseBcra } from "./bcra.ts";
import { parseBoc } from "./boc.ts";
import {
  argentineHolidays,
  brazilianHolidays,
  canadianHolidays,
  colombianHolidays,
  mexicanHolidays,
} from "./holidays.ts";
import { parseSfc } from "./sfc.ts";

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
    publishedAt: { time: "16:30", timeZone: "America/Toronto" },
    onByDefault: false,
    parse: parseBoc,
    archive: archives.boc,
  },
  {
    key: "sfc",
    name: "Superintendencia Financiera de Colombia",
    country: "CO",
    terms: "The conditions of the authority apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: [
      "https://www.datos.gov.co/resource/32sa-8pi3.json?$order=vigenciadesde%20DESC&$limit=1",
    ],
    // Computed from the trades of a working day, in effect from the next calendar day on; the
    // dataset is updated at 18:05.
    schedule: { cron: "30 18 * * 1-5", timeZone: "America/Bogota", holidays: colombianHolidays },
    publishedAt: { time: "00:00", timeZone: "America/Bogota" },
    onByDefault: false,
    parse: parseSfc,
    archive: archives.sfc,
  },
  {
    key: "bcra",
    name: "Central Bank of Argentina",
    country: "AR",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: "https://www.bcra.gob.ar/aviso-legal/",
    addresses: ["https://api.bcra.gob.ar/estadisticascambiarias/v1.0/Cotizaciones"],
    // The quotations of the day, for which the bank names no time. The market in US dollars is open
    // from 10:00 to 15:00.
    schedule: {
      cron: "30 17 * * 1-5",
      timeZone: "America/Argentina/Buenos_Aires",
      holidays: argentineHolidays,
    },
    publishedAt: { time: "17:00", timeZone: "America/Argentina/Buenos_Aires" },
    onByDefault: false,
    parse: parseBcra,
  },
  {
    key: "bcb",
    name: "Banco Central do Brasil",
    country: "BR",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: bcbAddresses,
    // The last of four inquiries among dealers is between 13:00 and 13:10 (circular 3506); the
    // recorded closing bulletins are of 13:03 to 13:11.
    schedule: { cron: "30 13 * * 1-5", timeZone: BCB_ZONE, holidays: brazilianHolidays },
    publishedAt: undefined,
    // At which the dealers sell: the figure that contracts in foreign currency use.
    servedKind: "selling",
    onByDefault: false,
    parse: parseBcb,
  },
  {
    key: "banxico",
    name: "Banco de México",
    country: "MX",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: "https://www.banxico.org.mx/footer-en/terms-and-conditions.html",
    addresses: [requestBanxico],
    tokenUrl: "https://www.banxico.org.mx/SieAPIRest/service/v1/token",
    // "Exchange Rates": the bank "informs the FIX from 12 o'clock onwards each banking day".
    schedule: {
      cron: "30 12 * * 1-5",
      timeZone: "America/Mexico_City",
      holidays: mexicanHolidays,
    },
    publishedAt: { time: "12:00", timeZone: "America/Mexico_City" },
    onByDefault: false,
    parse: parseBanxico,
  },
];
