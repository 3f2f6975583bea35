import assert from "node:assert/strict";
import { test } from "node:test";
import { readRateFile } from "../../../../src/rates/import/files/read-rate-file.ts";
import { ANY_TIME, parseQuotation } from "../../../../src/rates/served/rules/rate.ts";
import { fc } from "../../../support/properties.ts";
import { AS_OF, linesOf, rateLine } from "./lines-of.ts";

const HEADER = "base,quote,rate,as_of\n";
const HEADER_WANTED = "the first line must name the columns base,quote,rate,as_of";

test("a CSV file gives its texts with every digit and its line numbers", async () => {
  const lines = await linesOf(`${HEADER}EUR,ISK,144.20,${AS_OF}\n\n \nusd, EUR ,1e-7,${AS_OF}`);
  assert.deepEqual(lines, [
    rateLine(2, "EUR", "ISK", "144.20"),
    rateLine(5, "usd", " EUR ", "1e-7"),
  ]);
});

test("the lines of a file may end with CR alone, however it is divided", async () => {
  const csv = `${HEADER}\nEUR,ISK,144.20,${AS_OF}\nbad\nEUR,USD,1.1,${AS_OF}\n`;
  const ndjson = `\n{"base":"EUR","quote":"ISK","rate":"1.10","as_of":"${AS_OF}"}\n{}\n`;
  for (const file of [csv, ndjson]) {
    const wanted = await linesOf(file);
    for (let size = 1; size <= file.length; size += 1) {
      assert.deepEqual(await linesOf(file.replaceAll("\n", "\r"), [size]), wanted, `${size}`);
    }
  }
  const within = `${HEADER}EUR,USD,1.1,"a\rb"\r\n\rEUR,USD,1.2,c\n`;
  for (const sizes of [[1], [65_536]]) {
    const lines = [["1.1", "a\rb"] as const, ["1.2", "c"] as const].map(([rate, asOf], index) =>
      rateLine(index + 2, index === 0 ? "EUR" : "\rEUR", "USD", rate, asOf),
    );
    assert.deepEqual(await linesOf(within, sizes), lines);
  }
});

test("CSV columns may be in any order and case, quoted, and among others", async () => {
  const lines = await linesOf(
    `\uFEFFnote,"AS_OF",Rate, quote ,BASE\r\n"a ""b"", c",t,1.10,q,b\r\n`,
  );
  assert.deepEqual(lines, [rateLine(2, "b", "q", "1.10", "t")]);
});

test("a byte order mark is ignored only at the start of a file", async () => {
  const lines = await linesOf(`\uFEFF${HEADER}\uFEFFEUR,USD,1.1,${AS_OF}\n`);
  assert.deepEqual(lines, [rateLine(2, "\uFEFFEUR", "USD", "1.1")]);
});

const badHeaders = [
  ["EUR,USD,1.1,now\n", `no header: ${HEADER_WANTED}`],
  ["base,quote,rate\nEUR,USD,1.1\n", `the header lacks as_of: ${HEADER_WANTED}`],
  ["quote,base;rate,as_of\n", `the header lacks base, rate: ${HEADER_WANTED}`],
  ["base,quote,rate,as_of,rate\n", `the header repeats rate: ${HEADER_WANTED}`],
  ['"base,quote,rate,as_of\n', /^broken quoting: .*; the first line must name the columns/],
  ["\u001f\u008b\n", `no header: ${HEADER_WANTED}`],
  [`${"x".repeat(65_537)}\n`, `the line is longer than 65536 bytes: ${HEADER_WANTED}`],
] as const;

for (const [file, reason] of badHeaders) {
  test(`a CSV file that starts with ${JSON.stringify(file.slice(0, 30))} is rejected once`, async () => {
    const [only, ...others] = await linesOf(`${file}EUR,USD,1.1,${AS_OF}\n`);
    assert.ok(only !== undefined && "reason" in only);
    assert.equal(only.line, 1);
    if (typeof reason === "string") assert.equal(only.reason, reason);
    else assert.match(only.reason, reason);
    assert.deepEqual(others, []);
  });
}

