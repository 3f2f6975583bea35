import type { App } from "../http/fastify.ts";
import type { Clock } from "../shared/clock.ts";
import { type About, aboutJson } from "./about.ts";

const KEPT_MS = 60_000;

/**
 * Caches may keep it: it belongs to the page for visitors, not to the API. A response to a request
 * without an Origin lacks the headers of CORS, so a cache must not give it to a page.
 */
const headers = { "cache-control": `public, max-age=${KEPT_MS / 1000}`, vary: "Origin" };

/** Serves the figures of the page for visitors, which are read once a minute at most. */
export function aboutRoute(
  app: App,
  { readAbout, clock }: { readonly readAbout: () => Promise<About>; readonly clock: Clock },
): void {
  let kept: Promise<About> | undefined;
  let untilMs = 0;
  const read = (): Promise<About> => {
    untilMs = clock.nowMs() + KEPT_MS;
    const about = readAbout();
    about.catch(() => {
      // A failure is not kept.
      untilMs = 0;
    });
    return about;
  };

  app.get("/about.json", { schema: { hide: true }, config: { headers } }, async () => {
    if (kept === undefined || clock.nowMs() >= untilMs) kept = read();
    return aboutJson(await kept);
  });
}
