import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Call } from "../support/client.ts";
import { mailTo, tokenOf } from "../support/mails.ts";
import {
  assertDocumented,
  type Content,
  headersOf,
  type Json,
  type OpenApiDocument,
  operationOf,
} from "../support/openapi.ts";
import { startService, startSharedService } from "../support/service.ts";
import { newSigningKey } from "../support/signatures.ts";

const service = await startSharedService({ config: { freePlanUnits: 8, authCallsPerWindow: 3 } });

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
    "201",
    "400 invalid_token",
    "403 registration_closed",
    "409 email_taken",
    "413 payload_too_large",
    "415 unsupported_media_type",
    "429 too_many_requests",
  ],
  "POST /v1/auth/login": [
    "200",
    "401 unauthorized",
    "403 email_not_verified",
    "413 payload_too_large",
    "415 unsupported_media_type",
    "429 too_many_requests",
  ],
  "POST /v1/auth/logout": ["204", "401 unauthorized"],
  "POST /v1/auth/verification": ["204", "400 invalid_token", ...ofBodies],
  "POST /v1/auth/verification/resend": ["202", ...ofBodies, "429 too_many_requests"],
  "POST /v1/auth/password-reset": ["202", ...ofBodies, "429 too_many_requests"],
  "POST /v1/auth/password-reset/confirm": [
    "204",
    "400 invalid_token",
    ...ofBodies,
    "429 too_many_requests",
  ],
  "GET /v1/account/api-keys": ["200", "401 unauthorized"],
  "POST /v1/account/api-keys": [
    "201",
    "401 unauthorized",
    "409 key_limit_reached",
    "413 payload_too_large",
    "415 unsupported_media_type",
  ],
  "DELETE /v1/account/api-keys/{id}": ["204", "401 unauthorized", "404 not_found"],
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
  "GET /v1/account/usage": ["200", "401 unauthorized"],
  "GET /v1/account/usage/api-keys": ["200", "401 unauthorized"],
  "GET /v1/account/usage/daily": ["200", "401 unauthorized"],
  "GET /v1/rates/{base}/{quote}": [
    "200",
    "400 invalid_asset_symbol",
    "401 unauthorized",
    "404 unsupported_pair",
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
  const { headers } = await own.readRate("EUR/USD", apiKey);

  const { responses } = operationOf(document, "GET", "/v1/rates/{base}/{quote}");

  const documented = responses["200"] && headersOf(document, responses["200"]);
  assert.deepEqual(
    [...(documented?.keys() ?? [])].sort(),
    [...Object.keys(headers).filter((name) => !common.includes(name)), "x-request-id"].sort(),
  );
});

test("OpenAPI: the documented methods of a path equal its Allow header", async () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const real = path.replace("{base}/{quote}", "EUR/USD").replace("{id}", "x");

    const { headers } = await service.call("OPTIONS", real);

    const documented = Object.keys(methods).map((method) => method.toUpperCase());
    assert.deepEqual((headers.allow ?? "").split(", ").sort(), documented.sort(), path);
  }
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

