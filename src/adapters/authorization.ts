/** The schemes of the Authorization header (specification, section 5). */
export type Scheme = "ApiKey" | "Session";

const startOf: Record<Scheme, RegExp> = {
  ApiKey: /^ApiKey +/i,
  Session: /^Session +/i,
};

/**
 * The only reader of credentials: they come in the Authorization header and nowhere else. The
 * scheme is matched without regard to case, the credential is handed on as it is.
 *
 * @returns the credential, or `undefined` without one of this scheme.
 */
export function credentialOf(header: string | undefined, scheme: Scheme): string | undefined {
  const start = header === undefined ? null : startOf[scheme].exec(header);
  return start === null ? undefined : header?.slice(start[0].length);
}
