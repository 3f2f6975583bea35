import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure, uuidV7 } from "../../support/assertions.ts";
import { PASSWORD } from "../../support/client.ts";
import type { OpenApiDocument } from "../../support/openapi.ts";
import { startService, startSharedService } from "../../support/service.ts";

const service = await startSharedService();

const { session, keyId: id, apiKey } = await service.newCustomer();

const { paths } = (await service.get("/openapi.json")).body as unknown as OpenApiDocument;

const unknownPaths = [
  ...["/console", "/assets/", "/v1", "/v1/", "/v1/nothing", "/v1/auth", "/v1/auth/register/"],
  ...["/v1/auth/verification/", "/v1/auth/verification/3f3f", "/v1/auth/verification/resend/3f3f"],
  ...["/v1/auth/password-reset/", "/v1/auth/password-reset/3f3f", "/v1/account/", "/v1/rates"],
  ...["/v1/account/export/", "/v1/account/usage/", "/v1//account/usage", "/healthz/x", "/.env"],
  ...["/v1/account/usage%2Fdaily", "/favicon.ico", "/v1/../v1/account/usage"],
  ...["/..%2f..%2fetc/passwd", `/${"x".repeat(5000)}`],
];

test(`errors: ${unknownPaths.length} unknown paths are 404 with and without a credential`, async () => {
  for (const path of unknownPaths) {
    for (const how of [{}, { apiKey }, { session }]) {
      assertFailure(await service.get(path, how), 404, "not_found");
    }
  }
});

const strayBodies = [
  ["{", "application/json"],
  ["", "application/json"],
  ["{}", "application/json"],
  ["<a/>", "application/xml"],
  [" ".repeat(16_385), "application/json"],
].map(([raw = "", type = ""]) => ({ raw, headers: { "content-type": type } }));

/** Paths to a file outside the pages' folder, or to a file inside it that is not a page. */
const ways = [
  ...["/../package.json", "/assets/../../../package.json", "/./.././package.json"],
  ...["/%2e%2e/package.json", "/assets/%2e%2e%2f%2e%2e%2fpackage.json", "/..%2fpackage.json"],
  ...["/..%5cpackage.json", "/..\\package.json", "/%252e%252e/package.json", "/..;/package.json"],
  ...["/%c0%ae%c0%ae/package.json", "/%e0%80%ae%e0%80%ae/package.json", "//etc/passwd"],
  ...["/assets/..%00/package.json", "/index.html%00.js", "/package.json", "/.git/config", "/.env"],
  ...["/data/kurs.db", "/console/dist/index.html", "/assets/", "/assets", "/file:///etc/passwd"],
  ...["/index.html", "/index.html.br", "/openapi.json/..%2f..", "/%2fetc%2fpasswd"],
  "/%zz",
];

test("errors: a path like the API's says where that is described, also behind a proxy's path", async () => {
  await using prefixed = await startService({ config: { publicUrl: "https://example.org/x" } });
  for (const path of ["/v1/rates", "/v1/rates/EUR", "/v1/rates/EURUSD", "/v1?x", "/mcp", "/v12"]) {
    for (const [at, before] of [[service, ""] as const, [prefixed, "/x"] as const]) {
      const described = ` ${before}/docs and ${before}/openapi.json describe the API.`;
      const message = `There is nothing at this path.${path === "/v12" ? "" : described}`;
      assertFailure(await at.get(path, { apiKey }), 404, "not_found", message);
    }
  }
});

test(`errors: ${ways.length} paths to a file that is no page serve none`, async () => {
  for (const way of ways) {
    const answer = await service.get(way);
    if (answer.status === 400) assertFailure(answer, 400, "invalid_request");
    else assertFailure(answer, 404, "not_found");
  }
});

/** Each is not the rate path, or its symbols are not the ones that it seems to name. */
const reads = [
  ...[
    "/v1/rates/EUR/../EUR/USD",
    "/v1/rates/./EUR/USD",
    "//v1/rates/EUR/USD",
    "/v1//rates/EUR/USD",
  ],
  ...["/v1/rates/EUR//USD", "/v1/rates/EUR/USD/", "/v1/rates/EUR%2fUSD", "/v1%2frates/EUR/USD"],
  ...["/v1/rates/EUR/USD%00", "/v1/rates/EUR/USD;a=b", "/v1/rates/EUR/USD%3fa=b"],
  ...["/V1/RATES/EUR/USD", "/v1/rates/EUR/%55SD%23", "/v1/rates/%c1%85UR/USD"],
  ...["/v1/rates/%2545UR/USD", "/v1/rates/E%55/%zz", "/v1/rates/%D0%95UR/USD"],
  ...["/v1/rates/%EF%BC%A5UR/USD", "/v1/rates/EUR/%E2%80%8BUSD"],
];