test("OpenAPI: every response of a run is documented and fits its schema", async () => {
  const statuses = new Set<string>();
  const messages = new Map<string, Set<string>>();
  const call = async (operation: string, how: Call = {}, real?: string) => {
    const [method, path] = split(operation);
    const answer = await service.call(method, real ?? path, how);
    assertDocumented(document, operationOf(document, method, path), answer);
    const { code, message } = answer.body;
    statuses.add(`${answer.status} ${code ?? ""}`.trim());
    if (code !== undefined) {
      const met = messages.get(`${operation} ${answer.status} ${code}`) ?? new Set();
      messages.set(`${operation} ${answer.status} ${code}`, met.add(String(message)));
    }
    if (method === "GET") {
      const head = await service.call("HEAD", real ?? path, how);
      assertDocumented(document, operationOf(document, "HEAD", path), head);
    }
    return answer.body;
  };
  const rate = (pair: string, how: Call = {}) =>
    call("GET /v1/rates/{base}/{quote}", how, `/v1/rates/${pair}`);
  const malformed = { raw: "{", headers: { "content-type": "application/json" } };
  const revoke = (id: unknown, how: Call) =>
    call("DELETE /v1/account/api-keys/{id}", how, `/v1/account/api-keys/${id}`);

  const json = { email: "ada@example.org", password: "correct horse battery" };
  await call("POST /v1/auth/register", { json });
  await call("POST /v1/auth/register", { json });
  const invited = { ...json, email: "grace@example.org", invitation: "3f".repeat(32) };
  await call("POST /v1/auth/register", { json: invited });
  await call("POST /v1/auth/register", { json: {} });
  await call("POST /v1/auth/register", { raw: "x" });
  await call("POST /v1/auth/register", malformed);
  await call("POST /v1/auth/register", { json: "x".repeat(20_000) });
  const session = String((await call("POST /v1/auth/login", { json })).session_token);
  await call("POST /v1/auth/login", { json });
  await call("POST /v1/auth/login", { json: { ...json, email: "nobody@example.org" } });
  await call("POST /v1/auth/login", { raw: "x" });

  const { id, api_key } = await call("POST /v1/account/api-keys", {
    session,
    json: { name: "x" },
  });
  const apiKey = String(api_key);
  await call("POST /v1/account/api-keys", { session, json: { name: "" } });
  await call("POST /v1/account/api-keys", { session, ...malformed });
  await call("POST /v1/account/api-keys", { json: { name: "x" } });
  await rate("EUR/USD", { apiKey });
  await rate("EUR/USD");
  await rate("E/USD", { apiKey });
  await rate("%zz/USD", { apiKey });
  await rate("USD/NONE", { apiKey });
  service.query("UPDATE rates SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE base = 'EUR'");
  await rate("EUR/USD", { apiKey });
  await rate("USD/NONE", { apiKey });
  await rate("EUR/USD", { apiKey });
  await call("GET /v1/account/pairs", { session });
  await call("GET /v1/account/pairs", { session, headers: { "if-none-match": "*" } });
  await call("GET /v1/account/pairs", { session }, "/v1/account/pairs?limit=0");
  await call("GET /v1/account/pairs");
  await call("GET /v1/account/events", { session });
  await call("GET /v1/account/events", { session }, "/v1/account/events?before=x");
  await call("GET /v1/account/events");
  await call("GET /.well-known/jwks.json");
  await call("GET /v1/account/sources", { session });
  await call("GET /v1/account/sources");
  await call("GET /v1/account/settings", { session });
  await call("GET /v1/account/settings");
  await call("PATCH /v1/account/settings", { session, json: { quota_mails: false } });
  await call("PATCH /v1/account/settings", { session, json: {} });
  await call("PATCH /v1/account/settings", { session, raw: "x" });
  await call("PATCH /v1/account/settings", { session, ...malformed });
  await call("PATCH /v1/account/settings", { json: { quota_mails: false } });
  await call("GET /v1/account", { session });
  await call("GET /v1/account");
  await call("GET /v1/account/export", { session });
  await call("GET /v1/account/export");
  const { sessions } = await call("GET /v1/account/sessions", { session });
  await call("GET /v1/account/sessions");
  const [{ id: own }] = sessions as [{ id: string }];
  const end = (of: string, how: Call) =>
    call("DELETE /v1/account/sessions/{id}", how, `/v1/account/sessions/${of}`);
  await end("unknown", { session });
  await end(own, {});
  await call("DELETE /v1/account/sessions", { session });
  await call("DELETE /v1/account/sessions");
  await call("GET /v1/account/usage/api-keys", { session });
  await call("GET /v1/account/usage/api-keys");
  await call("GET /v1/account/usage", { session });
  await call("GET /v1/account/usage");
  await call("GET /v1/account/usage/daily", { session });
  await call("GET /v1/account/usage/daily");
  await call("GET /v1/account/usage/daily", { session }, "/v1/account/usage/daily?days=0");
  await revoke(id, { session });
  await revoke(id, { session });
  await revoke(id, {});
  await call("GET /v1/account/api-keys", { session });
  await call("GET /v1/account/api-keys");
  await call("GET /healthz");
  await call("GET /readyz");
  service.query("DELETE FROM rates");
  await call("GET /readyz");
  await call("DELETE /v1/account", { session, json: {} });
  await call("DELETE /v1/account", { session, raw: "x" });
  await call("DELETE /v1/account", { session, ...malformed });
  await call("DELETE /v1/account", { session, json: { ...json, more: "x".repeat(20_000) } });
  await call("DELETE /v1/account", { session, json });
  await call("DELETE /v1/account", { json });
  await call("POST /v1/auth/logout", { session });
  await call("POST /v1/auth/logout", { session });

  const met = ["200", "201", "204", "400 invalid_asset_symbol", "400 invalid_request"];
  met.push(
    "400 invalid_token",
    "401 unauthorized",
    "404 not_found",
    "404 unsupported_pair",
    "409 email_taken",
  );
  met.push("413 payload_too_large", "415 unsupported_media_type", "429 quota_exceeded");
  met.push("429 too_many_requests", "503 temporarily_unavailable");
  for (const expected of met) assert.ok(statuses.has(expected), `${expected} did not occur`);
  // The limit of deletions is used up before a wrong password is compared.
  messages.delete("DELETE /v1/account 401 unauthorized");
  for (const [failure, own] of messages) {
    const [method = "", path = "", status = "", code = ""] = failure.split(" ");
    const content = operationOf(document, method, path).responses[status]?.content;
    const example = content?.["application/json"]?.examples?.[code]?.value as { message: string };
    assert.ok(own.has(example.message), `${failure}: the example is no message of the run`);
  }
});