test("an invalid CSV line is reported with its number, and reading continues", async () => {
  const good = `EUR,USD,1.1476,${AS_OF}\n`;
  const badLines = [`EUR,"USD,1,${AS_OF}`, "EUR,USD", `EUR,U"SD",1,${AS_OF}`, "EUR", "a,b,c,d,e"];
  const file = HEADER + badLines.map((bad) => `${bad}\n${good}`).join("");

  const lines = await linesOf(file);

  const quoting = /^broken quoting: /;
  const expected = [
    quoting,
    /has 2 fields, the header 4$/,
    quoting,
    /has 1 field,/,
    /has 5 fields/,
  ];
  for (const [index, reason] of expected.entries()) {
    const bad = lines[index * 2];
    assert.ok(bad !== undefined && "reason" in bad);
    assert.equal(bad.line, index * 2 + 2);
    assert.match(bad.reason, reason);
    assert.deepEqual(lines[index * 2 + 1], rateLine(index * 2 + 3, "EUR", "USD", "1.1476"));
  }
  assert.equal(lines.length, 10);
});

test("invalid UTF-8 and a line that is too long invalidate only their own line", async () => {
  for (const [start, good] of [
    [HEADER, `EUR,USD,1.1476,${AS_OF}\n`],
    ["{}\n", `{"base":"EUR","quote":"USD","rate":"1.1476","as_of":"${AS_OF}"}\n`],
  ]) {
    const invalid = Buffer.from([0x45, 0xff, 0x0a]);
    const long = "x".repeat(200_000);
    const file = Buffer.concat([Buffer.from(`${start}${good}`), invalid, Buffer.from(good + long)]);

    const lines = await linesOf(Buffer.concat([file, Buffer.from(`\n${good}`)]));

    assert.deepEqual(lines.slice(-5), [
      rateLine(2, "EUR", "USD", "1.1476"),
      { line: 3, reason: "the line is not valid UTF-8" },
      rateLine(4, "EUR", "USD", "1.1476"),
      { line: 5, reason: "the line is longer than 65536 bytes" },
      rateLine(6, "EUR", "USD", "1.1476"),
    ]);
  }
});

test("a line of exactly the greatest length is read, however the file is divided", async () => {
  const start = `{"base":"EUR","quote":"USD","rate":"1.1","as_of":"${AS_OF}","note":"`;
  const line = `${start}${"x".repeat(65_536 - start.length - 2)}"}`;
  for (const sizes of [[65_536], [1000]]) {
    for (const end of ["\n", ""]) {
      assert.deepEqual(await linesOf(line + end, sizes), [rateLine(1, "EUR", "USD", "1.1")]);
    }
  }
});

const cutLines = [
  ["base,quote,as_of,rate", `EUR,JPY,${AS_OF},149.87`, "rate"],
  ["base,quote,as_of,rate", `EUR,JPY,"${AS_OF}",149`, "rate"],
  ["rate,base,as_of,quote", `149.87,EUR,${AS_OF},USDT`, "quote"],
  ["rate,quote,as_of,base", `149.87,EUR,${AS_OF},USDT`, "base"],
] as const;

for (const [header, line, column] of cutLines) {
  test(`a last CSV line without a line feed, ${line}, is rejected: its ${column} may be cut`, async () => {
    const reason =
      `no line feed follows, so the ${column} may be cut off: ` +
      "end a complete line with a line feed";
    const ended = await linesOf(`${header}\n${line}\r\n`);
    for (const sizes of [[65_536], [1], [7, 3]]) {
      const lines = await linesOf(`${header}\n${line}\r\n${line}`, sizes);
      assert.deepEqual(lines, [...ended, { line: 3, reason }]);
    }
    assert.ok(ended[0] !== undefined && "rate" in ended[0]);
  });
}

