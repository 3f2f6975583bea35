import type { IncomingHttpHeaders } from "node:http";
import { Failure } from "../../platform/shared/failure.ts";
import { isLoopback } from "../../platform/shared/loopback.ts";

/**
 * Rejects requests of foreign pages, including pages that reach a server on this machine through a
 * host name of their own (MCP, Streamable HTTP: DNS rebinding).
 *
 * @throws {Failure} `forbidden`
 */
export type OriginCheck = (request: { readonly headers: IncomingHttpHeaders }) => void;

const forbiddenOrigin = new Failure(
  "forbidden",
  "Pages of this Origin may not call MCP. The server's operator can allow them: ALLOWED_ORIGINS.",
);
const forbiddenHost = new Failure(
  "forbidden",
  "This server listens on loopback and does not go by this Host. Its operator can set PUBLIC_URL.",
);

export function createOriginCheck(settings: {
  readonly publicUrl: () => string;
  /** Further origins whose pages may call. */
  readonly allowedOrigins: readonly string[];
  readonly listensOnLoopback: boolean;
}): OriginCheck {
  const { publicUrl, allowedOrigins, listensOnLoopback } = settings;

  return ({ headers: { origin, host } }) => {
    // Clients other than browsers send none.
    if (origin !== undefined) {
      const page = parseUrl(origin);
      const isKnown =
        origin === new URL(publicUrl()).origin ||
        allowedOrigins.includes(origin) ||
        (page !== null && /^https?:$/.test(page.protocol) && isLoopback(page.hostname));
      if (!isKnown) throw forbiddenOrigin;
    }
    if (listensOnLoopback) {
      const hostname = parseUrl(`http://${host}`)?.hostname ?? "";
      if (!isLoopback(hostname) && hostname !== new URL(publicUrl()).hostname) throw forbiddenHost;
    }
  };
}

/** Punycode takes quadratic time: 3 ms for 16 KiB. A host's name has at most 253 characters. */
function parseUrl(text: string): URL | null {
  return text.length <= 512 ? URL.parse(text) : null;
}
