import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import tls from "node:tls";
import { inspect } from "node:util";
import { publisherLimits } from "../../../../src/rates/sources/fetching/http-request.ts";
import { createPublisherSource } from "../../../../src/rates/sources/fetching/publisher-source.ts";
import type { Address } from "../../../../src/rates/sources/publishers/publisher.ts";
import { SourceError } from "../../../../src/rates/sources/source.ts";
import {
  type Behaviour,
  body,
  ecbDay,
  nbpTable,
  playPublisher,
  publisherAt,
  USER_AGENT,
} from "../../../support/fake-publisher.ts";
import { CERTIFICATE_FILE } from "../../../support/fake-smtp-server.ts";
import { TestClock } from "../../../support/service.ts";

const GOOD = ecbDay("2026-11-20", { USD: "1.1600", ISK: "144.20" });
const FIGURES = ["USD 1.1600", "ISK 144.20"];
const LIMITS = {
  timeoutMs: 600_000,
  publicationMs: 1_200_000,
  bodyBytesMax: 64 * 1024,
  redirectsMax: 5,
};

const redirectTo =
  (location: string, status = 302): Behaviour =>
  (response) =>
    void response.writeHead(status, { location }).end();

function fetchFrom(
  addresses: readonly Address[],
  settings: {
    readonly key?: string;
    readonly now?: string;
    readonly token?: string;
    readonly tokenUrl?: string;
    readonly validators?: string | undefined;
    readonly limits?: typeof LIMITS;
    readonly signal?: AbortSignal;
  } = {},
) {
  const { key = "ecb", now = "2026-11-20T22:59:00.000Z", limits = LIMITS } = settings;
  const { token, tokenUrl, validators, signal = new AbortController().signal } = settings;
  const publisher = { ...publisherAt(key, addresses), ...(tokenUrl && { tokenUrl }) };
  const clock = new TestClock(now);
  const source = createPublisherSource(publisher, { userAgent: USER_AGENT, limits, clock, token });
  return source.fetch(validators, signal);
}

async function changedFrom(...args: Parameters<typeof fetchFrom>) {
  const fetched = await fetchFrom(...args);
  assert.ok(fetched !== "unchanged");
  const figures = fetched.lines.map((line) =>
    "reason" in line ? line.reason : `${line.quote} ${line.rate}`,
  );
  return { ...fetched, figures };
}

function assertFails(pending: Promise<unknown>, reason: RegExp): Promise<void> {
  return assert.rejects(pending, (error) => {
    assert.ok(error instanceof SourceError, String(error));
    assert.match(error.message, reason);
    return true;
  });
}

/** Limits of time that strike when the test says so. */
function holdLimits(t: TestContext) {
  const limits: { readonly ms: number; readonly controller: AbortController }[] = [];
  t.mock.method(AbortSignal, "timeout", (ms: number) => {
    const controller = new AbortController();
    limits.push({ ms, controller });
    return controller.signal;
  });
  return {
    setMs: () => limits.map(({ ms }) => ms),
    /** Without the limit, the response ends, so that the test does, too. */
    strike(ofMs: number, response: ServerResponse): void {
      const limit = limits.find(({ ms }) => ms === ofMs);
      if (limit === undefined) response.destroy();
      else limit.controller.abort(new DOMException("too late", "TimeoutError"));
    },
  };
}

test("one limit of time is for a whole exchange, its redirects and its body", async (t) => {
  const limits = holdLimits(t);
  await using publisher = await playPublisher((response, headers) => {
    if (publisher.requests.length < 3) return redirectTo("/again")(response, headers);
    response
      .writeHead(200)
      .write(GOOD.slice(0, 200), () => limits.strike(LIMITS.timeoutMs, response));
  });
  await assertFails(
    fetchFrom([publisher.address]),
    /^127\.0\.0\.1:\d+ did not respond within 600 s$/,
  );
  assert.equal(publisher.requests.length, 3);
  assert.deepEqual(limits.setMs(), [LIMITS.publicationMs, LIMITS.timeoutMs]);
});

