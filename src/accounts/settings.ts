import type { Origin } from "../shared/origin.ts";

/** What the owner of an account chooses. */
export interface AccountSettings {
  /** Whether it gets mails about reached thresholds of its quota. */
  readonly quotaMails: boolean;
}

export interface SettingsStore {
  /** @returns undefined when there is no such account. */
  ofAccount(accountId: string): Promise<AccountSettings | undefined>;
  /** Writes nothing when the account has these settings already. */
  change(accountId: string, settings: AccountSettings, origin: Origin): Promise<void>;
}
