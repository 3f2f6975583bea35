import Type from "typebox";
import type { ReadUsage } from "../../application/usage.ts";
import { wireUsage } from "../wire.ts";
import type { App } from "./app.ts";
import { responsesOf } from "./responses.ts";
import { accountOf, type SessionGuard } from "./session-guard.ts";

const usageSchema = {
  operationId: "readUsage",
  tags: ["Usage"],
  summary: "Read the units used in the present billing period",
  security: [{ Session: [] }],
  response: responsesOf({ 200: Type.Ref("Usage#", { description: "The usage" }) }, [
    "unauthorized",
  ]),
};

export function usageRoutes(
  app: App,
  uses: { readonly readUsage: ReadUsage; readonly sessionGuard: SessionGuard },
): void {
  const { readUsage, sessionGuard } = uses;
  app.get("/v1/account/usage", { schema: usageSchema, onRequest: sessionGuard }, async (request) =>
    wireUsage(await readUsage(accountOf(request))),
  );
}
