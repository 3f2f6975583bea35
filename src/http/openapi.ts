import { fastify, type RouteOptions } from "fastify";
import type { TSchema } from "typebox";
import { type FailureCode, statusOf } from "../shared/failure.ts";
import { ErrorSchema, QuotaErrorSchema } from "../shared/failure-json.ts";
import { Type } from "../shared/json-schema.ts";
import type { App } from "./fastify.ts";
import { setCompilers, withoutCompilers } from "./validation.ts";

const description = `Stored direct exchange rates, exactly as their publishers wrote them.

Every read of a rate costs one unit of the account's quota for the billing period, the calendar
month in UTC. Credentials are accepted in the Authorization header only. Every error is the
envelope of code, message and request_id; any other method on a path gets 405. The API's paths start
with /v1; the health checks are not part of the API.`;

/**
 * Serves the OpenAPI document of all later routes at /openapi.json. The first request builds it:
 * the library takes 22 ms and 9 MB to load.
 */
export function openApiRoute(
  app: App,
  {
    publicUrl,
    version,
    schemas,
  }: {
    readonly publicUrl: () => string;
    readonly version: string;
    /** The schemas that routes refer to by name, besides those of errors. */
    readonly schemas: readonly TSchema[];
  },
): void {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    if (route.schema?.hide !== true) routes.push(route);
  });
  let document: Promise<Buffer> | undefined;
  const serialize = async () => {
    const body = await buildDocument(routes, version, schemas);
    return Buffer.from(JSON.stringify({ ...body, servers: [{ url: publicUrl() }] }));
  };

  app.get("/openapi.json", { schema: { hide: true } }, async (_request, reply) => {
    // All responses share these bytes. Serialized for each of them, 30,000 that 150 clients did not
    // read took 613 MiB.
    document ??= serialize();
    return reply.type("application/json; charset=utf-8").send(await document);
  });
}

/** Builds the document from an application with the same routes that serves nothing. */
async function buildDocument(
  routes: readonly RouteOptions[],
  version: string,
  schemas: readonly TSchema[],
): Promise<object> {
  const { default: fastifySwagger } = await import("@fastify/swagger");
  const app = fastify({ exposeHeadRoutes: false, schemaController: withoutCompilers });
  setCompilers(app);
  await app.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Kurs",
        description,
        version,
        license: { name: "MIT", identifier: "MIT" },
      },
      tags: [
        { name: "Rates", description: "Metered reads" },
        { name: "Usage", description: "Used units of the quota" },
        { name: "Account", description: "What happened to the account, and its settings" },
        { name: "API keys", description: "Credentials for reads" },
        { name: "Authentication", description: "Accounts and sessions" },
        { name: "Health", description: "For supervisors and load balancers" },
      ],
      components: {
        securitySchemes: {
          ApiKey: {
            type: "apiKey",
            in: "header",
            name: "Authorization",
            description: "`ApiKey svc_live_…`",
          },
          Session: {
            type: "apiKey",
            in: "header",
            name: "Authorization",
            description: "`Session svc_sess_…`, from a log-in",
          },
        },
      },
    },
    refResolver: { buildLocalReference: (json) => String(json.$id) },
  });
  for (const schema of [...schemas, ErrorSchema, QuotaErrorSchema]) app.addSchema(schema);
  for (const { method, url, schema = {} } of routes) {
    if (method !== "HEAD") app.route({ method, url, schema, handler: () => undefined });
  }
  await app.ready();
  return app.swagger();
}

/** When each failure comes, where an operation does not say it more precisely. */
const conditions: Readonly<Record<FailureCode, string>> = {
  invalid_request: "malformed HTTP or JSON, or a missing or invalid field, which the message names",
  invalid_asset_symbol: "a symbol does not have the form",
  invalid_token: "the token is unknown, used, void or expired",
  unauthorized: "no valid credential: WWW-Authenticate says what to send, and what came",
  email_not_verified: "the operator requires a verified email, and the password was correct",
  registration_closed: "registration needs an invitation, or is closed",
  forbidden: "a foreign Origin or Host",
  not_found: "the id is unknown, another account's, revoked or expired",
  unsupported_pair: "the pair is not stored",
  method_not_allowed: "another method; Allow lists the supported ones",
  email_taken: "the email has an account",
  key_limit_reached: "a limit of keys is reached, which the message names",
  payload_too_large: "a body or headers over 16 KiB",
  unsupported_media_type: "a body that is not application/json",
  quota_exceeded: "the quota of the billing period is used up; Retry-After is its end",
  too_many_requests: "the limit of such calls is used up; retry after Retry-After",
  internal_error: "a bug in the service; retrying does not help",
  temporarily_unavailable: "overload, or the store is away; retry after Retry-After",
};

/** The failures of any request, whatever its path. */
const common: readonly FailureCode[] = [
  "invalid_request",
  "method_not_allowed",
  "payload_too_large",
  "internal_error",
  "temporarily_unavailable",
];

/**
 * The responses of an operation by status, for the OpenAPI document.
 *
 * @param success the schema by status; `emptyResponse` for a response without a body.
 * @param codes the operation's failures, besides those of any request.
 * @param failures the headers of those of its own method, and more precise conditions.
 */
export function documentedResponses(
  success: Readonly<Record<number, TSchema>>,
  codes: readonly FailureCode[],
  failures: {
    readonly headers?: Readonly<Record<string, TSchema>>;
    readonly conditions?: Readonly<Partial<Record<FailureCode, string>>>;
  } = {},
): Record<number, TSchema> {
  const conditionOf = { ...conditions, ...failures.conditions };
  const responses: Record<number, TSchema> = { ...success };
  const codesByStatus = Map.groupBy(new Set([...codes, ...common]), (code) => statusOf[code]);
  for (const [status, group] of codesByStatus) {
    const schema = group.includes("quota_exceeded") ? "QuotaError#" : "Error#";
    responses[status] = Type.Ref(schema, {
      description: group.map((code) => `\`${code}\`: ${conditionOf[code]}`).join(". "),
      ...(status === statusOf.method_not_allowed
        ? {}
        : failures.headers && { headers: failures.headers }),
    });
  }
  return responses;
}

/** A response without a body. */
export function emptyResponse(description: string): TSchema {
  return Type.Null({ description });
}
