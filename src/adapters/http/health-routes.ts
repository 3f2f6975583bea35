import type { RateStore, SharedStore } from "../../application/ports.ts";
import { Failure } from "../../domain/failure.ts";
import { Type } from "../schema.ts";
import type { App } from "./app.ts";
import { responsesOf } from "./responses.ts";

const status = Type.Object({ status: Type.Literal("ok") }, { description: "It is" });

const aliveSchema = {
  operationId: "alive",
  tags: ["Health"],
  summary: "Whether the process answers",
  security: [],
  response: responsesOf({ 200: status }, []),
};

const readySchema = {
  operationId: "ready",
  tags: ["Health"],
  summary: "Whether the store answers and takes charges, and there are rates to serve",
  security: [],
  response: responsesOf({ 200: status }, []),
};

const withoutRates = new Failure(
  "temporarily_unavailable",
  "There are no rates to serve yet. Import some: kurs rates import FILE",
  { retryAfterSeconds: 5 },
);

const leaving = new Failure("temporarily_unavailable", "This node is stopping. Ask another.", {
  retryAfterSeconds: 1,
});

/**
 * Both are answered however busy the node is: one that has much to do is ready, or a balancer would
 * take all of them out, one after the other.
 */
export function healthRoutes(
  app: App,
  {
    store,
    isLeaving,
  }: { readonly store: RateStore & SharedStore; readonly isLeaving: () => boolean },
): void {
  const config = { busy: "never" } as const;
  // However many ask, the store is asked once at a time.
  let asking: Promise<boolean> | undefined;
  const hasRates = () => {
    asking ??= askStore(store).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  app.get("/healthz", { schema: aliveSchema, config }, async () => ({ status: "ok" as const }));

  app.get("/readyz", { schema: readySchema, config }, async () => {
    if (isLeaving()) throw leaving;
    if (await hasRates()) return { status: "ok" as const };
    throw withoutRates;
  });
}

async function askStore(store: RateStore & SharedStore): Promise<boolean> {
  await store.checkWrites();
  return store.hasRates();
}
