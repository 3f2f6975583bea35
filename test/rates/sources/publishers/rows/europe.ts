import { noDate, noDecimal, noRate, type Row, rejected, units, unknown, without } from "./row.ts";

const VES = "GBP/VES 4.9091";

export const europe: Readonly<Record<string, Row>> = {
  ecb: {
    files: ["ecb.xml"],
    figures: "EUR/USD 1.1476, EUR/JPY 182.85, EUR/ISK 144.20, EUR/NOK 11.1590",
    asOf: "2026-03-13T15:00",
    moved: [["2026-03-13", "2026-03-30", "2026-03-30T14:00"]],
    changed: [
      [
        "<Cube currency='JPY' rate='182.85'/>",
        "<Cube currency='JPY'/>",
        rejected(
          "a Cube has no attribute, or time alone, or currency and rate: " +
            "this one and everything in it is skipped",
          "EUR/JPY",
        ),
      ],
    ],
    digits: { "EUR/USD": "1.1476" },
  },
  cnb: {
    files: ["cnb.json.txt"],
    figures: "EUR/CZK 24.170, HUF/CZK 0.06304, IDR/CZK 0.001230",
    asOf: "2026-03-13T13:30",
    moved: [["2026-03-13", "2026-03-30", "2026-03-30T12:30"]],
    changed: [
      ['"amount": 100,', '"amount": 50,', units("HUF/CZK")],
      ['"amount": 100,', '"amount": 1e2,', units("HUF/CZK")],
      ['"amount": 100,', "", units("HUF/CZK")],
      ['"rate": 6.304', '"rate": null', noRate("HUF/CZK")],
      ['"rate": 6.304', '"rate": "6,304"', noDecimal("HUF/CZK", "6,304")],
      ['"rate": 6.304', '"rate": -6.304', noDecimal("HUF/CZK", "-6.304")],
    ],
    digits: { "EUR/CZK": "24.170", "IDR/CZK": "1.230" },
    missing: [['"rates"', '"fixing"', "rates is not a list"]],
  },
  nbp: {
    files: ["nbp-a.json.txt", "nbp-b.json.txt"],
    figures: "USD/PLN 3.6056, HUF/PLN 0.011155, RON/PLN 0.8300, PAB/PLN 3.6770, NIO/PLN 0.1000",
    // Each table has its own day.
    asOf: "2026-03-11T11:00, 2026-03-13T11:00",
    moved: [["2026-03-13", "2026-03-30", "2026-03-11T11:00, 2026-03-30T10:00"]],
    changed: [
      // A currency that moves from one table to the other has the later rate.
      ['"code": "PAB"', '"code": "USD"', without("PAB/PLN")],
    ],
    digits: { "HUF/PLN": "0.011155" },
    missing: [['"effectiveDate"', '"date"', "effectiveDate is not a date"]],
  },
  // Its indexes are ignored; a series has ended.
  norges: {
    files: ["norges.csv"],
    figures: "HUF/NOK 0.028805, DKK/NOK 1.4920, EUR/NOK 11.1590, HRK/NOK 1.3955",
    asOf: "2022-12-30T15:00, 2026-03-13T15:00",
    moved: [["2026-03-13", "2026-03-30", "2022-12-30T15:00, 2026-03-30T14:00"]],
    changed: [["2,C,2026-03-13,2.8805", "-2,C,2026-03-13,2.8805", units("HUF/NOK")]],
    digits: { "EUR/NOK": "11.1590", "HUF/NOK": "2.8805" },
    missing: [["UNIT_MULT", "MULTIPLIER", "no column UNIT_MULT"]],
  },
  // A series has ended.
  riksbank: {
    files: ["riksbank.json.txt"],
    figures: "CYP/SEK 16.1812, IDR/SEK 0.00056, USD/SEK 9.44517",
    asOf: "2007-12-28T15:15, 2026-03-13T15:15",
    moved: [["2026-03-13", "2026-03-30", "2007-12-28T15:15, 2026-03-30T14:15"]],
    changed: [["SEKIDRPMI", "SEKKIX92", unknown("SEKKIX92", "IDR/SEK")]],
    digits: { "USD/SEK": "9.44517" },
    fails: [
      // Only invalid rows.
      ["PMI", "MID", 'no rates in the response: "SEKCYPMID" names no currency that Kurs knows'],
    ],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/bnr.yml.
  // A gram of gold is left out.
  bnr: {
    files: ["bnr.xml"],
    figures: "EGP/RON 0.0847, EUR/RON 5.0947, CAD/RON 3.2490, HUF/RON 0.013029, XDR/RON 6.0329",
    asOf: "2026-03-13T11:00",
    moved: [["2026-03-13", "2026-07-13", "2026-07-13T10:00"]],
    changed: [['multiplier="100"', 'multiplier="50"', units("HUF/RON")]],
    digits: { "HUF/RON": "1.3029" },
    missing: [["OrigCurrency", "Currency", "OrigCurrency is not RON"]],
  },
  // Recorded in mayswind/ezbookkeeping 2e20df86, danmarks_national_bank_datasource_test.go.
  dnb: {
    files: ["dnb.xml"],
    figures: "CNY/DKK 0.9781, USD/DKK 7.0818",
    asOf: "2024-11-14T15:00",
    moved: [["2024-11-14", "2025-07-14", "2025-07-14T14:00"]],
    digits: { "CNY/DKK": "97.81" },
    missing: [["refcur", "currency", "refcur is not DKK"]],
  },
  // Recorded in mayswind/ezbookkeeping 2e20df86, swiss_national_bank_datasource_test.go.
  snb: {
    files: ["snb.xml"],
    figures: "EUR/CHF 0.9378, JPY/CHF 0.005727",
    asOf: "2024-11-12T10:00",
    moved: [["2024-11-12", "2025-07-11", "2025-07-11T09:00"]],
    changed: [[">-2<", ">2<", units("JPY/CHF")]],
    digits: { "EUR/CHF": "0.9378", "JPY/CHF": "0.5727" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/sbi.yml.
  // Both groups, of the newest day; Reykjavík has no summer time.
  sbi: {
    files: ["sbi-9.xml", "sbi-7.xml"],
    figures: "USD/ISK 124.710000, JPY/ISK 0.779800, KRW/ISK 0.082500, HUF/ISK 0.368400",
    asOf: "2026-03-27T16:00",
    moved: [[">3/27/2026", ">7/27/2026", "2026-07-27T16:00"]],
    changed: [
      [
        ">3/27/2026 12:00:00 AM</Date><Value>0.779800",
        ">27/3/2026 12:00:00 AM</Date><Value>0.779800",
        noDate("JPY/ISK"),
        "JPY/ISK 0.778500",
      ],
    ],
    digits: { "HUF/ISK": "0.368400" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/hnb.yml.
  hnb: {
    files: ["hnb.json.txt"],
    figures:
      "EUR/JPY 140.950000 middle, EUR/JPY 141.160000 buying, EUR/JPY 140.740000 selling, " +
      "EUR/USD 1.060100 middle, EUR/USD 1.061700 buying, EUR/USD 1.058500 selling, " +
      "EUR/BAM 1.955830 middle, EUR/BAM 1.958760 buying, EUR/BAM 1.952900 selling",
    asOf: "2023-01-05T23:00",
    moved: [['"datum_primjene":"2023-01-06', '"datum_primjene":"2023-07-06', "2023-07-05T22:00"]],
    digits: { "EUR/USD": "1,060100" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/mnb.yml.
  mnb: {
    files: ["mnb.xml"],
    figures: "EUR/HUF 402.61, IDR/HUF 0.0226, JPY/HUF 2.4817, USD/HUF 373.72",
    asOf: "2025-03-28T10:00",
    moved: [["2025-03-28", "2025-04-01", "2025-04-01T09:00"]],
    digits: { "JPY/HUF": "248,17" },
    missing: [["RatesResult", "RatesAnswer", "no GetExchangeRatesResult"]],
    fails: [
      ["&lt;MNBExchangeRates&gt;", "no rates", "the document cannot be read"],
      ["GetExchangeRatesResponse", "Fault", "the layout has changed: no GetExchangeRatesResult"],
    ],
  },
  // Recorded in tillbooks/tillbooks f2f43717 and 434f715d, test/fx/fixtures.
  bazg: {
    files: ["bazg.xml"],
    figures: "EUR/CHF 0.93883 selling, EGP/CHF 0.0160858 selling, IDR/CHF 0.000045902 selling",
    asOf: "2026-07-24T22:00",
    valid: "2026-07-25 to 2026-07-27",
    moved: [
      [
        "25.07.2026,26.07.2026,27.07.2026",
        "29.01.2026",
        "2026-01-28T23:00",
        "2026-01-29 to 2026-01-29",
      ],
    ],
    changed: [
      ["100 EGP", "50 EGP", units("EGP/CHF")],
      ["100 EGP", "100", unknown("?/CHF", "EGP/CHF")],
    ],
    digits: { "IDR/CHF": "0.45902" },
    missing: [["gueltigkeit", "validity", "gueltigkeit has no date as in 25.04.2026"]],
  },
  "bazg-monthly": {
    files: ["bazg-monthly.xml"],
    figures: "EUR/CHF 0.9328 selling, DKK/CHF 0.124792 selling, VND/CHF 0.00003113 selling",
    asOf: "2026-07-31T22:00",
    valid: "2026-08-01 to 2026-08-31",
    moved: [["2026-08", "2028-02", "2028-01-31T23:00", "2028-02-01 to 2028-02-29"]],
    digits: { "VND/CHF": "0.3113" },
    missing: [["monat>", "month>", "monat is not as in 2026-04"]],
  },
  // Recorded in lineofflight/frankfurter 074be5ea, spec/vcr_cassettes/hmrc.yml.
  // A currency of several countries is one.
  hmrc: {
    files: ["hmrc.csv"],
    figures:
      "GBP/AED 4.9091, GBP/XOF 768.7193, GBP/EUR 1.1719, GBP/IDR 23940.4179, " +
      "GBP/USD 1.3367, GBP/ZWG 35.8198",
    asOf: "2026-07-31T23:00",
    valid: "2026-08-01 to 2026-08-31",
    moved: [["/08/2026", "/12/2026", "2026-12-01T00:00", "2026-12-01 to 2026-12-31"]],
    changed: [
      ["23940.4179,01/08/2026,31/08/2026", "23940.4179,01/08/2026,", noDate("GBP/IDR")],
      // As it names them in the file of September 2026, by lineofflight/frankfurter,
      // spec/provider/adapters/hmrc_spec.rb; of November 2022 by the same.
      ["Abu Dhabi,Dirham,AED", "Venezuela,Venezuelan Bolivar,VED", without("GBP/AED"), VES],
      ["Zimbabwe Gold,ZWG", "Zimbabwe Gold,ZIG", without()],
      ["USA,Dollar,USD", "Ecuador,Dollar,ECS", without()],
      ["Abu Dhabi,Dirham,AED", "Sierra Leone,Leone,SLE", without("GBP/AED"), "GBP/SLE 4.9091"],
      [
        "Abu Dhabi,Dirham,AED,4.9091,01/08/2026",
        "Sierra Leone,Leone,SLE,15631.1792,01/11/2022",
        without("GBP/AED"),
        "GBP/SLL 15631.1792",
      ],
    ],
    digits: { "GBP/IDR": "23940.4179" },
  },
  // Recorded in lineofflight/frankfurter 6d316bdb, spec/vcr_cassettes/inforeuro.yml.
  // Without the euro itself, for the month in its address.
  inforeuro: {
    files: ["inforeuro.json.txt"],
    figures: "EUR/CZK 24.148, EUR/IDR 20628.08, EUR/USD 1.1643, EUR/AMD 424",
    asOf: "2026-08-31T22:00",
    valid: "2026-09-01 to 2026-09-30",
    changed: [
      // The code of the Zimbabwe Gold in ISO 4217.
      ["AMD", "ZIG", without("EUR/AMD"), "EUR/ZWG 424"],
      ['"value":20628.08', '"value":null', without("EUR/IDR")],
      ['"value":20628.08', '"value":{}', noRate("EUR/IDR")],
      ['"isoA3Code":"IDR"', '"isoA3Code":null', unknown("EUR/?", "EUR/IDR")],
    ],
    digits: { "EUR/IDR": "20628.08" },
  },
  // Recorded in lineofflight/frankfurter 821fe588, spec/vcr_cassettes/bdi.yml.
  // Without a rate that is not available, and with a currency of two countries.
  bdi: {
    files: ["bdi-0209.csv", "bdi-0210.csv"],
    figures:
      "EUR/INR 107.6878, EUR/XDR 0.862332, EUR/KRW 1738.48, EUR/AED 4.3681, EUR/GBP 0.86950, " +
      "EUR/USD 1.1894, EUR/VES 457.6697, EUR/XCD 3.2114",
    asOf: "2026-02-10T15:00",
    moved: [["2026-02-10", "2026-07-10", "2026-07-10T14:00"]],
    changed: [
      ["4.3681", "N.A.", without("EUR/AED"), "EUR/AED 4.3651"],
      ["XCD", "ZWD", without("EUR/XCD")],
      [
        "4.3681,Foreign currency amount for 1 Euro.",
        "0.2289,Euro amount for 1 dirham",
        rejected('"EUR/AED" is stated as "Euro amount for 1 dirham"', "EUR/AED"),
        "EUR/AED 4.3651",
      ],
    ],
    digits: { "EUR/GBP": "0.86950" },
  },
  // Recorded in lineofflight/frankfurter 25d0e2e2, spec/vcr_cassettes/boe.yml.
  boe: {
    files: ["boe.csv"],
    figures:
      "GBP/USD 1.3302, GBP/EUR 1.1523, GBP/JPY 211.833, GBP/HUF 452.5303, GBP/KRW 2000.9579, " +
      "GBP/INR 124.6849, GBP/RON 5.8721",
    asOf: "2026-03-20T16:00",
    moved: [["20 Mar 2026", "20 Jul 2026", "2026-07-20T15:00"]],
    changed: [
      ["452.5303", "", without("GBP/HUF"), "GBP/HUF 455.6221"],
      ["XUDLZOS4", "XUDLBK67", unknown("XUDLBK67", "GBP/RON")],
    ],
    digits: { "GBP/HUF": "452.5303" },
  },
  // Recorded in lineofflight/frankfurter 6572a028, spec/vcr_cassettes/cbbh.yml. With decimal commas
  // as in dfinity/exchange-rate-canister e8cb45ed, of 2022.
  cbbh: {
    files: ["cbbh.json.txt"],
    figures:
      "EUR/BAM 1.955830 middle, EUR/BAM 1.955830 buying, EUR/BAM 1.955830 selling, " +
      "JPY/BAM 0.01083142 middle, JPY/BAM 0.01080434 buying, JPY/BAM 0.01085850 selling, " +
      "TRY/BAM 0.035219 middle, TRY/BAM 0.035131 buying, TRY/BAM 0.035307 selling, " +
      "XDR/BAM 2.333540 middle",
    asOf: "2026-09-24T22:00",
    moved: [["2026-09-25T", "2026-12-04T", "2026-12-03T23:00"]],
    changed: [
      ['"2.333540"', '"2,333540"', without()],
      ['"Units": "100"', '"Units": ""', units("JPY/BAM")],
    ],
    digits: { "JPY/BAM": "1.083142", "XDR/BAM": "2.333540" },
  },
};
