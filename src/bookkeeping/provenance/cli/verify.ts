import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { createJsonPrinter, progressBar, shortHash } from "../../../platform/cli/output.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { visibleLine } from "../../../platform/shared/text/visible-text.ts";
import type { StoredFigure } from "../../../rates/series/store.ts";
import { sourcedText } from "../../../rates/served/cli/arguments.ts";
import { pairName } from "../../../rates/served/rules/symbol.ts";
import type { SourcedRate } from "../../../rates/served/rules/update-policy.ts";
import type { Difference, FigureCounts, VerifiedCounts } from "../differences.ts";
import { differenceJson, verifiedJson } from "../json.ts";
import type { Observation } from "../observations.ts";
import { verifyHistory, verifySource } from "../verify.ts";
import type { ProvenanceCommandDeps } from "./arguments.ts";

/** Adds `kurs rates verify`. */
export function verifyCommand(
  rates: Command,
  deps: ProvenanceCommandDeps,
  setExitCode: (code: number) => void,
): void {
  rates
    .command("verify")
    .description("compare every stored figure with its document; exit code 1 when one differs")
    .option("--source <source>", "only the documents of this source, and their figures")
    .option("--json", "print the differences and the counts as JSON")
    .addHelpText("after", verifyExamples)
    .action(async (options: VerifyOptions) => setExitCode(await verify(deps, options)));
}

interface VerifyOptions extends OutputOptions {
  readonly source?: string;
}

const verifyExamples = `
It parses every stored document again and compares its figures with the history of what was served
and with the figures of its source that are stored ("series"), checks the SHA-256 of every document,
and compares every served rate with its pair's history. What documents state and the store lacks, as
after a backfill of some dates or by HISTORY_DAYS, is counted apart. It changes nothing, and runs
beside servers.

Examples:
  $ kurs rates verify
  $ kurs rates verify --source ecb
  $ kurs rates verify --json`;

async function verify(
  deps: ProvenanceCommandDeps,
  { source, json }: VerifyOptions,
): Promise<number> {
  const { openStore, clock, documents, print, write, showProgress } = deps;
  await using store = await openStore();
  const { history, audit, series } = store;
  const uses = { history, audit, series, documents, nowMs: () => clock.nowMs() };
  const printer = createJsonPrinter(print, '{"differences": [');
  const on = {
    difference: async (difference: Difference) => {
      showProgress("");
      if (json) printer.add([differenceJson(difference)]);
      else await write(`${visibleLine(describeDifference(difference))}\n`);
    },
    progress: (part: number) => showProgress(progressBar(part)),
  };
  const counts =
    source === undefined ? await verifyHistory(uses, on) : await verifySource(uses, source, on);
  showProgress("");
  if (counts === undefined) {
    throw new CommandError(
      `no publication of ${visibleLine(String(source))} is stored: see kurs rates status; ` +
        "figures that came with the program are verified without --source",
    );
  }
  if (json) printer.end(`], ${JSON.stringify(verifiedJson(counts)).slice(1)}`);
  else print([...describeUnstored(counts), summarize(counts)].join("\n"));
  return counts.differences === 0 ? 0 : 1;
}

const describeUnstored = ({ unstored }: VerifiedCounts) =>
  [...unstored.values()].map(({ source, keys, from, to }) => {
    const what = `${counted(keys.size, "figure")} of ${from} to ${to}`;
    return `${source}: documents state ${what} that the store lacks; see kurs rates backfill`;
  });

function summarize(counts: VerifiedCounts): string {
  const { figures, documents, imported, unverified, differences } = counts;
  const parts = [`verified ${counted(figures, "figure")} in ${counted(documents, "document")}`];
  if (imported === 1) parts.push("1 imported figure comes from a file that is not stored");
  if (imported > 1) parts.push(`${imported} imported figures come from files that are not stored`);
  if (unverified > 0) parts.push(`${counted(unverified, "figure")} not verified`);
  parts.push(`series: ${summarizeSeries(counts.series)}`);
  if (differences > 0) parts.push(counted(differences, "difference"));
  return parts.join("; ");
}

function summarizeSeries({ figures, imported, unverified }: FigureCounts): string {
  const parts = [`${counted(figures, "figure")} verified`];
  if (imported > 0) parts.push(`${imported} imported`);
  if (unverified > 0) parts.push(`${unverified} not verified`);
  return parts.join(", ");
}

function describeDifference(difference: Difference): string {
  switch (difference.kind) {
    case "figure": {
      const { observation, stated } = difference;
      return `${describeObservation(observation)}; ${describeStated(observation.hash, stated)}`;
    }
    case "series": {
      const { figure, stated } = difference;
      return `${describeFigure(figure)}; ${describeStated(figure.hash, stated)}`;
    }
    case "origin":
      return `${describeFigure(difference.figure)}: ${difference.reason}`;
    case "document": {
      const { publication, document, reason } = difference;
      const { source, receivedAt } = publication;
      const name = document === undefined ? "" : ` ${shortHash(document.hash)} (${document.name})`;
      return `document${name} of ${source}, received ${receivedAt}: ${reason}`;
    }
    case "served": {
      const { served, last } = difference;
      const text =
        last === undefined ? "empty" : `last number ${last.sequence}, ${sourcedText(last)}`;
      const what = `${pairName(served)} is served at number ${served.sequence}`;
      return `${what}, ${sourcedText(served)}; its history is ${text}`;
    }
    case "observation":
      return `${describeObservation(difference.observation)}: ${difference.reason}`;
    case "headers": {
      const { rate, headers } = difference;
      return `${pairName(rate)} is served from ${rate.source}; its headers are ${headers}`;
    }
  }
}

const describeObservation = (observation: Observation) =>
  `${pairName(observation)}, number ${observation.sequence}: ${sourcedText(observation)}`;

const describeFigure = (figure: StoredFigure) =>
  `${pairName(figure)}, ${figure.kind} of ${figure.date}, revision ${figure.revision}: ` +
  sourcedText(figure);

const describeStated = (hash: string | undefined, stated: SourcedRate | undefined) =>
  `its document ${shortHash(hash)} states ` +
  (stated === undefined ? "no such figure" : sourcedText(stated));
