import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../client/src/index.ts";
import { fetchKeys, type SignedResponse, verify } from "../../client/src/verify.ts";
import { newRate } from "../contract/suite/rates-stored.ts";
import { signedHeadersOf, sources } from "../support/rates.ts";
import { openWire } from "../support/raw-connection.ts";
import { openNodeWire } from "../support/read-both-ways.ts";
import { startService, startSharedService } from "../support/service.ts";
import { isGenuine, newSigningKey, publicKeysOf } from "../support/signatures.ts";

const signingKey = newSigningKey();
const service = await startSharedService({ config: { signingKey } });
const keys = await fetchKeys(service.url);
const pair = { base: "EUR", quote: "USD" };

async function readRate({ url, apiKey }: { readonly url: string; readonly apiKey: string }) {
  const result = await createClient({ url, apiKey }).rates.get("EUR", "USD");
  assert.ok(result.error === undefined);
  return result;
}

const { apiKey } = await service.newCustomer();
const signed = await readRate({ url: service.url, apiKey });

/** The response with another header, or with another body. */
function changed({ body = signed.body, ...headers }: Readonly<Record<string, string>>) {
  const all = new Headers(signed.response.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return { response: { headers: all }, body };
}

const reasonOf = async (response: SignedResponse, trusted = keys, about = pair) => {
  const result = await verify(response, trusted, about);
  return result.isGenuine ? undefined : result.reason;
};

test("a signed rate is genuine by the keys of the service, which states when it signed it", async () => {
  assert.deepEqual(keys, await publicKeysOf(service));
  const { id: keyId } = signingKey;
  const created = /created=(\d+)/.exec(signed.response.headers.get("signature-input") ?? "")?.[1];

  const result = await verify(signed, keys, { base: "eur", quote: " usd" });

  assert.deepEqual(result, { isGenuine: true, keyId, signedAt: new Date(Number(created) * 1000) });
});

test("a signed rate of every source is genuine, and has the same bytes on both ways in", async () => {
  const insert = `INSERT INTO rates (base, quote, rate, as_of, source, headers, signing_key)
    VALUES (?, 'ZZZ', '1.5', '2026-03-13T15:00:00.000000000Z', ?, ?, ?)`;
  using node = await openNodeWire(service.url);
  using fast = await openWire(service.url);
  const names = [...sources.map(({ key }) => key), "import", "import:treasury", "import:Zürich"];
  for (const [index, source] of names.entries()) {
    const rate = newRate(`S${index}/ZZZ`, "1.5", "2026-03-13T15:00:00Z", source);
    const { json } = signedHeadersOf(signingKey).rate(rate, "2026-11-21T12:00:00.000Z");
    service.query(insert, rate.base, source, json, signingKey.id);

    const [first, second] = [fast, node].map((wire) => wire.readRate(`${rate.base}/ZZZ`, apiKey));
    const answers = [await first, await second];

    const sourceLines = answers.map((answer) =>
      answer?.lines.filter((line) => /^(?:rate-source|link):/.test(line)),
    );
    assert.deepEqual(sourceLines[0], sourceLines[1], source);
    for (const answer of answers) {
      assert.ok(answer !== undefined && answer.status === 200);
      const received = { response: { headers: new Headers(answer.headers) }, body: answer.text };
      assert.equal(await reasonOf(received, keys, rate), undefined, source);
      assert.ok(await isGenuine(answer, await publicKeysOf(service)), source);
    }
  }
});

test("another figure, source, time, signature, pair or key is not genuine, and says why", async () => {
  const { headers } = signed.response;
  const input = headers.get("signature-input") ?? "";
  const signature = headers.get("signature") ?? "";
  const twisted = signature.replace(/:(.)/, (_, first) => (first === "A" ? ":B" : ":A"));

  assert.equal(await reasonOf(signed), undefined);
  assert.equal(
    await reasonOf(changed({ body: signed.body.replace("1.1", "9.1") })),
    "another body",
  );
  assert.equal(await reasonOf(changed({ "rate-source": "boc" })), "forged");
  assert.equal(await reasonOf(changed({ signature: twisted })), "forged");
  const later = input.replace(/created=\d/, "created=9");
  assert.equal(await reasonOf(changed({ "signature-input": later })), "forged");
  const fewer = input.replace(' "rate-source"', "");
  assert.equal(await reasonOf(changed({ "signature-input": fewer })), "unsigned");
  assert.equal(await reasonOf(signed, keys, { base: "EUR", quote: "GBP" }), "another pair");
  assert.equal(await reasonOf(signed, keys, { base: "GBP", quote: "USD" }), "another pair");
  assert.equal(await reasonOf(signed, []), "unknown key");
  const [key] = keys;
  assert.ok(key !== undefined);
  const stranger = [{ ...key, x: newSigningKey().publicKey }];
  assert.equal(await reasonOf(signed, stranger), "forged");
});

test("a signature of a proxy beside that of the service changes nothing", async () => {
  const { headers } = signed.response;
  const both = changed({
    "signature-input": `proxy=("@status");keyid="p", ${headers.get("signature-input")}`,
    signature: `proxy=:AAAA:, ${headers.get("signature")}, last=:AAAA:`,
  });

  assert.equal(await reasonOf(both), undefined);
});

test("a service that signs nothing gives rates without a proof, and no keys", async () => {
  await using unsigned = await startService();
  const customer = await unsigned.newCustomer();
  const result = await readRate({ url: unsigned.url, apiKey: customer.apiKey });

  assert.equal(await reasonOf(result), "unsigned");
  assert.deepEqual(await fetchKeys(unsigned.url), []);
  await assert.rejects(fetchKeys(`${unsigned.url}/nothing`), /status 404/);
  const other = async () => Response.json({ status: "ok" });
  await assert.rejects(fetchKeys(unsigned.url, { fetch: other }), /jwks\.json: it has no keys$/);
});
