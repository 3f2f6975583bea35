import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { eras as clients, connectMcp } from "../../support/mcp-client.ts";
import { startSharedService } from "../../support/service.ts";
import { assertRpcError, rpcOf } from "./answers.ts";
import { eras, headersOf, PATH, type Posted, requestOf } from "./messages.ts";
import { postTo } from "./with-key.ts";

const PAIRS = "kurs://pairs";
const SOURCES = "kurs://sources";

const service = await startSharedService();
const { session, apiKey } = await service.newCustomer();
const post = postTo(service, apiKey);

/** The only content of a resource, parsed. */
function jsonIn(contents: readonly unknown[], uri: string): Readonly<Record<string, unknown>> {
  const [content] = contents as readonly { uri: string; mimeType: string; text: string }[];
  assert.equal(contents.length, 1);
  assert.deepEqual([content?.uri, content?.mimeType], [uri, "application/json"]);
  return JSON.parse(content?.text ?? "") as Readonly<Record<string, unknown>>;
}

const pairsIn = (json: Readonly<Record<string, unknown>>) =>
  json.pairs as readonly { readonly base: string; readonly quote: string }[];

const ADD_1001_PAIRS = `
  WITH RECURSIVE numbers (number) AS (
    SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1000)
  INSERT INTO rates (base, quote, rate, as_of, source)
  SELECT 'BIG', 'Q' || number, '1.2', '2026-11-20T15:00:00.000000000Z', 'import' FROM numbers`;

/** A resources/read as a client of an era sends it. */
function readOf(era: (typeof eras)[number], uri: unknown, id: unknown = 1): Posted {
  const { headers, json } = requestOf(era, "resources/read", { uri }, id);
  return { headers: era === "2025" ? headers : { ...headers, "mcp-name": String(uri) }, json };
}

for (const { name, mode } of clients) {
  suite(`MCP resources, client ${name}`, () => {
    const connected = () => connectMcp(service.url, { mode, authorization: `ApiKey ${apiKey}` });

    test("are listed with their cost: the pairs in pages, those of one base, and the sources", async () => {
      await using mcp = await connected();

      const { resources } = await mcp.client.listResources();
      const { resourceTemplates } = await mcp.client.listResourceTemplates();

      assert.deepEqual(
        resources.map(({ uri, mimeType }) => [uri, mimeType]),
        [
          [PAIRS, "application/json"],
          [SOURCES, "application/json"],
        ],
      );
      assert.deepEqual(
        resourceTemplates.map(({ uriTemplate, mimeType }) => [uriTemplate, mimeType]),
        [
          [`${PAIRS}{?after}`, "application/json"],
          [`${PAIRS}/{base}`, "application/json"],
        ],
      );
      for (const { title, description } of [...resources, ...resourceTemplates]) {
        assert.match(title ?? "", /^(Pairs|Sources)/);
        assert.match(description ?? "", /Costs nothing\.$/);
      }
    });

    test("the pairs and the sources are the bytes of REST, for no unit", async () => {
      await using mcp = await connected();

      for (const [uri, member, count] of [
        [PAIRS, "pairs", 200],
        [SOURCES, "sources", 6],
      ] as const) {
        const { contents } = await mcp.client.readResource({ uri });
        const rest = await service.get(`/v1/account/${member}`, { session });
        assert.equal((contents[0] as { text: string }).text, rest.text);
        assert.ok((jsonIn(contents, uri)[member] as readonly object[]).length >= count);
      }
      assert.equal(await service.usedUnits(session), 0);
    });

    test("the pairs of one base are listed, for no unit", async () => {
      await using mcp = await connected();

      for (const uri of [`${PAIRS}/EUR`, `${PAIRS}/eur`]) {
        const json = jsonIn((await mcp.client.readResource({ uri })).contents, uri);

        const pairs = pairsIn(json);
        assert.ok(pairs.length > 20);
        assert.ok(pairs.every(({ base }) => base === "EUR"));
        assert.equal(json.next, null);
      }
      const unknown = `${PAIRS}/QQQ`;
      const none = jsonIn((await mcp.client.readResource({ uri: unknown })).contents, unknown);
      assert.deepEqual(none, { pairs: [], next: null });
      assert.equal(await service.usedUnits(session), 0);
    });

    test("more than 1,000 pairs come in pages: next names the last pair", async () => {
      await using mcp = await connected();
      service.query(ADD_1001_PAIRS);
      const read = async (uri: string) =>
        jsonIn((await mcp.client.readResource({ uri })).contents, uri);
      try {
        const first = await read(PAIRS);
        const ofBase = await read(`${PAIRS}/BIG`);
        const next = String(first.next);
        const second = await read(`${PAIRS}?after=${next}`);
        const encoded = await read(`${PAIRS}?after=${encodeURIComponent(next)}`);

        assert.equal(pairsIn(first).length, 1000);
        assert.match(next, /^BIG\/Q/);
        assert.deepEqual(encoded, second);
        const all = service.query("SELECT base, quote FROM rates ORDER BY base, quote");
        assert.deepEqual(
          [...pairsIn(first), ...pairsIn(second)].map(({ base, quote }) => `${base}/${quote}`),
          all.map(({ base, quote }) => `${base}/${quote}`),
        );
        assert.equal(second.next, null);
        assert.equal(pairsIn(ofBase).length, 1000);
        assert.match(String(ofBase.next), /^BIG\/Q/);
      } finally {
        service.query("DELETE FROM rates WHERE base = 'BIG'");
      }
    });
  });
}

