import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ReadDocument } from "../../../src/provenance/document-reader.ts";
import type { SourcedRate } from "../../../src/rates/rules/update-policy.ts";
import { timestamp } from "../../../src/shared/instant.ts";
import { loadSnapshot } from "../../../src/sources/fetching/snapshot.ts";
import { addressesOf, bodiesOf, RECEIVED_MS } from "../../sources/publishers/recorded.ts";
import { documentReader } from "../../support/rates.ts";

const receivedAt = timestamp(RECEIVED_MS);

const documentsOf = (
  bodies: readonly (string | Uint8Array)[],
  addresses: readonly string[] = [],
): ReadDocument[] =>
  bodies.map((body, index) => {
    return { name: addresses[index] ?? "", content: Buffer.from(body), receivedAt };
  });

function ratesIn(source: string, documents: readonly ReadDocument[]): readonly SourcedRate[] {
  const rates = documentReader.ratesOf(source, documents);
  assert.ok(!("reason" in rates), JSON.stringify(rates));
  return [...rates.values()];
}

function positionOf(source: string, documents: readonly ReadDocument[], pair: string, place = 0) {
  const rate = ratesIn(source, documents).find(({ base, quote }) => `${base}/${quote}` === pair);
  assert.ok(rate !== undefined, pair);
  return documentReader.find(source, documents, { ...rate, place });
}

/** The digits from the first to the last that is not zero. */
const significant = (figure: string) => figure.replace(/[.,]/g, "").replace(/^0+|0+$/g, "");

/** How each publisher names a pair in the row, or the lines before it, that state its rate. */
const namesOf: Readonly<Record<string, (pair: SourcedRate) => string>> = {
  ecb: ({ quote }) => quote,
  ust: ({ quote }) => treasuryNames[quote] ?? quote,
  cnb: ({ base }) => base,
  nbp: ({ base }) => base,
  norges: ({ base }) => base,
  boc: ({ base, quote }) => `FX${base}${quote}`,
  riksbank: ({ base }) => `SEK${base}PMI`,
  cbr: ({ base }) => base,
  bnr: ({ base }) => base,
  dnb: ({ base }) => base,
  nbg: ({ base }) => base,
  rba: ({ quote }) => (quote === "XDR" ? "SDR" : quote),
  nbkr: ({ base }) => base,
  sfc: ({ quote }) => quote,
  snb: ({ base }) => base,
  nbrb: ({ base }) => base,
  sbi: ({ base }) => icelandicNames[base] ?? base,
  nbu: ({ base }) => base,
  cbu: ({ base }) => base,
  nbk: ({ base }) => base,
  nbm: ({ base }) => base,
  nbrm: ({ base }) => base,
  cba: ({ base }) => base,
  hnb: ({ quote }) => quote,
  bnm: ({ base }) => (base === "XDR" ? "SDR" : base),
  hkma: ({ base }) => base.toLowerCase(),
  amcm: ({ base }) => base,
  bcra: ({ base }) => (base === "MXN" ? "MXP" : base),
  sarb: ({ base }) => southAfricanNames[base] ?? base,
  mnb: ({ base }) => `"${base}"`,
  bazg: ({ base }) => base,
  "bazg-monthly": ({ base }) => base,
  tcmb: ({ base }) => base,
  imf: ({ base, quote }) => fundNames[base === "XDR" ? quote : base] ?? quote,
  hmrc: ({ quote }) => quote,
  inforeuro: ({ quote }) => quote,
  kraken: ({ base, quote }) => krakenNames[`${base}/${quote}`] ?? `${base}${quote}`,
};

const treasuryNames: Readonly<Record<string, string>> = {
  XOF: "Cfa Franc",
  MXN: "Mexico",
  TWD: "Taiwan-Dollar",
  EUR: "Euro Zone-Euro",
  CAD: "Canada-Dollar",
};

const icelandicNames: Readonly<Record<string, string>> = {
  USD: "Bandaríkjadalur",
  JPY: "Japanskt jen",
  KRW: "Suðurkóreskt vonn",
  HUF: "Ungversk forinta",
};

const southAfricanNames: Readonly<Record<string, string>> = {
  USD: "US Dollar",
  GBP: "British Pound",
  EUR: "Euro",
  ZAR: "Yen",
};

const fundNames: Readonly<Record<string, string>> = {
  AUD: "Australian dollar",
  EUR: "Euro",
  KRW: "Korean won",
  USD: "U.S. dollar",
};

const krakenNames: Readonly<Record<string, string>> = {
  "BTC/USD": "XXBTZUSD",
  "ETH/BTC": "XETHXXBT",
  "DOGE/EUR": "XDGEUR",
  "EUR/USD": "ZEURZUSD",
};

suite("every figure of every publisher is found", () => {
  for (const [key, nameOf] of Object.entries(namesOf)) {
    test(`${key}: the line has the figure's digits, and its currency's name is near`, () => {
      const documents = documentsOf(bodiesOf(key), addressesOf(key));
      const rates = ratesIn(key, documents);
      assert.notEqual(rates.length, 0);
      for (const rate of rates) {
        // The place comes with the line of a fetch; here it is the document that has the figure.
        const found = documents.flatMap((document, place) => {
          const position = documentReader.find(key, documents, { ...rate, place });
          return position === undefined ? [] : [{ document, position }];
        });
        assert.equal(found.length, 1, `${rate.base}/${rate.quote} ${rate.rate}`);
        for (const { document, position } of found) checkPosition(document, position, rate, nameOf);
      }
    });
  }
});

