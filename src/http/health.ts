import { Failure } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import { documentedResponses } from "./documented-responses.ts";
import type { App } from "./fastify.ts";

const status = Type.Object({ status: Type.Literal("ok") }, { description: "It is" });

const livenessSchema = {
  operationId: "alive",
  tags: ["Health"],
  summary: "Whether the process answers",
  security: [],
  response: documentedResponses({ 200: status }, []),
};

const readiness = Type.Object(
  {
    status: Type.Enum(["ok", "degraded"]),
    problems: Type.Optional(
      Type.Array(Type.String(), { description: "Only when it is degraded: what to look at" }),
    ),
  },
  { description: "It is; degraded: not for every account" },
);

const readinessSchema = {
  operationId: "ready",
  tags: ["Health"],
  summary: "Whether the store answers and takes charges, and there are rates to serve",
  security: [],
  response: documentedResponses({ 200: readiness }, []),
};

const withoutRates = new Failure(
  "temporarily_unavailable",
  "There are no rates to serve yet. Import some: kurs rates import FILE",
  { retryAfterSeconds: 5 },
);

const leaving = new Failure("temporarily_unavailable", "This node is stopping. Ask another.", {
  retryAfterSeconds: 1,
});

// 200 all the same: a balancer that took the nodes out would fail the other accounts as well.
const degraded = {
  status: "degraded",
  problems: ["Accounts are on a plan that is not stored. Run: kurs doctor"],
} as const;

export interface StoreReadiness {
  readonly hasRates: boolean;
  readonly hasAllPlans: boolean;
}

/** Asks the store. @throws {StoreUnavailable} when it does not answer or takes no writes. */
export type AskStore = () => Promise<StoreReadiness>;

/**
 * Both are answered however busy the node is: one that has much to do is ready, or a balancer would
 * take all of them out, one after the other.
 */
export function healthRoutes(
  app: App,
  {
    askStore,
    isShuttingDown,
  }: { readonly askStore: AskStore; readonly isShuttingDown: () => boolean },
): void {
  const config = { busy: "never" } as const;
  // However many ask, the store is asked once at a time.
  let asking: Promise<StoreReadiness> | undefined;
  const ask = () => {
    asking ??= askStore().finally(() => {
      asking = undefined;
    });
    return asking;
  };

  app.get("/healthz", { schema: livenessSchema, config }, async () => ({ status: "ok" as const }));

  app.get("/readyz", { schema: readinessSchema, config }, async () => {
    if (isShuttingDown()) throw leaving;
    const { hasRates, hasAllPlans } = await ask();
    if (!hasRates) throw withoutRates;
    return hasAllPlans ? { status: "ok" as const } : degraded;
  });
}
