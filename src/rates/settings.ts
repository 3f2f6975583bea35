import type { RateSettings as PolicySettings } from "./served/rules/update-policy.ts";
import type { SigningKey } from "./served/signing-key.ts";

export { parseSigningKey } from "./served/signing/ed25519.ts";
export { sourceNames, sourcesOf } from "./sources/fetching/registry.ts";
export type { RateSource } from "./sources/source.ts";

/** The settings that rates need. */
export interface RateSettings extends PolicySettings {
  readonly signingKey: SigningKey | undefined;
}