function checkPosition(
  { content }: ReadDocument,
  position: NonNullable<ReturnType<typeof documentReader.find>>,
  rate: SourcedRate,
  nameOf: (pair: SourcedRate) => string,
): void {
  const { line, column, text, figure, offset } = position;
  const encoding = Buffer.from(content).includes("windows-1251") ? "windows-1251" : "utf-8";
  const lines = new TextDecoder(encoding).decode(content).split("\n");
  const whole = lines[line - 1] ?? "";
  assert.equal(whole.slice(column - 1, column - 1 + figure.length), figure);
  assert.equal(text.slice(offset, offset + figure.length), figure);
  assert.ok(text.length <= 162, text);
  assert.ok(significant(rate.rate).endsWith(significant(figure)), `${figure} for ${rate.rate}`);
  // The member or element that names the currency comes at most eight lines earlier.
  const near = [...lines.slice(Math.max(line - 9, 0), line), lines[line] ?? ""].join("\n");
  assert.ok(near.includes(nameOf(rate)), `${nameOf(rate)} is not near line ${line}: ${near}`);
}

test("every rate of the snapshot is found in the line that names its pair", () => {
  const documents = documentsOf([loadSnapshot().content]);
  for (const rate of ratesIn("snapshot", documents)) {
    const position = documentReader.find("snapshot", documents, { ...rate, place: 0 });
    assert.match(
      position?.text ?? "",
      new RegExp(`\\["${rate.base}", "${rate.quote}", "${rate.rate.replace(".", "\\.")}"\\]`),
    );
    assert.equal(position?.figure, rate.rate);
  }
});

const xml = (cubes: string) => `<E><Cube time="2026-01-01">${cubes}</Cube></E>`;

test("of two currencies with the same digits, each is found in its own place", () => {
  const rows = '<Cube currency="USD" rate="1.1"/>\n<Cube currency="GBP" rate="1.1"/>';
  const documents = documentsOf([xml(rows)]);
  assert.equal(positionOf("ecb", documents, "EUR/USD")?.line, 1);
  assert.equal(positionOf("ecb", documents, "EUR/GBP")?.line, 2);
});

test("a figure that is stated twice is found where it is first", () => {
  const row = '<Cube currency="USD" rate="1.1476"/>';
  assert.equal(positionOf("ecb", documentsOf([xml(`${row}\n${row}`)]), "EUR/USD")?.line, 1);
});

test("a rate of 1 is found among amounts, dates and counts with the same digit", () => {
  const row = (code: string, amount: number, rate: string) =>
    `{"validFor":"2026-01-01","order":1,"amount":${amount},"currencyCode":"${code}","rate":${rate}}`;
  const rows = [row("EUR", 1, "24.170"), row("HUF", 100, "1.000"), row("USD", 1, "1")];
  const documents = documentsOf([`{"rates":[\n${rows.join(",\n")}\n]}`]);

  const huf = positionOf("cnb", documents, "HUF/CZK");
  assert.deepEqual([huf?.line, huf?.figure], [3, "1.000"]);
  const usd = positionOf("cnb", documents, "USD/CZK");
  assert.deepEqual([usd?.line, usd?.figure, usd?.text.slice(usd.offset)], [4, "1", "1}"]);
});

test("a document in one line shows 160 characters around the figure", () => {
  const names = Array.from(
    { length: 2000 },
    (_, index) => `${String.fromCharCode(65 + (index % 26))}`,
  );
  const cubes = names.map(
    (name, index) => `<Cube currency="${name}${index}" rate="${index + 1}.25"/>`,
  );
  const documents = documentsOf([xml(cubes.join(""))]);

  const position = positionOf("ecb", documents, `EUR/${names[1000]}1000`);

  assert.equal(position?.line, 1);
  assert.equal(position?.figure, "1001.25");
  assert.equal(position?.text.length, 162);
  assert.match(position?.text ?? "", /^….*rate="1001\.25".*…$/);
});

test("tabs and carriage returns around a figure are shown as spaces", () => {
  const row = '\t<Cube\tcurrency="USD" rate="1.1476"/>\r';
  const position = positionOf("ecb", documentsOf([xml(`\n${row}\n`)]), "EUR/USD");
  assert.equal(position?.text, '<Cube currency="USD" rate="1.1476"/>');
  assert.deepEqual([position?.line, position?.column], [2, 29]);
});

test("a figure that the document does not state is not found", () => {
  const documents = documentsOf([xml('<Cube currency="USD" rate="1.1476"/>')]);
  const [rate] = ratesIn("ecb", documents);
  assert.ok(rate !== undefined);
  const other = { ...rate, rate: "1.1477" as typeof rate.rate, place: 0 };
  assert.equal(documentReader.find("ecb", documents, other), undefined);
});

test("documents of an unknown publisher, or not in its format, have a reason", () => {
  assert.deepEqual(documentReader.ratesOf("nobody", documentsOf(["1"])), {
    reason: "this version does not know nobody",
  });
  assert.match(
    JSON.stringify(documentReader.ratesOf("cnb", documentsOf(["<html>"]))),
    /the body is not JSON/,
  );
  assert.match(JSON.stringify(documentReader.ratesOf("snapshot", documentsOf(["{"]))), /reason/);
});

test("of a source with several kinds, a document states the served one", () => {
  const stated = (key: string, pair: string) => {
    const documents = documentsOf(bodiesOf(key), addressesOf(key));
    return ratesIn(key, documents).find(({ base, quote }) => `${base}/${quote}` === pair)?.rate;
  };
  assert.equal(stated("tcmb", "USD/TRY"), "2.8852");
  assert.equal(stated("bcb", "USD/BRL"), "5.28780");
});
