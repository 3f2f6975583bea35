import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { type Answer, PASSWORD } from "../../support/client.ts";
import { scrape } from "../../support/metrics.ts";
import { openWire } from "../../support/raw-connection.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";

const REGISTER = "/v1/auth/register";
const EMAIL = "ada@example.org";

const CALLS_PER_WINDOW = 2;
const trustedProxies = ["127.0.0.1", "10.9.9.0/24", "fd00::/8", "linklocal"];
const config = { authCallsPerWindow: CALLS_PER_WINDOW, trustedProxies };
const service = await startSharedService({ config });

/** A call that the limiter counts and that creates no account. */
const callFrom = (email: string, forwardedFor: string, own: TestService = service) =>
  own.post(REGISTER, {
    json: { email, password: "short" },
    headers: { "x-forwarded-for": forwardedFor },
  });

const isLimited = (answer: Answer) => assertFailure(answer, 429, "too_many_requests");

const forged = [
  ...["203.0.113.1", "203.0.113.1, 203.0.113.2", "::1", "2001:db8::1, 127.0.0.1", "_hidden", ",,,"],
  ...["[2001:db8::1]:443", "::ffff:203.0.113.1", "unknown", "' OR 1=1 --", "999.999.999.999"],
  `${"1.1.1.1, ".repeat(500)}127.0.0.1`,
];

const sameClients = [
  ["what a client claims before a proxy's entry", forged.map((front) => `${front}, 198.51.100.7`)],
  ["an IPv4 address", ["10.1.1.2", "10.1.1.2:5001", "10.1.1.2:5002"]],
  ["an IPv4 address in IPv6 form", ["::ffff:10.1.1.2", "::FFFF:a01:102", "10.1.1.2"]],
  ["an IPv4 address in brackets", ["[::ffff:10.1.1.2]:443", "[::ffff:10.1.1.2]", "10.1.1.2:1"]],
  ["an IPv6 address", ["2001:db8::1", "2001:0DB8:0000:0::0001", "2001:db8:0:0:0:0:0:1"]],
  ["an IPv6 address in brackets", ["[2001:db8::1]:443", "[2001:db8::1]", "2001:db8::1"]],
  ["an IPv6 address with a zone", ["2001:db8::1%eth0", "[2001:db8::1%1]:443", "2001:db8::1"]],
  ["a /64 of IPv6", ["2001:db8::1", "2001:db8::ffff:0:0:2", "2001:db8:0:0:8000::"]],
  ["a proxy whose entry has a port", ["203.0.113.9, 10.9.9.1:77", "203.0.113.9", "203.0.113.9,"]],
  ["a proxy in IPv6 form", ["203.0.113.9, ::ffff:10.9.9.1", "203.0.113.9, [fd00::1]:1"]],
  ["a proxy with a zone", ["203.0.113.9, fe80::1%eth0", "203.0.113.9, fe80::2"]],
  ["behind more than 32 proxies", [1, 2, 3].map((n) => `203.0.113.${n}${", 10.9.9.1".repeat(40)}`)],
  ["text that is no address", ["unknown", "_hidden", "10.1", "010.1.1.2", "1.2.3.4.5", "[::1"]],
] as const;

for (const [what, entries] of sameClients) {
  test(`client address: ${what} is one client in every notation`, async () => {
    const email = `${what.replaceAll(/\W/g, "-")}@example.org`;
    for (let call = 0; call < CALLS_PER_WINDOW; call += 1) {
      const entry = entries[call % entries.length] ?? "";
      assertFailure(await callFrom(email, entry), 400, "invalid_request", /^password/);
    }

    for (const entry of entries) isLimited(await callFrom(email, entry));
  });
}

const otherClients = [
  ["an IPv4 address", "10.1.1.2", "10.1.1.3"],
  ["the next /64 of IPv6", "2001:db8::1", "2001:db8:0:1::1"],
  [
    "behind a proxy, an address with a port",
    "203.0.113.1:80, 10.9.9.1",
    "203.0.113.2:80, 10.9.9.1",
  ],
] as const;

for (const [what, one, other] of otherClients) {
  test(`client address: ${what} that differs is another client`, async () => {
    const email = `other-${what.replaceAll(/\W/g, "-")}@example.org`;
    for (let call = 0; call < CALLS_PER_WINDOW; call += 1) await callFrom(email, one);
    isLimited(await callFrom(email, one));

    assertFailure(await callFrom(email, other), 400, "invalid_request", /^password/);
  });
}

for (const proxies of [[], ["192.0.2.1"]]) {
  const where = proxies.length === 0 ? "without TRUST_PROXY" : "of a proxy that is not trusted";
  test(`client address: no header ${where} changes it`, async () => {
    const config = { authCallsPerWindow: forged.length, trustedProxies: proxies };
    await using own = await startService({ config });
    const json = { email: "forged@example.org", password: "short" };
    for (const value of forged) {
      assertFailure(await callFrom(json.email, value, own), 400, "invalid_request", /^password/);
    }
    for (const headers of [{}, { forwarded: "for=203.0.113.4", "x-real-ip": "203.0.113.5" }]) {
      isLimited(await own.post(REGISTER, { json, headers }));
    }
  });
}

test("client address: text that is not an address counts as the proxy that sent it", async () => {
  const email = "no-address@example.org";
  for (let call = 0; call < CALLS_PER_WINDOW; call += 1) await callFrom(email, `text-${call}`);

  isLimited(await callFrom(email, "another text"));
  isLimited(await service.post(REGISTER, { json: { email, password: "short" } }));
  isLimited(await callFrom(email, "127.0.0.1:9"));
});

const resetPaths = [
  [REGISTER, { email: EMAIL, password: PASSWORD }],
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
    assert.equal((await gone.post(REGISTER, { json })).status, 201);

    const counts = await scrape(gone);
    assert.equal(counts.total("kurs_http_requests_total", { status: "500" }), 0);
    assert.equal(counts.total("kurs_refusals_total", { code: "internal_error" }), 0);
    assert.deepEqual(
      gone.logLines.filter((line) => /"level":"(?:error|fatal)"/.test(line)),
      [],
    );
  });
}
