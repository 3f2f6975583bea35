import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkAddresses,
  isNamedFor,
} from "../../../../src/bookkeeping/provenance/documents/addresses.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";
import { rangesBy } from "../../../../src/rates/sources/rules/archive-ranges.ts";
import { addressesOf, archiveAddressesOf } from "../../../rates/sources/publishers/recorded.ts";

/** The addresses that a publisher's documents of a date have. */
const namesOf = (key: string, date: string) => addressesOf(key, Date.parse(`${date}T12:00:00Z`));

/** The addresses of an archive for a date: with all that a request has, and with less. */
function archivedNamesOf({ key, archive }: (typeof publishers)[number], date: string) {
  const year = { from: `${date.slice(0, 4)}-01-01`, to: `${date.slice(0, 4)}-12-31` };
  const ranges = archive === undefined ? [] : rangesBy(archive.requestsBy, year);
  const whole = ranges.find(({ from, to }) => from <= date && date <= to);
  if (whole === undefined) return [];
  const cut = { from: date, to: whole.to };
  return [whole, cut].flatMap((range) => archiveAddressesOf(key, range));
}

for (const publisher of publishers) {
  test(`an address of ${publisher.key} that has a date is not one of another year's figures`, () => {
    const date = "2024-12-31";
    const { key } = publisher;
    const others = [...namesOf(key, "2031-12-31"), ...archivedNamesOf(publisher, "2031-12-31")];
    const names = [...namesOf(key, date), ...archivedNamesOf(publisher, date)];
    for (const [index, name] of names.entries()) {
      assert.ok(isNamedFor(publisher, name, { date }), name);
      const isDated = name !== others[index];
      assert.equal(isNamedFor(publisher, name, { date: "2023-12-31" }), !isDated, name);
    }
  });
}

test("the documents of an archive are its publisher's, however long ago their figures were", () => {
  const receivedMs = Date.parse("2026-11-27T12:00:00Z");
  const check = (publisher: (typeof publishers)[number], names: readonly string[]) => {
    const documents = names.map((name) => ({ name, content: Buffer.from(""), receivedAt: "" }));
    return checkAddresses(publisher, documents, receivedMs);
  };
  for (const publisher of publishers) {
    const names = archivedNamesOf(publisher, "2024-12-31").slice(0, 1);
    assert.equal(check(publisher, names), undefined, publisher.key);
    assert.equal(check(publisher, ["https://example.org/"])?.isForeign, true, publisher.key);
  }
});
