import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceLine } from "../../../src/rates/rules/rate.ts";
import { publishers } from "../../../src/sources/publishers/catalogue.ts";
import { type Publisher, requestsOf } from "../../../src/sources/publishers/publisher.ts";

/** A time when each of the recorded publications was known. */
export const RECEIVED_MS = Date.parse("2026-09-23T23:51:53.250Z");

/** A publisher's recorded response, and the changes of its layout that must be failures. */
interface Recorded {
  /** In `fixtures`. Named .txt: as .json the formatter would remove the trailing zeros. */
  readonly files: readonly string[];
  /** A member or column that is renamed, and the reason of the failure. */
  readonly missing?: readonly (readonly [from: string, to: string, reason: string])[];
  /** Something renamed in every row. */
  readonly renamed?: readonly [from: string, to: string];
  /** A body in the right layout without a rate. */
  readonly empty?: string;
}

const RECORDED: Readonly<Record<string, Recorded>> = {
  ecb: { files: ["ecb.xml"], renamed: ["currency=", "code="] },
  ust: {
    files: ["ust.json.txt"],
    missing: [['"data"', '"rows"', "data is not a list"]],
    renamed: ["exchange_rate", "rate"],
    empty: '{"data": [], "meta": {"count": 0}}',
  },
  cnb: {
    files: ["cnb.json.txt"],
    missing: [['"rates"', '"fixing"', "rates is not a list"]],
    renamed: ["currencyCode", "code"],
    empty: '{"rates": []}',
  },
  nbp: {
    files: ["nbp-a.json.txt", "nbp-b.json.txt"],
    missing: [
      ['"rates"', '"fixing"', "rates is not a list"],
      ['"effectiveDate"', '"date"', "effectiveDate is not a date"],
    ],
  },
  norges: {
    files: ["norges.csv"],
    missing: [
      ["UNIT_MULT", "MULTIPLIER", "no column UNIT_MULT"],
      ["TIME_PERIOD", "DATE", "no column TIME_PERIOD"],
    ],
    renamed: ["NOK,SP,", "NOK,SP,0,"],
    empty: `${readFixture("norges.csv").toString().split("\n", 1)}\n`,
  },
  boc: {
    files: ["boc.json.txt"],
    missing: [['"observations"', '"data"', "observations is not a list"]],
    renamed: ['"v"', '"value"'],
    empty: '{"observations": []}',
  },
  riksbank: { files: ["riksbank.json.txt"], renamed: ['"seriesId"', '"id"'], empty: "[]" },
  cbr: {
    files: ["cbr.xml"],
    renamed: ["Value>", "Rate>"],
    empty: '<ValCurs Date="14.03.2026" name="Foreign Currency Market"></ValCurs>',
  },
  kraken: {
    files: ["kraken-pairs.json.txt", "kraken-ticker.json.txt"],
    missing: [
      ['"result"', '"data"', "result is not an object"],
      ['"error"', '"errors"', "error is not a list"],
    ],
    renamed: ['"wsname"', '"name"'],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/bnr.yml.
  bnr: {
    files: ["bnr.xml"],
    missing: [["OrigCurrency", "Currency", "OrigCurrency is not RON"]],
    renamed: [" currency=", " code="],
    empty: "<DataSet><Body><OrigCurrency>RON</OrigCurrency></Body></DataSet>",
  },
  // Recorded in mayswind/ezbookkeeping 2e20df86, danmarks_national_bank_datasource_test.go.
  dnb: {
    files: ["dnb.xml"],
    missing: [["refcur", "currency", "refcur is not DKK"]],
    renamed: [" code=", " currency="],
    empty: '<exchangerates refcur="DKK"></exchangerates>',
  },
  // Recorded in florianv/exchanger 70f96e68, tests/Fixtures/Service/NationalBankOfGeorgia.
  nbg: {
    files: ["nbg.json.txt"],
    missing: [['"currencies"', '"rates"', "currencies is not a list"]],
    renamed: ['"rate"', '"value"'],
    empty: '[{"date": "2022-08-06T00:00:00.000Z", "currencies": []}]',
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/rba.yml.
  rba: {
    files: ["rba.csv"],
    missing: [
      ["Units,", "Unit,", "no line of Units or of Series ID"],
      ["Series ID,", "Series,", "no line of Units or of Series ID"],
    ],
    renamed: ["-Mar-", "-Mrz-"],
    empty: readFixture("rba.csv").toString().split("19-Mar", 1)[0] ?? "",
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbkr_live.yml.
  nbkr: {
    files: ["nbkr-daily.xml", "nbkr-weekly.xml"],
    missing: [[' Date="', ' Day="', "Date is not as in 25.04.2026"]],
    renamed: ["Value>", "Rate>"],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/banrep.yml.
  sfc: { files: ["sfc.json.txt"], renamed: ['"valor"', '"tasa"'], empty: "[]" },
  // Recorded in mayswind/ezbookkeeping 2e20df86, swiss_national_bank_datasource_test.go.
  snb: {
    files: ["snb.xml"],
    renamed: ["cb:value>", "cb:rate>"],
    empty: "<rss><channel></channel></rss>",
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbrb.yml.
  nbrb: {
    files: ["nbrb.json.txt"],
    renamed: ["Cur_OfficialRate", "Cur_Rate"],
    empty: "[]",
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/sbi.yml.
  sbi: {
    files: ["sbi-9.xml", "sbi-7.xml"],
    renamed: ["Value>", "Rate>"],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbu.yml.
  nbu: { files: ["nbu.json.txt"], renamed: ['"rate"', '"amount"'], empty: "[]" },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/cbu.yml.
  cbu: { files: ["cbu.json.txt"], renamed: ['"Rate"', '"Amount"'], empty: "[]" },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/bcra.yml.
  bcra: {
    files: ["bcra.json.txt"],
    missing: [['"detalle"', '"filas"', "detalle is not a list"]],
    renamed: ["tipoCotizacion", "cotizacion"],
    empty: '{"status":200,"results":{"fecha":null,"detalle":[]}}',
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/hkma.yml.
  hkma: {
    files: ["hkma.json.txt"],
    missing: [['"records"', '"rows"', "records is not a list"]],
    renamed: ["end_of_day", "date"],
    empty: '{"result":{"datasize":0,"records":[]}}',
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/amcm.yml.
  amcm: {
    files: ["amcm.json.txt"],
    missing: [['"data"', '"rows"', "data is not a list"]],
    renamed: ['"usdMean"', '"mean"'],
    empty: '{"message":"OK","data":[]}',
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbk.yml.
  nbk: {
    files: ["nbk.xml"],
    missing: [["date>", "day>", "date is not as in 01.04.2026"]],
    renamed: ["description>", "rate>"],
    empty: "<rates><date>01.04.2026</date></rates>",
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbm.yml.
  nbm: {
    files: ["nbm.xml"],
    missing: [[" Date=", " Day=", "Date is not as in 06.04.2026"]],
    renamed: ["Value>", "Rate>"],
    empty: '<ValCurs Date="06.04.2026"></ValCurs>',
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/nbrm.yml.
  nbrm: { files: ["nbrm.json.txt"], renamed: ["sreden", "rate"], empty: "[]" },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/cba.yml.
  cba: {
    files: ["cba.xml"],
    missing: [["ExchangeRatesLatestResult", "Result", "no ExchangeRatesLatestResult"]],
    renamed: ["Rate>", "Value>"],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/sarb.yml.
  sarb: {
    files: ["sarb-usd.json.txt", "sarb-gbp.json.txt", "sarb-eur.json.txt", "sarb-jpy.json.txt"],
    renamed: ['"Value"', '"Rate"'],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/hnb.yml.
  hnb: { files: ["hnb.json.txt"], renamed: ["_tecaj", "_rate"], empty: "[]" },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/bnm.yml.
  bnm: {
    files: ["bnm.json.txt"],
    missing: [['"data"', '"rows"', "data is not a list"]],
    renamed: ["_rate", "_quotation"],
    empty: '{"data":[],"meta":{}}',
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/mnb.yml.
  mnb: {
    files: ["mnb.xml"],
    missing: [["RatesResult", "RatesAnswer", "no GetExchangeRatesResult"]],
    renamed: ["curr=", "currency="],
    empty: readFixture("mnb.xml")
      .toString()
      .replace(/&lt;Day.*Day&gt;/, ""),
  },
  // Recorded in tillbooks/tillbooks f2f43717 and 434f715d, test/fx/fixtures.
  bazg: {
    files: ["bazg.xml"],
    missing: [["gueltigkeit", "validity", "gueltigkeit has no date as in 25.04.2026"]],
    renamed: ["waehrung", "currency"],
    empty: "<wechselkurse><gueltigkeit>25.07.2026</gueltigkeit></wechselkurse>",
  },
  "bazg-monthly": {
    files: ["bazg-monthly.xml"],
    missing: [["monat>", "month>", "monat is not as in 2026-04"]],
    renamed: ["kurs>", "rate>"],
    empty: "<monatsmittelkurs><monat>2026-08</monat></monatsmittelkurs>",
  },
  // Recorded in florianv/exchanger 70f96e68, tests/Fixtures/Service/CentralBankOfRepublicTurkey.
  tcmb: {
    files: ["tcmb.xml"],
    missing: [[" Tarih=", " Day=", "Tarih is not as in 25.04.2026"]],
    renamed: ["CurrencyCode=", "Code="],
    empty: '<Tarih_Date Tarih="15.03.2016"></Tarih_Date>',
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/bcb.yml.
  bcb: {
    files: "aud cad chf dkk eur gbp jpy nok sek usd".split(" ").map((of) => `bcb-${of}.json.txt`),
    missing: [['"value"', '"values"', "value is not a list"]],
    renamed: ["cotacao", "taxa"],
  },
  // Recorded in lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/banxico.yml.
  banxico: {
    files: ["banxico.json.txt"],
    missing: [
      ['"series"', '"serie"', "series is not a list"],
      ['"datos"', '"data"', "datos is not a list"],
    ],
    renamed: ['"idSerie"', '"id"'],
    empty: '{"bmx":{"series":[]}}',
  },
  // The Fund's file in JavaMoney/jsr354-ri dd0e4bf3, moneta-convert-imf, rms_five.tsv.
  imf: {
    files: ["imf.tsv"],
    missing: [["SDRs per Currency unit (2)", "SDR rates", 'a table is named "SDR rates"']],
    renamed: ["January", "Month"],
    empty: readFixture("imf.tsv")
      .toString()
      .replace(/^.*\t.*\n/gm, ""),
  },
  // Recorded in lineofflight/frankfurter 074be5ea, spec/vcr_cassettes/hmrc.yml.
  hmrc: {
    files: ["hmrc.csv"],
    missing: [
      ["Currency Units per £1", "Rate", "no column Currency Units per £1"],
      ["End date", "Until", "no column End date"],
    ],
    renamed: ["/2026", "-2026"],
    empty: `${readFixture("hmrc.csv").toString().split("\n", 1)}\n`,
  },
  // Recorded in lineofflight/frankfurter 6d316bdb, spec/vcr_cassettes/inforeuro.yml.
  inforeuro: {
    files: ["inforeuro.json.txt"],
    renamed: ['"isoA3Code"', '"code"'],
    empty: "[]",
  },
};

function readFixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, "fixtures", name));
}

export function recordedOf(key: string): Recorded {
  const recorded = RECORDED[key];
  if (recorded === undefined) throw new Error(`name a recorded response of ${key} in recorded.ts`);
  return recorded;
}

/** A body in the layout of each of the publisher's addresses, with a few of its rates. */
export function bodiesOf(key: string): readonly Buffer[] {
  return recordedOf(key).files.map(readFixture);
}

export function publisherOf(key: string): Publisher {
  const publisher = publishers.find((known) => known.key === key);
  if (publisher === undefined) throw new Error(`no publisher ${key}`);
  return publisher;
}

/** The addresses that the publisher's documents have on a day. */
export function addressesOf(key: string, nowMs = RECEIVED_MS): readonly string[] {
  return requestsOf(publisherOf(key), nowMs, "").map(({ address }) => address);
}

export function parse(
  key: string,
  bodies: readonly (string | Uint8Array)[] = bodiesOf(key),
  receivedMs = RECEIVED_MS,
): readonly SourceLine[] {
  const publisher = publisherOf(key);
  const addresses = addressesOf(key, receivedMs);
  return publisher.parse(
    bodies.map((body, index) => {
      return { address: addresses[index] ?? "", body: Buffer.from(body), receivedMs };
    }),
  );
}

/** Parses the publisher's bodies with one part, which must exist, replaced. */
export function parseWith(key: string, from: string, to: string): readonly SourceLine[] {
  let found = false;
  // Latin-1 keeps every byte unchanged, whatever the encoding of the body.
  const bytes = (text: string) => Buffer.from(text).toString("latin1");
  const bodies = bodiesOf(key).map((body) => {
    const text = body.toString("latin1");
    found ||= text.includes(bytes(from));
    return Buffer.from(text.replaceAll(bytes(from), bytes(to)), "latin1");
  });
  if (!found) throw new Error(`${key} has no ${from}`);
  return parse(key, bodies);
}

/** The quotations as `BASE/QUOTE rate`. */
export function figuresOf(lines: readonly SourceLine[]): readonly string[] {
  return lines.flatMap((line) =>
    "reason" in line ? [] : [`${line.base}/${line.quote} ${line.rate}`],
  );
}

/** The distinct times of the quotations, the earliest first. */
export function momentsOf(lines: readonly SourceLine[]): readonly string[] {
  const moments = lines.flatMap((line) => ("reason" in line ? [] : [line.asOf]));
  return [...new Set(moments)].sort();
}

/** The distinct kinds of the quotations, in alphabetical order. */
export function kindsOf(lines: readonly SourceLine[]): readonly string[] {
  return [...new Set(lines.map(({ kind = "middle" }) => kind))].sort();
}

/** The distinct periods of validity: the publisher's own date, and the last one. */
export function validityOf(lines: readonly SourceLine[]): readonly string[] {
  return [...new Set(lines.map(({ date, validUntil }) => `${date} to ${validUntil}`))].sort();
}

export function rejectionsOf(lines: readonly SourceLine[]): readonly string[] {
  return lines.flatMap((line) => ("reason" in line ? [line.reason] : []));
}
