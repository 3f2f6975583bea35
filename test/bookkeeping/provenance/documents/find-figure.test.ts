import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type {
  FigurePosition,
  ReadDocument,
} from "../../../../src/bookkeeping/provenance/document-reader.ts";
import { findFigures } from "../../../../src/bookkeeping/provenance/documents/find-figure.ts";
import type { Decimal } from "../../../../src/platform/shared/decimal.ts";
import { timestamp } from "../../../../src/platform/shared/instant.ts";
import { ANY_TIME, parseQuotation } from "../../../../src/rates/served/rules/rate.ts";
import type { SourcedRate } from "../../../../src/rates/served/rules/update-policy.ts";
import { loadSnapshot, parseSnapshot } from "../../../../src/rates/sources/fetching/snapshot.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";
import {
  addressesOf,
  bodiesOf,
  publisherOf,
  RECEIVED_MS,
} from "../../../rates/sources/publishers/recorded.ts";
import { documentReader } from "../../../support/rates.ts";

const receivedAt = timestamp(RECEIVED_MS);

const documentsOf = (
  bodies: readonly (string | Uint8Array)[],
  addresses: readonly string[] = [],
): ReadDocument[] =>
  bodies.map((body, index) => {
    return { name: addresses[index] ?? "", content: Buffer.from(body), receivedAt };
  });

/** The lines that the documents state, with the key of their source. */
function linesIn(source: string, documents: readonly ReadDocument[]) {
  if (source === "snapshot") {
    return parseSnapshot(documents[0]?.content ?? new Uint8Array()).flatMap((one) =>
      one.quotations.map((line) => ({ line, source: one.source })),
    );
  }
  const responses = documents.map(({ name: address, content: body }) => ({
    address,
    body,
    receivedMs: RECEIVED_MS,
  }));
  return publisherOf(source)
    .parse(responses)
    .map((line) => ({ line, source }));
}

/** Every rate of the documents, which the reader finds stated. */
function ratesIn(source: string, documents: readonly ReadDocument[]): readonly SourcedRate[] {
  const stated = documentReader.figuresOf(source, documents);
  assert.ok(!("reason" in stated), JSON.stringify(stated));
  const rates = linesIn(source, documents).flatMap(({ line, source: key }) => {
    if ("reason" in line) return [];
    const rate = parseQuotation(line, ANY_TIME);
    assert.ok(!("reason" in rate), JSON.stringify(rate));
    return [{ ...line, ...rate, source: key }];
  });
  // Where two publications of the snapshot state a pair, each is a figure of its own source.
  for (const rate of rates) assert.equal(stated.get(rate)?.rate, rate.rate);
  return rates;
}

function positionOf(
  source: string,
  documents: readonly ReadDocument[],
  pair: string,
  place = 0,
): FigurePosition {
  const rate = ratesIn(source, documents).find(({ base, quote }) => `${base}/${quote}` === pair);
  assert.ok(rate !== undefined, pair);
  return found(documentReader.find(source, documents, [{ ...rate, place }])[0]);
}

function found(
  position: ReturnType<typeof documentReader.find>[number] | undefined,
): FigurePosition {
  assert.ok(typeof position === "object", JSON.stringify(position));
  return position;
}

/** The digits from the first to the last that is not zero. */
const significant = (figure: string) => figure.replace(/[.,]/g, "").replace(/^0+|0+$/g, "");

/** The figures that a publisher's documents state, with one place of one of them replaced. */
function changedAt(
  key: string,
  documents: readonly ReadDocument[],
  place: number,
  { line, column, figure }: FigurePosition,
) {
  const changed = documents.map((document, index) => {
    if (index !== place) return document;
    // Latin-1 keeps every byte unchanged, and a column counts characters.
    const encoding = Buffer.from(document.content).includes("windows-1251") ? "latin1" : "utf8";
    const lines = Buffer.from(document.content).toString(encoding).split("\n");
    const text = lines[line - 1] ?? "";
    assert.equal(text.slice(column - 1, column - 1 + figure.length), figure);
    const other = figure.replace(/[1-9](?=[^1-9]*$)/, (digit) => String((Number(digit) % 9) + 1));
    const rest = text.slice(column - 1 + figure.length);
    lines[line - 1] = text.slice(0, column - 1) + other + rest;
    return { ...document, content: Buffer.from(lines.join("\n"), encoding) };
  });
  return ratesIn(key, changed);
}

