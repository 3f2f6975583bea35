import type { IncomingMessage } from "node:http";

/** The schemes of the Authorization header (specification, section 5). */
export type Scheme = "ApiKey" | "Session";

const startOf: Record<Scheme, RegExp> = {
  ApiKey: /^ApiKey +/i,
  Session: /^Session +/i,
};

/**
 * The only reader of credentials, which are accepted in the Authorization header only. The scheme
 * is case-insensitive; the credential is returned unchanged. A request with two Authorization
 * headers has no credential: a proxy in front of this server may have checked the other one.
 * Node's `headers` keeps the first and drops the second, hence `rawHeaders`.
 *
 * @returns the credential, or `undefined` without one of this scheme.
 */
export function credentialOf(
  { rawHeaders }: Pick<IncomingMessage, "rawHeaders">,
  scheme: Scheme,
): string | undefined {
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!isAuthorization(rawHeaders[index] ?? "")) continue;
    if (value !== undefined) return undefined;
    value = rawHeaders[index + 1] ?? "";
  }
  const start = value === undefined ? null : startOf[scheme].exec(value);
  return start === null ? undefined : value?.slice(start[0].length);
}

function isAuthorization(name: string): boolean {
  return name.length === "authorization".length && name.toLowerCase() === "authorization";
}
