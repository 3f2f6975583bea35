import { noDate, noRate, type Row, units, unknown, without } from "./row.ts";

/** A rate that the Treasury amends between two quarters. */
const amendment = (recordDate: string, currency: string) => `"data": [{
  "record_date": "${recordDate}",
  "country_currency_desc": "${currency}-Dollar",
  "exchange_rate": "36.10",
  "effective_date": "2026-04-30"
},`;

export const overseas: Readonly<Record<string, Row>> = {
  // Two quarters, from midnight in Washington.
  ust: {
    files: ["ust.json.txt"],
    figures: "USD/XOF 571.50, USD/EUR 0.87, USD/TWD 32.002, USD/CAD 1.371",
    asOf: "2025-12-31T05:00, 2026-03-31T04:00",
    moved: [["2026-03-31", "2026-01-31", "2025-12-31T05:00, 2026-01-31T05:00"]],
    changed: [
      // An amendment has its own effective date.
      ['"data": [', amendment("2026-03-31", "Taiwan"), without("USD/TWD"), "USD/TWD 36.10"],
      ["Taiwan-Dollar", "Syria-Pound", unknown("Syria-Pound", "USD/TWD")],
      ["Canada-Dollar", "Syria-Pound", without("USD/CAD"), "USD/SYP 1.371"],
      ["Canada-Dollar", "Panama-Balboa", without("USD/CAD"), "USD/PAB 1.371"],
      ["Canada-Dollar", "Swaziland-Lilangeni", without("USD/CAD"), "USD/SZL 1.371"],
      // What has ended is repeated, or is in its successor's units.
      ...[
        ...["Bulgaria-Lev New", "Venezuela-Fuerte", "Zimbabwe-Rtgs", "Sierra Leone-Old Leone"],
        "Eritrea-Nakfa Salary Payment",
      ].map((name) => ["Taiwan-Dollar", name, without("USD/TWD")] as const),
    ],
    digits: { "USD/TWD": "32.002" },
  },
  // Toronto sets its clocks forward on 8 March.
  boc: {
    files: ["boc.json.txt"],
    figures: "TRY/CAD 0.03100, USD/CAD 1.3706",
    asOf: "2026-03-13T20:30",
    moved: [["2026-03-1", "2026-01-1", "2026-01-13T21:30"]],
    changed: [
      // The name of a series gives its direction.
      ["FXTRYCAD", "FXCADTRY", without("TRY/CAD"), "CAD/TRY 0.03100"],
      ["FXTRYCAD", "CEER", unknown("CEER", "TRY/CAD")],
    ],
    digits: { "USD/CAD": "1.3706" },
  },
  // The usual symbols of online pairs, with the time of the ticker's response.
  kraken: {
    files: ["kraken-pairs.json.txt", "kraken-ticker.json.txt"],
    figures:
      "BTC/USD 71000.10000, ETH/BTC 0.030100, DOGE/EUR 0.0821000, EUR/USD 1.14760, " +
      "PEPE/USD 0.00001080",
    asOf: "2026-09-23T23:51:53.25",
    changed: [
      ['"XDG/EUR"', '"XDGEUR"', unknown("XDGEUR", "DOGE/EUR")],
      // A token, and not the Zimbabwe Gold.
      ['"XDG/EUR"', '"ZIG/EUR"', without("DOGE/EUR"), "ZIG/EUR 0.0821000"],
      ['"wsname": "XDG/EUR", ', "", unknown("XDGEUR", "DOGE/EUR")],
      ['"c": ["0.0821000", "120"]', '"c": []', noRate("DOGE/EUR")],
      ['"XDGEUR": { "a"', '"XDGUSD": { "a"', noRate("DOGE/EUR")],
    ],
    digits: { "PEPE/USD": "0.00001080" },
    missing: [
      ['"result"', '"data"', "result is not an object"],
      ['"error"', '"errors"', "error is not a list"],
    ],
    emptied: [
      ...[0, 1].map(
        (document) =>
          [
            document,
            '{"error":["EGeneral:Too many requests"]}',
            'Kraken reports "EGeneral:Too many requests"',
          ] as const,
      ),
      [1, '{"error":[]}', "result is not an object"],
    ],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/rba.yml.
  // Without its index and a currency that it no longer states.
  rba: {
    files: ["rba.csv"],
    figures: "AUD/USD 0.7088, AUD/JPY 112.27, AUD/IDR 12039, AUD/XDR 0.5217",
    asOf: "2026-03-20T05:00",
    moved: [
      ["20-Mar-2026", "20-Jul-2025", "2026-03-19T05:00"],
      ["-Mar-2026", "-Jul-2025", "2025-07-20T06:00"],
    ],
    changed: [
      ["Units,USD,Index,JPY,IDR,AED,SDR", "Units,USD,Index,JPY,IDR", unknown("FXRSDR", "AUD/XDR")],
    ],
    digits: { "AUD/USD": "0.7088" },
    missing: [
      ["Units,", "Unit,", "no line of Units or of Series ID"],
      ["Series ID,", "Series,", "no line of Units or of Series ID"],
    ],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/banrep.yml.
  sfc: {
    files: ["sfc.json.txt"],
    figures: "USD/COP 3704.87",
    asOf: "2026-03-21T05:00",
    changed: [['hasta":"2026-03-24T', 'hasta":"24/03/2026T', noDate("USD/COP"), "USD/COP 3692.48"]],
    digits: { "USD/COP": "3704.87" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/bcra.yml.
  // What is no currency is left out.
  bcra: {
    files: ["bcra.json.txt"],
    figures: "MXN/ARS 78.43832100, USD/ARS 1394.50000000, VND/ARS 0.05304096500",
    asOf: "2026-03-19T20:00",
    changed: [["C/1.000 U", "C/1.500 U", units("VND/ARS")]],
    digits: { "VND/ARS": "53.04096500" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/hkma.yml.
  // A rate for each column of a currency, without the indices.
  hkma: {
    files: ["hkma.json.txt"],
    figures:
      "USD/HKD 7.8245000000000005, GBP/HKD 10.549, JPY/HKD 0.05012, CAD/HKD 5.7355, " +
      "AUD/HKD 5.5855, SGD/HKD 6.1855, TWD/HKD 0.255, CHF/HKD 10.169, CNY/HKD 1.14015, " +
      "KRW/HKD 0.005433, THB/HKD 0.25235, MYR/HKD 2.01045, EUR/HKD 9.245, PHP/HKD 0.1345, " +
      "INR/HKD 0.0855, IDR/HKD 0.0004666, ZAR/HKD 0.4915",
    asOf: "2026-02-28T09:00",
    changed: [['"jpy":0.05012', '"jpy":{}', noRate("JPY/HKD"), "JPY/HKD 0.05015"]],
    digits: { "USD/HKD": "7.8245000000000005" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/amcm.yml.
  // The measure of liquidity is left out.
  amcm: {
    files: ["amcm.json.txt"],
    figures: "GBP/MOP 10.8350, JPY/MOP 0.050727, USD/MOP 8.0705",
    asOf: "2026-05-22T09:00",
    // The day before is in the same response.
    changed: [['"8.0705"', "null", noRate("USD/MOP"), "USD/MOP 8.0671"]],
    digits: { "JPY/MOP": '"usdMean":"5.0727"' },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/sarb.yml.
  // The newest day of each series, in its own direction.
  sarb: {
    files: ["sarb-usd.json.txt", "sarb-gbp.json.txt", "sarb-eur.json.txt", "sarb-jpy.json.txt"],
    figures: "USD/ZAR 17.1302, GBP/ZAR 22.8173, EUR/ZAR 19.7408, ZAR/JPY 9.3324",
    asOf: "2026-03-27T08:30",
    changed: [['"Value":9.3324', '"Value":null', noRate("ZAR/JPY"), "ZAR/JPY 9.3581"]],
    fails: [['"Rand per Euro"', '"Rand per Ecu"', '"Rand per Ecu" names no currency']],
    digits: { "USD/ZAR": "17.1302" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/bnm.yml.
  bnm: {
    files: ["bnm.json.txt"],
    figures:
      "INR/MYR 0.042244000000000002 middle, INR/MYR 0.042199999999999998 buying, " +
      "INR/MYR 0.042289000000000003 selling, XDR/MYR 5.3537999999999997 middle, " +
      "JPY/MYR 0.024596 middle, JPY/MYR 0.024575999999999998 buying, JPY/MYR 0.024615 selling, " +
      "USD/MYR 3.9300000000000002 middle, USD/MYR 3.927 buying, " +
      "USD/MYR 3.9329999999999998 selling",
    asOf: "2026-03-19T01:00",
    digits: { "JPY/MYR": '"middle_rate":2.4596' },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/bcb.yml.
  // Dated by its bulletin in Brasília, which has no summer time.
  bcb: {
    files: "aud cad chf dkk eur gbp jpy nok sek usd".split(" ").map((of) => `bcb-${of}.json.txt`),
    figures:
      "AUD/BRL 3.70320 buying, AUD/BRL 3.70460 selling, CAD/BRL 3.87970 buying, " +
      "CAD/BRL 3.88120 selling, CHF/BRL 6.77930 buying, CHF/BRL 6.78530 selling, " +
      "DKK/BRL 0.81930 buying, DKK/BRL 0.81950 selling, EUR/BRL 6.12200 buying, " +
      "EUR/BRL 6.12380 selling, GBP/BRL 7.06260 buying, GBP/BRL 7.06500 selling, " +
      "JPY/BRL 0.03355 buying, JPY/BRL 0.03355 selling, NOK/BRL 0.55010 buying, " +
      "NOK/BRL 0.55040 selling, SEK/BRL 0.57390 buying, SEK/BRL 0.57410 selling, " +
      "USD/BRL 5.28720 buying, USD/BRL 5.28780 selling",
    asOf: "2026-03-06T16:10:27.63",
    digits: { "AUD/BRL": "3.70320" },
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/banxico.yml.
  // The pesos of the last day, in Mexico City, which has no summer time.
  banxico: {
    files: ["banxico.json.txt"],
    figures: "USD/MXN 17.9218, JPY/MXN 0.1125, EUR/MXN 20.5536, CAD/MXN 13.0259, GBP/MXN 23.7562",
    asOf: "2026-03-13T18:00",
    changed: [
      ["SF43718", "SF1", unknown("SF1", "USD/MXN")],
      // A thousands separator is no decimal comma.
      ['"dato":"17.9218"', '"dato":"1,017.9218"', without("USD/MXN"), "USD/MXN 1017.9218"],
      // A day for which it has no figure.
      ['"dato":"17.9218"', '"dato":"N/E"', without("USD/MXN"), "USD/MXN 17.8368"],
    ],
    digits: { "USD/MXN": "17.9218" },
    missing: [['"datos"', '"data"', "datos is not a list"]],
  },
  // The Fund's file in JavaMoney/jsr354-ri dd0e4bf3, moneta-convert-imf, rms_five.tsv.
  // Both directions as it states them; the column of the 30th is still empty.
  imf: {
    files: ["imf.tsv"],
    figures:
      "EUR/XDR 0.8041440000, USD/XDR 0.7401230000, AUD/XDR 0.5260050000, " +
      "KRW/XDR 0.0006010420, XDR/EUR 1.243560, XDR/USD 1.351130, XDR/AUD 1.901120, " +
      "XDR/KRW 1663.780000",
    asOf: "2023-01-27T17:00",
    moved: [["January 27, 2023", "July 3, 2023", "2023-07-03T16:00"]],
    changed: [
      // A rate that is not available is that of the day before, and no fault.
      ["\t0.8041440000", "\tNA", without("EUR/XDR"), "EUR/XDR 0.8055110000"],
      ["0.8041440000", "0,8041440000", noRate("EUR/XDR"), "EUR/XDR 0.8055110000"],
      ["Korean won", "Korean new won", unknown("Korean new won", "KRW/XDR", "XDR/KRW")],
    ],
    digits: { "USD/XDR": "0.7401230000" },
    missing: [["SDRs per Currency unit (2)", "SDR rates", 'a table is named "SDR rates"']],
  },
  // Recorded in dfinity/exchange-rate-canister 4cff1e5c, test-data/forex/bank-of-israel.xml, without
  // its header.
  boi: {
    files: ["boi.xml"],
    figures: "EGP/ILS 0.1296, LBP/ILS 0.00233, USD/ILS 3.529, JPY/ILS 0.026603",
    asOf: "2023-01-05T13:30",
    moved: [["2023-01-05", "2023-07-05", "2023-07-05T12:30"]],
    digits: { "JPY/ILS": "2.6603" },
  },
  // Recorded in lineofflight/frankfurter 5653941e, spec/vcr_cassettes/boj.yml.
  // Tokyo has no summer time. Days without a value, or without one yet, are null.
  boj: {
    files: ["boj.json.txt"],
    figures: "USD/JPY 159.95, EUR/USD 1.1518",
    asOf: "2026-03-27T08:00",
    changed: [
      ["FXERD34", "FXERD02", unknown("FXERD02", "EUR/USD")],
      ["159.95,", "[],", noRate("USD/JPY"), "USD/JPY 159.5"],
    ],
    fails: [['"NEXTPOSITION":null', '"NEXTPOSITION":3', "the response is a page of several"]],
    digits: { "USD/JPY": "159.95" },
    missing: [["SURVEY_DATES", "DATES", "SURVEY_DATES is not a list"]],
  },
  // Recorded in lineofflight/frankfurter 6edb7004, spec/vcr_cassettes/cbc.yml.
  // Taipei has no summer time. The mark has ended.
  cbc: {
    files: ["cbc.json.txt"],
    figures: "USD/TWD 31.251, GBP/USD 1.3547, EUR/USD 1.1816, USD/VND 26074.5",
    asOf: "2026-02-26T08:00",
    changed: [
      ["歐元USD/EUR", "歐元EUR/USD", without("EUR/USD"), "USD/EUR 1.1816"],
      ["越南盾VND/USD", "越南盾", unknown("越南盾", "USD/VND")],
    ],
    digits: { "USD/TWD": "31.251" },
    missing: [["Table1", "Table", "Table1 is not a list"]],
  },
  // Recorded in lineofflight/frankfurter 03912ed9, spec/vcr_cassettes/bam.yml. In Ramadan, which
  // ended on 19 March 2026, the clocks are an hour behind the rest of the year.
  bam: {
    files: ["bam-25.json.txt", "bam-26.json.txt"],
    figures:
      "NOK/MAD 0.96443, JPY/MAD 0.058475, DZD/MAD 0.07024, EUR/MAD 10.7729, MRU/MAD 0.23569, " +
      "USD/MAD 9.3261",
    asOf: "2026-03-26T11:30",
    moved: [
      ["2026-03-2", "2026-03-1", "2026-03-16T12:30"],
      ["2026-03-2", "2026-07-2", "2026-07-26T11:30"],
    ],
    digits: { "JPY/MAD": "5.8475" },
  },
  // The Board's file as cut down in FasdAR/ratex, FedTestData.kt.
  frb: {
    files: ["frb.csv"],
    figures: "AUD/USD 0.6953, EUR/USD 1.1259, USD/JPY 157.8100, USD/VES 864.3948",
    asOf: "2026-10-02T16:00",
    moved: [["2026-10-02", "2026-12-02", "2026-12-02T17:00"]],
    changed: [
      ["157.8100", "ND", without("USD/JPY"), "USD/JPY 157.6300"],
      ["RXI_N.B.JA", "JRXWTFB_N.B", unknown("JRXWTFB_N.B", "USD/JPY")],
      ["2026-10-0", "2021-09-0", without("USD/VES")],
    ],
    digits: { "USD/JPY": "157.8100" },
    missing: [["Time Period", "Date", "no Time Period"]],
  },
  // Recorded in lineofflight/frankfurter d2a6f061, spec/vcr_cassettes/mas.yml.
  // Singapore has no summer time. The year and the month are in the first row alone.
  mas: {
    files: ["mas.csv"],
    figures: "EUR/SGD 1.4811, USD/SGD 1.2913, AUD/SGD 0.8844, JPY/SGD 0.008085, VND/SGD 0.00004902",
    asOf: "2026-03-31T04:00",
    changed: [
      [",0.8085,", ",,", without("JPY/SGD"), "JPY/SGD 0.008091"],
      ["100 Units of Vietnamese", "12 Units of Vietnamese", units("VND/SGD")],
      ["Per Unit of US Dollar", "Per Unit of Dollar", unknown("?/SGD", "USD/SGD")],
    ],
    digits: { "JPY/SGD": "0.8085" },
    missing: [["End of Period,", "End of Month,", "no End of Period"]],
    fails: [["as of noon", "at noon", "the last note is missing"]],
  },
};