test("another limit is for all documents of a publication, of which no further one is requested", async (t) => {
  const limits = holdLimits(t);
  await using publisher = await playPublisher((response) => {
    if (publisher.requests.length === 2) limits.strike(LIMITS.publicationMs, response);
    else response.end(nbpTable("2026-11-20", { USD: "3.6000" }));
  });
  const addresses = ["A", "B", "C"].map((table) => `${publisher.address}/${table}`);
  const { figures, failure } = await changedFrom(addresses, { key: "nbp" });
  assert.deepEqual(figures, ["PLN 3.6000"]);
  assert.match(failure?.message ?? "", /^its documents took too long .*, and 1 more document$/);
  assert.equal(publisher.requests.length, 2);
  // The third one has ended before it begins.
  const { publicationMs, timeoutMs } = LIMITS;
  assert.deepEqual(limits.setMs(), [publicationMs, timeoutMs, timeoutMs, timeoutMs]);
});

test("the documents of a publication are requested one after the other", async (t) => {
  let open = 0;
  const { fetch } = globalThis;
  t.mock.method(globalThis, "fetch", async (...args: Parameters<typeof fetch>) => {
    open += 1;
    assert.equal(open, 1);
    return fetch(...args).finally(() => {
      open -= 1;
    });
  });
  await using publisher = await playPublisher(body(nbpTable("2026-11-20", { USD: "3.6000" })));
  const addresses = ["A", "B"].map((table) => `${publisher.address}/${table}`);
  const { documents } = await changedFrom(addresses, { key: "nbp" });
  assert.deepEqual(
    documents.map(({ address }) => address),
    addresses,
  );
});

const failures: readonly (readonly [what: string, behaviour: Behaviour, reason: RegExp])[] = [
  ["is a 500", (response) => void response.writeHead(500).end(GOOD), /:\d+ responded with 500$/],
  ["is a 404", (response) => void response.writeHead(404).end(), /:\d+ responded with 404$/],
  // Never an empty success.
  ["is a 304 without a validator", (response) => void response.writeHead(304).end(), /304/],
  ["is cut off in its body", body(GOOD.slice(0, 300)), /cannot be read/],
  ["is HTML", body("<html><body>We moved.</body></html>"), /it is an HTML page/],
  ["has no rates", body(ecbDay("2026-11-20", {})), /no rate/],
  ["has no body", body(""), /^the response is empty$/],
  [
    "is a byte too large",
    body(GOOD.padEnd(LIMITS.bodyBytesMax + 1)),
    /is larger than 0\.0625 MiB$/,
  ],
  // A failure, not a day with fewer rates.
  [
    "is cut off with its connection",
    (response) => {
      response.writeHead(200, { "content-length": String(GOOD.length) });
      response.write(GOOD.slice(0, -5), () => response.destroy());
    },
    /^127\.0\.0\.1:\d+: \S/,
  ],
  ...["file:///etc/passwd", "data:text/xml,<E/>", "ftp://127.0.0.1/", "http://"].map(
    (location) =>
      [
        `redirects to ${location}`,
        redirectTo(location),
        /redirects to something that is not a web address$/,
      ] as const,
  ),
];

for (const [what, behaviour, reason] of failures) {
  test(`a response that ${what} is a failure with its reason`, async () => {
    await using publisher = await playPublisher(behaviour);
    await assertFails(fetchFrom([publisher.address]), reason);
    assert.equal(publisher.requests.length, 1);
  });
}

test("a rejected connection is a failure, and so is one of two addresses beside the other's figures", async () => {
  const publisher = await playPublisher(body(GOOD));
  await publisher[Symbol.asyncDispose]();
  await assertFails(fetchFrom([publisher.address]), /^127\.0\.0\.1:\d+: .*ECONNREFUSED/);

  await using tableA = await playPublisher(body(nbpTable("2026-11-20", { USD: "3.6010" })));
  await using tableB = await playPublisher((response) => void response.writeHead(503).end());
  const addresses = [tableA.address, tableB.address];
  const { figures, failure } = await changedFrom(addresses, { key: "nbp" });
  assert.deepEqual(figures, ["PLN 3.6010"]);
  assert.match(failure?.message ?? "", /responded with 503 /);
});

test("a body of exactly the limit is read after five redirects, and a sixth is a failure", async () => {
  let redirects = 5;
  await using publisher = await playPublisher((response, headers) => {
    redirects -= 1;
    if (redirects >= 0) redirectTo("/again")(response, headers);
    else body(GOOD.padEnd(LIMITS.bodyBytesMax))(response, headers);
  });
  assert.deepEqual((await changedFrom([publisher.address])).figures, FIGURES);
  redirects = 6;
  await assertFails(fetchFrom([publisher.address]), /^127\.0\.0\.1:\d+ redirects too many times$/);
  assert.equal(publisher.requests.length, 12);
});

