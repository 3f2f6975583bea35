import type { IncomingMessage } from "node:http";
import { API_KEY_PREFIX, SESSION_TOKEN_PREFIX } from "../shared/text/credentials.ts";
import { isRepeated } from "./headers.ts";

/** The schemes of the Authorization header (specification, section 5). */
export type Scheme = "ApiKey" | "Session";

const SECRET_LENGTH = 64;

interface Credential {
  readonly noun: string;
  readonly prefix: string;
  /** What may be wrong with one of the right form. */
  readonly rejected: string;
}

const credentials: Readonly<Record<Scheme, Credential>> = {
  ApiKey: {
    noun: "an API key",
    prefix: API_KEY_PREFIX,
    rejected: "an API key that is unknown or revoked, or whose account is suspended",
  },
  Session: {
    noun: "a session token",
    prefix: SESSION_TOKEN_PREFIX,
    rejected: "a session token that is unknown or has ended",
  },
};

/** The only schemes that a response repeats: anything else may be part of a credential. */
const knownSchemes = ["ApiKey", "Session", "Bearer", "Basic", "Digest", "Token", "Negotiate"];

/**
 * The WWW-Authenticate of a 401: what to send, and what came instead. Several MCP clients show the
 * description to their user (`error_description` is RFC 6750's, in ASCII).
 *
 * @param came as one of the functions below describes it.
 */
export function challenge(scheme: Scheme, came: string): string {
  const send = `Send Authorization: ${scheme} ${credentials[scheme].prefix}...`;
  return `${scheme} realm="kurs", error_description="${send}; got ${came}"`;
}

/** Describes the credential that a request has, without any of its text. */
export function describeHeader(request: IncomingMessage, scheme: Scheme): string {
  const { authorization } = request.headers;
  if (authorization === undefined) return "no Authorization header";
  if (isRepeated(request, "authorization")) return "two Authorization headers";
  const [, name = "", credential = ""] = /^([^ ]*) *(.*)$/s.exec(authorization) ?? [];
  if (name.toLowerCase() === scheme.toLowerCase()) return describeCredential(credential, scheme);
  const known = knownSchemes.find((each) => each.toLowerCase() === name.toLowerCase());
  if (known !== undefined) return `the scheme ${known}`;
  const bare = Object.values(credentials).find(({ prefix }) => name.startsWith(prefix));
  return bare === undefined ? "another scheme" : `${bare.noun} without a scheme`;
}

/** Describes a rejected credential behind its scheme, without any of its text. */
export function describeCredential(credential: string, scheme: Scheme): string {
  const { noun, prefix, rejected } = credentials[scheme];
  if (credential === "") return `the scheme ${scheme} without a credential`;
  const other = scheme === "ApiKey" ? credentials.Session : credentials.ApiKey;
  if (credential.startsWith(other.prefix)) return `${other.noun}`;
  if (!credential.startsWith(prefix)) return "something that does not begin so";
  const length = prefix.length + SECRET_LENGTH;
  if (credential.length !== length) {
    return `${noun} of ${credential.length} instead of ${length} characters`;
  }
  const hasDigits = /^[0-9a-f]+$/.test(credential.slice(prefix.length));
  if (!hasDigits) return `${noun} with characters other than 0-9 and a-f`;
  return rejected;
}
