import type { FastifyRequest } from "fastify";
import { normalizeEmail } from "../../domain/email.ts";

/** Trims and lower-cases an email before its form is judged. */
export async function normalizeBodyEmail({ body }: FastifyRequest): Promise<void> {
  if (typeof body === "object" && body !== null && "email" in body) {
    if (typeof body.email === "string") body.email = normalizeEmail(body.email);
  }
}

/** The address that calls; an IPv4 one is the same whichever way the socket writes it. */
export function clientIpOf({ ip }: FastifyRequest): string {
  return ip.replace(/^::ffff:/i, "");
}
