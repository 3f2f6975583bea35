import assert from "node:assert/strict";
import { test } from "node:test";
import { publishers } from "../../../src/sources/publishers/catalogue.ts";
import { ParseError } from "../../../src/sources/publishers/publisher.ts";
import { bodiesOf, parse, parseWith } from "./answers.ts";

const html = "<!DOCTYPE html>\n<html>\n<head><title>Maintenance</title></head>\n<body/>\n</html>\n";

const otherBodies = [
  ["an HTML page", html],
  ["an XHTML page", html.replace("<!DOCTYPE html>\n", "")],
  ["an empty body", ""],
  ["other JSON", '{"message": "Not found"}\n'],
  ["a JSON list", "[]\n"],
  ["a JSON string", '"no"\n'],
  ["other XML", '<?xml version="1.0"?>\n<rates/>\n'],
  ["another table", "date,rate\n2026-03-13,1.1476\n"],
  ["bytes in no encoding", Buffer.from([0xff, 0xfe, 0x00, 0x98])],
] as const;

for (const { key } of publishers) {
  for (const [what, body] of otherBodies) {
    test(`${key}: ${what} from any of its addresses is a failure with a reason`, () => {
      const bodies = bodiesOf(key);
      for (const index of bodies.keys()) {
        assert.throws(
          () => parse(key, bodies.with(index, Buffer.from(body))),
          (error) => error instanceof ParseError && error.reason.length > 10,
        );
      }
    });
  }

  test(`${key}: a body that is cut off anywhere is a failure`, () => {
    const bodies = bodiesOf(key);
    for (const [index, body] of bodies.entries()) {
      const end = body.toString("latin1").trimEnd().length;
      for (let length = 0; length < end; length += 1) {
        const part = body.subarray(0, length);
        // A table cut after a whole line looks like a shorter table.
        if (key === "norges" && part.at(-1) === 0x0a) continue;
        assert.throws(() => parse(key, bodies.with(index, part)), ParseError, `${length} bytes`);
      }
    }
  });
}

const missingMembers = [
  ["ust", '"data"', '"rows"', "data is not a list"],
  ["cnb", '"rates"', '"fixing"', "rates is not a list"],
  ["nbp", '"rates"', '"fixing"', "rates is not a list"],
  ["nbp", '"effectiveDate"', '"date"', "effectiveDate is not a date"],
  ["norges", "UNIT_MULT", "MULTIPLIER", "no column UNIT_MULT"],
  ["norges", "TIME_PERIOD", "DATE", "no column TIME_PERIOD"],
  ["boc", '"observations"', '"data"', "observations is not a list"],
  ["kraken", '"result"', '"data"', "result is not an object"],
  ["kraken", '"error"', '"errors"', "error is not a list"],
] as const;

for (const [key, from, to, reason] of missingMembers) {
  test(`${key}: a response without its member ${from} is a failure`, () => {
    assert.throws(() => parseWith(key, from, to), {
      name: "ParseError",
      reason: `the layout has changed: ${reason}`,
    });
  });
}

const renamedInRows = [
  ["ecb", "currency=", "code="],
  ["ust", "exchange_rate", "rate"],
  ["cnb", "currencyCode", "code"],
  ["norges", "NOK,SP,", "NOK,SP,0,"],
  ["boc", '"v"', '"value"'],
  ["riksbank", '"seriesId"', '"id"'],
  ["cbr", "Value>", "Rate>"],
  ["kraken", '"wsname"', '"name"'],
] as const;

for (const [key, from, to] of renamedInRows) {
  test(`${key}: ${from} renamed in every row is a failure, not an empty day`, () => {
    assert.throws(() => parseWith(key, from, to), ParseError);
  });
}

const emptyAnswers = [
  ["ust", '{"data": [], "meta": {"count": 0}}'],
  ["cnb", '{"rates": []}'],
  ["norges", `${bodiesOf("norges").toString().split("\n", 1)}\n`],
  ["boc", '{"observations": []}'],
  ["riksbank", "[]"],
  ["cbr", '<ValCurs Date="14.03.2026" name="Foreign Currency Market"></ValCurs>'],
] as const;

for (const [key, body] of emptyAnswers) {
  test(`${key}: a response without a single rate is a failure, not an empty success`, () => {
    assert.throws(() => parse(key, [body]), {
      name: "ParseError",
      reason: "no rates in the response",
    });
  });
}

test("a response with only invalid rows is a failure with the reason of the first row", () => {
  assert.throws(() => parseWith("riksbank", "PMI", "MID"), {
    name: "ParseError",
    reason: 'no rates in the response: the series "SEKCYPMID" names no currency',
  });
});
