import type { RateSettings as PolicySettings } from "./served/rules/update-policy.ts";
import type { SigningKey } from "./served/signing-key.ts";
import type { Publisher } from "./sources/publishers/publisher.ts";

export { parseSigningKey } from "./served/signing/ed25519.ts";
export { builtIn, fetchedKeys, sourceNames, sourcesOf } from "./sources/fetching/registry.ts";
export { readSourcesFile } from "./sources/own/sources-file.ts";
export type { RateSource } from "./sources/source.ts";

/** The settings that rates need. */
export interface RateSettings extends PolicySettings {
  readonly signingKey: SigningKey | undefined;
  /** The built-in ones and those of SOURCES_FILE. */
  readonly publishers: readonly Publisher[];
}
