import type { IncomingMessage } from "node:http";

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * The path of a request target, in the form that the router expects.
 *
 * An absolute URI is served as its path (RFC 9112, section 3.2.2). Escapes that cannot be decoded
 * stay as they are: they make an invalid symbol or id, which is rejected after the credential is
 * checked (section 4). The router skips a path's first byte, whatever it is: without the slash
 * `*healthz` would be `/healthz`.
 */
export function pathOf({ method, url = "/" }: Pick<IncomingMessage, "method" | "url">): string {
  const target = url.replace(ABSOLUTE, "");
  if (target === "*" && method === "OPTIONS") return target;
  const path = target.startsWith("/") ? target : `/${target}`;
  return isDecodable(path) ? path : path.replaceAll("%", "%25");
}

function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    // The router does not decode the query.
    decodeURIComponent(path.replace(/[?#].*/s, ""));
    return true;
  } catch {
    return false;
  }
}
