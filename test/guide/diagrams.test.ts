import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SaxesParser } from "saxes";
import { withDiagrams } from "../../guide/diagrams/diagrams.ts";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");

/** The figures of a document, each of which must be well-formed XML on one line. */
function figuresOf(markdown: string): readonly string[] {
  const figures = markdown.match(/^<figure .*<\/figure>$/gm) ?? [];
  for (const figure of figures) new SaxesParser().write(figure).close();
  return figures;
}

test("a diagram is drawn with the labels of its source, and nothing from another host", () => {
  const [figure = "", ...others] = figuresOf(
    withDiagrams(read("docs/architecture.md"), "docs/architecture.md"),
  );

  assert.deepEqual(others, []);
  assert.match(figure, /<svg [^>]*role="img" aria-label="Diagram: A metered read"/);
  for (const label of [
    "plain request",
    "bytes on a connection",
    "reads/metering/batch/sqlite.ts",
  ]) {
    assert.ok(figure.includes(label), label);
  }
  assert.doesNotMatch(figure, /<style|@import|\sstyle="|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
});

const table =
  "| server | ratio |\n|---|---|\n| **bare** `http` | 1,000 |\n| [Kurs](a.md) & co | 500 |\n";

test("a chart has the values of its table, in proportion, and the table stays", () => {
  const drawn = withDiagrams(`<!-- chart: Reads; column ratio -->\n\n${table}`, "docs/api.md");

  const [figure = ""] = figuresOf(drawn);
  assert.ok(drawn.endsWith(table));
  assert.match(figure, /aria-label="Reads: bare http 1,000, Kurs &amp; co 500"/);
  const widths = [...figure.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, width]) =>
    Number(width),
  );
  assert.equal(widths.length, 2);
  assert.equal((widths[0] ?? 0) / (widths[1] ?? 0), 2);
});

for (const [what, markdown, error] of [
  [
    "no table",
    "<!-- chart: Reads; column ratio -->\n\ntext\n",
    /docs\/api\.md: the chart "Reads" has no table/,
  ],
  ["no such column", `<!-- chart: Reads; column p50 -->\n\n${table}`, /has no column "p50"/],
  [
    "a word for a number",
    `<!-- chart: R; column ratio -->\n\n${table}| x | fast |\n`,
    /"fast" is no number/,
  ],
] as const) {
  test(`a chart of ${what} fails the build`, () => {
    assert.throws(() => withDiagrams(markdown, "docs/api.md"), error);
  });
}

test("every chart in the documents is drawn", () => {
  for (const file of ["docs/performance.md", "docs/scaling.md"]) {
    const markdown = read(file);
    const charts = markdown.match(/^<!-- chart:/gm) ?? [];
    assert.ok(charts.length > 0, file);
    assert.equal(figuresOf(withDiagrams(markdown, file)).length, charts.length);
  }
});
