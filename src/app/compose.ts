import { operator } from "../platform/cli/operator.ts";
import { originNow } from "../platform/shared/origin.ts";
import { ConfigError } from "../platform/shared/program/start-error.ts";
import { version } from "../platform/shared/program/version.ts";
import { builtIn, fetchedKeys, type RateSource, sourcesOf } from "../rates/settings.ts";
import type { CommandDeps } from "./commands.ts";
import type { Config } from "./config.ts";
import type { Limits } from "./limits.ts";
import type { Service, ServiceDeps } from "./service.ts";

/** What differs between the program and a test. */
export interface World extends Pick<ServiceDeps, "clock" | "secrets" | "random"> {
  readonly limits: Limits;
  /** Makes the sources of these keys, in this order, for fetching. */
  readonly fetchedSources: (keys: readonly string[], config: Config) => readonly RateSource[];
}

/** How a server hashes passwords, where it writes its log, and how it runs commands. */
export type ServerWorld = Pick<ServiceDeps, "passwords" | "log" | "logDestination" | "runCommand">;

/** The outputs and the input of a command, its environment, and the files that it opens. */
export type CommandWorld = Pick<
  CommandDeps,
  | "environment"
  | "nodeOptions"
  | "serve"
  | "ask"
  | "openFile"
  | "untilStopped"
  | "finishWithoutReader"
  | "print"
  | "printError"
  | "write"
  | "writeBytes"
  | "showProgress"
>;

/**
 * Joins the wings into one program: a server, and the command line. Each loads its parts first: a
 * command starts in half the time without those of a server.
 *
 * @param settings throws {ConfigError} where they are invalid and a command uses them.
 */
export function compose(settings: () => Config, world: World) {
  const { clock, secrets, limits, fetchedSources } = world;
  return {
    async loadServer(): Promise<(own: ServerWorld) => Promise<Service>> {
      const { startService } = await import("./service.ts");
      return (own) => {
        const config = settings();
        const sources = fetchedSources(config.rateSources, config);
        return startService(config, { ...world, ...own, sources });
      };
    },

    /** @returns runs a command line and returns its exit code. */
    async loadCommands(): Promise<
      (args: readonly string[], outputs: CommandWorld) => Promise<number>
    > {
      const { runCommandLine } = await import("./commands.ts");
      const { createCommandStore, tables } = await import("./command-store.ts");
      const { openEngine } = await import("./store.ts");
      const { backUpBeforeMigration } = await import("../operations/store.ts");
      const publishers = publishersIn(settings);
      const keys = publishers.map(({ key }) => key);
      return (args, outputs) =>
        runCommandLine(args, {
          ...outputs,
          version,
          clock,
          secrets,
          settings,
          tables,
          backUpBeforeMigration,
          async openStore({ makesStore } = { makesStore: false }) {
            const onWait = (message: string) => outputs.printError(`kurs: ${message}`);
            const timeouts = { ...limits.command, makesStore };
            return createCommandStore(await openEngine(settings(), timeouts, onWait));
          },
          publicUrl: () => publicUrlOf(settings()),
          origin: () => originNow(operator(), { clock, secrets }),
          sourcesOf: (keys) => fetchedSources(keys, settings()),
          sourceKeys: fetchedKeys(publishers),
          publishers,
          knownSources: () => sourcesOf(keys, { clock, version, publishers }),
        });
    },
  };
}

/** The built-in ones where settings are invalid: help needs none, and whatever uses them fails. */
function publishersIn(settings: () => Config): Config["publishers"] {
  try {
    return settings().publishers;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return builtIn;
  }
}

/** Where people reach the console: PUBLIC_URL or, without it, this machine. */
function publicUrlOf({ publicUrl, host, port }: Config): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return publicUrl ?? `http://${isEveryAddress(host) ? "localhost" : name}:${port}`;
}

const isEveryAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";
