import { basename } from "node:path";
import type { Command } from "commander";
import { CommandError } from "../../../platform/cli/command.ts";
import { timestamp } from "../../../platform/shared/instant.ts";
import {
  applyRule,
  type Given,
  type PairAndDate,
  type RuleOptions,
  readPairAndDate,
  readRuleOptions,
  withRuleOptions,
} from "../../applicable-rates/cli/arguments.ts";
import { readImportedLine } from "../../provenance/cli/imported-file.ts";
import { documentName } from "../../provenance/json.ts";
import { type TracedFigure, traceFigure } from "../../provenance/trace.ts";
import { type Evidence, serialize } from "../format.ts";
import { type GivenDocument, gatherEvidence } from "../gather.ts";
import { evidencePage, taxExchangeRate } from "../page.ts";
import { withSignature } from "../signature.ts";
import { NOT_SIGNED, summarize } from "../verify.ts";
import { type OutputFile, openedAgain, readWhole, requireWritable, writeFiles } from "./files.ts";
import { type EvidenceDeps, verifyCommand, verifyWith } from "./verify.ts";

interface MakeOptions extends RuleOptions {
  readonly out?: string;
  readonly html?: string;
  readonly ubl?: string;
  readonly document?: string;
  readonly withoutDocument?: boolean;
  readonly force?: boolean;
}

/** Adds `kurs rates evidence` and `kurs rates evidence verify`. */
export function evidenceCommand(
  rates: Command,
  deps: EvidenceDeps,
  setExitCode: (code: number) => void,
): void {
  const command = rates
    .command("evidence")
    .description(
      "write one file that says where the figure of a rule came from, with its document",
    );
  withRuleOptions(command)
    .option("--out <file>", "the evidence file to write, or - for stdout")
    .option("--html <file>", "also write a page to print")
    .option("--ubl <file>", "also write a cac:TaxExchangeRate of UBL 2.1")
    .option("--document <file>", "the imported file with the figure: Kurs does not store it")
    .option("--without-document", "leave out the document's bytes: its SHA-256 alone")
    .option("--force", "replace existing files")
    .addHelpText("after", makeExamples)
    .action(async (base: Given, quote: Given, date: Given, options: MakeOptions) =>
      makeEvidence(deps, [base, quote, date], options),
    );
  verifyCommand(command, deps, setExitCode);
}

const makeExamples = `
The file has the figure, the rule, the publisher's document and, where SIGNING_KEY_FILE is set, a
signature: docs/operating/evidence.md has its format. It is verified before it is written. Exit code
1 where the figure or its document is not known, or where it does not hold.

Examples:
  $ kurs rates evidence EUR PLN 2026-03-16 --as pl-vat --out invoice-17.json
  $ kurs rates evidence EUR USD 2026-03-15 --source ecb --rule on-or-before --out - > usd.json
  $ kurs rates evidence verify invoice-17.json --jwks jwks.json`;

async function makeEvidence(
  deps: EvidenceDeps,
  given: PairAndDate,
  options: MakeOptions,
): Promise<void> {
  const asked = readRuleOptions(options);
  const { pair, date } = readPairAndDate(given);
  const { out, document, withoutDocument = false, force = false } = options;
  if (out === undefined) throw new CommandError("--out is missing: name the file to write", 2);
  if (document !== undefined && withoutDocument) {
    throw new CommandError("--document and --without-document exclude each other", 2);
  }
  const files = listFiles({ ...options, out });
  requireWritable(files, force, document);
  const { signingKey } = deps.settings();
  await using store = await deps.openStore();
  const applied = await applyRule(store, deps, pair, date, asked);
  const uses = { history: store.history, documents: deps.documents };
  const traced = await traceFigure(uses, applied.rate.figure);
  const [publisher] = deps.sourcesOf([traced.figure.source]);
  const gathered = await gatherEvidence(uses, {
    applied,
    publisher,
    origin: traced.origin,
    withDocument: !withoutDocument,
    given: document === undefined ? undefined : await readGiven(deps, document, traced),
    made: { at: timestamp(deps.clock.nowMs()), by: `Kurs ${deps.version}` },
  });
  if ("reason" in gathered) throw new CommandError(`no evidence: ${gathered.reason}`);
  const evidence = await withSignature(gathered, signingKey);
  const keys = signingKey && { file: "SIGNING_KEY_FILE", publicKeys: [signingKey.publicKey] };
  const { checks } = await verifyWith(deps, Buffer.from(serialize(evidence)), keys);
  const failed = checks.filter(({ result }) => result === "fails").map(({ text }) => text);
  if (failed.length > 0) throw new CommandError(`no evidence: ${failed.join("; ")}`);
  await write(deps, evidence, files);
  if (files.some(({ path }) => path === "-")) return;
  for (const { result, text } of checks) {
    if (result === "not proven" && !text.startsWith(NOT_SIGNED)) deps.print(`not proven: ${text}`);
  }
}

/** The files to write, each with what writes its text. */
function listFiles({ out, html, ubl }: MakeOptions & { readonly out: string }) {
  const named = [
    ["--out", out],
    ["--html", html],
    ["--ubl", ubl],
  ] as const;
  return named.flatMap(([option, path]) => (path === undefined ? [] : [{ option, path }]));
}

async function write(
  { write: writeOut, print, documents }: EvidenceDeps,
  evidence: Evidence,
  files: readonly OutputFile[],
): Promise<void> {
  const text = serialize(evidence);
  const [out = { path: "-" }] = files;
  const name = documentName(basename(out.path));
  const texts: Readonly<Record<string, () => string>> = {
    "--out": () => text,
    "--html": () => evidencePage(evidence, name, documents),
    "--ubl": () => taxExchangeRate(evidence),
  };
  const written = files.map((one) => ({ ...one, text: texts[one.option]?.() ?? "" }));
  await writeFiles(written, writeOut);
  if (files.some(({ path }) => path === "-")) return;
  print(`${files.map(({ path }) => path).join(", ")}: ${summarize(evidence)}`);
  print(signedBy(evidence));
}

function signedBy({ signing_key: key }: Evidence): string {
  return key === null
    ? "not signed: set SIGNING_KEY_FILE, or anyone who has the file can change it"
    : `signed by the key ${key.kid}`;
}

/** Reads the imported file that should state the figure. @throws {CommandError} it does not. */
async function readGiven(
  deps: EvidenceDeps,
  path: string,
  { origin, figure }: TracedFigure,
): Promise<GivenDocument | undefined> {
  if (origin.kind === "published") {
    throw new CommandError("--document is for an imported file: this document is stored", 2);
  }
  if (origin.kind !== "imported") return undefined;
  const content = await readWhole(path, deps);
  const uses = { ...deps, openFile: () => openedAgain(content) };
  const stated = { line: origin.line, figure };
  const { text, statesFigure } = await readImportedLine(path, origin.document, stated, uses);
  if (statesFigure) return { content, text };
  throw new CommandError(`line ${origin.line} of ${path} does not state this figure`);
}