test("a response of 50 MB is never read completely with the production limit", async () => {
  const { bodyBytesMax } = publisherLimits;
  let sentBytes = 0;
  const closed = Promise.withResolvers<void>();
  await using publisher = await playPublisher((response) => {
    const chunk = Buffer.alloc(65_536, " ");
    const send = (): void => {
      while (sentBytes < 50 * 1024 * 1024) {
        sentBytes += chunk.length;
        if (!response.write(chunk)) return;
      }
      response.end();
    };
    response.on("drain", send).on("close", closed.resolve).writeHead(200);
    send();
  });
  await assertFails(
    fetchFrom([publisher.address], { limits: { ...LIMITS, bodyBytesMax } }),
    /^the response is larger than 16 MiB$/,
  );
  await closed.promise;
  assert.ok(sentBytes < 30 * 1024 * 1024, `${sentBytes} bytes were read`);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect with ${status} is followed with the User-Agent and the validators`, async () => {
    const headers = { etag: '"one"', "last-modified": "Fri, 20 Nov 2026 15:00:00 GMT" };
    let answer = body(GOOD, headers);
    await using publisher = await playPublisher((response, ...rest) => {
      const isOld = response.req.url === "/rates";
      (isOld ? redirectTo("/moved", status) : answer)(response, ...rest);
    });

    const { figures, validators } = await changedFrom([publisher.address]);
    answer = (response) => void response.writeHead(304).end();
    const again = await fetchFrom([publisher.address], { validators });

    assert.deepEqual([figures, again], [FIGURES, "unchanged"]);
    assert.equal(publisher.requests.length, 4);
    for (const request of publisher.requests) assert.equal(request["user-agent"], USER_AGENT);
    assert.equal(publisher.requests[3]?.["if-none-match"], '"one"');
  });
}

test("a redirect to another host is not followed, and that host gets no request", async () => {
  await using other = await playPublisher(body(GOOD));
  const { port } = new URL(other.address);
  for (const location of [
    other.address,
    `//127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://127.0.0.2:${port}/`,
    `http://user:password@127.0.0.1:${port}/`,
  ]) {
    await using publisher = await playPublisher(redirectTo(location));
    await assertFails(
      fetchFrom([publisher.address]),
      /^127\.0\.0\.1:\d+ redirects to another host, (127\.0\.0\.[12]|localhost):\d+, which is not followed$/,
    );
    assert.equal(publisher.requests.length, 1);
  }
  assert.equal(other.requests.length, 0);

  await using publisher = await playPublisher((response, ...rest) => {
    const location = response.req.url === "/rates" ? "/moved" : other.address;
    redirectTo(location)(response, ...rest);
  });
  await assertFails(fetchFrom([publisher.address]), /redirects to another host/);
  assert.deepEqual([publisher.requests.length, other.requests.length], [2, 0]);
});

test("a redirect to the host of another address of the source is followed", async () => {
  await using second = await playPublisher(body(nbpTable("2026-11-20", { EUR: "4.2000" })));
  await using first = await playPublisher(redirectTo(second.address));
  const { figures } = await changedFrom([first.address, second.address], { key: "nbp" });
  assert.deepEqual(figures, ["PLN 4.2000", "PLN 4.2000"]);
});

