import assert from "node:assert/strict";
import { test } from "node:test";
import { instantAt, parseInstant, timestamp } from "../../../src/platform/shared/instant.ts";
import { fc } from "../../support/properties.ts";

const YEAR_0_MS = Date.parse("0000-01-01T00:00:00.000Z");
const YEAR_9999_END_MS = Date.parse("9999-12-31T23:59:59.999Z");

const anyInstant = fc
  .tuple(fc.integer({ min: YEAR_0_MS, max: YEAR_9999_END_MS }), fc.nat(999_999))
  .map(([ms, nanoseconds]) => BigInt(ms) * 1_000_000n + BigInt(nanoseconds));

const textOf = (nanoseconds: bigint, fractionalSecondDigits: 0 | 3 | 6 | 9 = 9) =>
  new Temporal.Instant(nanoseconds).toString({ fractionalSecondDigits });

test("a time of any precision is written to the nanosecond", () => {
  assert.equal(parseInstant("2026-03-13T15:00:00Z"), "2026-03-13T15:00:00.000000000Z");
  assert.equal(parseInstant("2026-03-13T15:00:00.5Z"), "2026-03-13T15:00:00.500000000Z");
  assert.equal(parseInstant("2026-03-13T15:00:00.123456789Z"), "2026-03-13T15:00:00.123456789Z");
});

test("an offset is converted to UTC, across the end of a day or a year", () => {
  assert.equal(parseInstant("2026-03-13T16:00:00+01:00"), "2026-03-13T15:00:00.000000000Z");
  assert.equal(parseInstant("2026-01-01T00:30:00+05:45"), "2025-12-31T18:45:00.000000000Z");
  assert.equal(parseInstant("2025-12-31T23:30:00-01:00"), "2026-01-01T00:30:00.000000000Z");
  assert.equal(parseInstant("2026-03-13T15:00:00-00:00"), "2026-03-13T15:00:00.000000000Z");
});

test("the letters T and Z may be in lower case (RFC 3339, section 5.6)", () => {
  assert.equal(parseInstant("2026-03-13t15:00:00z"), "2026-03-13T15:00:00.000000000Z");
});

/** Only the form of RFC 3339 with seconds and an offset; no leap second, no year of five digits. */
const noInstants = [
  ...["", "2026-03-13", "2026-03-13T15:00:00", "2026-03-13 15:00:00Z", "2026-03-13T15:00Z"],
  ...["2026-03-13T15:00:00.1234567890Z", "2026-03-13T15:00:00.Z", "2026-03-13T15:00:00,5Z"],
  ...["20260313T150000Z", "2026-03-13T15:00:00+0100", "2026-03-13T15:00:00+24:00"],
  ...["2026-03-13T15:00:00Z[Europe/Berlin]", "2026-02-30T15:00:00Z", "2026-02-29T15:00:00Z"],
  ...["2026-13-01T15:00:00Z", "2026-03-00T15:00:00Z", "2026-03-13T24:00:00Z"],
  ...["2026-03-13T15:60:00Z", "2026-03-13T15:00:61Z", "2016-12-31T23:59:60Z"],
  ...["2016-12-31T23:59:60.999999999Z", "2017-01-01T00:59:60+01:00", "12026-03-13T15:00:00Z"],
  ...["+002026-03-13T15:00:00Z", " 2026-03-13T15:00:00Z", "2026-03-13T15:00:00Z\n"],
  ...["٢٠٢٦-03-13T15:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"],
];

test("no other text is an instant", () => {
  for (const text of noInstants) assert.equal(parseInstant(text), undefined, text);
});

test("the first and the last instant of the years 0 to 9999 can be written", () => {
  for (const text of ["0000-01-01T00:00:00.000000000Z", "9999-12-31T23:59:59.999999999Z"]) {
    assert.equal(parseInstant(text), text);
  }
});

test("any written instant is read as itself", () => {
  fc.assert(
    fc.property(anyInstant, (instant) => {
      const text = textOf(instant);
      assert.equal(text.length, 30);
      assert.equal(parseInstant(text), text);
    }),
  );
});

test("the same instant with any offset gives the same text", () => {
  const offset = fc.integer({ min: -1439, max: 1439 });
  // A day from either end, so that the year of the local time also has four digits.
  const inner = fc.integer({ min: YEAR_0_MS + 86_400_000, max: YEAR_9999_END_MS - 86_400_000 });
  fc.assert(
    fc.property(inner, offset, (ms, minutes) => {
      const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
      const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
      const clock = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
      assert.equal(parseInstant(`${local}${minutes < 0 ? "-" : "+"}${clock}`), instantAt(ms));
    }),
  );
});

test("instants compare as texts as they do in time", () => {
  const near = anyInstant.chain((instant) =>
    fc.tuple(
      fc.constant(instant),
      fc.bigInt(-3n, 3n).map((step) => instant + step),
    ),
  );
  const least = BigInt(YEAR_0_MS) * 1_000_000n;
  const most = BigInt(YEAR_9999_END_MS) * 1_000_000n + 999_999n;
  fc.assert(
    fc.property(fc.oneof(fc.tuple(anyInstant, anyInstant), near), ([left, right]) => {
      fc.pre(right >= least && right <= most);
      const [a, b] = [parseInstant(textOf(left)) ?? "", parseInstant(textOf(right)) ?? ""];
      assert.equal(a < b, left < right);
      assert.equal(a === b, left === right);
    }),
  );
});

test("a shorter fraction of the second is the same instant as one padded with zeros", () => {
  fc.assert(
    fc.property(anyInstant, fc.constantFrom(0, 3, 6), (instant, places) => {
      const text = textOf(instant, places);
      const zeros = "0".repeat(9 - places);
      const full = places === 0 ? text.replace("Z", `.${zeros}Z`) : text.replace("Z", `${zeros}Z`);
      assert.equal(parseInstant(text), full);
    }),
  );
});

test("milliseconds since 1970 become the instant with the same timestamp", () => {
  assert.equal(instantAt(0), "1970-01-01T00:00:00.000000000Z");
  assert.equal(timestamp(0), "1970-01-01T00:00:00.000Z");
  fc.assert(
    fc.property(fc.integer({ min: YEAR_0_MS, max: YEAR_9999_END_MS }), (ms) => {
      assert.equal(instantAt(ms), parseInstant(timestamp(ms)));
    }),
  );
});
