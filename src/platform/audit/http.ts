import type { FastifyRequest } from "fastify";
import { accountOf } from "../http/authentication.ts";
import type { App } from "../http/fastify.ts";
import { documentedResponses } from "../http/openapi/responses.ts";
import type { ListGuard } from "../http/unpaid-responses.ts";
import { Failure, sessionRequired } from "../shared/failure.ts";
import { EXAMPLE_ID, Type } from "../shared/json-schema.ts";
import { isUuid } from "../shared/uuid.ts";
import { eventJson } from "./json.ts";
import { EVENTS_PER_PAGE } from "./rules.ts";
import type { AuditStore } from "./store.ts";

const badBefore = new Failure("invalid_request", "before must be the id of an event.");

const listSchema = {
  tags: ["Account"],
  security: [{ Session: [] }],
  operationId: "listEvents",
  summary: "List what happened to the account: log-ins, keys, resets, the operator's changes",
  description:
    `Up to ${EVENTS_PER_PAGE} events, newest first. Reads of rates are not events. For older ` +
    "ones send the id of the last event as `before`.",
  querystring: Type.Object({
    before: Type.Optional(
      Type.String({
        format: "uuid",
        description: "The id of an event, in any case: only older ones are listed",
        examples: [EXAMPLE_ID],
      }),
    ),
  }),
  response: documentedResponses({ 200: Type.Ref("EventList#", { description: "The events" }) }, [
    sessionRequired,
    badBefore,
  ]),
};

export function auditRoutes(
  app: App,
  uses: {
    readonly store: { readonly audit: AuditStore };
    readonly listGuard: ListGuard;
  },
): void {
  const { store, listGuard: onRequest } = uses;
  const options = { schema: listSchema, onRequest, preValidation: checkBefore };
  app.get("/v1/account/events", options, async (request) => {
    const before = request.query.before?.toLowerCase();
    const events = await store.audit.ofAccount(accountOf(request), before, EVENTS_PER_PAGE);
    return { events: events.map(eventJson) };
  });
}

/** Runs before the validator, whose message names no event. */
async function checkBefore({ query }: Pick<FastifyRequest, "query">): Promise<void> {
  const { before } = query as Readonly<Record<string, unknown>>;
  if (typeof before === "string" && !isUuid(before.toLowerCase())) throw badBefore;
}
