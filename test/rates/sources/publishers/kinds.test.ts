import assert from "node:assert/strict";
import { test } from "node:test";
import { deduplicate } from "../../../../src/rates/sources/publishers/formats/source-lines.ts";

const line = { base: "USD", quote: "TRY", asOf: "2026-11-20T12:30:00Z" };

test("a pair is kept once for each kind, the middle one by default", () => {
  const buying = { ...line, rate: "42.1", kind: "buying" } as const;
  const selling = { ...line, rate: "42.2", kind: "selling" } as const;
  const earlier = { ...selling, rate: "42.0", asOf: "2026-11-19T12:30:00Z" };

  assert.deepEqual(deduplicate([earlier, buying, selling, buying]), [selling, buying]);

  const lines = deduplicate([
    { ...line, rate: "42.15" },
    { ...line, rate: "42.16", kind: "middle" },
  ]);
  assert.deepEqual(lines, [
    { ...line, rate: "42.15" },
    { reason: '"USD/TRY" is stated twice: "42.15" and then "42.16"' },
  ]);
});
