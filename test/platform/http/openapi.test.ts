import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Call } from "../../support/client.ts";
import { mailTo, tokenOf } from "../../support/mails.ts";
import {
  type Content,
  headersOf,
  type Json,
  type OpenApiDocument,
  operationOf,
} from "../../support/openapi.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";
import { newSigningKey } from "../../support/signatures.ts";

const FREE_UNITS = 3;
const config = { freePlanUnits: FREE_UNITS, authCallsPerWindow: 1000 };
const service = await startSharedService({ config });

const { body, text } = await service.get("/openapi.json");
const document = body as unknown as OpenApiDocument;

const anywhere = [
  "400 invalid_request",
  "413 payload_too_large",
  "500 internal_error",
  "503 temporarily_unavailable",
];

const ofBodies = ["413 payload_too_large", "415 unsupported_media_type"];

const withoutHead: Readonly<Record<string, readonly string[]>> = {
  "POST /v1/auth/register": [
    ...["201", "400 invalid_token", "403 registration_closed", "409 email_taken"],
    ...[...ofBodies, "429 too_many_requests"],
  ],
  "POST /v1/auth/login": [
    ...["200", "401 unauthorized", "403 email_not_verified", ...ofBodies, "429 too_many_requests"],
  ],
  "POST /v1/auth/logout": ["204", "401 unauthorized"],
  "POST /v1/auth/verification": ["204", "400 invalid_token", ...ofBodies],
  "POST /v1/auth/verification/resend": ["202", ...ofBodies, "429 too_many_requests"],
  "POST /v1/auth/password-reset": ["202", ...ofBodies, "429 too_many_requests"],
  "POST /v1/auth/password-reset/confirm": [
    ...["204", "400 invalid_token", ...ofBodies, "429 too_many_requests"],
  ],
  "GET /v1/account/api-keys": ["200", "401 unauthorized"],
  "POST /v1/account/api-keys": [
    ...["201", "401 unauthorized", "409 key_limit_reached", ...ofBodies],
  ],
  "DELETE /v1/account/api-keys/{id}": ["204", "401 unauthorized", "404 not_found"],
  "GET /v1/account/api-keys/{id}/limits": ["200", "401 unauthorized", "404 not_found"],
  "PUT /v1/account/api-keys/{id}/limits": [
    ...["200", "401 unauthorized", "404 not_found", ...ofBodies, "429 too_many_requests"],
  ],
  "POST /v1/account/api-keys/{id}/rotate": [
    ...["201", "401 unauthorized", "404 not_found", "409 key_limit_reached", ...ofBodies],
  ],
  "GET /v1/account": ["200", "401 unauthorized"],
  "DELETE /v1/account": ["204", "401 unauthorized", ...ofBodies, "429 too_many_requests"],
  "GET /v1/account/export": ["200", "401 unauthorized", "429 too_many_requests"],
  "GET /v1/account/sessions": ["200", "401 unauthorized"],
  "DELETE /v1/account/sessions": ["204", "401 unauthorized"],
  "DELETE /v1/account/sessions/{id}": ["204", "401 unauthorized", "404 not_found"],
  "GET /v1/account/events": ["200", "400 invalid_request", "401 unauthorized"],
  "GET /v1/account/pairs": ["200", "304", "400 invalid_request", "401 unauthorized"],
  "GET /v1/account/sources": ["200", "401 unauthorized"],
  "GET /v1/account/settings": ["200", "401 unauthorized"],
  "PATCH /v1/account/settings": ["200", "401 unauthorized", ...ofBodies, "429 too_many_requests"],
  "GET /v1/account/thresholds": ["200", "401 unauthorized"],
  "PUT /v1/account/thresholds": ["200", "401 unauthorized", ...ofBodies, "429 too_many_requests"],
  "GET /v1/account/statements/{period}": [
    ...["200", "400 invalid_request", "401 unauthorized", "404 not_found"],
  ],
  "GET /v1/account/grants": ["200", "401 unauthorized"],
  "GET /v1/account/usage": ["200", "401 unauthorized"],
  "GET /v1/account/usage/api-keys": ["200", "401 unauthorized"],
  "GET /v1/account/usage/daily": ["200", "401 unauthorized"],
  "GET /v1/account/usage/limits": ["200", "401 unauthorized"],
  "GET /v1/rates/{base}/{quote}": [
    ...["200", "400 invalid_asset_symbol", "401 unauthorized", "404 unsupported_pair"],
    "429 quota_exceeded",
  ],
  "GET /.well-known/jwks.json": ["200"],
  "GET /healthz": ["200"],
  "GET /readyz": ["200"],
};