suite("every figure of every publisher is found", () => {
  const nameOf = ({ base, quote, kind, asOf }: ReturnType<typeof ratesIn>[number]) =>
    `${base}/${quote} ${kind} ${asOf}`;
  for (const { key } of publishers) {
    test(`${key}: another digit in its place is another rate of its pair alone`, () => {
      const documents = documentsOf(bodiesOf(key), addressesOf(key));
      const rates = ratesIn(key, documents);
      assert.notEqual(rates.length, 0);
      for (const rate of rates) {
        // The place comes with the line of a fetch; here it is the document that has the figure.
        const places = documents.flatMap((_, place) => {
          const [position] = documentReader.find(key, documents, [{ ...rate, place }]);
          return typeof position !== "object" ? [] : [{ place, position }];
        });
        const [{ place, position } = assert.fail(nameOf(rate)), ...others] = places;
        assert.deepEqual(others, []);
        const { text, figure, offset } = position;
        assert.equal(text.slice(offset, offset + figure.length), figure);
        assert.ok(text.length <= 162, text);
        assert.ok(significant(rate.rate).endsWith(significant(figure)), `${figure}: ${rate.rate}`);
        const stated = new Map(rates.map((one) => [nameOf(one), one.rate]));
        const changed = changedAt(key, documents, place, position);
        const different = changed.filter((one) => one.rate !== stated.get(nameOf(one)));
        assert.deepEqual(different.map(nameOf), [nameOf(rate)]);
      }
    });
  }
});

test("every rate of the snapshot is found in the line that names its pair", () => {
  const documents = documentsOf([loadSnapshot().content]);
  for (const rate of ratesIn("snapshot", documents)) {
    const position = found(documentReader.find("snapshot", documents, [{ ...rate, place: 0 }])[0]);
    assert.match(
      position.text,
      new RegExp(`\\["${rate.base}", "${rate.quote}", "${rate.rate.replace(".", "\\.")}"\\]`),
    );
    assert.equal(position.figure, rate.rate);
  }
});

const xml = (cubes: string) => `<E><Cube time="2026-01-01">${cubes}</Cube></E>`;

test("of two currencies with the same digits, each is found in its own place", () => {
  const rows = '<Cube currency="USD" rate="1.1"/>\n<Cube currency="GBP" rate="1.1"/>';
  const documents = documentsOf([xml(rows)]);
  assert.equal(positionOf("ecb", documents, "EUR/USD").line, 1);
  assert.equal(positionOf("ecb", documents, "EUR/GBP").line, 2);
});

test("a figure that is stated twice is found where it is first", () => {
  const row = '<Cube currency="USD" rate="1.1476"/>';
  assert.equal(positionOf("ecb", documentsOf([xml(`${row}\n${row}`)]), "EUR/USD").line, 1);
});

test("a rate of 1 is found among amounts, dates and counts with the same digit", () => {
  const row = (code: string, amount: number, rate: string) =>
    `{"validFor":"2026-01-01","order":1,"amount":${amount},"currencyCode":"${code}","rate":${rate}}`;
  const rows = [row("EUR", 1, "24.170"), row("HUF", 100, "1.000"), row("USD", 1, "1")];
  const documents = documentsOf([`{"rates":[\n${rows.join(",\n")}\n]}`]);

  const huf = positionOf("cnb", documents, "HUF/CZK");
  assert.deepEqual([huf.line, huf.figure], [3, "1.000"]);
  const usd = positionOf("cnb", documents, "USD/CZK");
  assert.deepEqual([usd.line, usd.figure, usd.text.slice(usd.offset)], [4, "1", "1}"]);
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

  assert.equal(position.line, 1);
  assert.equal(position.figure, "1001.25");
  assert.equal(position.text.length, 162);
  assert.match(position.text ?? "", /^….*rate="1001\.25".*…$/);
});

test("tabs and carriage returns around a figure are shown as spaces", () => {
  const row = '\t<Cube\tcurrency="USD" rate="1.1476"/>\r';
  const position = positionOf("ecb", documentsOf([xml(`\n${row}\n`)]), "EUR/USD");
  assert.equal(position.text, '<Cube currency="USD" rate="1.1476"/>');
  assert.deepEqual([position.line, position.column], [2, 29]);
});