test("a last CSV line that shows its end without a line feed is read", async () => {
  for (const [header, line] of [
    ["base,quote,as_of,rate", `EUR,JPY,${AS_OF},"149.87"`],
    ["base,quote,as_of,rate", `EUR,JPY,${AS_OF},149.87\r`],
    ["base,quote,rate,as_of", `EUR,JPY,149.87,${AS_OF}`],
    ["base,quote,as_of,rate,note", `EUR,JPY,${AS_OF},149.87,a not`],
  ]) {
    const lines = await linesOf(`${header}\n${line}`);
    assert.deepEqual(lines, [rateLine(2, "EUR", "JPY", "149.87")]);
  }
});

test("no rate file that is cut anywhere gives a figure that the whole file does not have", async () => {
  const values = [
    ["EUR", "USDT", "149.87", AS_OF, "a note"],
    ["BTC", "JPY", "12.5e3", "2026-03-13T15:00:00.125+01:00", "1"],
  ];
  const names = ["base", "quote", "rate", "as_of", "note"];
  const objects = values.map((row) => Object.fromEntries(row.map((text, at) => [names[at], text])));
  const files = [objects.map((object) => `${JSON.stringify(object)}\n`).join("")];
  for (const order of ["01234", "10342", "42103", "3102", "3021", "0132", "0123"]) {
    for (const [mark, end] of [
      ["", "\n"],
      ['"', "\r\n"],
    ]) {
      const rows = [names, ...values].map((row) =>
        [...order].map((at) => `${mark}${row[Number(at)]}${mark}`).join(","),
      );
      files.push(rows.map((row) => `${row}${end}`).join(""));
    }
  }
  for (const file of files) {
    const whole = await ratesIn(file);
    assert.equal(whole.length, 2);
    for (let length = 0; length < file.length; length += 1) {
      for (const rate of await ratesIn(file.slice(0, length)))
        assert.ok(whole.includes(rate), rate);
    }
  }
});

/** The valid rates that a file gives. */
async function ratesIn(file: string): Promise<readonly string[]> {
  return (await linesOf(file)).flatMap((line) => {
    const rate = "reason" in line ? line : parseQuotation(line, ANY_TIME);
    return "reason" in rate ? [] : [JSON.stringify(rate)];
  });
}

test("every CSV line with any text gives one line with its number", async () => {
  const text = fc.string({ unit: fc.constantFrom('"', ",", "a", "é", " ", "\r", "😀") });
  await fc.assert(
    fc.asyncProperty(fc.array(text), async (texts) => {
      const lines = await linesOf(HEADER + texts.join("\n"));
      const numbers = texts.flatMap((line, index) => (line.trim() === "" ? [] : [index + 2]));
      assert.deepEqual(
        lines.map(({ line }) => line),
        numbers,
      );
    }),
  );
});

