import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { DisplayString, parseItem, Token } from "structured-headers";
import { documentHeader } from "../../../src/rates/served/headers.ts";
import { newRate } from "../../contract/suite/rates-stored.ts";
import { metaIn, rpcOf } from "../../reads/mcp/answers.ts";
import { callOf, EUR_USD, eras, readOf } from "../../reads/mcp/messages.ts";
import { startWithKey } from "../../reads/mcp/with-key.ts";
import type { Answer } from "../../support/client.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { anyCharacter, fc } from "../../support/properties.ts";
import { headersOf, sources as knownSources } from "../../support/rates.ts";
import { startService, startSharedService } from "../../support/service.ts";
import { newSigningKey } from "../../support/signatures.ts";

// The headers that name a rate's source, on a new store with the bundled snapshot.

const IMPORTED = newRate("AAA/BBB", "1.5", "2026-03-13T15:00:00Z");

const NAMES = ["rate-source", "link", "rate-next", "rate-document"];

const SNAPSHOT = readFileSync(join(import.meta.dirname, "../../../snapshot/rates.json"));
const DOCUMENT = `sha-256=:${hash("sha256", SNAPSHOT, "base64")}:`;

const sourceHeaders = ({ headers }: Answer) => NAMES.map((name) => headers[name]);

const service = await startSharedService();
const { apiKey } = await service.newCustomer();

suite("the headers of a rate", () => {
  const expected: readonly (readonly [pair: string, ...values: (string | undefined)[]])[] = [
    [
      "EUR/USD",
      'ecb;name="European Central Bank"',
      "<https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html>; " +
        'rel="license"',
      // Friday's rate; the next publication is Monday's.
      "2026-03-16T15:05:00Z",
    ],
    [
      "HUF/CZK",
      'cnb;name="Czech National Bank"',
      "<https://www.cnb.cz/en/privacy-statement-and-disclaimer/disclaimer-copyright/>; " +
        'rel="license"',
      // Maundy Thursday's rate; Friday and Monday are holidays.
      "2026-04-07T12:35:00Z",
    ],
    ["USD/PLN", 'nbp;name="Narodowy Bank Polski"', undefined, "2026-03-06T11:20:00Z"],
    // Table B, which is published on Wednesdays only.
    ["AFN/PLN", 'nbp;name="Narodowy Bank Polski"', undefined, "2026-03-11T11:20:00Z"],
  ];
  for (const [pair, ...values] of expected) {
    test(`${pair}: source, terms and next publication, on GET and HEAD`, async () => {
      values.push(DOCUMENT);
      assert.deepEqual(sourceHeaders(await service.get(`/v1/rates/${pair}`, { apiKey })), values);
      const head = await service.call("HEAD", `/v1/rates/${pair}`, { apiKey });
      assert.deepEqual(sourceHeaders(head), values);
    });
  }

  test("of two pairs with one time have the next publication of each pair's own calendar", () => {
    const nextOf = (pair: string) => {
      const rate = newRate(pair, "1.5", "2026-03-04T11:00:00Z", "nbp");
      const headers: string[] = JSON.parse(headersOf.rate(rate, "2026-11-21T12:00:00.000Z").json);
      return headers[headers.indexOf("rate-next") + 1];
    };
    const [tableA, tableB] = ["2026-03-05T11:20:00Z", "2026-03-11T11:20:00Z"];
    assert.deepEqual([nextOf("USD/PLN"), nextOf("AFN/PLN")], [tableA, tableB]);
  });

  test("are ASCII, and name every source and any import as RFC 9651 reads it", () => {
    const named = (source: string) => {
      const rate = newRate("USD/TRY", "42.5", "2026-03-04T11:00:00Z", source);
      const list: string[] = JSON.parse(headersOf.rate(rate, "2026-11-21T12:00:00.000Z").json);
      for (const text of list) assert.match(text, /^[ -~]+$/);
      const [key, parameters] = parseItem(list[1] ?? "");
      return [key, parameters.get("name")].map((text) =>
        text instanceof Token || text instanceof DisplayString ? text.toString() : text,
      );
    };
    for (const { key, name } of knownSources) assert.deepEqual(named(key), [key, name]);
    assert.ok(knownSources.some(({ name }) => /[^ -~]/.test(name)));
    assert.deepEqual(named("gone"), ["gone", undefined]);
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (name) => {
        const source = `import:${name}`;
        assert.deepEqual(named(source), [source, "Imported by the operator"]);
      }),
    );
  });

  test("name a document by the digest of RFC 9530", () => {
    // An example of it.
    const value = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";
    const hex = hash("sha256", '{"hello": "world"}\n');
    assert.deepEqual(documentHeader(hex), ["rate-document", value]);
  });

  test("name an import, which has neither terms nor a calendar", async () => {
    service.query(
      "INSERT INTO rates (base, quote, rate, as_of, source, headers) " +
        "SELECT 'AAA', 'BBB', '1.5', as_of, 'import', ? FROM rates LIMIT 1",
      headersOf.rate(IMPORTED, "2026-11-21T12:00:00.000Z").json,
    );
    const answer = await service.get("/v1/rates/AAA/BBB", { apiKey });
    assert.equal(answer.status, 200);
    const imported = 'import;name="Imported by the operator"';
    assert.deepEqual(sourceHeaders(answer), [imported, undefined, undefined, undefined]);
  });

  test("are completed at a start with the documents that an earlier version did not name", async () => {
    await using directory = await temporaryDirectory();
    const start = () => startService({ dataDirectory: directory.path });
    await using earlier = await start();
    const { apiKey } = await earlier.newCustomer();
    const cut = `replace(headers, ',"rate-document","${DOCUMENT}"', '')`;
    earlier.query(`UPDATE rates SET headers = ${cut}`);
    const before = await earlier.readRate("EUR/USD", apiKey);
    assert.equal(before.headers["rate-document"], undefined);
    await earlier[Symbol.asyncDispose]();

    await using service = await start();
    const after = await service.readRate("EUR/USD", apiKey);

    assert.deepEqual(sourceHeaders(after), [...sourceHeaders(before).slice(0, -1), DOCUMENT]);
  });
});

