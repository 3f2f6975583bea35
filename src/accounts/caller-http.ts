import type { FastifyRequest } from "fastify";
import { ClientGone, clientOf } from "../http/client-address.ts";
import { normalizeEmail } from "../shared/email.ts";

/** Trims and lower-cases an email before it is validated. */
export async function normalizeBodyEmail({ body }: FastifyRequest): Promise<void> {
  if (typeof body === "object" && body !== null && "email" in body) {
    if (typeof body.email === "string") body.email = normalizeEmail(body.email);
  }
}

/**
 * @returns the client's address as the abuse limiter counts it.
 * @throws {ClientGone} when the address is no longer known: a call that cannot be counted is not
 *   served.
 */
export function clientIp({ ip, ips = [ip] }: FastifyRequest): string {
  const client = clientOf(ips);
  if (client === undefined) throw new ClientGone();
  return client;
}
