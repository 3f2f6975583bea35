import { isIP } from "node:net";
import { compile } from "@fastify/proxy-addr";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const IPV6_BITS_OF_CLIENT = 64;

/** Proxies that a request may pass. A header of 4,000 trusted addresses took 46 ms. */
const HOPS_MAX = 32;

/**
 * Parses an address as sockets and proxies write it: with or without a port, brackets and a zone.
 *
 * @returns the address, an IPv4-mapped one as IPv4; undefined for any other text.
 */
function parseAddress(text: string | undefined): Address | undefined {
  const address = text
    ?.replace(/^\[([^\]]*)\](:\d+)?$/, "$1")
    .replace(/^([\d.]+):\d+$/, "$1")
    .replace(/%.*$/s, "");
  // ipaddr.js alone would also read `10.1` and octal numbers, which no proxy writes.
  return address === undefined || isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/**
 * @param chain the socket's address, and then the entries of X-Forwarded-For from the last one back
 *   to the first that no trusted proxy has written.
 * @returns the client as the auth limiter counts it: an IPv4 address, or the /64 of an IPv6
 *   address, since a provider assigns at least a /64 to one customer (RFC 6177). An invalid entry
 *   counts as the proxy that sent it, so that invented entries yield no new budget.
 *   Undefined when the connection was reset and its address is no longer known.
 */
function clientOf(chain: readonly (string | undefined)[]): string | undefined {
  const address = chain.map(parseAddress).findLast((found) => found !== undefined);
  if (address === undefined || address instanceof ipaddr.IPv4) return address?.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_BITS_OF_CLIENT}`);
  return `${network}/${IPV6_BITS_OF_CLIENT}`;
}

/**
 * Creates a predicate for the addresses of trusted proxies, in any notation: a proxy may add a port
 * or a zone.
 *
 * @param entries addresses, networks or names.
 */
export function createTrust(
  entries: readonly string[],
): (address: string | undefined, hop: number) => boolean {
  const isTrusted = compile(entries.map((entry) => entry.replace(/%[^/]*/, "")));
  return (text, hop) => {
    const address = hop < HOPS_MAX ? parseAddress(text) : undefined;
    return address !== undefined && isTrusted(address.toString(), hop);
  };
}

/** The client reset the connection before its request was handled: no response can be sent. */
export class ClientGone extends Error {
  constructor() {
    super("The client has reset its connection");
    this.name = "ClientGone";
  }
}

/**
 * @returns the client's address as the auth limiter counts it.
 * @throws {ClientGone} when the address is no longer known: a call that cannot be counted is not
 *   served.
 */
export function clientAddress({ ip, ips = [ip] }: FastifyRequest): string {
  const client = clientOf(ips);
  if (client === undefined) throw new ClientGone();
  return client;
}
