import type { Command } from "commander";
import type { CommandIo, OpenStore } from "../../platform/cli/command.ts";
import type { TrustedTimeStore } from "./trusted-time.ts";

export interface ClockCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly trustedTime: TrustedTimeStore }>;
}

/** Adds `kurs clock accept`. */
export function clockCommands(program: Command, deps: ClockCommandDeps): void {
  program
    .command("clock")
    .description("trust this machine's clock after a jump")
    .addHelpText("after", example)
    .command("accept")
    .description("let servers remove what is too old by the present time")
    .addHelpText("after", help)
    .action(() => acceptClock(deps));
}

const example = "\nExample:\n  $ kurs clock accept";

const help = `
After no server ran for more than a day, or the clock jumped by more, servers remove nothing by its
age and give up no mail until you have checked the clock and run this command.
${example}`;

async function acceptClock({ openStore, origin, print }: ClockCommandDeps): Promise<void> {
  await using store = await openStore();
  const operator = origin();
  await store.trustedTime.accept(operator);
  print(`${operator.at} is trusted: servers remove what is too old by it, within an hour`);
}
