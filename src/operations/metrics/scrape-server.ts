import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { CONTENT_TYPE, expose, type Metric } from "./exposition.ts";

// An import statement would load undici, too (platform/http/server/node-http.ts).
const { createServer } = process.getBuiltinModule("node:http");

/** Scrapers are few; other clients must not use up the process's file descriptors. */
const CONNECTIONS_MAX = 20;
const REQUEST_TIMEOUT_MS = 10_000;

/** A separate server for `GET /metrics` and nothing else; it does not listen yet. */
export function createScrapeServer(metrics: readonly Metric[], log: Logger): Server {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const [path] = (request.url ?? "").split("?");
    if (path !== "/metrics") return end(response, 404, "There is only GET /metrics here.\n");
    if (request.method !== "GET") {
      response.setHeader("allow", "GET");
      return end(response, 405, "This path supports GET only.\n");
    }
    end(response, 200, await expose(metrics), CONTENT_TYPE);
  };
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      respond(request, response).catch((err: unknown) => {
        log.error({ err }, "the metrics could not be collected");
        end(response, 500, "The metrics could not be collected: see the log.\n");
      });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

function end(
  response: ServerResponse,
  status: number,
  text: string,
  contentType = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
