import { Failure } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import type { App } from "./fastify.ts";
import { documentedResponses } from "./openapi.ts";

const status = Type.Object({ status: Type.Literal("ok") }, { description: "The process runs" });

const livenessSchema = {
  operationId: "alive",
  tags: ["Health"],
  summary: "Whether the process responds",
  security: [],
  response: documentedResponses({ 200: status }, []),
};

const readiness = Type.Object(
  {
    status: Type.Enum(["ok", "degraded"]),
    problems: Type.Optional(
      Type.Array(Type.String(), { description: "Only when degraded: what to check" }),
    ),
  },
  { description: "Ready; degraded: not for every account" },
);

const readinessSchema = {
  operationId: "ready",
  tags: ["Health"],
  summary: "Whether the store responds and accepts charges, and has rates to serve",
  security: [],
  response: documentedResponses({ 200: readiness }, []),
};

const withoutRates = new Failure(
  "temporarily_unavailable",
  "There are no rates to serve yet. Import some: kurs rates import FILE",
  { retryAfterSeconds: 5 },
);

const shuttingDown = new Failure("temporarily_unavailable", "This node is stopping. Ask another.", {
  retryAfterSeconds: 1,
});

// Still 200: a load balancer that removed the nodes would fail the other accounts as well.
const degraded = {
  status: "degraded",
  problems: ["Accounts are on a plan that is not stored. Run: kurs doctor"],
} as const;

export interface StoreReadiness {
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
