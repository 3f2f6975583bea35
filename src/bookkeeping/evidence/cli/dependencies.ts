import type { SigningKey } from "../../../rates/served/signing-key.ts";
import type { RateSource } from "../../../rates/sources/source.ts";
import type { ApplicableRateDeps } from "../../applicable-rates/cli/dependencies.ts";

/** The dependencies of the commands on evidence files. */
export interface EvidenceDeps extends ApplicableRateDeps {
  /** The program's version. */
  readonly version: string;
  /** Every source, without settings. */
  readonly knownSources: () => readonly RateSource[];
  /** @throws {ConfigError} */
  readonly settings: () => { readonly signingKey: SigningKey | undefined };
}
