import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../../support/assertions.ts";
import type { OpenApiDocument } from "../../support/openapi.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();

const { session, keyId: id, apiKey } = await service.newCustomer();

const { paths } = (await service.get("/openapi.json")).body as unknown as OpenApiDocument;

/** Each path with its methods, and a credential with which its calls would succeed. */
const knownPaths = [
  ...Object.entries(paths).map(([path, operations]) => {
    const real = path.replace("{base}/{quote}", "EUR/USD").replace("{id}", id);
    const methods = Object.keys(operations).map((method) => method.toUpperCase());
    return [
      real,
      methods.sort(),
      path.startsWith("/v1/rates/") ? { apiKey } : { session },
    ] as const;
  }),
  ["/openapi.json", ["GET", "HEAD"] as string[], {}],
] as const;

const stored = () =>
  ["accounts", "sessions", "api_keys", "charged_units", "auth_windows", "mail_tokens"].map(
    (table) => service.query(`SELECT * FROM ${table}`),
  );

for (const [path, allowed, credential] of knownPaths) {
  // CONNECT is not a request to a path: see raw-http.test.ts.
  const others = METHODS.filter((method) => method !== "CONNECT" && !allowed.includes(method));

  test(`§7 methods: ${path.replace(id, "{id}")} allows ${allowed}: ${others.length} others are 405`, async () => {
    const before = stored();

    for (const method of others) {
      const answer = await service.call(method, path, credential);

      assert.deepEqual((answer.headers.allow ?? "").split(", ").sort(), [...allowed], method);
      if (method === "HEAD") {
        assert.deepEqual([answer.status, answer.text], [405, ""]);
        assertCommonHeaders(answer);
      } else {
        assertFailure(answer, 405, "method_not_allowed");
      }
    }
    assert.deepEqual(stored(), before);
  });
}

test("§7 methods: the method is checked before the credential and the symbols: 405", async () => {
  for (const path of ["/v1/rates/EUR/USD", "/v1/rates/E/U", `/v1/rates/${"E".repeat(5000)}/U`]) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      assertFailure(await service.call(method, path), 405, "method_not_allowed");
      assertFailure(await service.call(method, path, { apiKey }), 405, "method_not_allowed");
    }
  }
  assert.equal(await service.usedUnits(session), 0);
});

const bodies = [
  ["{", "application/json"],
  ["<a/>", "application/xml"],
  [" ".repeat(16_385), "application/json"],
] as const;

test("§7 methods: the method is checked before the body: 405", async () => {
  for (const [raw, contentType] of bodies) {
    const how = { apiKey, raw, headers: { "content-type": contentType } };
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "QUERY"]) {
      const answer = await service.call(method, "/v1/rates/EUR/USD", how);
      assertFailure(answer, 405, "method_not_allowed");
    }
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("methods: no header or query parameter overrides the method", async () => {
  const before = stored();
  for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
    const answer = await service.post(`/v1/account/api-keys/${id}?_method=DELETE`, {
      session,
      headers: { [name]: "DELETE" },
    });
    assertFailure(answer, 405, "method_not_allowed");
  }
  assert.deepEqual(stored(), before);
});
