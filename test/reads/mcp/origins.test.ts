import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { sendRaw } from "../../support/raw-connection.ts";
import { eras, PATH, type Posted, readOf, requestOf } from "./messages.ts";
import { startSharedWithKey, startWithKey } from "./with-key.ts";

const config = {
  publicUrl: "https://public.example/rates",
  allowedOrigins: ["https://app.example.org", "http://console.example.org:3000"],
};
const { service, session, apiKey, post } = await startSharedWithKey(config);

const withHeaders = ({ headers, json }: Posted, others: Record<string, string>): Posted => ({
  headers: { ...headers, ...others },
  json,
});

const FOREIGN_ORIGIN =
  "Pages of this Origin may not call MCP. The server's operator can allow them: ALLOWED_ORIGINS.";
const FOREIGN_HOST =
  "This server listens on loopback and does not go by this Host. Its operator can set PUBLIC_URL.";

const allowedOrigins = [
  ...["https://public.example", "https://app.example.org", "http://console.example.org:3000"],
  ...["http://localhost", "http://localhost:3000", "https://localhost:65535"],
  ...["http://127.0.0.1:6274", "http://127.1.2.3:80", "http://[::1]:5173"],
];

test("MCP origins: the service's own, those of this machine and those of the settings are allowed", async () => {
  for (const origin of allowedOrigins) {
    for (const era of eras) {
      const answer = await post(withHeaders(readOf(era), { origin }));
      assert.equal(answer.status, 200, origin);
      assert.equal(answer.headers["access-control-allow-origin"], "*");
    }
  }
});

const foreignOrigins = [
  ...["https://evil.example", "null", "file://", "", "localhost", "http://localhost.evil.example"],
  ...["http://127.0.0.1.evil.example", "http://evil.example:127", "http://localhost@evil.example"],
  ...["http://127.0.0.1@evil.example", "http://evil-localhost", "http://127.evil.example"],
  ...["http://[::2]", "http://0.0.0.0:8080", "http://192.168.1.5", "ftp://localhost"],
  ...["chrome-extension://localhost", "http://public.example", "https://public.example:8443"],
  ...["https://public.example.evil", "https://evil.public.example", "https://public.example/rates"],
  ...["https://app.example.org.evil", "https://app.example.org:444", "http://app.example.org"],
  ...["https://APP.example.org/", "http://console.example.org"],
  "https://app.example.org, https://evil.example",
];

test("MCP origins: any other is forbidden: 403, uncharged, in both eras and for any message", async () => {
  const used = await service.usedUnits(session);
  for (const origin of foreignOrigins) {
    for (const posted of eras.flatMap((era) => [readOf(era), requestOf(era, "tools/list")])) {
      const answer = await post(withHeaders(posted, { origin }));
      assertFailure(answer, 403, "forbidden", FOREIGN_ORIGIN);
    }
  }
  assert.equal(await service.usedUnits(session), used);
});

test("MCP origins: the origin is checked before the key and the body, and not for REST", async () => {
  const headers = { origin: "https://evil.example", "content-type": "text/plain" };
  const answer = await service.post(PATH, { headers, raw: " ".repeat(65_537) });
  assertFailure(answer, 403, "forbidden", FOREIGN_ORIGIN);
  const foreign = { origin: "https://evil.example", host: "evil.example" };
  const rest = await service.get("/v1/rates/EUR/USD", { apiKey, headers: foreign });
  assert.equal(rest.status, 200);
});

const { port } = new URL(service.url);

const hosts: readonly (readonly [status: number, hosts: readonly string[]])[] = [
  [200, [`127.0.0.1:${port}`, "127.0.0.1", `localhost:${port}`, "LocalHost:1", `[::1]:${port}`]],
  [200, ["public.example", "public.example:8080"]],
  [403, ["evil.example", `evil.example:${port}`, "localhost.evil.example", "[::2]", "0.0.0.0"]],
  [403, ["127.0.0.1.evil.example", "public.example.evil", "evil.public.example"]],
  [403, ["app.example.org", "192.168.1.5"]],
  [400, ["localhost@evil.example", "a b"]],
];

for (const [status, each] of hosts) {
  test(`MCP origins: on loopback the Host ${each.join(" or ")} is ${status}`, async () => {
    const used = await service.usedUnits(session);
    for (const host of each) {
      for (const era of eras) {
        const answer = await post(withHeaders(readOf(era), { host }));
        assert.equal(answer.status, status, host);
        if (status === 403) assertFailure(answer, 403, "forbidden", FOREIGN_HOST);
        if (status === 400) assertFailure(answer, 400, "invalid_request", /Host/);
      }
    }
    const units = status === 200 ? eras.length * each.length : 0;
    assert.equal(await service.usedUnits(session), used + units);
  });
}

test("MCP origins: on loopback an empty Host and, in HTTP/1.0, a missing one are 403", async () => {
  const { headers, json } = readOf("2025");
  const body = JSON.stringify(json);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const rest =
    `${lines.join("")}authorization: ApiKey ${apiKey}\r\nconnection: close\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
  for (const start of ["HTTP/1.1\r\nhost:\r\n", "HTTP/1.0\r\n"]) {
    const [answer] = await sendRaw(service.url, `POST /v1/mcp ${start}${rest}`);
    assert.ok(answer !== undefined);
    assertFailure(answer, 403, "forbidden", FOREIGN_HOST);
  }
});

test("MCP origins: both the origin and the Host must be allowed", async () => {
  const origin = "https://app.example.org";
  const forbiddenHost = await post(withHeaders(readOf("2025"), { origin, host: "evil.example" }));
  assertFailure(forbiddenHost, 403, "forbidden", FOREIGN_HOST);
  const host = "public.example";
  const foreignPage = await post(withHeaders(readOf("2025"), { origin: "null", host }));
  assertFailure(foreignPage, 403, "forbidden", FOREIGN_ORIGIN);
});

test("MCP origins: a server on another address allows any Host, but not any origin", async () => {
  await using open = await startWithKey({ host: "0.0.0.0" });

  for (const host of ["rates.example.org", "evil.example", "10.0.0.7:8080"]) {
    assert.equal((await open.post(withHeaders(readOf("2025"), { host }))).status, 200, host);
  }
  const rebound = { host: "evil.example", origin: "http://evil.example" };
  const answer = await open.post(withHeaders(readOf("2025"), rebound));
  assertFailure(answer, 403, "forbidden", FOREIGN_ORIGIN);
});

test("MCP origins: without PUBLIC_URL only origins of this machine are allowed", async () => {
  await using plain = await startWithKey();
  const call = (others: Record<string, string>) => plain.post(withHeaders(readOf("2025"), others));

  assert.equal((await call({})).status, 200);
  assert.equal((await call({ origin: plain.service.url })).status, 200);
  assert.equal((await call({ origin: "http://localhost:6274" })).status, 200);
  for (const origin of ["https://public.example", "https://app.example.org"]) {
    assertFailure(await call({ origin }), 403, "forbidden", FOREIGN_ORIGIN);
  }
  assertFailure(await call({ host: "public.example" }), 403, "forbidden", FOREIGN_HOST);
});
