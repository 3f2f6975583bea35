import type { DestinationStream, Logger } from "pino";
import type { RateSource } from "./rates/source.ts";
import type { Clock } from "./shared/clock.ts";
import type { Secrets } from "./shared/secrets.ts";

/** The outside world, as the service meets it. */
export interface ServiceDependencies {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** The sources that are switched on, in order of precedence. */
  readonly sources: readonly RateSource[];
  /** A number from 0 to 1, for the jitter of a backoff. */
  readonly random: () => number;
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
}
