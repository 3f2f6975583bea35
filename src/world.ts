import type { DestinationStream, Logger } from "pino";
import type { RateSource } from "./rates/source.ts";
import type { Clock } from "./shared/clock.ts";
import type { Secrets } from "./shared/secrets.ts";

/** The service's dependencies on the outside world. */
export interface ServiceDependencies {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** The active sources, in order of precedence. */
  readonly sources: readonly RateSource[];
  /** A number from 0 to 1, for the jitter of a backoff. */
  readonly random: () => number;
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
}
