import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "../config.ts";

/** Lines are gathered up to this many bytes, or for a second, and written together. */
const GATHERED_BYTES = 16_000;
const FLUSH_INTERVAL_MS = 1000;

/** JSON lines on stdout. What an answer must not tell, such as a cause, is told here. */
export function createLog(level: LogLevel): { log: Logger; logDestination: DestinationStream } {
  const logDestination = pino.destination({
    dest: 1,
    sync: false,
    minLength: GATHERED_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return { log: pino(options, logDestination), logDestination };
}