test("every field with any text is read back from well-formed CSV", async () => {
  const field = fc.string({ unit: fc.constantFrom('"', ",", "a", "é", " ", "1", ".", "😀") });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(field, field, field, field)), async (rows) => {
      const written = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`));
      const lines = await linesOf(HEADER + written.map((row) => `${row.join(",")}\r\n`).join(""));
      assert.deepEqual(
        lines,
        rows.map((row, index) => rateLine(index + 2, ...row)),
      );
    }),
  );
});

test("NDJSON reads a number by its source text and ignores further members", async () => {
  const member = `"base":"EUR","quote":"USD","as_of":"${AS_OF}"`;
  const lines = await linesOf(
    [
      `{${member},"rate":"1.10"}`,
      `{${member},"rate":1.10}\r`,
      "",
      `{"rate":1e-7,${member},"more":{"rate":2}}`,
      `{${member},"rate":0.1234567890123456789012345}`,
      `{${member},"rate":-1E400}`,
    ].join("\n"),
  );
  const texts = ["1.10", "1.10", "1e-7", "0.1234567890123456789012345", "-1E400"];
  const numbers = [1, 2, 4, 5, 6];
  assert.deepEqual(
    lines,
    texts.map((text, index) => rateLine(numbers[index] ?? 0, "EUR", "USD", text)),
  );
});

test("an invalid NDJSON line is reported with its number and member, and reading continues", async () => {
  const good = `{"base":"EUR","quote":"USD","rate":1.1476,"as_of":"${AS_OF}"}`;
  const deep = `{"rate":1,"x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
  const file = [
    '{"base":1,"rate":true,"as_of":null}',
    '{"base":"EUR","quote":"USD","rate":1.1476}',
    good.slice(0, -1),
    `[${good}]`,
    "null",
    deep,
    `{"base":"EUR","quote":"USD","rate":01,"as_of":"${AS_OF}"}`,
    good,
    good.replace(",", ',"rate":9.9,'),
    good.replace("{", '{"b\\u0061se" : "CHF",'),
    good.replace("{", '{"note":"\\\\\\":{","more":[{"x":1},{"x":1,"x":2}],'),
    good.replace("{", '{"note":"\\\\\\"base\\":\\\\","more":[{"base":1},{"base":"base"}],'),
  ].join("\n");

  const notAnObject = "the line is not a JSON object";
  assert.deepEqual(await linesOf(file), [
    {
      line: 1,
      reason:
        "base must be a string; quote is missing; rate must be a string or a number; " +
        "as_of must be a string",
    },
    { line: 2, reason: "as_of is missing" },
    ...[3, 4, 5, 6, 7].map((line) => ({ line, reason: notAnObject })),
    rateLine(8, "EUR", "USD", "1.1476"),
    { line: 9, reason: 'the line states "rate" twice' },
    { line: 10, reason: 'the line states "base" twice' },
    { line: 11, reason: 'the line states "x" twice' },
    rateLine(12, "EUR", "USD", "1.1476"),
  ]);
});

test("an empty or blank file gives one reason", async () => {
  for (const file of ["", "\n \r\n\t", "\uFEFF", "\uFEFF\n"]) {
    assert.deepEqual(await linesOf(file, [1]), [{ line: 1, reason: "the file is empty" }]);
  }
  const [line, ...others] = await linesOf("\n".repeat(100_000));
  assert.ok(line !== undefined && "reason" in line && line.reason.startsWith("the file is empty"));
  assert.deepEqual(others, []);
});

const files = {
  CSV: `\uFEFF\n${HEADER}EUR,"ü😀",1.10,${AS_OF}\r\n\r\nEUR,"b,1\nEUR,USD\nEUR,USD,1.1476,${AS_OF}`,
  NDJSON: `\uFEFF \n{"base":"€","quote":"USD","rate":1.10,"as_of":"😀"}\r\n\n{"base":1}\n{`,
};

for (const [format, file] of Object.entries(files)) {
  test(`a ${format} file gives the same lines with any division into chunks`, async () => {
    const bytes = Buffer.from(file);
    const whole = await linesOf(bytes);
    assert.ok(whole.some((line) => "reason" in line) && whole.some((line) => "rate" in line));
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(sizes, async (chunkSizes) => {
        assert.deepEqual(await linesOf(bytes, chunkSizes), whole);
      }),
    );
  });
}

test("a file with an invalid header is not read further and is closed", async () => {
  let chunksRead = 0;
  let closed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      while (true) {
        chunksRead += 1;
        yield Buffer.from("no,header\n");
      }
    } finally {
      closed = true;
    }
  }
  for await (const bunch of readRateFile(endless())) assert.equal(bunch.length, 1);
  assert.equal(chunksRead, 1);
  assert.ok(closed);
});

test("an error of the input is rethrown", async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(HEADER);
    throw new Error("the disk is gone");
  }
  await assert.rejects(async () => {
    for await (const bunch of readRateFile(failing())) assert.equal(bunch.length, 0);
  }, /the disk is gone/);
});