test("a figure that the document does not state is not found", () => {
  const documents = documentsOf([xml('<Cube currency="USD" rate="1.1476"/>')]);
  const [rate] = ratesIn("ecb", documents);
  assert.ok(rate !== undefined);
  const other = { ...rate, rate: "1.1477" as typeof rate.rate, place: 0 };
  assert.equal(documentReader.find("ecb", documents, [other])[0], "not stated");
});

test("documents of an unknown publisher, or not in its format, have a reason", () => {
  assert.deepEqual(documentReader.figuresOf("nobody", documentsOf(["1"])), {
    reason: "neither this version nor its SOURCES_FILE has nobody",
  });
  assert.match(
    JSON.stringify(documentReader.figuresOf("cnb", documentsOf(["<html>"]))),
    /it is an HTML page/,
  );
  assert.match(JSON.stringify(documentReader.figuresOf("snapshot", documentsOf(["{"]))), /reason/);
});

/** The days of an archive, each with the same figures of many currencies, one to a line. */
function findOne(
  content: Uint8Array,
  date: string,
  rateIn: (content: Uint8Array) => string | undefined,
) {
  const sought = { rate: "1.0876" as Decimal, date };
  return findFigures(content, [sought], (changed) => [rateIn(changed)])[0];
}

function archiveOf(days: number, lineOf: (date: string, currency: number) => string): Buffer {
  const dates = Array.from({ length: days }, (_, day) =>
    new Date(Date.UTC(1999, 0, 4 + day)).toISOString().slice(0, 10),
  );
  const lines = dates.flatMap((date) =>
    Array.from({ length: 30 }, (_, currency) => lineOf(date, currency)),
  );
  return Buffer.from(lines.join("\n"));
}

const dateForms = {
  "with hyphens": (date: string) => date,
  "without hyphens": (date: string) => date.replaceAll("-", ""),
  "day first": (date: string) => date.split("-").reverse().join("."),
};

for (const [form, formOf] of Object.entries(dateForms)) {
  test(`in an archive of years with dates ${form}, one of many equal figures is found by few parses`, () => {
    const content = archiveOf(3000, (date, currency) => `${formOf(date)} C${currency} 1.0876`);
    const date = "2003-11-25";
    let parses = 0;
    const rateIn = (changed: Uint8Array) => {
      parses += 1;
      const row = new RegExp(`^${formOf(date).replaceAll(".", "\\.")} C17 (.*)$`, "m");
      return row.exec(Buffer.from(changed).toString("latin1"))?.[1];
    };

    const position = findOne(content, date, rateIn);

    assert.equal(found(position).text, `${formOf(date)} C17 1.0876`);
    // 90,000 places have these digits.
    assert.ok(parses <= 16, `${parses} parses`);
  });
}

test("the search in a large document ends after few parses, and does not deny the figure", () => {
  const content = archiveOf(12_000, () => "C 1.0876 of a day without a date, in a long line");
  const original = Buffer.from(content);
  let parses = 0;
  const rateIn = (changed: Uint8Array) => {
    parses += 1;
    return original.equals(changed) ? "1.0876" : undefined;
  };

  const position = findOne(content, "2003-11-25", rateIn);

  assert.equal(position, "not found");
  assert.ok(content.length > 15_000_000, `${content.length} bytes`);
  assert.ok(parses <= 15, `${parses} parses`);
});

test("of a source with several kinds, a document states the served one", () => {
  const stated = (key: string, pair: string) => {
    const documents = documentsOf(bodiesOf(key), addressesOf(key));
    const figures = documentReader.figuresOf(key, documents);
    const one = ratesIn(key, documents).findLast(({ base, quote }) => `${base}/${quote}` === pair);
    assert.ok(one !== undefined && !("reason" in figures));
    // An observation does not name its kind.
    const { kind: _, ...observation } = one;
    return figures.get(observation)?.rate;
  };
  assert.equal(stated("tcmb", "USD/TRY"), "2.8852");
  assert.equal(stated("bcb", "USD/BRL"), "5.28780");
});