test(`errors: ${reads.length} paths that resemble a read are none of EUR/USD, and cost nothing`, async () => {
  for (const path of reads) {
    const answer = await service.get(path, { apiKey });
    assert.ok([400, 404].includes(answer.status), answer.text);
    assertFailure(answer, answer.status, String(answer.body.code));
    assert.notEqual(answer.body.code, "unsupported_pair", path);
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("errors: an unknown path is 404 with any method and any body", async () => {
  for (const method of "POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY".split(" ")) {
    for (const how of [{}, ...strayBodies]) {
      assertFailure(await service.call(method, "/v1/nothing", how), 404, "not_found");
    }
  }
  const head = await service.call("HEAD", "/v1/nothing");
  assert.deepEqual([head.status, head.text], [404, ""]);
});

test("§1 errors: there is no endpoint to change a password or to refresh a session", async () => {
  for (const path of ["/v1/auth/password", "/v1/auth/refresh", "/v1/account/password"]) {
    for (const method of ["POST", "PUT", "PATCH"]) {
      assertFailure(await service.call(method, path, { session, json: {} }), 404, "not_found");
    }
  }
});

test("errors: a rejected character is named by what its field excludes", async () => {
  const inEmail = "email must not hold control characters, < or >.";
  for (const character of ["<", ">", "\0", "\u0080", "\u009f"]) {
    const json = { email: `"ada${character}"@example.org`, password: PASSWORD };
    const register = await service.post("/v1/auth/register", { json });
    assertFailure(register, 400, "invalid_request", inEmail);
  }
  const create = await service.post("/v1/account/api-keys", {
    session,
    json: { name: "a\u0007b" },
  });
  assertFailure(create, 400, "invalid_request", "name must not hold control characters.");
});

test("errors: request_id is a UUIDv7, new for every request, equal in body and header", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.get("/v1/account/usage")),
  );

  const ids = answers.map(({ body }) => String(body.request_id));
  for (const id of ids) assert.match(id, uuidV7);
  assert.equal(new Set(ids).size, 20);
  for (const { body, headers } of answers) assert.equal(headers["x-request-id"], body.request_id);
});

test("errors: the X-Request-Id of a client is ignored", async () => {
  const uuid = "01a1fc6b-d91f-75da-881f-eaa0e5224224";
  for (const id of [uuid, "mine", '"},{"injected":"', "x".repeat(4000)]) {
    const headers = { "x-request-id": id, "request-id": id, "x-correlation-id": id };
    for (const path of ["/v1/rates/EUR/USD", "/v1/nothing", "/healthz", "/v1/account/usage"]) {
      const answer = await service.get(path, { headers });
      assert.ok(!(JSON.stringify(answer.headers) + answer.text).includes(id));
    }
    assert.ok(!service.logLines.some((line) => line.includes(id)));
  }
});

test("errors: an internal error is 500: its cause is logged and not in the response", async () => {
  await using own = await startService();
  await own.openSession("broken@example.org");
  own.query("UPDATE accounts SET password_hash = 'SECRET-STATE'");

  const answer = await own.post("/v1/auth/login", {
    json: { email: "broken@example.org", password: "correct horse battery" },
  });

  assertFailure(answer, 500, "internal_error");
  assert.doesNotMatch(answer.text, /SECRET-STATE|stored|stack|\.ts\b|Error:/);
  const id = String(answer.body.request_id);
  const errors = own.logLines.filter((line) => line.includes(id) && line.includes('"err"'));
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? "", /stored password has an unknown form/);
  assert.equal(own.query("SELECT * FROM sessions").length, 1);
  const { read } = await own.newCustomer();
  assert.equal((await read()).status, 200, "the service no longer serves");
});

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

test("§7 methods: the method is checked before the credential, the symbols and the body: 405", async () => {
  for (const path of ["/v1/rates/EUR/USD", "/v1/rates/E/U", `/v1/rates/${"E".repeat(5000)}/U`]) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "QUERY"]) {
      for (const how of [{}, { apiKey }, ...strayBodies.map((body) => ({ apiKey, ...body }))]) {
        assertFailure(await service.call(method, path, how), 405, "method_not_allowed");
      }
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