test("a redirect from https to http is not followed, even on the same host", async () => {
  const certificates = tls.getCACertificates("default");
  const cert = readFileSync(CERTIFICATE_FILE);
  const key = readFileSync(CERTIFICATE_FILE.replace("cert.pem", "key.pem"));
  await using server = createServer({ cert, key }, (request, response) => {
    response.writeHead(302, { location: `http://${request.headers.host}/` }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  try {
    tls.setDefaultCACertificates([...certificates, cert.toString()]);
    const pending = fetchFrom([`https://localhost:${port}/`]);
    await assertFails(pending, /^localhost:\d+ redirects from https to http$/);
  } finally {
    tls.setDefaultCACertificates(certificates);
    server.closeAllConnections();
  }
});

test("the first request has no validator, and each later one both of the last response", async () => {
  const first = { etag: '"one"', "last-modified": "Thu, 19 Nov 2026 15:00:00 GMT" };
  const second = { etag: 'W/"two"', "last-modified": "Fri, 20 Nov 2026 15:00:00 GMT" };
  await using publisher = await playPublisher(body(GOOD, first));
  const one = await changedFrom([publisher.address]);
  publisher.behave(body(GOOD, second));
  const two = await changedFrom([publisher.address], { validators: one.validators });
  publisher.behave((response) => void response.writeHead(304).end());

  const three = await fetchFrom([publisher.address], { validators: two.validators });

  assert.equal(three, "unchanged");
  const sent = publisher.requests.map((headers) => [
    headers["if-none-match"],
    headers["if-modified-since"],
  ]);
  assert.deepEqual(sent, [
    [undefined, undefined],
    ['"one"', "Thu, 19 Nov 2026 15:00:00 GMT"],
    ['W/"two"', "Fri, 20 Nov 2026 15:00:00 GMT"],
  ]);
});

const conditional =
  (table: string, etag: string): Behaviour =>
  (response, headers) => {
    const isKnown = headers["if-none-match"] === etag;
    response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? undefined : table);
  };

test("when one of two addresses has changed, the other is fetched again despite its 304", async () => {
  const key = "nbp";
  await using tableA = await playPublisher(
    conditional(nbpTable("2026-11-19", { USD: "3.6000" }), '"a1"'),
  );
  await using tableB = await playPublisher(
    conditional(nbpTable("2026-11-18", { PAB: "3.6770" }), '"b1"'),
  );
  const addresses = [tableA.address, tableB.address];
  const { validators } = await changedFrom(addresses, { key });
  assert.equal(await fetchFrom(addresses, { key, validators }), "unchanged");
  tableA.behave(conditional(nbpTable("2026-11-20", { USD: "3.6010" }), '"a2"'));

  const { figures, lines, ...changed } = await changedFrom(addresses, { key, validators });

  assert.deepEqual(figures, ["PLN 3.6010", "PLN 3.6770"]);
  assert.deepEqual(
    lines.map(({ place, date }) => [place, date]),
    [
      [0, "2026-11-20"],
      [1, "2026-11-18"],
    ],
  );
  assert.deepEqual(
    tableB.requests.map((headers) => headers["if-none-match"]),
    [undefined, '"b1"', '"b1"', undefined],
  );
  // The validators of the second request are known, too.
  const { validators: latest } = changed;
  assert.equal(await fetchFrom(addresses, { key, validators: latest }), "unchanged");
});

test("an address can have the publisher's day, and another day's validators are not sent", async () => {
  await using publisher = await playPublisher(body(GOOD, { etag: '"one"' }));
  const dated: Address = (today) => ({ address: `${publisher.address}?day=${today}` });
  const first = await changedFrom([dated], { now: "2026-11-20T22:59:00.000Z" });
  const { validators } = first;
  await fetchFrom([dated], { validators });
  // Midnight in Berlin.
  const next = await changedFrom([dated], { validators, now: "2026-11-20T23:00:00.000Z" });
  assert.equal(next.documents[0]?.address, `${publisher.address}?day=2026-11-21`);
  const days = ["2026-11-20", "2026-11-20", "2026-11-21"];
  assert.deepEqual(
    publisher.bodies,
    days.map((day) => `GET /rates?day=${day} `),
  );
  const sent = publisher.requests.map((headers) => headers["if-none-match"]);
  assert.deepEqual(sent, [undefined, '"one"', undefined]);
});

const posted =
  (address: string): Address =>
  () => ({ address, body: "<Rates/>", headers: { "content-type": "text/xml; charset=utf-8" } });

test("a body is sent by POST with its content type, and without validators", async () => {
  await using publisher = await playPublisher(body(GOOD, { etag: '"one"' }));
  const first = await fetchFrom([posted(publisher.address)]);
  assert.ok(first !== "unchanged");
  const second = await fetchFrom([posted(publisher.address)], { validators: first.validators });
  assert.ok(second !== "unchanged");
  assert.deepEqual(publisher.bodies, ["POST /rates <Rates/>", "POST /rates <Rates/>"]);
  for (const headers of publisher.requests) {
    assert.equal(headers["content-type"], "text/xml; charset=utf-8");
    assert.equal(headers["user-agent"], USER_AGENT);
    assert.equal(headers["if-none-match"], undefined);
  }
});

test("a form is sent with the hidden fields and the cookies of its page, which are not stored", async () => {
  const page = '<input type="hidden" name="__STATE" id="__STATE" value="a+b/c=" />';
  await using publisher = await playPublisher((response, headers) => {
    response.setHeader("set-cookie", ["one=1; Path=/", "two=2"]);
    body(response.req.method === "POST" ? GOOD : page, { etag: '"one"' })(response, headers);
  });
  const form: Address = ({ year }) => ({ address: publisher.address, form: { Year: `${year}` } });
  const first = await changedFrom([form]);
  const { validators } = first;
  assert.deepEqual((await changedFrom([form], { validators })).figures, FIGURES);

  const once = ["GET /rates ", "POST /rates Year=2026&__STATE=a%2Bb%2Fc%3D"];
  assert.deepEqual(publisher.bodies, [...once, ...once]);
  for (const [index, headers] of publisher.requests.entries()) {
    assert.equal(headers.cookie, index % 2 === 0 ? undefined : "one=1; two=2");
    assert.equal(headers["if-none-match"], undefined);
  }
  assert.deepEqual(Object.keys(first.documents[0] ?? {}).sort(), ["address", "body", "receivedMs"]);
  assert.equal(first.documents[0]?.address, publisher.address);

  publisher.behave((response) => void response.writeHead(503).end());
  await assertFails(fetchFrom([form]), /responded with 503$/);
  assert.equal(publisher.bodies.at(-1), "GET /rates ");
});

test("a POST that is redirected is sent again by 307 and 308, and a failure by another status", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    await using publisher = await playPublisher((response, headers) => {
      const isMoved = response.req.url === "/moved";
      (isMoved ? body(GOOD) : redirectTo("/moved", status))(response, headers);
    });
    const pending = fetchFrom([posted(publisher.address)]);
    if (status >= 307) await pending;
    else await assertFails(pending, new RegExp(`responded with ${status}$`));
    const again = status >= 307 ? ["POST /moved <Rates/>"] : [];
    assert.deepEqual(publisher.bodies, ["POST /rates <Rates/>", ...again]);
  }
});

