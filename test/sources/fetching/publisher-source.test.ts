import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import tls from "node:tls";
import { publisherLimits } from "../../../src/sources/fetching/http-request.ts";
import { SourceError } from "../../../src/sources/source.ts";
import {
  type Behaviour,
  body,
  ecbDay,
  nbpTable,
  playPublisher,
  sourceAt,
  USER_AGENT,
} from "../../support/fake-publisher.ts";
import { CERTIFICATE_FILE } from "../../support/fake-smtp-server.ts";
import { TestClock } from "../../support/service.ts";

const GOOD = ecbDay("2026-11-20", { USD: "1.1600", ISK: "144.20" });
const FIGURES = ["USD 1.1600", "ISK 144.20"];
const LIMITS = {
  ...{ timeoutMs: 600_000, publicationMs: 600_000 },
  ...{ bodyBytesMax: 64 * 1024, redirectsMax: 5 },
};
const SHORT = { ...LIMITS, timeoutMs: 300 };
const clock = new TestClock("2026-11-21T12:00:00.000Z");

const redirectTo =
  (location: string, status = 302): Behaviour =>
  (response) =>
    void response.writeHead(status, { location }).end();

function fetchFrom(
  addresses: readonly string[],
  {
    key = "ecb",
    validators,
    limits = LIMITS,
    signal = new AbortController().signal,
  }: {
    readonly key?: string;
    readonly validators?: string | undefined;
    readonly limits?: typeof LIMITS;
    readonly signal?: AbortSignal;
  } = {},
) {
  return sourceAt(key, addresses, clock, limits).fetch(validators, signal);
}

async function changedFrom(...args: Parameters<typeof fetchFrom>) {
  const fetched = await fetchFrom(...args);
  assert.ok(fetched !== "unchanged");
  const figures = fetched.lines.map((line) =>
    "reason" in line ? line.reason : `${line.quote} ${line.rate}`,
  );
  return { figures, validators: fetched.validators };
}

function assertFails(pending: Promise<unknown>, reason: RegExp): Promise<void> {
  return assert.rejects(pending, (error) => {
    assert.ok(error instanceof SourceError, String(error));
    assert.match(error.message, reason);
    return true;
  });
}

test("a body that begins and does not continue ends in a timeout", async () => {
  await using publisher = await playPublisher((response) => {
    response.writeHead(200).write(GOOD.slice(0, 200));
  });
  await assertFails(
    fetchFrom([publisher.address], { limits: SHORT }),
    /^127\.0\.0\.1:\d+ did not respond within 0\.3 s$/,
  );
});

test("a body that arrives byte by byte has the same timeout as the whole exchange", async () => {
  await using publisher = await playPublisher((response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(" "), 20);
    response.once("close", () => clearInterval(drip));
  });
  const pending = fetchFrom([publisher.address], { limits: SHORT });
  await assertFails(pending, /did not respond within 0\.3 s$/);
});

test("slow redirects together have the same timeout as the whole exchange", async () => {
  await using publisher = await playPublisher((response, headers) => {
    setTimeout(() => redirectTo("/again")(response, headers), 120);
  });
  const pending = fetchFrom([publisher.address], { limits: SHORT });
  await assertFails(pending, /did not respond within 0\.3 s$/);
  assert.ok(publisher.requests.length <= 3);
});

test("a connection that is cut during a body is a failure, not a day with fewer rates", async () => {
  await using publisher = await playPublisher((response) => {
    response.writeHead(200, { "content-length": String(GOOD.length) });
    response.write(GOOD.slice(0, -5), () => response.destroy());
  });
  await assertFails(fetchFrom([publisher.address]), /^127\.0\.0\.1:\d+: \S/);
});

test("a rejected connection is a failure with this reason", async () => {
  const publisher = await playPublisher(body(GOOD));
  await publisher[Symbol.asyncDispose]();
  await assertFails(fetchFrom([publisher.address]), /^127\.0\.0\.1:\d+: .*ECONNREFUSED/);
});

test("a body of exactly the limit is accepted, and one byte more is not", async () => {
  const full = GOOD + " ".repeat(LIMITS.bodyBytesMax - Buffer.byteLength(GOOD));
  await using publisher = await playPublisher(body(full));
  assert.deepEqual((await changedFrom([publisher.address])).figures, FIGURES);
  publisher.behave(body(`${full} `));
  await assertFails(fetchFrom([publisher.address]), /^the response is larger than 0\.0625 MiB$/);
});

test("a response of 50 MB is never read completely with the production limits", async () => {
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
    fetchFrom([publisher.address], { limits: publisherLimits }),
    /^the response is larger than 8 MiB$/,
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
});

test("a redirect to another host after one that was followed is not followed either", async () => {
  await using other = await playPublisher(body(GOOD));
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
  assert.deepEqual(figures, ["PLN 4.2000"]);
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

test("five redirects are followed, and a sixth is a failure", async () => {
  await using publisher = await playPublisher(redirectTo("/again"));
  await assertFails(fetchFrom([publisher.address]), /^127\.0\.0\.1:\d+ redirects too many times$/);
  assert.equal(publisher.requests.length, 6);
});

for (const location of [
  "file:///etc/passwd",
  "data:text/xml,<E/>",
  "ftp://127.0.0.1/",
  "http://",
]) {
  test(`a redirect to ${location} is not followed`, async () => {
    await using publisher = await playPublisher(redirectTo(location));
    await assertFails(
      fetchFrom([publisher.address]),
      /redirects to something that is not a web address$/,
    );
    assert.equal(publisher.requests.length, 1);
  });
}

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

test("a 304 to a request without a validator is a failure, never an empty success", async () => {
  await using publisher = await playPublisher((response) => void response.writeHead(304).end());
  await assertFails(fetchFrom([publisher.address]), /304/);
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

  const changed = await fetchFrom(addresses, { key, validators });

  assert.ok(changed !== "unchanged");
  const lines = changed.lines.map((line) => ("reason" in line ? line.reason : line));
  assert.deepEqual(lines, [
    {
      ...{ base: "USD", quote: "PLN", rate: "3.6010", asOf: "2026-11-20T11:00:00.000000000Z" },
      ...{ date: "2026-11-20", place: 0 },
    },
    {
      ...{ base: "PAB", quote: "PLN", rate: "3.6770", asOf: "2026-11-18T11:00:00.000000000Z" },
      ...{ date: "2026-11-18", place: 1 },
    },
  ]);
  assert.deepEqual(
    tableB.requests.map((headers) => headers["if-none-match"]),
    [undefined, '"b1"', '"b1"', undefined],
  );
  // The validators of the second request are known, too.
  const { validators: latest } = changed;
  assert.equal(await fetchFrom(addresses, { key, validators: latest }), "unchanged");
});

test("a failure of one of two addresses is a failure of the whole publication", async () => {
  await using tableA = await playPublisher(body(nbpTable("2026-11-20", { USD: "3.6010" })));
  await using tableB = await playPublisher((response) => void response.writeHead(503).end());
  const addresses = [tableA.address, tableB.address];
  await assertFails(fetchFrom(addresses, { key: "nbp" }), /responded with 503$/);
});

test("an aborted fetch ends at once", { timeout: 120_000 }, async () => {
  const abort = new AbortController();
  await using publisher = await playPublisher(() => abort.abort());
  const pending = fetchFrom([publisher.address], { signal: abort.signal });
  await assertFails(pending, /^stopped before it was fetched$/);
});
