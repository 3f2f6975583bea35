import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkAddresses,
  isNamedFor,
} from "../../../../src/bookkeeping/provenance/documents/addresses.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";
import { addressesOf } from "../../../rates/sources/publishers/recorded.ts";

/** The addresses that a publisher's documents of a date have, also those of its archive. */
const namesOf = ({ key, archive }: (typeof publishers)[number], date: string) => [
  ...addressesOf(key, Date.parse(`${date}T12:00:00Z`)),
  ...(archive?.addresses({ from: date, to: date }) ?? []),
];

for (const publisher of publishers) {
  test(`an address of ${publisher.key} that has a date is not one of another year's figures`, () => {
    const date = "2024-02-05";
    const others = namesOf(publisher, "2031-11-28");
    for (const [index, name] of namesOf(publisher, date).entries()) {
      assert.ok(isNamedFor(publisher, name, { date }), name);
      const isDated = name !== others[index];
      assert.equal(isNamedFor(publisher, name, { date: "2023-02-05" }), !isDated, name);
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
    const names = publisher.archive?.addresses({ from: "2024-02-05", to: "2024-02-05" }) ?? [];
    assert.equal(check(publisher, names), undefined, publisher.key);
    assert.equal(check(publisher, ["https://example.org/"])?.isForeign, true, publisher.key);
  }
});
