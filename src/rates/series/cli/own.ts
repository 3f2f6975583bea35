import type { Command } from "commander";
import { CommandError } from "../../../platform/cli/command.ts";
import { visibleLine } from "../../../platform/shared/text/visible-text.ts";
import { pairOf, shortAsOf, sourcedText } from "../../served/cli/arguments.ts";
import { warnOfMissingKey } from "../../served/cli/sign.ts";
import { type Pair, pairName } from "../../served/rules/symbol.ts";
import { isImport } from "../../served/rules/update-policy.ts";
import type { OwnerChange } from "../store.ts";
import { type SeriesCommandDeps, seriesOf, servedKindOf } from "./arguments.ts";

/** Adds `kurs rates own`. */
export function ownCommand(
  rates: Command,
  deps: SeriesCommandDeps,
  setExitCode: (code: number) => void,
): void {
  rates
    .command("own")
    .description("give a pair to another source: its newest figure is served from now on")
    .argument("<base>", "such as EUR")
    .argument("<quote>", "such as CZK")
    .argument("<source>", "one in RATE_SOURCES, import or import:NAME")
    .addHelpText("after", ownExamples)
    .action(async (base: string, quote: string, source: string) =>
      setExitCode(await own(deps, pairOf(base, quote), source)),
    );
}

const ownExamples = `
The pair then belongs to this source while it is in RATE_SOURCES: figures of other sources are
stored, and not served. An import owns it until a source in RATE_SOURCES publishes the pair. A
figure that differs by more than RATE_MAX_JUMP is held: kurs rates held shows it. Exit code 1 then,
and when the newest figure is older than the served one, or of a table that has not begun.

Examples:
  $ kurs rates list EUR CZK
  $ kurs rates own EUR CZK cnb`;

async function own(deps: SeriesCommandDeps, pair: Pair, source: string): Promise<number> {
  const { settings, openStore, sourcesOf, headersOf, origin, print } = deps;
  const { rateSources, maxRateJump } = settings();
  await using store = await openStore();
  const kind = { asked: undefined, served: servedKindOf(source, sourcesOf) };
  const series = await seriesOf(store.series, pair, source, kind);
  if (!rateSources.includes(source) && !isImport(source)) {
    const why = "it is not in RATE_SOURCES, so the next source to publish the pair would own it";
    throw new CommandError(`${visibleLine(source)} cannot own ${pairName(pair)}: ${why}`);
  }
  await warnOfMissingKey(store, deps);
  const change = await store.series.own(series, { maxRateJump, headersOf, origin: origin() });
  print(describe(pair, source, change));
  return change.decision === "hold" ? 1 : 0;
}

/** @throws {CommandError} the source cannot own the pair. */
function describe(pair: Pair, source: string, change: OwnerChange): string {
  const name = pairName(pair);
  if (change.decision === "none") {
    const why = "no table of it with this pair has begun";
    throw new CommandError(`${source} cannot own ${name} yet: ${why}`);
  }
  const { decision, figure, former } = change;
  switch (decision) {
    case "serve": {
      const before = former === undefined ? "" : `; before: ${sourcedText(former)}`;
      return `${name} belongs to ${source}: ${figure.rate} as of ${shortAsOf(figure)}${before}`;
    }
    case "hold": {
      const { base, quote } = pair;
      const release = `kurs rates release ${base} ${quote} serves it and gives the pair to`;
      const jump = `it jumps too far from ${former?.rate}`;
      return `${name} ${figure.rate} from ${source} is held: ${jump}; ${release} ${source}`;
    }
    case "owned":
      throw new CommandError(`${name} belongs to ${source} already`);
    case "older": {
      const served = former === undefined ? "" : ` than the served ${sourcedText(former)}`;
      const newest = `its newest figure, as of ${shortAsOf(figure)}, is older${served}`;
      throw new CommandError(`${source} cannot own ${name} yet: ${newest}`);
    }
  }
}
