import type { FastifyRequest } from "fastify";
import { normalizeEmail } from "../shared/text/email.ts";

/** Trims and lower-cases an email before it is validated. */
export async function normalizeBodyEmail({ body }: FastifyRequest): Promise<void> {
  if (typeof body === "object" && body !== null && "email" in body) {
    if (typeof body.email === "string") body.email = normalizeEmail(body.email);
  }
}