/** Each GET has a HEAD with the same statuses. */
const operations: Readonly<Record<string, readonly string[]>> = {
  ...withoutHead,
  ...Object.fromEntries(
    Object.entries(withoutHead)
      .filter(([operation]) => operation.startsWith("GET "))
      .map(([operation, own]) => [operation.replace("GET", "HEAD"), own]),
  ),
};

const split = (operation: string) => operation.split(" ") as [method: string, path: string];

test("OpenAPI: the document has version 3.1 and names the service's own URL", async () => {
  assert.match(document.openapi, /^3\.1\.\d+$/);
  assert.equal(document.info.title, "Kurs");
  assert.deepEqual(document.servers, [{ url: service.url }]);
  await using own = await startService({ config: { publicUrl: "https://rates.example.org" } });
  const answer = await own.get("/openapi.json");
  assert.deepEqual(answer.body.servers, [{ url: "https://rates.example.org" }]);
});

test("OpenAPI: the document needs no credential and contains none", async () => {
  assert.equal((await service.get("/openapi.json")).status, 200);
  // Nobody has the examples: they repeat two digits.
  const examples = /svc_(?:live|sess)_(?:3f){4,32}"/g;
  assert.doesNotMatch(text.replaceAll(examples, ""), /svc_(live|sess)_[0-9a-f]{8,}/);
});

test("OpenAPI: exactly the existing paths and methods are documented", () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

  assert.deepEqual(documented.sort(), Object.keys(operations).sort());
});

test("OpenAPI: every header of a response with a rate is documented", async () => {
  await using own = await startService({ config: { signingKey: newSigningKey() } });
  const { apiKey } = await own.newCustomer();
  const common = Object.keys((await own.get("/healthz")).headers);
  const past = { "accept-datetime": "Fri, 20 Nov 2026 16:00:00 GMT" };
  const reads = [{ apiKey }, { apiKey, headers: past }];
  const answers = await Promise.all(reads.map((how) => own.get("/v1/rates/EUR/USD", how)));
  const names = new Set(answers.flatMap(({ headers }) => Object.keys(headers)));

  const { responses } = operationOf(document, "GET", "/v1/rates/{base}/{quote}");

  const documented = responses["200"] && headersOf(document, responses["200"]);
  assert.deepEqual(
    [...(documented?.keys() ?? [])].sort(),
    [...[...names].filter((name) => !common.includes(name)), "x-request-id"].sort(),
  );
});

/** The codes of the errors in a union, which each have a schema of their own. */
function codesOf(content: Content | undefined): readonly string[] {
  const { oneOf, discriminator, ...single } = (content?.schema ?? {}) as {
    readonly $ref?: string;
    readonly oneOf?: readonly { readonly $ref: string }[];
    readonly discriminator?: { readonly mapping: Readonly<Record<string, string>> };
  };
  const references = oneOf?.map(({ $ref }) => $ref) ?? [single.$ref ?? ""];
  const codes = references.map((reference) => {
    const name = reference.replace("#/components/schemas/", "");
    const { allOf } = document.components.schemas[name] as { readonly allOf: readonly Json[] };
    const own = allOf[1] as { readonly properties: { readonly code: { readonly const: string } } };
    return own.properties.code.const;
  });
  if (oneOf === undefined) assert.equal(codes.length, 1);
  else {
    const mapping = codes.map((code, index) => [code, references[index]]);
    assert.deepEqual(discriminator?.mapping, Object.fromEntries(mapping));
  }
  assert.deepEqual(Object.keys(content?.examples ?? {}), codes);
  return codes;
}

for (const [operation, own] of Object.entries(operations)) {
  test(`OpenAPI: ${operation} is documented with exactly its statuses and codes`, () => {
    const { responses } = operationOf(document, ...split(operation));

    const documented = Object.entries(responses).flatMap(([status, { description, content }]) => {
      if (Number(status) < 400) return [status];
      const codes = [...description.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code);
      if (content !== undefined) assert.deepEqual(codesOf(content["application/json"]), codes);
      return codes.map((code) => `${status} ${code}`);
    });

    assert.deepEqual(documented.sort(), [...new Set([...own, ...anywhere])].sort());
  });
}

test("OpenAPI: every failure says when it comes, and each failure of a read what it costs", () => {
  for (const operation of Object.keys(operations)) {
    const { responses } = operationOf(document, ...split(operation));
    const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    const isRead = operation.includes("/v1/rates/");

    for (const [status, { description, headers }] of failures) {
      for (const text of description.split(/(?=`\w+`)/)) assert.match(text, /^`\w+`: \S.{12}/);
      assert.equal("Units-Charged" in headers, isRead, `${operation} ${status}`);
      const isOfRead = isRead && !["413", "500"].includes(status);
      if (isOfRead) assert.match(description, /costs (?:nothing|one unit)/, status);
    }
  }
});

