import { createReadStream } from "node:fs";
import { runCommandLine } from "./adapters/cli/program.ts";
import { systemClock } from "./adapters/clock.ts";
import { createLog } from "./adapters/log.ts";
import { createSecrets } from "./adapters/secrets.ts";
import { readRateFile } from "./adapters/sources/rate-files/rate-file.ts";
import { openSqliteStore } from "./adapters/storage/sqlite/open.ts";
import { StartError } from "./application/ports.ts";
import { ConfigError, readConfig } from "./config.ts";
import { startService } from "./service.ts";
import { version } from "./version.ts";

/** A command waits this long for its turn to write beside a busy server. */
const COMMAND_BUSY_TIMEOUT_MS = 30_000;

const WRONG_USE = 2;

/** Serves until a signal asks to stop; a second signal does not wait. */
async function serve(): Promise<void> {
  const config = readConfig();
  const stop = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      stop.resolve();
    });
  }
  const world = {
    clock: systemClock,
    secrets: createSecrets(),
    ...createLog(config.logLevel),
  };
  await using service = await startService(config, world);
  process.stderr.write(welcome(service.url));
  await stop.promise;
  world.log.info("stopping");
}

function welcome(url: string): string {
  return [
    `Kurs ${version} listens on ${url}`,
    `  API description   ${url}/openapi.json`,
    `  first steps       README.md: from an account to the first rate with curl`,
    `  commands          npm run -s kurs -- --help`,
    "",
  ].join("\n");
}

/** One line for what the operator can mend; the whole story for what only we can. */
function explain(error: unknown): number {
  if (error instanceof ConfigError || error instanceof StartError) {
    process.stderr.write(`kurs: ${error.message}\n`);
    return error instanceof ConfigError ? WRONG_USE : 1;
  }
  console.error("kurs: something went wrong that should not have:", error);
  return 1;
}

// A reader that has seen enough (`kurs rates list | head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

try {
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    version,
    clock: systemClock,
    serve,
    openStore: () => openSqliteStore(readConfig().dataDirectory, COMMAND_BUSY_TIMEOUT_MS),
    openFile: (path) => (path === "-" ? process.stdin : createReadStream(path)),
    readRateFile,
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
  });
} catch (error) {
  process.exitCode = explain(error);
}
