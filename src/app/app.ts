import { customerRoutes, customerSchemas, usageSchemas } from "../customers/routes.ts";
import type { Customers } from "../customers/use-cases.ts";
import {
  type App,
  auditSchemas,
  createHttp,
  type HttpDeps,
  type HttpSettings,
  platformRoutes,
} from "../platform/routes.ts";
import { listRoutes, publicRoutes, schemasOfRates } from "../rates/routes.ts";
import type { Rates } from "../rates/use-cases.ts";
import { createReadRoutes } from "../reads/routes.ts";
import type { Reads } from "../reads/use-cases.ts";
import type { Store } from "./store.ts";

interface AppSettings extends HttpSettings {
  /** Further origins whose pages may call MCP. */
  readonly allowedOrigins: readonly string[];
  readonly listensOnLoopback: boolean;
}

interface AppDeps extends Omit<HttpDeps, "parse" | "authenticate"> {
  readonly customers: Customers;
  readonly rates: Rates;
  readonly reads: Reads;
  readonly store: Store;
}

/** Every schema that responses refer to by name, in the order of the OpenAPI document. */
const schemas = [...customerSchemas, ...auditSchemas, ...schemasOfRates, ...usageSchemas];

/** Joins every path of the HTTP API on one server. */
export async function createApp(settings: AppSettings, deps: AppDeps): Promise<App> {
  const { customers, rates, reads, store } = deps;
  const { authenticate } = customers.sessions;
  const readRoutes = createReadRoutes(settings, reads);
  const http = createHttp(settings, schemas, { ...deps, authenticate, parse: readRoutes.parse });
  const { app } = http;
  await customerRoutes(app, customers, http);
  listRoutes(app, rates, http.listGuard);
  await readRoutes.addTo(app, http);
  publicRoutes(app, rates);
  platformRoutes(app, settings, {
    ...deps,
    async checkStore() {
      await store.status.checkWrites();
      const hasRates = await store.rates.hasAny();
      return { hasRates, hasAllPlans: (await store.plans.missing()).length === 0 };
    },
    readAbout: async () => ({
      ...(await rates.readNumbers()),
      freeUnits: await customers.readFreeUnits(),
    }),
  });
  return app;
}
