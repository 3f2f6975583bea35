/** The Accept that the SDK requires of clients before 2026, although Kurs sends them JSON only. */
export const BOTH_TYPES = "application/json, text/event-stream";

/**
 * Whether a client accepts JSON (RFC 9110, section 12.5.1). Without an Accept header it accepts
 * anything.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === BOTH_TYPES) return true;
  return accept.split(",").some((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const isJson = range === "*/*" || range === "application/*" || range === "application/json";
    return isJson && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
