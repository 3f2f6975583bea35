import assert from "node:assert/strict";
import { test } from "node:test";
import { isNamedFor } from "../../../../src/bookkeeping/provenance/documents/addresses.ts";
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