test("OpenAPI: each operation names exactly the scheme that it accepts", () => {
  for (const operation of Object.keys(operations)) {
    const [method, path] = split(operation);
    const { security } = operationOf(document, method, path);

    const isAccount = /^\/v1\/account(?:\/|$)/.test(path) || path === "/v1/auth/logout";
    const scheme = path.startsWith("/v1/rates/") ? "ApiKey" : "Session";
    const expected = isAccount || scheme === "ApiKey" ? [{ [scheme]: [] }] : [];
    assert.deepEqual(security, expected, operation);
  }
});

const EMAIL = "ada@example.org";
const credentials = { email: EMAIL, password: "correct horse battery" };
const NO_TOKEN = "3f".repeat(32);

/** Calls operations and keeps what they responded; the client compares it with the document. */
function recorder(own: TestService) {
  const met = new Map<string, Set<string>>();
  const messages = new Map<string, Set<string>>();
  const note = (all: typeof met, key: string, value: string) =>
    all.set(key, (all.get(key) ?? new Set<string>()).add(value));
  const call = async (operation: string, how: Call = {}, target?: string) => {
    const [method, path] = split(operation);
    const real = target ?? path.replace("{base}/{quote}", "EUR/USD").replace("{id}", "unknown");
    const answer = await own.call(method, real, how);
    const { code = "", message } = answer.body;
    note(met, operation, `${answer.status} ${code}`.trim());
    if (code !== "") note(messages, `${operation} ${answer.status} ${code}`, String(message));
    return answer.body;
  };
  /** Asserts that the example of each failure that came is a message of it. */
  const assertExamples = () => {
    for (const [failure, said] of messages) {
      const [method = "", path = "", status = "", code = ""] = failure.split(" ");
      const content = operationOf(document, method, path).responses[status]?.content;
      const example = content?.["application/json"]?.examples?.[code]?.value as { message: string };
      assert.ok(said.has(example.message), `${failure}: the example is no message of the run`);
    }
  };
  return { call, met, assertExamples };
}

const hasBody = (operation: string) =>
  operations[operation]?.includes("415 unsupported_media_type");
const wrongBodies: readonly Call[] = [
  { json: {} },
  { raw: "x" },
  { raw: "{", headers: { "content-type": "application/json" } },
  { json: "x".repeat(20_000) },
];

test("OpenAPI: every response of a run is documented, and the examples are messages of it", async () => {
  const { call, met, assertExamples } = recorder(service);
  await call("POST /v1/auth/register", { json: credentials });
  const session = String((await call("POST /v1/auth/login", { json: credentials })).session_token);
  const { id, api_key } = await service
    .post("/v1/account/api-keys", { session, json: { name: "x" } })
    .then(({ body: key }) => key);
  const apiKey = String(api_key);
  for (const operation of Object.keys(operations)) {
    await call(operation);
    const wrong = hasBody(operation) ? wrongBodies : [];
    for (const how of wrong) await call(operation, { session, ...how });
    if (/^(?:GET|HEAD) (?!\/v1\/rates)/.test(operation)) await call(operation, { session });
  }

  const own = `/v1/account/api-keys/${id}`;
  const limits = { expires_at: null, units_per_period: null, units_per_day: 5 };
  const later: readonly (readonly [operation: string, how: Call, target?: string])[] = [
    ["POST /v1/auth/register", { json: credentials }],
    ["POST /v1/auth/register", { json: { ...credentials, invitation: NO_TOKEN } }],
    ["POST /v1/auth/login", { json: { ...credentials, email: "nobody@example.org" } }],
    ["POST /v1/account/api-keys", { session, json: { name: "x" } }],
    ["GET /v1/account/api-keys/{id}/limits", { session }, `${own}/limits`],
    ["PUT /v1/account/api-keys/{id}/limits", { session, json: limits }, `${own}/limits`],
    [
      "PUT /v1/account/api-keys/{id}/limits",
      { session, json: { ...limits, expires_at: "x" } },
      `${own}/limits`,
    ],
    ["PUT /v1/account/api-keys/{id}/limits", { session, json: limits }],
    ["POST /v1/account/api-keys/{id}/rotate", { session, json: {} }, `${own}/rotate`],
    ["POST /v1/account/api-keys/{id}/rotate", { session, json: {} }],
    ["PATCH /v1/account/settings", { session, json: { quota_mails: false } }],
    ["PUT /v1/account/thresholds", { session, json: { thresholds: [{ percent: 80 }] } }],
    ["GET /v1/account/pairs", { session, headers: { "if-none-match": "*" } }],
    ["GET /v1/account/pairs", { session }, "/v1/account/pairs?limit=0"],
    ["GET /v1/account/events", { session }, "/v1/account/events?before=x"],
    ["GET /v1/account/statements/{period}", { session }, "/v1/account/statements/2026-11"],
    ["GET /v1/account/statements/{period}", { session }, "/v1/account/statements/2026-12"],
    ["GET /v1/account/usage/daily", { session }, "/v1/account/usage/daily?days=0"],
    ...["EUR/USD", "E/USD", "%zz/USD", "USD/NONE"].map(
      (pair) => ["GET /v1/rates/{base}/{quote}", { apiKey }, `/v1/rates/${pair}`] as const,
    ),
    ["DELETE /v1/account/api-keys/{id}", { session }, own],
    ["DELETE /v1/account/api-keys/{id}", { session }, own],
    ["DELETE /v1/account/sessions/{id}", { session }],
    ["DELETE /v1/account/sessions", { session }],
  ];
  for (const each of later) await call(...each);
  const customer = await service.newCustomer();
  service.query("UPDATE rates SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE base = 'EUR'");
  const reads = Array.from({ length: FREE_UNITS + 1 }, () => ({ apiKey: customer.apiKey }));
  for (const how of reads) await call("GET /v1/rates/{base}/{quote}", how);
  await call("HEAD /v1/rates/{base}/{quote}", { apiKey: customer.apiKey });
  service.query("DELETE FROM rates");
  await call("GET /readyz");
  await call("DELETE /v1/account", { session, json: { ...credentials, password: "another" } });
  await call("DELETE /v1/account", { session, json: credentials });
  await call("POST /v1/auth/logout", { session: customer.session });

  const all = new Set([...met.values()].flatMap((statuses) => [...statuses]));
  const missing = [...new Set(Object.values(operations).flat())].filter((each) => !all.has(each));
  const others = ["403 email_not_verified", "403 registration_closed", "409 key_limit_reached"];
  assert.deepEqual(missing.sort(), ["202", ...others, "429 too_many_requests"]);
  assertExamples();
});

