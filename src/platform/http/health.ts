import { Failure } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import type { App } from "./fastify.ts";
import { documentedResponses } from "./openapi/responses.ts";

const status = Type.Object({ status: Type.Literal("ok") }, { description: "The process runs" });

const livenessSchema = {
  operationId: "getLiveness",
  tags: ["Health"],
  summary: "Get whether the process responds",
  description: "Also while it is overloaded. It says nothing about the store.",
  security: [],
  response: documentedResponses({ 200: status }, []),
};

const withoutRates = new Failure(
  "temporarily_unavailable",
  "There are no rates to serve yet. Import some: kurs rates import FILE",
  { retryAfterSeconds: 5 },
);

const readiness = Type.Object(
  {
    status: Type.Enum(["ok", "degraded"]),
    problems: Type.Optional(
      Type.Array(Type.String(), { description: "Only when degraded: what to check" }),
    ),
  },
  { description: "Ready; degraded: not for every account", examples: [{ status: "ok" }] },
);

const readinessSchema = {
  operationId: "getReadiness",
  tags: ["Health"],
  summary: "Get whether the store responds and accepts charges, and has rates to serve",
  description:
    "For load balancers: a node that is stopping, or whose store does not respond, gets 503. It " +
    "says nothing about the age of the rates: GET /v1/account/sources and the metrics do.",
  security: [],
  response: documentedResponses({ 200: readiness }, [withoutRates]),
};

const shuttingDown = new Failure("temporarily_unavailable", "This node is stopping. Ask another.", {
  retryAfterSeconds: 1,
});

// Still 200: a load balancer that removed the nodes would fail the other accounts as well.
const degraded = {
  status: "degraded",
  problems: ["Accounts are on a plan that is not stored. Run: kurs doctor"],
} as const;

interface StoreReadiness {
  readonly hasRates: boolean;
  readonly hasAllPlans: boolean;
}

/** Checks the store. @throws {StoreUnavailable} when it does not respond or accept writes. */
export type CheckStore = () => Promise<StoreReadiness>;

/**
 * Both are exempt from load shedding: a busy node counts as ready. Otherwise a load balancer would
 * remove all nodes, one after the other.
 */
export function healthRoutes(
  app: App,
  {
    checkStore,
    isShuttingDown,
  }: { readonly checkStore: CheckStore; readonly isShuttingDown: () => boolean },
): void {
  const config = { isNeverShed: true };
  // Concurrent requests share one check of the store.
  let checking: Promise<StoreReadiness> | undefined;
  const check = () => {
    checking ??= checkStore().finally(() => {
      checking = undefined;
    });
    return checking;
  };

  app.get("/healthz", { schema: livenessSchema, config }, async () => ({ status: "ok" as const }));

  app.get("/readyz", { schema: readinessSchema, config }, async () => {
    if (isShuttingDown()) throw shuttingDown;
    const { hasRates, hasAllPlans } = await check();
    if (!hasRates) throw withoutRates;
    return hasAllPlans ? { status: "ok" as const } : degraded;
  });
}
