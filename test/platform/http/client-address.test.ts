import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { clientAddress } from "../../../src/platform/http/client-address.ts";
import { createServer } from "../../../src/platform/http/server/server.ts";
import { assertFailure } from "../../support/assertions.ts";
import { type Answer, PASSWORD } from "../../support/client.ts";
import { scrape } from "../../support/metrics.ts";
import { openWire } from "../../support/raw-connection.ts";
import { startService, type TestService } from "../../support/service.ts";

const EMAIL = "ada@example.org";

/** Finds the client of a request from a proxy at 127.0.0.1. */
function clientFinder(trustedProxies: readonly string[]) {
  const app = createServer(trustedProxies);
  app.get("/", clientAddress);
  return async (forwardedFor: string) => {
    const headers = { "x-forwarded-for": forwardedFor };
    return (await app.inject({ url: "/", headers })).body;
  };
}

const findClient = clientFinder(["127.0.0.1", "10.9.9.0/24", "fd00::/8", "linklocal"]);

const forged = [
  ...["203.0.113.1", "203.0.113.1, 203.0.113.2", "::1", "2001:db8::1, 127.0.0.1", "_hidden", ",,,"],
  ...["[2001:db8::1]:443", "::ffff:203.0.113.1", "unknown", "' OR 1=1 --", "999.999.999.999"],
  `${"1.1.1.1, ".repeat(500)}127.0.0.1`,
];
const hops = ", 10.9.9.1".repeat(40);

const clients: readonly (readonly [what: string, client: string, ...entries: string[]])[] = [
  ["behind what it claims", "198.51.100.7", ...forged.map((front) => `${front}, 198.51.100.7`)],
  ["of IPv4", "10.1.1.2", "10.1.1.2", "10.1.1.2:5001", "10.1.1.2:5002"],
  ["of IPv4 in IPv6 form", "10.1.1.2", "::ffff:10.1.1.2", "::FFFF:a01:102"],
  ["of IPv4 in brackets", "10.1.1.2", "[::ffff:10.1.1.2]:443", "[::ffff:10.1.1.2]"],
  ["of IPv6", "2001:db8::/64", "2001:db8::1", "2001:0DB8:0:0::0001", "2001:db8:0:0:0:0:0:1"],
  ["of IPv6 in brackets", "2001:db8::/64", "[2001:db8::1]:443", "[2001:db8::1]"],
  ["of IPv6 with a zone", "2001:db8::/64", "2001:db8::1%eth0", "[2001:db8::1%1]:443"],
  ["in a /64 of IPv6", "2001:db8::/64", "2001:db8::ffff:0:0:2", "2001:db8:0:0:8000::"],
  ["in the next /64", "2001:db8:0:1::/64", "2001:db8:0:1::1"],
  ["of a proxy with a port", "203.0.113.9", "203.0.113.9, 10.9.9.1:77", "203.0.113.9:80, 10.9.9.1"],
  ["of a proxy in IPv6 form", "203.0.113.9", "203.0.113.9, ::ffff:10.9.9.1"],
  ["of a proxy in brackets", "203.0.113.9", "203.0.113.9, [fd00::1]:1", "203.0.113.9,"],
  ["of a proxy with a zone", "203.0.113.9", "203.0.113.9, fe80::1%eth0", "203.0.113.9, fe80::2"],
  // Their last entry is the furthest proxy that counts.
  ["behind more than 32 proxies", "10.9.9.1", ...[1, 2].map((n) => `203.0.113.${n}${hops}`)],
  // It counts as the proxy that sent it.
  [
    "of text",
    "127.0.0.1",
    "unknown",
    "_hidden",
    "10.1",
    "010.1.1.2",
    "1.2.3.4.5",
    "[::1",
    "another",
  ],
];

for (const [what, client, ...entries] of clients) {
  test(`client address: a client ${what} is ${client} in every notation`, async () => {
    for (const entry of entries) assert.equal(await findClient(entry), client, entry);
  });
}

const isLimited = (answer: Answer) => assertFailure(answer, 429, "too_many_requests");

/** A call that the limiter counts, and that creates no account. */
const register = (own: TestService, headers: Readonly<Record<string, string>>) =>
  own.post("/v1/auth/register", { json: { email: EMAIL, password: "short" }, headers });

for (const proxies of [[], ["192.0.2.1"]]) {
  const where = proxies.length === 0 ? "without TRUST_PROXY" : "of a proxy that is not trusted";
  test(`client address: no header ${where} changes whom the limiter counts`, async () => {
    const config = { authCallsPerWindow: forged.length, trustedProxies: proxies };
    await using own = await startService({ config });
    for (const value of forged) {
      const answer = await register(own, { "x-forwarded-for": value });
      assertFailure(answer, 400, "invalid_request", /^password/);
    }
    for (const headers of [{}, { forwarded: "for=203.0.113.4", "x-real-ip": "203.0.113.5" }]) {
      isLimited(await register(own, headers));
    }
  });
}

test("client address: the limiter counts each client of a trusted proxy by itself", async () => {
  await using own = await startService({
    config: { authCallsPerWindow: 1, trustedProxies: ["127.0.0.1"] },
  });
  for (const value of ["203.0.113.1", "203.0.113.2"]) {
    const headers = { "x-forwarded-for": value };
    assertFailure(await register(own, headers), 400, "invalid_request", /^password/);
    isLimited(await register(own, headers));
  }
});

const resetPaths = [
  ["/v1/auth/register", { email: EMAIL, password: PASSWORD }],
  ["/v1/auth/login", { email: EMAIL, password: PASSWORD }],
  ["/v1/auth/verification/resend", { email: EMAIL }],
  ["/v1/auth/password-reset", { email: EMAIL }],
  ["/v1/auth/password-reset/confirm", { token: "3f".repeat(32), password: PASSWORD }],
] as const;

/** Sends a request and resets the connection before the service can have read it. */
async function sendAndReset(url: string, path: string, json: object): Promise<void> {
  const body = JSON.stringify(json);
  const { socket } = await openWire(url);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  socket.resetAndDestroy();
  await once(socket, "close");
}

for (const proxies of [[], ["127.0.0.1"]]) {
  const where = proxies.length === 0 ? "" : ", behind a proxy";
  test(`client address: a request whose client has gone causes no 500 and no error${where}`, async () => {
    const own = { metricsPort: 0, trustedProxies: proxies, authCallsPerWindow: 1000 };
    await using gone = await startService({ config: own });

    for (const [path, json] of resetPaths) {
      for (let call = 0; call < 5; call += 1) await sendAndReset(gone.url, path, json);
    }
    // The service handles earlier requests before it has hashed a password.
    const json = { email: "bob@example.org", password: PASSWORD };
    assert.equal((await gone.post("/v1/auth/register", { json })).status, 201);

    const counts = await scrape(gone);
    assert.equal(counts.total("kurs_http_requests_total", { status: "500" }), 0);
    assert.equal(counts.total("kurs_refusals_total", { code: "internal_error" }), 0);
    assert.deepEqual(
      gone.logLines.filter((line) => /"level":"(?:error|fatal)"/.test(line)),
      [],
    );
  });
}
