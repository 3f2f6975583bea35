import fastifySwagger from "@fastify/swagger";
import type { App } from "./app.ts";

const description = `Stored direct exchange rates, exactly as their publishers wrote them.

Every read of a rate costs one unit of the account's quota for the billing period, the calendar
month in UTC. Credentials are accepted in the Authorization header only. Every error is the
envelope of code, message and request_id; any other method on a path answers 405.`;

/** Lets the routes that follow be documented, and serves the document at /openapi.json. */
export async function documentRoutes(
  app: App,
  { publicUrl, version }: { readonly publicUrl: () => string; readonly version: string },
): Promise<void> {
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
        { name: "Rates", description: "The metered reads" },
        { name: "Usage", description: "What was used of the quota" },
        { name: "API keys", description: "Credentials for reads" },
        { name: "Authentication", description: "Accounts and sessions" },
        { name: "Health", description: "For supervisors and balancers" },
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

  app.get("/openapi.json", { schema: { hide: true } }, async () => ({
    ...app.swagger(),
    servers: [{ url: publicUrl() }],
  }));
}
