import { noDate, noRate, type Row, units, unknown, without } from "./row.ts";

/** Central banks of emerging markets. */
export const emerging: Readonly<Record<string, Row>> = {
  // Recorded in lineofflight/frankfurter 8b4f8fd6, spec/vcr_cassettes/cfets.yml.
  // Each pair in the direction that its name has; Shanghai has no summer time.
  cfets: {
    files: ["cfets.json.txt"],
    figures:
      "USD/CNY 6.7787, EUR/CNY 7.8397, JPY/CNY 0.043135, HKD/CNY 0.86458, CNY/KRW 202.07, " +
      "CNY/SAR 0.55733, CNY/TRY 7.17587",
    asOf: "2026-09-04T01:15",
    changed: [
      ["100JPY", "150JPY", units("JPY/CNY")],
      ["HKD/CNY", "HKDCNY", unknown("HKDCNY", "HKD/CNY")],
      // A pair that has no parity on a day.
      ['"202.07"', '"---"', without("CNY/KRW"), "CNY/KRW 202.29"],
      [',"7.17587"]', "]", noRate("CNY/TRY"), "CNY/TRY 7.15458"],
    ],
    digits: { "JPY/CNY": "4.3135" },
    missing: [['"values"', '"rates"', "values is not a list"]],
  },
  // Recorded in lineofflight/frankfurter 92b929c8, spec/vcr_cassettes/bot.yml.
  // The rates for transfers; Bangkok has no summer time.
  bot: {
    files: ["bot.json.txt"],
    figures:
      "USD/THB 32.6448000 middle, USD/THB 32.4857000 buying, USD/THB 32.8039000 selling, " +
      "JPY/THB 0.204832000 middle, JPY/THB 0.201923000 buying, JPY/THB 0.207740000 selling, " +
      "IDR/THB 0.0019296000 middle, IDR/THB 0.0018430000 buying, IDR/THB 0.0020161000 selling",
    asOf: "2026-04-03T11:00",
    changed: [["(100 YEN)", "(12 YEN)", units("JPY/THB")]],
    digits: { "JPY/THB": '"mid_rate":"20.4832000"' },
  },
  // Recorded in lineofflight/frankfurter 3859c55d, spec/vcr_cassettes/cbn.yml.
  // Lagos has no summer time.
  cbn: {
    files: ["cbn.json.txt"],
    figures:
      "CNY/NGN 201.5942 middle, CNY/NGN 201.5207 buying, CNY/NGN 201.6676 selling, " +
      "EUR/NGN 1590.1997 middle, EUR/NGN 1589.6201 buying, EUR/NGN 1590.7793 selling, " +
      "SAR/NGN 365.5425 middle, SAR/NGN 365.4093 buying, SAR/NGN 365.6757 selling, " +
      "XDR/NGN 1884.0410 middle, XDR/NGN 1883.3543 buying, XDR/NGN 1884.7277 selling, " +
      "USD/NGN 1371.8079 middle, USD/NGN 1371.3079 buying, USD/NGN 1372.3079 selling",
    asOf: "2026-05-21T16:00",
    changed: [
      ['"SDR"', '"GHANA CEDI"', unknown("GHANA CEDI", "XDR/NGN")],
      // Of one kind: the others stay.
      [
        '"1590.1997"',
        "null",
        noRate("EUR/NGN"),
        "EUR/NGN 1591.9489 middle, EUR/NGN 1589.6201 buying, EUR/NGN 1590.7793 selling",
      ],
      [
        'YUAN/RENMINBI","ratedate":"2026-05-21',
        'YUAN/RENMINBI","ratedate":"21 May',
        noDate("CNY/NGN"),
      ],
      // Older than 31 days before the newest: its history is not read every day.
      ['RIYAL","ratedate":"2026-05-21', 'RIYAL","ratedate":"2026-04-19', without("SAR/NGN")],
    ],
    digits: { "EUR/NGN": "1590.1997" },
  },
  // Recorded in lineofflight/frankfurter 95e3eeb4, spec/vcr_cassettes/cbk.yml.
  // The neighbors' currencies per shilling; Nairobi has no summer time.
  cbk: {
    files: ["cbk.json.txt"],
    figures:
      "USD/KES 129.5200, JPY/KES 0.812000, KES/UGX 29.0900, KES/TZS 20.1100, CAD/KES 94.5400, " +
      "SAR/KES 34.5000",
    asOf: "2026-03-19T06:00",
    changed: [
      ["JPY (100)", "JPY (12)", units("JPY/KES")],
      ["JPY (100)", "YEN (100)", unknown("YEN (100)", "JPY/KES")],
    ],
    digits: { "JPY/KES": "81.2000" },
  },
  // Recorded in dfinity/exchange-rate-canister ec1acf85, src/xrc/test-data/forex.
  // From midnight in Kathmandu, which has no summer time.
  nrb: {
    files: ["nrb.json.txt"],
    figures:
      "INR/NPR 1.6000 buying, INR/NPR 1.6015 selling, USD/NPR 125.05 buying, " +
      "USD/NPR 125.65 selling, JPY/NPR 0.925 buying, JPY/NPR 0.929 selling, " +
      "QAR/NPR 34.20 buying, QAR/NPR 34.36 selling",
    asOf: "2022-06-27T18:15",
    digits: { "INR/NPR": '"buy":"160.00"' },
    missing: [['"rates"', '"rows"', "rates is not a list"]],
  },
  // Recorded in lineofflight/frankfurter ec9b5099, spec/vcr_cassettes/bcrp.yml.
  // The last day has no figure yet; Lima has no summer time.
  bcrp: {
    files: ["bcrp.json.txt"],
    figures: "USD/PEN 3.351 buying, USD/PEN 3.372 selling",
    asOf: "2026-09-07T23:00",
    moved: [
      ["Set", "Jan", "2026-01-07T23:00"],
      ["Set", "Ene", "2026-01-07T23:00"],
      ["Set.26", "Ago.97", "1997-08-07T23:00"],
    ],
    changed: [
      ['"3.351"', "null", noRate("USD/PEN"), "USD/PEN 3.36 buying, USD/PEN 3.372 selling"],
      ["07.Set.26", "07.Sep.2026", noDate("USD/PEN"), "USD/PEN 3.36 buying, USD/PEN 3.369 selling"],
      [
        '"Tipo de cambio - TC Sistema bancario SBS (S/ por US$) - Venta"',
        '"TC SBS - Venta"',
        unknown("TC SBS - Venta", "USD/PEN"),
        "USD/PEN 3.351 buying",
      ],
    ],
    digits: { "USD/PEN": "3.351" },
    missing: [['"values"', '"rates"', "values is not a list"]],
  },
  // Recorded in lineofflight/frankfurter 52124108, spec/vcr_cassettes/bcch.yml.
  // In effect from midnight in Santiago, which has summer time in March.
  bcch: {
    files: "usd eur gbp jpy cad aud cny brl".split(" ").map((of) => `bcch-${of}.json.txt`),
    figures:
      "USD/CLP 909.94, EUR/CLP 1048.68, GBP/CLP 1215.36, JPY/CLP 5.71, CAD/CLP 667.8, " +
      "AUD/CLP 644.94, CNY/CLP 132.28, BRL/CLP 174.59",
    asOf: "2026-03-13T03:00",
    moved: [["-03-2026", "-07-2026", "2026-07-13T04:00"]],
    fails: [
      ["F073.TCO.PRE.Z.D", "F073.TCO", '"F073.TCO" names no currency'],
      [
        '"Codigo":0,"Descripcion":"Success"',
        '"Codigo":-5,"Descripcion":"No"',
        'the bank reports "No"',
      ],
    ],
    digits: { "EUR/CLP": "1048.68" },
  },
  // Recorded in lineofflight/frankfurter cecb77a2, spec/vcr_cassettes/nbe.yml.
  // The dollar's average is its buying rate; Addis Ababa has no summer time.
  nbe: {
    files: ["nbe-old.json.txt", "nbe-new.json.txt"],
    figures:
      "USD/ETB 157.5889 middle, USD/ETB 157.5889 buying, USD/ETB 159.1648 selling, " +
      "KWD/ETB 516.1343 middle, KWD/ETB 513.5665 buying, KWD/ETB 518.7021 selling, " +
      "XDR/ETB 216.7071 middle, XDR/ETB 215.6289 buying, XDR/ETB 217.7852 selling, " +
      "KES/ETB 1.2304 middle, KES/ETB 1.2122 buying, KES/ETB 1.2486 selling",
    asOf: "2026-05-20T06:00",
    moved: [["2026-05-", "2025-12-", "2025-12-20T06:00"]],
    digits: { "KWD/ETB": "516.1343" },
  },
  // Recorded in lineofflight/frankfurter d85ac135, spec/vcr_cassettes/cbt.yml.
  // From midnight in Ashgabat, which has no summer time.
  cbt: {
    files: ["cbt.xml"],
    figures: "USD/TMT 3.5, IRR/TMT 0.00000265, XDR/TMT 4.7818, TWD/TMT 0.111005, JPY/TMT 0.022022",
    asOf: "2026-05-21T19:00",
    moved: [
      ["22.05.2026", "22.12.2025", "2025-12-21T19:00"],
      // As in its files until 2023.
      ["22.05.2026", "2023-05-22", "2023-05-21T19:00"],
    ],
    fails: [["22.05.2026", "22 maý", "date is not as in 20.05.2026"]],
    digits: { "TWD/TMT": "11.1005" },
  },
  // Recorded in lineofflight/frankfurter 73ce9300, spec/vcr_cassettes/bfm.yml.
  // Antananarivo has no summer time.
  bfm: {
    files: ["bfm-eur.json.txt", "bfm-usd.json.txt"],
    figures: "EUR/MGA 4983.29, USD/MGA 4391.53",
    asOf: "2026-09-23T11:45",
    digits: { "USD/MGA": "4391.53" },
    missing: [['"grapheData"', '"chart"', "no grapheData"]],
  },
  // Recorded in lineofflight/frankfurter 01559dfb, spec/vcr_cassettes/bis.yml.
  // The last days of months; of the areas with euros or Australian dollars one counts.
  bis: {
    files: ["bis.csv"],
    figures:
      "USD/EUR 0.960523, USD/VND 24726, USD/VES 64.085784, USD/SLE 22.6985, USD/XDR 0.763942, " +
      "USD/BRL 5.831524349246, USD/XOF 630.061473",
    asOf: "2025-02-28T22:59",
    moved: [
      ["2025-02", "2025-07", "2025-07-31T21:59"],
      ["2025-02", "2024-02", "2024-02-29T22:59, 2025-01-31T22:59"],
    ],
    changed: [
      ["0.960523,0,", "0.960523,3,", noRate("USD/EUR"), "USD/EUR 0.962186"],
      ["KI,AUD", "AU,AUD", without(), "USD/AUD 1.609269"],
      ["WA,XOF", "NE,XOF", without("USD/XOF")],
    ],
    digits: { "USD/BRL": "5.831524349246" },
  },
  // Recorded in velikodniy/hmrc-rates 4101460a, data/average/2026-03.csv and data/spot/2026-03.csv.
  // For the year that ended before the day in their address.
  "hmrc-average": {
    files: ["hmrc-average.csv"],
    figures:
      "GBP/AED 4.9131, GBP/XOF 759.2308, GBP/EUR 1.1574, GBP/IDR 22171.5641, GBP/SLE 30.5141, " +
      "GBP/TOP 3.2185, GBP/USD 1.3378, GBP/ZWG 35.6145",
    asOf: "2026-03-31T22:59",
    changed: [
      ["AED,0.2035,4.9131", "AED,0.2035,", noRate("GBP/AED")],
      ["USA,Dollar,USD", "Ecuador,Dollar,ECS", without()],
    ],
    digits: { "GBP/IDR": "22171.5641" },
  },
  "hmrc-spot": {
    files: ["hmrc-spot.csv"],
    figures: "GBP/EUR 1.1517, GBP/JPY 210.9827, GBP/CHF 1.0582, GBP/USD 1.3232",
    asOf: "2026-03-31T22:59",
    digits: { "GBP/JPY": "210.9827" },
  },
  // Recorded in j-ochmann/astro 4c908ce0, src/content/feed/raw/unore; of October, with summer time,
  // in TatsuhiroC/fend-offline 42f9e8dd, exchange-rates.xml.
  // A currency of several countries is one, and the dollar none.
  unore: {
    files: ["unore.xml"],
    figures:
      "USD/EUR 0.841, USD/BTN 90.59, USD/IDR 16822, USD/IRR 1330966.683, USD/KPW 110, " +
      "USD/VES 388.739, USD/ZWG 25.001",
    asOf: "2026-02-15T05:00",
    moved: [["15 Feb 2026", "01 Oct 2026", "2026-10-01T04:00"]],
    changed: [["<f_curr_code>BTN</f_curr_code>", "", unknown("Bhutan Ngultrum", "USD/BTN")]],
    digits: { "USD/IRR": "1330966.683" },
  },
};
