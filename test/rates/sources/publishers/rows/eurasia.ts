import { noRate, type Row, units } from "./row.ts";

export const eurasia: Readonly<Record<string, Row>> = {
  // Dated 00:00 in Moscow of the day for which they are, all year.
  cbr: {
    files: ["cbr.xml"],
    figures: "AMD/RUB 0.203120, USD/RUB 79.4500, UZS/RUB 0.00655931",
    asOf: "2026-03-13T21:00",
    valid: "2026-03-14",
    moved: [["14.03.2026", "14.07.2026", "2026-07-13T21:00", "2026-07-14"]],
    changed: [
      ["<Nominal>100<", "<Nominal>50<", units("AMD/RUB")],
      ["<Value>20,3120<", "<Value>20.3120<", noRate("AMD/RUB")],
      ["<Value>20,3120</Value>", "", noRate("AMD/RUB")],
    ],
    digits: { "USD/RUB": "79,4500", "UZS/RUB": "65,5931" },
    missing: [
      ["14.03.2026", "2026-03-14", "Date is not as in 25.04.2026"],
      ['Date="14.03.2026"', "", "Date is not as in 25.04.2026"],
    ],
    fails: [
      ["ValCurs", "Rates", 'its root is "Rates", not ValCurs'],
      [
        "<ValCurs",
        '<!DOCTYPE ValCurs [<!ENTITY a "79,4500">]><ValCurs',
        "document type declaration",
      ],
    ],
  },
  // Recorded in florianv/exchanger 70f96e68, tests/Fixtures/Service/NationalBankOfGeorgia.
  nbg: {
    files: ["nbg.json.txt"],
    figures: "AED/GEL 0.73994, AMD/GEL 0.0067023, AUD/GEL 1.8883",
    asOf: "2022-08-05T20:00",
    digits: { "AED/GEL": '"rate": 7.3994' },
    missing: [['"currencies"', '"rates"', "currencies is not a list"]],
    // A time of day is not taken for a date.
    fails: [["2022-08-06T00:00:00.000Z", "2022-08-06T09:00:00.000Z", '"AED/GEL" has no date']],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbkr_live.yml.
  nbkr: {
    files: ["nbkr-daily.xml", "nbkr-weekly.xml"],
    figures: "USD/KGS 87.4500, KZT/KGS 0.1859, GBP/KGS 117.4147, JPY/KGS 0.54969",
    // Each table has its own day.
    asOf: "2026-05-22T18:00, 2026-05-23T18:00",
    digits: { "JPY/KGS": "5,4969" },
    missing: [[' Date="', ' Day="', "Date is not as in 25.04.2026"]],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbrb.yml.
  nbrb: {
    files: ["nbrb.json.txt"],
    figures: "AUD/BYN 2.0700, AMD/BYN 0.0078014, VND/BYN 0.000112071, USD/BYN 2.9463",
    asOf: "2026-03-16T21:00",
    digits: { "VND/BYN": "11.2071" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbu.yml.
  nbu: {
    files: ["nbu.json.txt"],
    figures: "JPY/UAH 0.27705, USD/UAH 44.1381, VND/UAH 0.0016789, XAU/UAH 225912.48",
    asOf: "2026-03-15T22:00",
    moved: [["16.03.2026", "16.07.2025", "2025-07-15T21:00"]],
    digits: { "JPY/UAH": '"rate":2.7705' },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/cbu.yml.
  cbu: {
    files: ["cbu.json.txt"],
    figures: "USD/UZS 12194.21, VND/UZS 0.463, XDR/UZS 16557.42",
    asOf: "2026-03-31T19:00",
    digits: { "VND/UZS": "4.63" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbk.yml.
  nbk: {
    files: ["nbk.xml"],
    figures: "USD/KZT 478.77, IRR/KZT 0.0004, JPY/KZT 3",
    asOf: "2026-03-31T19:00",
    digits: { "IRR/KZT": ">0.4<" },
    missing: [["date>", "day>", "date is not as in 01.04.2026"]],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbm.yml.
  nbm: {
    files: ["nbm.xml"],
    figures: "EUR/MDL 20.2754, ALL/MDL 0.21172, UZS/MDL 0.001442",
    asOf: "2026-04-05T21:00",
    moved: [["06.04.2026", "06.01.2026", "2026-01-05T22:00"]],
    digits: { "UZS/MDL": "0.1442" },
    missing: [[" Date=", " Day=", "Date is not as in 06.04.2026"]],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbrm.yml.
  nbrm: {
    files: ["nbrm.json.txt"],
    figures: "EUR/MKD 61.695, JPY/MKD 0.3331, HUF/MKD 0.1737, RSD/MKD 0.5255",
    asOf: "2026-05-28T22:00",
    moved: [['"datum":"2026-05-29', '"datum":"2026-01-29', "2026-01-28T23:00"]],
    digits: { "JPY/MKD": "0.3331" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/cba.yml.
  // A gram of gold is left out.
  cba: {
    files: ["cba.xml"],
    figures: "USD/AMD 377.39, IRR/AMD 0.00028677, UZS/AMD 0.031003",
    asOf: "2026-03-18T13:00",
    digits: { "UZS/AMD": "0.31003" },
    missing: [["ExchangeRatesLatestResult", "Result", "no ExchangeRatesLatestResult"]],
  },
  // Recorded in florianv/exchanger 70f96e68, tests/Fixtures/Service/CentralBankOfRepublicTurkey.
  tcmb: {
    files: ["tcmb.xml"],
    figures:
      "USD/TRY 2.8852 buying, USD/TRY 2.8904 selling, DKK/TRY 0.42878 buying, " +
      "DKK/TRY 0.43089 selling, JPY/TRY 0.025472 buying, JPY/TRY 0.025641 selling, " +
      "XDR/TRY 4.0259 buying",
    asOf: "2016-03-15T13:30",
    // Since September 2016 the clocks stay on summer time.
    moved: [
      ["15.03.2016", "15.07.2026", "2026-07-15T12:30"],
      ["15.03.2016", "15.01.2026", "2026-01-15T12:30"],
    ],
    changed: [
      ["<ForexSelling>2.8904</ForexSelling>", "", noRate("USD/TRY"), "USD/TRY 2.8852 buying"],
    ],
    digits: { "JPY/TRY": "2.5472" },
    missing: [[" Tarih=", " Day=", "Tarih is not as in 25.04.2026"]],
  },
  // Recorded in lineofflight/frankfurter 074be5ea, spec/vcr_cassettes/cbar.yml.
  // The only one with a metal, for a troy ounce; Baku has no summer time.
  cbar: {
    files: ["cbar.xml"],
    figures: "XAU/AZN 7605.494, USD/AZN 1.7, EUR/AZN 1.9765, KRW/AZN 0.001255, RUB/AZN 0.019579",
    asOf: "2026-09-03T20:00",
    changed: [["1 t.u.", "1 q.", units("XAU/AZN")]],
    digits: { "KRW/AZN": "0.1255", "XAU/AZN": "7605.494" },
    missing: [['Date="', 'Day="', "Date is not as in 25.04.2026"]],
  },
};
