import type { OpenStore } from "../../cli/command.ts";
import type { RateCommandDeps } from "../../rates/cli/arguments.ts";
import type { SigningKeyStore } from "../../rates/signing-key.ts";
import type { RateStore } from "../../rates/store.ts";
import type { RateSource } from "../../sources/source.ts";
import type { OwnerStore, SeriesReads } from "../store.ts";

/** The dependencies of the commands on what each source has published of a pair. */
export interface SeriesCommandDeps extends Omit<RateCommandDeps, "openStore"> {
  readonly openStore: OpenStore<{
    readonly rates: RateStore;
    readonly series: SeriesReads & OwnerStore;
    readonly signingKeys: SigningKeyStore;
  }>;
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
}