test("OpenAPI: every documented response of the token endpoints occurs, except a 500", async () => {
  const config = { authCallsPerWindow: 8, requireVerifiedEmail: true };
  await using own = await startService({ config });
  const met = new Map<string, Set<string>>();
  const call = async (operation: string, how: Call = {}) => {
    const [method, path] = split(operation);
    const answer = await own.call(method, path, how);
    assertDocumented(document, operationOf(document, method, path), answer);
    const statuses = met.get(operation) ?? new Set();
    met.set(operation, statuses.add(`${answer.status} ${answer.body.code ?? ""}`.trim()));
  };
  const about = Object.keys(operations).filter((name) => /verification|reset/.test(name));
  const json = { email: "ada@example.org", password: "correct horse battery" };
  await call("POST /v1/auth/register", { json });
  await call("POST /v1/auth/login", { json });
  await call("POST /v1/auth/password-reset", { json });
  const page = { verification: "verify", "password-reset/confirm": "reset" } as const;
  for (const path of ["verification", "password-reset/confirm"] as const) {
    const token = tokenOf(await mailTo(own.dataDirectory, json.email, page[path]));
    for (let use = 0; use < 2; use += 1) {
      await call(`POST /v1/auth/${path}`, { json: { ...json, token } });
    }
  }
  for (const operation of about) {
    await call(operation, { json: {} });
    await call(operation, { raw: "x" });
    await call(operation, { json: "x".repeat(20_000) });
    const [, path] = split(operation);
    const rejected = await own.call("GET", path);
    assert.equal(rejected.status, 405);
  }
  for (let turn = 0; turn < 4; turn += 1) {
    for (const operation of about) await call(operation, { json: { email: json.email } });
  }
  own.query("ALTER TABLE mail_tokens RENAME TO mail_tokens_gone");
  const later = { token: "3f".repeat(32), password: json.password, email: "grace@example.org" };
  for (const operation of about) await call(operation, { json: later });

  assert.ok(met.get("POST /v1/auth/login")?.has("403 email_not_verified"));
  for (const operation of about) {
    const promised = new Set(operations[operation]);
    promised.add("400 invalid_request").add("503 temporarily_unavailable");
    // Its limit is 30 times as high: test/auth-limit/auth-limiter.test.ts.
    if (operation.endsWith("/confirm")) promised.delete("429 too_many_requests");
    assert.deepEqual([...(met.get(operation) ?? [])].sort(), [...promised].sort(), operation);
  }
});

const strayBodies = [
  ["of another type", "x", "text/plain"],
  ["without a type", "x", undefined],
  ["malformed", "{", "application/json"],
  ["larger than 16 KiB", " ".repeat(16_385), "application/json"],
] as const;

for (const [what, raw, contentType] of strayBodies) {
  test(`OpenAPI: an unexpected body ${what} gets a documented response`, async () => {
    const session = await service.openSession();
    const headers = contentType === undefined ? {} : { "content-type": contentType };
    const how = { session, raw, headers };
    const revocation = operationOf(document, "DELETE", "/v1/account/api-keys/{id}");
    const logOut = operationOf(document, "POST", "/v1/auth/logout");

    const unknown = await service.call("DELETE", "/v1/account/api-keys/unknown", how);
    assertDocumented(document, revocation, unknown);
    assertDocumented(document, logOut, await service.post("/v1/auth/logout", how));
  });
}

test("OpenAPI: the document passes redocly's recommended rules", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "kurs-openapi-"));
  const file = join(directory.path, "openapi.json");
  await writeFile(file, text);
  const redocly = join(import.meta.dirname, "../../node_modules/.bin/redocly");
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
