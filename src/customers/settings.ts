import type { MailSettings } from "./outbox/mailer.ts";
import type { Registration } from "./registration/rules.ts";

export { LIFETIME_DAYS_MAX } from "./api-keys/limits.ts";
export { MAX_PLAN_UNITS } from "./billing/rules.ts";
export { parseMailFrom, smtpUrlProblems } from "./outbox/transport/settings.ts";
export { registrations } from "./registration/rules.ts";
export type { MailSettings };

/** The settings that customers need. */
export interface CustomerSettings extends MailSettings {
  /** Units per period on the free plan; unset: as stored, 1,000 in a new store. */
  readonly freePlanUnits: number | undefined;
  readonly authCallsPerWindow: number;
  readonly authWindowSeconds: number;
  /** Whether a log-in requires a verified email. */
  readonly requireVerifiedEmail: boolean;
  readonly registration: Registration;
  /** The most days from a key's creation to its end; unset: keys need no end. */
  readonly keyMaxAgeDays: number | undefined;
}