const odd = [
  ...["kurs://pairs/E", "kurs://pairs/EUR/USD", "kurs://pairs/", "kurs://pairs/%2e%2e"],
  ...["kurs://pairs/ß", "kurs://pairs?base=EUR", "kurs://rates", "file:///etc/passwd"],
  ...["https://example.org/", "pairs", "", "kurs://pairs/constructor/x", "kurs:pairs"],
  ...["kurs://pairs/__proto__x1", "kurs://pairs/{base}", "kurs://pairs#EUR"],
  ...["kurs://pairs?after=EUR", "kurs://pairs?after=", "kurs://pairs?after=EUR/USD&base=EUR/USD/X"],
  ...["kurs://pairs?after=%", "kurs://sources/ecb"],
];

test("MCP resources: the URI of no resource is an error, uncharged", async () => {
  for (const uri of odd) {
    for (const era of eras) {
      const { error, result } = rpcOf(await post(readOf(era, uri)));
      assert.equal(result, undefined, uri);
      // -32020: a header cannot repeat a URI outside ASCII.
      assert.ok([-32_602, -32_002, -32_020].includes(error?.code ?? 0), JSON.stringify(error));
      assert.ok(JSON.stringify(error).length < 600);
    }
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("MCP resources: a read without a URI of text is -32602 in one short line, uncharged", async () => {
  const received = { undefined, null: null, number: 5, array: [PAIRS], object: { uri: PAIRS } };
  for (const era of eras) {
    for (const [type, uri] of Object.entries(received)) {
      const { headers, json } = requestOf(era, "resources/read", { uri });
      const message = `Invalid params.uri: expected string, received ${type}`;
      assertRpcError(await post({ headers, json }), 200, -32_602, message);
      assertRpcError(await post(readOf(era, uri)), 200, -32_602, message);
    }
  }
  const { headers, json } = requestOf("2025", "resources/read");
  const without = await post({ headers, json: { ...json, params: undefined } });
  assertRpcError(without, 200, -32_602, "Invalid params: expected object, received undefined");
  const batch = await service.post(PATH, { apiKey, headers, json: [readOf("2025", 5).json] });
  assert.match(batch.text, /^[^\n]+"code":-32602,"message":"Invalid params\.uri: [^\n\\]+$/);
  assert.equal(await service.usedUnits(session), 0);
});

test("MCP resources: a URI that is too long is an error in a short response", async () => {
  for (const era of eras) {
    const { headers, json } = readOf(era, `kurs://pairs/${"A".repeat(30_000)}`);
    const long = await post({ headers: { ...headers, "mcp-name": "x" }, json });
    assertRpcError(long, 400, -32_600, /at most 256 characters/);
    assert.ok(long.text.length < 300, `${long.text.length}`);
  }
});

test("MCP resources: a batch may read one resource, and is rejected with two", async () => {
  const batch = (count: number) =>
    service.post(PATH, {
      apiKey,
      headers: headersOf("2025"),
      json: Array.from({ length: count }, (_, id) => readOf("2025", `${PAIRS}/EUR`, id).json),
    });

  assert.ok(rpcOf(await batch(1)).result !== undefined);
  for (const count of [2, 100]) {
    const answer = await batch(count);
    assertRpcError(answer, 400, -32_600, /resources\/read only once/);
  }
  assert.equal(await service.usedUnits(session), 0);
});
