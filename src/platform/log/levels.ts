/** The levels of LOG_LEVEL. Not beside the log: commands read the settings and load no pino. */
export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];
