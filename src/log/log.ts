import { type DestinationStream, type Logger, pino } from "pino";
import { visible } from "../shared/visible-text.ts";
import { LogOutput } from "./output.ts";

const STDOUT = 1;

/** The log and the place that its lines go to, which is to be ended after the last one. */
export interface Log {
  readonly log: Logger;
  readonly logDestination: DestinationStream & Pick<LogOutput, "end">;
}

/**
 * JSON lines on stdout. What an answer must not tell, such as a cause, is told here. Only the
 * answers' own lines go to the destination directly: they hold nothing of others, and looking for
 * invisible characters takes 3 µs a line.
 */
export function createLog(level: LogLevel): Log {
  const logDestination = new LogOutput(STDOUT, (lostLines) => {
    log.warn({ lost_lines: lostLines }, "the log could not be written for a while");
  });
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const log = pino(options, { write: (line) => logDestination.write(visible(line)) });
  return { log, logDestination };
}

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];
