import type { App } from "../platform/http/fastify.ts";
import type { ListGuard } from "../platform/http/unpaid-responses.ts";
import { visitorsRoute } from "../platform/routes.ts";
import { coverageRoutes } from "./coverage/http.ts";
import { coverageSchemas, publishersJson } from "./coverage/json.ts";
import { publicKeyRoutes } from "./served/http.ts";
import { rateSchemas } from "./served/json.ts";
import type { Rates } from "./use-cases.ts";

/** Every schema of rates that responses refer to by name. */
export const schemasOfRates = [...coverageSchemas, ...rateSchemas];

/** Adds the lists of pairs and sources, which require a session. */
export function listRoutes(app: App, { coverage }: Rates, listGuard: ListGuard): void {
  coverageRoutes(app, { coverage, listGuard });
}

/** Adds what everybody may read: the keys that sign, and publishers with their pairs. */
export function publicRoutes(app: App, { coverage, listPublicKeys, clock }: Rates): void {
  publicKeyRoutes(app, { listPublicKeys });
  const read = async () => {
    const publishers = await coverage.publishers();
    const isFetched = publishers.some(({ lastSuccessAt }) => lastSuccessAt !== undefined);
    return { body: publishersJson(publishers), isFetched };
  };
  visitorsRoute(app, "/coverage.json", { read, clock });
}
