import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Logger } from "pino";

// Not by an import statement: that would load undici besides (http/node-http.ts).
const { createServer } = process.getBuiltinModule("node:http");

/** Scrapers are few; whoever else finds the port shall not take the process's file descriptors. */
const CONNECTIONS_MAX = 20;
const REQUEST_TIMEOUT_MS = 10_000;

/** What a scraper is given, and the form that it is in. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

/** A server of its own that answers `GET /metrics` and nothing else; it does not listen yet. */
export function createScrapeServer(exposition: Exposition, log: Logger): Server {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [path] = (request.url ?? "").split("?");
    if (path !== "/metrics") return end(response, 404, "There is only GET /metrics here.\n");
    if (request.method !== "GET") {
      response.setHeader("allow", "GET");
      return end(response, 405, "This path answers GET only.\n");
    }
    const text = await exposition.text();
    end(response, 200, text, exposition.contentType);
  };
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      answer(request, response).catch((err: unknown) => {
        log.error({ err }, "the metrics could not be put together");
        end(response, 500, "The metrics could not be put together: see the log.\n");
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
