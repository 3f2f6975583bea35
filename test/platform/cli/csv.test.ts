import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine } from "../../../src/platform/cli/csv.ts";

test("a cell with a comma, a quote or a line break is quoted as in RFC 4180", () => {
  const cells = ["plain", "a,b", 'say "hi"', "two\nlines", "a\r", "", 0, 9_007_199_254_740_991];

  assert.equal(csvLine(cells), 'plain,"a,b","say ""hi""","two\nlines","a\r",,0,9007199254740991\n');
});

test("no cell begins as a formula, also where a semicolon separates cells; numbers stay numbers", () => {
  const signs = ["=1", "+1", "-1+1", "@a", "＝1", "＋1", "－1", "＠a"];

  assert.equal(csvLine(signs), `${signs.map((text) => `'${text}`).join(",")}\n`);
  assert.equal(csvLine(["a;=1;+2", "a=1", "a@b", -1, "-1.5"]), "a;'=1;'+2,a=1,a@b,-1,-1.5\n");
});

/** What a spreadsheet shows of a line: a quote within an unquoted cell is text. */
function cellsOf(line: string, separators: string): readonly string[] {
  const cell = new RegExp(`("(?:[^"]|"")*"?)?([^${separators}]*)(?:[${separators}]|$)`, "gy");
  return [...line.matchAll(cell)].map(([, text = "", rest = ""]) =>
    `${text.replace(/^"|"$/g, "").replaceAll('""', '"')}${rest}`.trimStart(),
  );
}

test("a spreadsheet with any separator finds no cell that begins as a formula", () => {
  const starts = ["", "a;", "a\t", "a|", "a\n", "a\r", "a\r\n", "a, b;", 'a"b;', ";"];
  const openings = ["", '"', '""', ' "', '" ', "  ", "\u00a0"];
  const signs = ["=", "+", "-", "@", "\t=", "\r=", "\uff1d"];
  for (const start of starts) {
    for (const opening of openings) {
      for (const sign of signs) {
        const line = csvLine(["x", `${start}${opening}${sign}1+1`, "z"]).slice(0, -1);
        for (const separators of [",", ";\\r\\n", "\\t\\r\\n", "|\\r\\n", ",;\\t"]) {
          for (const cell of cellsOf(line, separators)) {
            assert.doesNotMatch(cell, /^["\s]*[=+\-@\uff1d]/, JSON.stringify({ line, separators }));
          }
        }
      }
    }
  }
});