suite("the age of a rate", () => {
  const agesOf = async (pair: string, times: readonly string[]) => {
    await using service = await startService();
    const { apiKey } = await service.newCustomer();
    const ages: unknown[] = [];
    for (const time of times) {
      service.clock.set(time);
      const { headers } = await service.get(`/v1/rates/${pair}`, { apiKey });
      ages.push(headers["rate-missed"]);
    }
    return ages;
  };

  test("Rate-Missed counts publications from two hours after Rate-Next on, and not before", async () => {
    // Friday's rate, and Monday's publication at 15:05. Saturday and Sunday have none.
    const missed = await agesOf("EUR/USD", [
      "2026-03-13T15:30:00.000Z",
      "2026-03-16T15:05:00.000Z",
      "2026-03-16T17:04:59.000Z",
      "2026-03-16T17:05:00.000Z",
      "2026-03-17T17:04:59.000Z",
      "2026-03-17T17:05:00.000Z",
      "2026-03-23T12:00:00.000Z",
      "2026-11-21T12:00:00.000Z",
      "2026-03-16T17:05:00.000Z",
    ]);
    assert.deepEqual(missed, [undefined, undefined, undefined, "1", "1", "2", "5", "99", "1"]);
  });

  test("Rate-Missed follows the calendar of the pair, not that of its publisher", async () => {
    const times = ["2026-03-11T13:19:59.000Z", "2026-03-11T13:20:00.000Z"];
    assert.deepEqual(await agesOf("USD/PLN", times), ["3", "4"]);
    assert.deepEqual(await agesOf("AFN/PLN", times), [undefined, "1"]);
  });

  test("a rate that is stored again has missed nothing at the next read", async () => {
    await using service = await startService();
    const { apiKey } = await service.newCustomer();
    const before = await service.readRate("EUR/USD", apiKey);
    const asOf = "2026-11-20T15:00:00.000000000Z";
    const newer = headersOf.rate(newRate("EUR/USD", "1.2", asOf, "ecb"), asOf).json;
    service.query(
      "UPDATE rates SET as_of = ?, headers = ? WHERE base = 'EUR' AND quote = 'USD'",
      asOf,
      newer,
    );
    const after = await service.readRate("EUR/USD", apiKey);
    assert.deepEqual(
      [before, after].map(({ headers }) => headers["rate-missed"]),
      ["99", undefined],
    );
    assert.equal(after.headers["rate-next"], "2026-11-23T15:05:00Z");
  });

  for (const era of eras) {
    test(`MCP ${era}: the _meta of a rate names what its headers name, with its signature`, async () => {
      await using own = await startWithKey({ signingKey: newSigningKey() });
      const rest = await own.service.readRate("EUR/USD", own.apiKey);
      const answer = rpcOf(await own.post(readOf(era)));
      const read = metaIn(answer);
      const given = { ...EUR_USD, amount: "2" };
      const conversion = metaIn(rpcOf(await own.post(callOf(era, "convert_currency", given))));
      for (const meta of [read, conversion]) {
        for (const name of [...NAMES, "rate-missed", "units-charged"]) {
          assert.equal(meta[`kurs/${name}`], rest.headers[name], name);
        }
      }
      assert.equal(answer.result?.content?.[0]?.text, rest.text);
      for (const name of ["content-digest", "signature-input", "signature"]) {
        assert.ok(rest.headers[name] !== undefined);
        // The text of a conversion is not the signed one.
        const meta = [read[`kurs/${name}`], conversion[`kurs/${name}`]];
        assert.deepEqual(meta, [rest.headers[name], undefined], name);
      }
      assert.equal(rest.headers["rate-missed"], "99");
    });
  }
});
