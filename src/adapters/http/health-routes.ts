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

export function healthRoutes(
  app: App,
  { store }: { readonly store: RateStore & SharedStore },
): void {
  app.get("/healthz", { schema: aliveSchema }, async () => ({ status: "ok" as const }));

  app.get("/readyz", { schema: readySchema }, async () => {
    await store.checkWrites();
    if (await store.hasRates()) return { status: "ok" as const };
    const message = "There are no rates to serve yet. Import some: kurs rates import FILE";
    throw new Failure("temporarily_unavailable", message, { retryAfterSeconds: 5 });
  });
}
