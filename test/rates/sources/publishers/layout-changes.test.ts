import assert from "node:assert/strict";
import { test } from "node:test";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";
import { ParseError } from "../../../../src/rates/sources/publishers/publisher.ts";
import { bodiesOf, parse, parseWith, recordedOf } from "./recorded.ts";

const html = "<!DOCTYPE html>\n<html>\n<head><title>Maintenance</title></head>\n<body/>\n</html>\n";

const pages = [
  html,
  `\ufeff\r\n<!-- error 503 -->${html.toUpperCase()}`,
  html.replace("<!DOCTYPE html>\n", '<?xml version="1.0"?>\n'),
];

const otherBodies = [
  ["an empty body", ""],
  ["other JSON", '{"message": "Not found"}\n'],
  ["a JSON list", "[]\n"],
  ["a JSON string", '"no"\n'],
  ["other XML", '<?xml version="1.0"?>\n<rates/>\n'],
  ["another table", "date,rate\n2026-03-13,1.1476\n"],
  ["bytes in no encoding", Buffer.from([0xff, 0xfe, 0x00, 0x98])],
] as const;

for (const { key } of publishers) {
  const { files, missing = [], fails = [], emptied = [] } = recordedOf(key);

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

  test(`${key}: an HTML page from any of its addresses is called one`, () => {
    const bodies = bodiesOf(key);
    for (const index of bodies.keys()) {
      for (const page of pages) {
        const other = bodies.with(index, Buffer.from(page));
        assert.throws(() => parse(key, other), /it is an HTML page/);
      }
    }
  });

  test(`${key}: JSON with a key twice in one object is a failure that names it`, () => {
    const bodies = bodiesOf(key);
    for (const [index, body] of bodies.entries()) {
      if (!files[index]?.endsWith(".json.txt")) continue;
      const [member = "", name] = /("\w+")\s*:/.exec(body.toString()) ?? [];
      const doubled = Buffer.from(body.toString().replace(member, `${member} 0, ${member}`));
      const reason = `the body states ${name} twice in one object`;
      assert.throws(() => parse(key, bodies.with(index, doubled)), { reason });
    }
  });

  test(`${key}: lines may end with CR alone`, () => {
    const withReturns = (body: Buffer) =>
      Buffer.from(body.toString("latin1").replaceAll(/\r?\n/g, "\r"), "latin1");
    assert.deepEqual(parse(key, bodiesOf(key).map(withReturns)), parse(key));
  });

  test(`${key}: a body that is cut off anywhere is a failure`, () => {
    const bodies = bodiesOf(key);
    for (const [index, body] of bodies.entries()) {
      const end = body.toString("latin1").trimEnd().length;
      for (let length = 0; length < end; length += 1) {
        const part = body.subarray(0, length);
        // A table cut after a whole line looks like a shorter table.
        if (files[index]?.endsWith(".csv") && part.at(-1) === 0x0a) continue;
        assert.throws(() => parse(key, bodies.with(index, part)), ParseError, `${length} bytes`);
      }
    }
  });

  for (const [from, to, reason] of missing) {
    test(`${key}: a response without its member ${from} is a failure`, () => {
      assert.throws(() => parseWith(key, from, to), {
        name: "ParseError",
        reason: `the layout has changed: ${reason}`,
      });
    });
  }

  for (const [from, to, reason] of fails) {
    test(`${key}: "${to}" instead of "${from}" is a failure`, () => {
      assert.throws(
        () => parseWith(key, from, to),
        (error) => error instanceof ParseError && error.reason.includes(reason),
      );
    });
  }

  for (const [document, body, reason] of emptied) {
    test(`${key}: ${body} as its document ${document} is a failure, whatever the others hold`, () => {
      const bodies = bodiesOf(key).with(document, Buffer.from(body));
      assert.throws(
        () => parse(key, bodies),
        (error) => error instanceof ParseError && error.reason.includes(reason),
      );
    });
  }
}
