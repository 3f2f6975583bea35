import { type ConnectionOptions, createSecureContext } from "node:tls";
import { parse } from "pg-connection-string";
import { StartupError } from "../../shared/program/start-error.ts";
import { reasonOf } from "../../shared/program/system-error.ts";
import type { DatabaseHost } from "../settings.ts";

/** How to connect to a host. */
export interface Connecting {
  /** The address without the options that are in `ssl`. */
  readonly connectionString: string;
  /** Unset: pg decides, and uses no TLS unless PGSSLMODE is set. */
  readonly ssl?: ConnectionOptions | false;
}

/**
 * Reads the TLS options of an address, with the meaning that libpq gives them (PostgreSQL, section
 * 32.19). A Unix socket never uses TLS.
 *
 * @throws {StartupError} when a file cannot be used.
 */
export function readTlsOptions({ name, url }: DatabaseHost): Connecting {
  const [address = "", query = ""] = url.split("?");
  const options = new URLSearchParams(query);
  for (const option of [...options.keys()]) if (option.startsWith("ssl")) options.delete(option);
  const connectionString = `${address}?${options}`;
  if (name.startsWith("/")) return { connectionString, ssl: false };
  try {
    const ssl = parse(url, { useLibpqCompat: true }).ssl as ConnectionOptions | false | undefined;
    if (ssl === undefined) return { connectionString };
    if (!ssl) return { connectionString, ssl };
    // Otherwise a connection would be the first to reject them.
    createSecureContext(ssl);
    // Node's variable NODE_TLS_REJECT_UNAUTHORIZED decides nothing here.
    return { connectionString, ssl: { rejectUnauthorized: true, ...ssl } };
  } catch (error) {
    // OpenSSL's errors have a reason, such as "key values mismatch".
    const { path = "the TLS files", reason } = error as { path?: string; reason?: string };
    const why = reason ?? reasonOf(error);
    throw new StartupError(`Cannot use ${path} of DATABASE_URL: ${why}.`, error);
  }
}

const UNKNOWN_CA =
  "its certificate is not signed by a known CA; set sslrootcert to the file of its CA";

/** Node's error codes for a certificate (nodejs.org/api/tls.html#x509-certificate-error-codes). */
const certificateFaults = new Map([
  ["SELF_SIGNED_CERT_IN_CHAIN", UNKNOWN_CA],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", UNKNOWN_CA],
  ["UNABLE_TO_GET_ISSUER_CERT", UNKNOWN_CA],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNKNOWN_CA],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNKNOWN_CA],
  ["CERT_SIGNATURE_FAILURE", UNKNOWN_CA],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host; connect by a name in it"],
]);

/** @returns why a server's certificate was rejected; undefined for any other error. */
export function explainCertificateFault(error: unknown): string | undefined {
  return certificateFaults.get((error as { code?: string }).code ?? "");
}
