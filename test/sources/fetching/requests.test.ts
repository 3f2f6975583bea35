import assert from "node:assert/strict";
import { test } from "node:test";
import { publisherLimits } from "../../../src/sources/fetching/http-request.ts";
import { createPublisherSource } from "../../../src/sources/fetching/publisher-source.ts";
import type { Address } from "../../../src/sources/publishers/publisher.ts";
import {
  body,
  ecbDay,
  nbpTable,
  playPublisher,
  publisherAt,
  USER_AGENT,
} from "../../support/fake-publisher.ts";
import { TestClock } from "../../support/service.ts";

const GOOD = ecbDay("2026-11-20", { USD: "1.1600" });
const LIMITS = { ...publisherLimits, timeoutMs: 600_000, publicationMs: 600_000 };

function fetchAt(
  addresses: readonly Address[],
  settings: {
    readonly key?: string;
    readonly now?: string;
    readonly token?: string;
    readonly tokenUrl?: string;
    readonly validators?: string | undefined;
    readonly limits?: typeof LIMITS;
  } = {},
) {
  const { key = "ecb", now = "2026-11-20T22:59:00.000Z", limits = LIMITS } = settings;
  const { token, tokenUrl, validators } = settings;
  const publisher = { ...publisherAt(key, addresses), ...(tokenUrl && { tokenUrl }) };
  const clock = new TestClock(now);
  const source = createPublisherSource(publisher, {
    ...{ userAgent: USER_AGENT, limits, clock, token },
  });
  return source.fetch(validators, new AbortController().signal);
}

test("an address can have the day in the publisher's time zone", async () => {
  await using publisher = await playPublisher(body(GOOD));
  const dated: Address = (today) => ({ address: `${publisher.address}?day=${today}` });
  await fetchAt([dated], { now: "2026-11-20T22:59:00.000Z" });
  // Midnight in Berlin.
  const fetched = await fetchAt([dated], { now: "2026-11-20T23:00:00.000Z" });
  assert.deepEqual(publisher.bodies, ["GET /rates?day=2026-11-20 ", "GET /rates?day=2026-11-21 "]);
  assert.ok(fetched !== "unchanged");
  assert.equal(fetched.documents[0]?.address, `${publisher.address}?day=2026-11-21`);
});

test("the validators of another day's address are not sent", async () => {
  await using publisher = await playPublisher(body(GOOD, { etag: '"one"' }));
  const dated: Address = (today) => ({ address: `${publisher.address}?day=${today}` });
  const first = await fetchAt([dated]);
  assert.ok(first !== "unchanged");
  const { validators } = first;
  await fetchAt([dated], { validators });
  await fetchAt([dated], { validators, now: "2026-11-21T12:00:00.000Z" });
  const sent = publisher.requests.map((headers) => headers["if-none-match"]);
  assert.deepEqual(sent, [undefined, '"one"', undefined]);
});

const posted =
  (address: string): Address =>
  () => ({ address, body: "<Rates/>", headers: { "content-type": "text/xml; charset=utf-8" } });

test("a body is sent by POST with its content type, and without validators", async () => {
  await using publisher = await playPublisher(body(GOOD, { etag: '"one"' }));
  const first = await fetchAt([posted(publisher.address)]);
  assert.ok(first !== "unchanged");
  const second = await fetchAt([posted(publisher.address)], { validators: first.validators });
  assert.ok(second !== "unchanged");
  assert.deepEqual(publisher.bodies, ["POST /rates <Rates/>", "POST /rates <Rates/>"]);
  for (const headers of publisher.requests) {
    assert.equal(headers["content-type"], "text/xml; charset=utf-8");
    assert.equal(headers["user-agent"], USER_AGENT);
    assert.equal(headers["if-none-match"], undefined);
  }
});

for (const status of [307, 308]) {
  test(`a POST that is redirected by ${status} is sent again with its body`, async () => {
    await using publisher = await playPublisher((response) => {
      if (response.req.url === "/moved") body(GOOD)(response, {});
      else response.writeHead(status, { location: "/moved" }).end();
    });
    await fetchAt([posted(publisher.address)]);
    assert.deepEqual(publisher.bodies, ["POST /rates <Rates/>", "POST /moved <Rates/>"]);
  });
}

for (const status of [301, 302, 303]) {
  test(`a POST that is redirected by ${status} is a failure`, async () => {
    await using publisher = await playPublisher((response) => {
      response.writeHead(status, { location: "/moved" }).end();
    });
    await assert.rejects(fetchAt([posted(publisher.address)]), {
      name: "SourceError",
      message: new RegExp(`responded with ${status}$`),
    });
    assert.equal(publisher.requests.length, 1);
  });
}

const withToken =
  (address: string): Address =>
  (_, token) => ({ address, headers: { "x-token": token } });

const tokenUrl = "https://publisher.example/token";

test("the operator's token goes to the publisher in a header, and nowhere else", async () => {
  await using publisher = await playPublisher(body(GOOD));
  const fetched = await fetchAt([withToken(publisher.address)], { tokenUrl, token: "0123abcd" });
  assert.equal(publisher.requests[0]?.["x-token"], "0123abcd");
  assert.doesNotMatch(JSON.stringify(fetched), /0123abcd/);
});

test("without the token that a publisher wants, nothing is requested", async () => {
  await using publisher = await playPublisher(body(GOOD));
  await assert.rejects(fetchAt([withToken(publisher.address)], { tokenUrl }), {
    name: "SourceError",
    message: `it wants a token: get one at ${tokenUrl}, and set SOURCE_TOKENS`,
  });
  assert.equal(publisher.requests.length, 0);
});

test("the documents of a publication are requested one after the other", async () => {
  let open = 0;
  await using publisher = await playPublisher((response) => {
    open += 1;
    assert.equal(open, 1);
    const name = response.req.url?.endsWith("B") ? "PAB" : "USD";
    setTimeout(() => {
      open -= 1;
      response.end(nbpTable("2026-11-20", { [name]: "3.6000" }));
    }, 20);
  });
  const addresses = ["A", "B"].map((table) => `${publisher.address}/${table}`);
  const fetched = await fetchAt(addresses, { key: "nbp" });
  assert.ok(fetched !== "unchanged");
  assert.deepEqual(
    fetched.documents.map(({ address }) => address),
    addresses,
  );
});

test("documents that take too long together are a failure, however fast each is", async () => {
  await using publisher = await playPublisher((response) => {
    setTimeout(() => response.end(nbpTable("2026-11-20", { USD: "3.6000" })), 200);
  });
  const addresses = ["A", "B", "C", "D", "E"].map((table) => `${publisher.address}/${table}`);
  const pending = fetchAt(addresses, { key: "nbp", limits: { ...LIMITS, publicationMs: 300 } });
  await assert.rejects(pending, { name: "SourceError", message: "its documents took too long" });
  assert.ok(publisher.requests.length < addresses.length);
});
