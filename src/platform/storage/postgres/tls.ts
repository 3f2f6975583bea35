import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
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
 * Reads the TLS options of an address as libpq does (PostgreSQL, section 32.19): `require` encrypts
 * and verifies the certificate only if there is an `sslrootcert`, `verify-ca` verifies the
 * certificate, `verify-full` its host name as well. A Unix socket never uses TLS.
 *
 * @throws {StartupError} when a file cannot be used.
 */
export function connectingOf({ name, url }: DatabaseHost): Connecting {
  const [address = "", query = ""] = url.split("?");
  const options = new URLSearchParams(query);
  const mode = options.get("sslmode");
  const authority = optionsFor(options);
  for (const option of [...options.keys()]) if (option.startsWith("ssl")) options.delete(option);
  const connectionString = `${address}?${options}`;
  if (name.startsWith("/") || mode === "disable") return { connectionString, ssl: false };
  if (mode === null) return { connectionString };
  const isVerified = mode !== "require" || authority.ca !== undefined;
  return {
    connectionString,
    ssl: {
      ...authority,
      rejectUnauthorized: isVerified,
      ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    },
  };
}

function optionsFor(options: URLSearchParams): Pick<ConnectionOptions, "ca" | "cert" | "key"> {
  const ca = readPem(options, "sslrootcert");
  if (ca !== undefined) certificateIn(ca);
  const cert = readPem(options, "sslcert");
  const key = readPem(options, "sslkey");
  if (cert !== undefined && key !== undefined) requireKeyOf(cert, key);
  return {
    ...(ca === undefined ? {} : { ca: ca.text }),
    ...(cert === undefined ? {} : { cert: cert.text }),
    ...(key === undefined ? {} : { key: key.text }),
  };
}

interface PemFile {
  readonly option: string;
  readonly path: string;
  readonly text: string;
}

function readPem(options: URLSearchParams, option: string): PemFile | undefined {
  const path = options.get(option);
  if (path === null) return undefined;
  try {
    return { option, path, text: readFileSync(path, "utf8") };
  } catch (error) {
    const file = `${option} ${path} of DATABASE_URL`;
    throw new StartupError(`Cannot read ${file}: ${reasonOf(error)}.`, error);
  }
}

function certificateIn({ option, path, text }: PemFile): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new StartupError(`The ${option} ${path} holds no certificate in PEM.`, error);
  }
}

function requireKeyOf(cert: PemFile, key: PemFile): void {
  const certificate = certificateIn(cert);
  let isKey: boolean;
  try {
    isKey = certificate.checkPrivateKey(createPrivateKey(key.text));
  } catch (error) {
    const what = "holds no private key in PEM that can be read without a passphrase";
    throw new StartupError(`The sslkey ${key.path} ${what}.`, error);
  }
  if (!isKey)
    throw new StartupError(`The sslkey ${key.path} is not the key of sslcert ${cert.path}.`);
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
export function certificateFaultOf(error: unknown): string | undefined {
  return certificateFaults.get((error as { code?: string }).code ?? "");
}
