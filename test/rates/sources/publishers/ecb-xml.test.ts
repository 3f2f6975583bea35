import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../support/properties.ts";
import { linesOf, rateLine } from "../../import/files/lines-of.ts";

const STOPPED = "the document cannot be read from here on";

const ECB_START = [
  '<?xml version="1.0" encoding="UTF-8"?>\n',
  '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" ',
  'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">\n',
  "<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>\n",
  "<Cube>\n",
].join("");
const ECB_END = "</Cube>\n</gesmes:Envelope>\n";
const WINTER = "2026-03-27T15:00:00.000000000Z";
const SUMMER = "2026-03-30T14:00:00.000000000Z";

test("the ECB's file gives rates from EUR at 16:00 in Frankfurt of each day", async () => {
  const summer = `<Cube time='2026-03-30'>\n<Cube currency='ISK' rate='144.20'/></Cube>\n`;
  const winter = `<Cube time="2026-03-27"><Cube rate="144.30" currency="ISK"></Cube></Cube>\n`;
  assert.deepEqual(await linesOf(ECB_START + summer + winter + ECB_END), [
    rateLine(6, "EUR", "ISK", "144.20", SUMMER),
    rateLine(7, "EUR", "ISK", "144.30", WINTER),
  ]);
});

test("an invalid Cube is reported with its line, and the rates outside it are read", async () => {
  const file = `${ECB_START}<Cube currency='USD' rate='1.1'/>
<Cube time='2026-03-30'>
<Cube currency='USD'/>
<Cube currency='JPY' rate='182.85' per='100'/>
<Cube currency='ISK' rate='144.20'/>
</Cube>
<Cube time='30 March'>
<Cube currency='USD' rate='1.1'/>
</Cube>
<Cube time='2026-02-30'/>
<Cube time='2026-03-27'><Cube currency='ISK' rate='144.30'/></Cube>
${ECB_END}`;

  const lines = await linesOf(file);

  assert.deepEqual(
    lines.filter((line) => !("reason" in line)),
    [rateLine(9, "EUR", "ISK", "144.20", SUMMER), rateLine(15, "EUR", "ISK", "144.30", WINTER)],
  );
  const odd = "a Cube has no attribute, or time alone, or currency and rate";
  const undated = "time is not a date such as 2026-03-13: the rates under it are skipped";
  assert.deepEqual(
    lines.filter((line) => "reason" in line),
    [
      { line: 5, reason: "the rate has no date: no Cube around it has a time" },
      { line: 7, reason: `${odd}: this one and everything in it is skipped` },
      { line: 8, reason: `${odd}: this one and everything in it is skipped` },
      { line: 11, reason: undated },
      { line: 14, reason: undated },
    ],
  );
});

const RATE = "<Cube time='2026-03-30'>\n<Cube currency='ISK' rate='144.20'/>\n";
const bomb = `<!DOCTYPE lolz [<!ENTITY a "1.1"><!ENTITY b "${"&a;".repeat(99)}">]>\n`;
const comment = `<!--${"x\n".repeat(40_000)}-->`;

const brokenDocuments = [
  ["that is cut short", `${ECB_START}${RATE}`, 7, "unclosed tag: Cube"],
  ["with a wrong end tag", `${ECB_START}${RATE}</Rate>\n`, 7, "unexpected close tag"],
  ["with an unknown entity", `${ECB_START}${RATE}<Cube a='&b;'/>`, 7, "undefined entity"],
  ["with a repeated attribute", `${ECB_START}${RATE}<a b='' b=''/>`, 7, "duplicate attribute: b"],
  ["with a comment that does not end", ECB_START + RATE + comment, 6, "without a tag"],
  ["that is nested too deep", ECB_START + RATE + "<a>".repeat(1000), 7, "32 elements deep"],
  ["with content after its end", `<a>\n${RATE}</Cube></a>\n<b/>`, 5, "only one root"],
] as const;

for (const [what, file, line, problem] of brokenDocuments) {
  test(`an XML document ${what} is read up to that point`, async () => {
    for (const size of [65_536, 1, 1000]) {
      const lines = await linesOf(file, [size]);
      assert.equal(lines.length, 2);
      const [rate, fault] = lines;
      assert.ok(rate !== undefined && "rate" in rate && rate.rate === "144.20");
      assert.ok(fault !== undefined && "reason" in fault);
      assert.equal(fault.line, line);
      assert.ok(fault.reason.startsWith(STOPPED) && fault.reason.includes(problem), fault.reason);
    }
  });
}

test("an XML document is read up to the first byte that is not UTF-8", async () => {
  const file = Buffer.concat([
    Buffer.from(ECB_START + RATE),
    Buffer.from([0xc3]),
    Buffer.from("<"),
  ]);
  assert.deepEqual(await linesOf(file), [
    rateLine(6, "EUR", "ISK", "144.20", SUMMER),
    { line: 7, reason: `${STOPPED}: it is not valid UTF-8` },
  ]);
});

test("a document type declaration, and a document without a rate, is rejected as such", async () => {
  const file = bomb + ECB_START.replace(/^.*\n/, "") + RATE.replace("144.20", "&b;");
  const reason = `${STOPPED}: it has a document type declaration`;
  assert.deepEqual(await linesOf(file), [{ line: 1, reason }]);

  {
    const reason = "the document holds no rate";
    assert.deepEqual(await linesOf("<rates>\n<body/>\n</rates>"), [{ line: 1, reason }]);
  }
});

test("an HTML page is called one", async () => {
  const reason = `${STOPPED}: it is an HTML page`;
  for (const start of [
    "<html>",
    "<HTML lang='en'>",
    "<!doctype html>\n<html>",
    "\n<!-- 503 --><!DOCTYPE html><html lang=en>",
  ]) {
    assert.deepEqual(await linesOf(`${start}<br></html>`), [{ line: 1, reason }]);
  }
});

test("an XML document gives the same lines with any division into chunks", async () => {
  const start = ECB_START.replace(/^.*\n/, "");
  const bytes = Buffer.from(`\uFEFF\n${start}<!-- 😀 -->\r\n${RATE}\r\n</Cube><x y='é'>`);
  const whole = await linesOf(bytes);
  assert.deepEqual(whole, [
    rateLine(7, "EUR", "ISK", "144.20", SUMMER),
    { line: 9, reason: `${STOPPED}: unclosed tag: x` },
  ]);
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(sizes, async (chunkSizes) => {
      assert.deepEqual(await linesOf(bytes, chunkSizes), whole);
    }),
  );
});
