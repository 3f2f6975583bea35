import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Treasury's rates for one US dollar are those of the latest quarter", () => {
  const lines = parse("ust");
  assert.deepEqual(figuresOf(lines), ["USD/XOF 571.50", "USD/EUR 0.87", "USD/TWD 32.002"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Treasury's rates are dated midnight in Washington, in summer and winter time", () => {
  assert.deepEqual(momentsOf(parse("ust")), ["2026-03-31T04:00:00.000000000Z"]);
  const winter = parseWith("ust", "2026-03-31", "2026-01-31");
  assert.deepEqual(momentsOf(winter), ["2026-01-31T05:00:00.000000000Z"]);
});

const amendment = `{
  "record_date": "2026-03-31",
  "country_currency_desc": "Taiwan-Dollar",
  "exchange_rate": "36.10",
  "effective_date": "2026-04-30"
}`;

test("an amendment to the quarter's rate is dated with its own effective date", () => {
  for (const rows of [`"data": [ ${amendment},`, `"data": [${amendment},\n`]) {
    const lines = parseWith("ust", '"data": [', rows);
    assert.ok(figuresOf(lines).includes("USD/TWD 36.10"));
    assert.equal(figuresOf(lines).length, 3);
    assert.equal(momentsOf(lines).at(-1), "2026-04-30T04:00:00.000000000Z");
    assert.deepEqual(rejectionsOf(lines), []);
  }
});

test("an unknown country and currency is rejected by its name", () => {
  const lines = parseWith("ust", "Taiwan-Dollar", "Bulgaria-Lev New");
  assert.deepEqual(figuresOf(lines), ["USD/XOF 571.50", "USD/EUR 0.87"]);
  assert.deepEqual(rejectionsOf(lines), ['"Bulgaria-Lev New" names no currency that Kurs knows']);
});

test("contradicting rates of countries that share a currency are reported", () => {
  const lines = parseWith(
    "ust",
    '"Senegal-Cfa Franc",\n      "exchange_rate": "571.50"',
    '"Senegal-Cfa Franc",\n      "exchange_rate": "577.72"',
  );
  assert.ok(figuresOf(lines).includes("USD/XOF 571.50"));
  assert.deepEqual(rejectionsOf(lines), ['"USD/XOF" is stated twice: "571.50" and then "577.72"']);
});

test("a record date in the future does not hide the existing quarter", () => {
  const mistaken = amendment.replace("2026-03-31", "2062-03-31").replace("Taiwan", "Canada");
  const lines = parseWith("ust", '"data": [', `"data": [${mistaken},`);
  assert.ok(figuresOf(lines).includes("USD/EUR 0.87"));
  assert.ok(figuresOf(lines).includes("USD/TWD 32.002"));
});

test("a row of the Treasury without its dates is rejected, and the others are kept", () => {
  const row = '"exchange_rate": "32.002",\n      "effective_date": "2026-03-31"';
  const lines = parseWith("ust", row, '"exchange_rate": "32.002"');
  assert.equal(figuresOf(lines).length, 2);
  assert.deepEqual(rejectionsOf(lines), ['"USD/TWD" has no date such as 2026-03-13']);
});

test("a row of the Treasury with an unreadable record date is rejected, whatever its effective date", () => {
  const mistaken = amendment.replace("2026-03-31", "31 March").replace("Taiwan", "Canada");
  const lines = parseWith("ust", '"data": [', `"data": [${mistaken},`);
  assert.equal(figuresOf(lines).length, 3);
  assert.deepEqual(rejectionsOf(lines), ['"USD/CAD" has no date such as 2026-03-13']);
});
