import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SaxesParser } from "saxes";
import { startBrowser } from "../../support/browser.ts";
import { recorded } from "../applicable-rates/store.ts";
import { newEvidenceCli } from "./cli.ts";

const SCHEMA = join(import.meta.dirname, "fixtures/ubl-2.1-exchange-rate-cac.xsd");

/** A4 at 96 pixels for each inch. */
const A4 = { width: 794, height: 1123 };

test("the page prints on one sheet, with the figure marked in its line, and loads nothing", async () => {
  await using cli = await newEvidenceCli();
  await cli.fetch("nbp");
  const { text } = await cli.made("USD PLN 2026-03-16 --as pl-vat --html @page.html");

  await using browser = await startBrowser();
  const page = await browser.newPage({ viewport: A4, colorScheme: "dark" });
  const requests: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => errors.push(message.text()));
  const address = `file://${cli.file("page.html")}`;
  await page.goto(address);
  assert.deepEqual([requests, errors], [[address], []]);
  assert.equal(await page.locator("h1").textContent(), "1 USD = 3.6056 PLN");
  assert.equal(await page.locator("mark").textContent(), "3.6056");
  const part = '{ "currency": "dolar amerykański", "code": "USD", "mid": 3.6056 }';
  assert.equal(await page.locator("pre").textContent(), part);
  const shown = await page.locator("body").innerText();
  for (const wanted of [
    "Ustawa o podatku od towarów i usług, Article 31a(1) (Polish VAT; pl-vat). No advice.",
    createHash("sha256").update(text).digest("hex"),
    `sha-256=:${Buffer.from(JSON.parse(text).documents[0].sha256, "hex").toString("base64")}:`,
    "050/A/NBP/2026 of 2026-03-13",
  ]) {
    assert.ok(shown.includes(wanted), wanted);
  }
  assert.deepEqual(shown.match(/^Rule$/gm), ["Rule"]);
  await cli.archive("ecb", recorded("ecb-2019-12.xml"));
  await cli.made("EUR USD 2019-11-07 --as eu-oss --html @oss.html");
  const oss = readFileSync(cli.file("oss.html"), "utf8");
  assert.match(oss, /, counted from 2019-12-31, the last date of its quarter</);
  // Paper is white, whatever the reader prefers.
  const background = "getComputedStyle(document.body).backgroundColor + document.scripts.length";
  assert.equal(await page.evaluate(background), "rgb(255, 255, 255)0");
  const pdf = await page.pdf({ preferCSSPageSize: true });
  assert.equal(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length, 1);
});

test("the page shows what a document or a name states as text, and runs none of it", async () => {
  await using cli = await newEvidenceCli();
  const csv = 'base,quote,rate,as_of,note\nEUR,GBP,0.84,2026-03-01T00:00:00Z,"</pre><script>x()"\n';
  const file = await cli.write("a<b>&.csv", csv);
  const imported = await cli.run(`rates import ${file}`);
  assert.equal(imported.exitCode, 0);
  const command = "EUR GBP 2026-03-01 --source import --rule on";
  await cli.made(`${command} --document ${file} --html @page.html`);
  const html = readFileSync(cli.file("page.html"), "utf8");
  assert.ok(html.includes("&lt;/pre&gt;&lt;script&gt;x()"));
  assert.match(html, /a&lt;b&gt;&amp;\.csv/);
  assert.doesNotMatch(html, /<script|<b>/);
});

/** The names of the elements in a text, in their order. */
function elementsOf(text: string, attribute?: string): string[] {
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    const named = attribute === undefined ? name : attributes[attribute];
    if (named !== undefined) names.push(String(named));
  });
  parser.write(text).close();
  return names;
}

test("the UBL fragment has the schema's elements, and leads from the invoice's currency to the tax's", async () => {
  await using cli = await newEvidenceCli();
  for (const key of ["ecb", "hmrc", "nbp"]) await cli.fetch(key);
  const averages = await cli.write("uu-kurse-2025-csv.csv", recorded("bmf.csv"));
  const imported = await cli.run(`rates import ${averages} --document --source bmf`);
  assert.equal(imported.exitCode, 0, imported.stderr);
  const fragmentOf = async (command: string) => {
    await cli.made(`${command} --ubl @rate.xml`);
    return readFileSync(cli.file("rate.xml"), "utf8");
  };
  const values = (text: string) => [...text.matchAll(/<cbc:\w+>([^<]+)</g)].map(([, one]) => one);

  const polish = await fragmentOf("USD PLN 2026-03-16 --as pl-vat");

  const [root, ...elements] = elementsOf(polish);
  assert.equal(root, "cac:TaxExchangeRate");
  assert.deepEqual(elements, elementsOf(readFileSync(SCHEMA, "utf8"), "ref"));
  const wanted = ["USD", "1", "PLN", "1", "nbp", "3.6056", "Multiply", "2026-03-13"];
  assert.deepEqual(values(polish), wanted);
  for (const [command, source, target, operator] of [
    ["EUR USD 2026-03-13 --as eu-vat", "USD", "EUR", "Divide"],
    ["GBP EUR 2026-08-15 --as uk-vat", "EUR", "GBP", "Divide"],
    ["EUR USD 2025-03-31 --as de-vat", "USD", "EUR", "Divide"],
    ["EUR USD 2026-03-13 --source ecb --rule on", "EUR", "USD", "Multiply"],
  ] as const) {
    const [from, , into, , , , by] = values(await fragmentOf(command));
    assert.deepEqual([from, into, by], [source, target, operator], command);
  }
});

test("the evidence of a file that was handed in has it, and does not prove whose it is", async () => {
  await using cli = await newEvidenceCli();
  const file = await cli.write("uu-kurse-2025-csv.csv", recorded("bmf.csv"));
  assert.equal((await cli.run(`rates import ${file} --document --source bmf`)).exitCode, 0);
  const { json } = await cli.made("EUR KRW 2025-09-30 --as de-vat");
  assert.deepEqual(
    [json.rate, json.valid_until, json.place.figure],
    ["1634.39", "2025-09-30", "1.634,39"],
  );
  const [exitCode, ...lines] = await cli.verified();
  assert.equal(exitCode, 3, lines.join("\n"));
  for (const line of [
    /^holds +the parser of bmf reads 1 EUR = 1634\.39 KRW \(middle\) for 2025-09-01 until 2025-09-30/m,
    /^not proven +whose figures these are: the operator has handed in uu-kurse-2025-csv\.csv/m,
  ]) {
    assert.match(lines.join("\n"), line);
  }
});
