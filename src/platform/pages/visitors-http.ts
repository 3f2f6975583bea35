import type { App } from "../http/fastify.ts";
import type { Clock } from "../shared/clock.ts";

/** How long one text serves every request, so that visitors cost the store next to nothing. */
const KEPT_MS = 60_000;

/** Until the first fetch has succeeded: a visitor of a new service waits for it. */
const KEPT_BEFORE_FETCH_MS = 5_000;

/**
 * Caches may keep it: it belongs to the pages for visitors, not to the API. A response to a request
 * without an Origin lacks the headers of CORS, so a cache must not give it to a page.
 */
const headers = {
  "cache-control": `public, max-age=${KEPT_BEFORE_FETCH_MS / 1000}`,
  vary: "Origin",
};

/** What a document says, and whether a fetch has ever succeeded. */
export interface ForVisitors {
  readonly body: object;
  readonly isFetched: boolean;
}

/** Serves a document of the pages for visitors. */
export function visitorsRoute(
  app: App,
  path: "/about.json" | "/coverage.json",
  { read, clock }: { readonly read: () => Promise<ForVisitors>; readonly clock: Clock },
): void {
  let kept: Promise<Buffer> | undefined;
  let untilMs = 0;
  const renew = async (): Promise<Buffer> => {
    const { body, isFetched } = await read();
    untilMs = clock.nowMs() + (isFetched ? KEPT_MS : KEPT_BEFORE_FETCH_MS);
    return Buffer.from(JSON.stringify(body));
  };

  app.get(path, { schema: { hide: true }, config: { headers } }, async (_request, reply) => {
    if (kept === undefined || clock.nowMs() >= untilMs) {
      // Requests at the same time share one reading.
      untilMs = Number.POSITIVE_INFINITY;
      kept = renew();
      kept.catch(() => {
        // A failure is not kept.
        untilMs = 0;
      });
    }
    const text = await kept;
    return reply.type("application/json; charset=utf-8").send(text);
  });
}
