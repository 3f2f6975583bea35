import type { RouteOptions } from "fastify";
import type { TSchema } from "typebox";
import { failureCodes } from "../../shared/failure.ts";
import { ErrorResponseSchema } from "../../shared/failure-json.ts";
import type { App } from "../fastify.ts";
import { errorName, errorSchema } from "./errors.ts";
import type { BodySchema } from "./examples.ts";
import { createOperations } from "./operation.ts";

const description = `Stored direct exchange rates, exactly as their publishers wrote them.

Every read of a rate costs one unit of the account's quota for the billing period, the calendar
month in UTC, or then of the units that the operator has granted it. Beyond them, or beyond a cap
of its key, a read gets 429 and costs nothing. Credentials are accepted in the Authorization header
only. Every error is the envelope of code, message and request_id; any other method on a path gets
405. The API's paths start with /v1; the health checks are not part of the API.`;

const tags = [
  { name: "Rates", description: "Metered reads" },
  { name: "Usage", description: "Used and granted units, and what limits them" },
  { name: "Account", description: "What happened to the account, its settings and thresholds" },
  { name: "API keys", description: "Credentials for reads, their limits and rotation" },
  { name: "Authentication", description: "Accounts and sessions" },
  { name: "Health", description: "For supervisors and load balancers" },
];

const authorization = (form: string) => ({
  type: "apiKey",
  in: "header",
  name: "Authorization",
  description: form,
});

const securitySchemes = {
  ApiKey: authorization("`ApiKey svc_live_…`"),
  Session: authorization("`Session svc_sess_…`, from a log-in"),
};

/** What the document says besides the routes. */
export interface DocumentFacts {
  readonly publicUrl: () => string;
  readonly version: string;
  /** An SPDX identifier. */
  readonly license: string;
  /** The schemas that routes refer to by name, besides those of errors. */
  readonly schemas: readonly TSchema[];
}

/**
 * Serves the OpenAPI document of all later routes at /openapi.json. The first request builds it,
 * in 7 ms. A library for it took 22 ms and 9 MB to load, and could state neither the example of a
 * response nor a header once for all.
 */
export function openApiRoute(app: App, facts: DocumentFacts): void {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    if (route.schema !== undefined && route.schema.hide !== true) routes.push(route);
  });
  let document: Buffer | undefined;

  app.get("/openapi.json", { schema: { hide: true } }, async (_request, reply) => {
    // All responses share these bytes. Serialized for each of them, 30,000 that 150 clients did not
    // read took 613 MiB.
    document ??= Buffer.from(serialize(buildDocument(routes, facts)));
    return reply.type("application/json; charset=utf-8").send(document);
  });
}

function buildDocument(
  routes: readonly RouteOptions[],
  { publicUrl, version, license, schemas }: DocumentFacts,
): object {
  const bodies = componentsOf(schemas);
  const operations = createOperations((reference) => bodies[nameIn(reference)] ?? {});
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][String(route.method).toLowerCase()] = operations.of(route);
  }
  const url = publicUrl();
  return {
    openapi: "3.1.0",
    info: {
      title: "Kurs",
      description,
      version,
      contact: { name: "The operator of this service", url },
      license: { name: license, identifier: license },
    },
    servers: [{ url }],
    tags,
    paths,
    components: {
      securitySchemes,
      headers: Object.fromEntries(operations.headers),
      schemas: { ...bodies, ...errorsIn(paths) },
    },
  };
}

/** Schemas by their ids, without them. */
function componentsOf(schemas: readonly TSchema[]): Record<string, BodySchema> {
  const named = [...schemas, ErrorResponseSchema].map(({ $id, ...schema }: { $id?: string }) => [
    $id,
    schema,
  ]);
  return Object.fromEntries(named);
}

/** Those of the codes that operations respond with. */
function errorsIn(paths: object): Record<string, object> {
  const text = JSON.stringify(paths);
  const used = failureCodes.filter((code) => text.includes(`/${errorName(code)}"`));
  return Object.fromEntries(used.map((code) => [errorName(code), errorSchema(code)]));
}

/** The name in a reference: `Rate` in `Rate#`. */
const nameIn = (reference: string) => reference.replace("#", "");

/** @returns the JSON, with local references in place of those by ids, such as `Rate#`. */
function serialize(document: object): string {
  return JSON.stringify(document, (name, value: unknown) =>
    name === "$ref" && typeof value === "string" && value.endsWith("#")
      ? `#/components/schemas/${nameIn(value)}`
      : value,
  );
}