test("OpenAPI: every documented response of the token endpoints occurs, except a 500", async () => {
  const config = { authCallsPerWindow: 8, requireVerifiedEmail: true };
  await using own = await startService({ config });
  const { call, met, assertExamples } = recorder(own);
  const about = Object.keys(operations).filter((name) => /verification|reset/.test(name));
  for (const path of ["register", "login", "password-reset"]) {
    await call(`POST /v1/auth/${path}`, { json: credentials });
  }
  const pages = { verification: "verify", "password-reset/confirm": "reset" } as const;
  for (const [path, page] of Object.entries(pages)) {
    const token = tokenOf(await mailTo(own.dataDirectory, EMAIL, page));
    for (let use = 0; use < 2; use += 1) {
      await call(`POST /v1/auth/${path}`, { json: { ...credentials, token } });
    }
  }
  for (const operation of about) for (const how of wrongBodies) await call(operation, how);
  const limited = ["POST /v1/auth/register", "POST /v1/auth/login", ...about];
  for (let turn = 0; turn < 4; turn += 1) {
    for (const operation of limited) await call(operation, { json: credentials });
  }
  assertExamples();
  own.query("ALTER TABLE mail_tokens RENAME TO mail_tokens_gone");
  const later = { ...credentials, token: NO_TOKEN, email: "grace@example.org" };
  for (const operation of about) await call(operation, { json: later });

  assert.ok(met.get("POST /v1/auth/login")?.has("403 email_not_verified"));
  for (const operation of about) {
    const promised = new Set(operations[operation]);
    promised.add("400 invalid_request").add("503 temporarily_unavailable");
    // Its limit is 30 times as high: test/customers/auth-limit/auth-limiter.test.ts.
    if (operation.endsWith("/confirm")) promised.delete("429 too_many_requests");
    assert.deepEqual([...(met.get(operation) ?? [])].sort(), [...promised].sort(), operation);
  }
});

test("OpenAPI: the document passes redocly's recommended rules", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "kurs-openapi-"));
  const file = join(directory.path, "openapi.json");
  await writeFile(file, text);
  const redocly = join(import.meta.dirname, "../../../node_modules/.bin/redocly");
  const lint = spawn(process.execPath, [redocly, "lint", "--extends", "recommended", file], {
    cwd: directory.path,
    env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" },
  });
  let report = "";
  for (const stream of [lint.stdout, lint.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      report += part;
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  lint.once("error", reject);
  lint.once("close", resolve);

  assert.equal(await promise, 0, report);
  assert.doesNotMatch(report, /warning/i);
});
