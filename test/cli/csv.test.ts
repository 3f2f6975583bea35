import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine } from "../../src/cli/csv.ts";

test("a cell with a comma, a quote or a line break is quoted as in RFC 4180", () => {
  const cells = ["plain", "a,b", 'say "hi"', "two\nlines", "a\r", "", 0, 9_007_199_254_740_991];

  assert.equal(csvLine(cells), 'plain,"a,b","say ""hi""","two\nlines","a\r",,0,9007199254740991\n');
});

test("no cell begins as a formula, also where a semicolon separates cells; numbers stay numbers", () => {
  const signs = ["=1", "+1", "-1", "@a", "＝1", "＋1", "－1", "＠a"];

  assert.equal(csvLine(signs), `${signs.map((text) => `'${text}`).join(",")}\n`);
  assert.equal(csvLine(["a;=1;+2", "a=1", "a@b", -1]), "a;'=1;'+2,a=1,a@b,-1\n");
});