const withToken =
  (address: string): Address =>
  (_, token) => ({ address, headers: { "x-token": token } });

const tokenUrl = "https://publisher.example/token";

test("the operator's token goes to the publisher in a header alone; without it nothing is requested", async () => {
  await using publisher = await playPublisher(body(GOOD));
  await assert.rejects(fetchFrom([withToken(publisher.address)], { tokenUrl }), {
    name: "SourceError",
    message: `it wants a token: get one at ${tokenUrl}, and set SOURCE_TOKENS`,
  });
  assert.equal(publisher.requests.length, 0);
  const fetched = await fetchFrom([withToken(publisher.address)], { tokenUrl, token: "0123abcd" });
  assert.equal(publisher.requests[0]?.["x-token"], "0123abcd");
  assert.doesNotMatch(JSON.stringify(fetched), /0123abcd/);
});

const withPassword =
  (address: string): Address =>
  (_, token) => ({ address: `${address}?of=x`, credentials: { user: "me", pass: token } });

test("a password in an address is sent, and is neither in the document nor in a failure", async () => {
  await using publisher = await playPublisher(body(GOOD));
  const fetchAt = (address = publisher.address) =>
    fetchFrom([withPassword(address)], { tokenUrl, token: "se&cret" });
  const fetched = await fetchAt();
  assert.deepEqual(publisher.bodies, ["GET /rates?of=x&user=me&pass=se%26cret "]);
  assert.match(JSON.stringify(fetched), /rates\?of=x"/);
  assert.doesNotMatch(JSON.stringify(fetched), /cret/);

  const isSilent = (error: unknown) => !inspect(error, { depth: 9 }).includes("cret");
  for (const failing of [redirectTo("http://localhost:1/"), redirectTo("/rates"), body("no")]) {
    publisher.behave(failing);
    await assert.rejects(fetchAt(), isSilent);
  }
  await assert.rejects(fetchAt("http://127.0.0.1:1/rates"), isSilent);
});

test("an aborted fetch ends at once", { timeout: 120_000 }, async () => {
  const abort = new AbortController();
  await using publisher = await playPublisher(() => abort.abort());
  const pending = fetchFrom([publisher.address], { signal: abort.signal });
  await assertFails(pending, /^stopped before it was fetched$/);
});
