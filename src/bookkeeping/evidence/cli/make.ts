import { basename } from "node:path";
import type { Command } from "commander";
import { CommandError } from "../../../platform/cli/command.ts";
import { timestamp } from "../../../platform/shared/instant.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import {
  applyRule,
  type Given,
  type PairAndDate,
  type RuleOptions,
  readPairAndDate,
  readRuleOptions,
  withRuleOptions,
} from "../../applicable-rates/cli/arguments.ts";
import {
  type ListQueryOptions,
  readList,
  readListQuery,
} from "../../applicable-rates/cli/date-list.ts";
import type { ListedRate } from "../../applicable-rates/cli/list-rows.ts";
import { readImportedLine } from "../../provenance/cli/imported-file.ts";
import type { DocumentReader } from "../../provenance/document-reader.ts";
import { documentName } from "../../provenance/json.ts";
import type { ObservationReads } from "../../provenance/observations.ts";
import { type TracedFigure, traceFigure, traceFigures } from "../../provenance/trace.ts";
import type { Verdict } from "../check.ts";
import { type Evidence, type EvidenceList, joinEvidence, serialize } from "../format.ts";
import { type GivenDocument, gatherDocuments, gatherEvidence } from "../gather.ts";
import { evidencePage, taxExchangeRate } from "../page.ts";
import { withSignature } from "../signature.ts";
import { NOT_SIGNED, summarize } from "../verify.ts";
import { type OutputFile, openedAgain, readWhole, requireWritable, writeFiles } from "./files.ts";
import { type EvidenceDeps, verifyCommand, verifyWith } from "./verify.ts";

interface MakeOptions extends RuleOptions, Pick<ListQueryOptions, "columns"> {
  readonly file?: string;
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
    .option("--file <file>", "a list as kurs rates for takes it: one evidence file for its lines")
    .option("--columns <columns>", "what its columns are called, as with kurs rates for")
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
1 where the figure or its document is not known, or where it does not hold. That of a list has each
document once; it is not written where a line has no figure.

Examples:
  $ kurs rates evidence EUR PLN 2026-03-16 --as pl-vat --out invoice-17.json
  $ kurs rates evidence EUR USD 2026-03-15 --source ecb --rule on-or-before --out - > usd.json
  $ kurs rates evidence --file invoices.csv --as pl-vat --out invoices.json
  $ kurs rates evidence verify invoice-17.json --jwks jwks.json`;

async function makeEvidence(
  deps: EvidenceDeps,
  given: PairAndDate,
  options: MakeOptions,
): Promise<void> {
  const { file, out, document, withoutDocument = false, force = false } = options;
  if (file !== undefined) return await makeList(deps, given, file, options);
  const asked = readRuleOptions(options);
  const { pair, date } = readPairAndDate(given, ", or --file");
  if (document !== undefined && withoutDocument) {
    throw new CommandError("--document and --without-document exclude each other", 2);
  }
  const files = listFiles({ ...options, out: requireOut(out) });
  requireWritable(files, force, document);
  const { signingKey } = deps.settings();
  await using store = await deps.openStore();
  const applied = await applyRule(store, deps, pair, date, asked);
  const uses = { history: store.history, documents: deps.documents };
  const traced = await traceFigure(uses, applied.rate.figure);
  const [publisher] = deps.sourcesOf([traced.figure.source]);
  const imported = document === undefined ? undefined : await readGiven(deps, document, traced);
  const id = traced.figure.publication;
  const read = await gatherDocuments(uses, id, !withoutDocument, imported);
  const { origin } = traced;
  const found = { applied, publisher, origin, given: imported, made: madeBy(deps) };
  const gathered = gatherEvidence(found, read);
  if ("reason" in gathered) throw new CommandError(`no evidence: ${gathered.reason}`);
  const evidence = await withSignature<Evidence>(gathered, signingKey);
  const unproven = await findUnproven(deps, evidence);
  const name = documentName(basename(files[0]?.path ?? ""));
  await writeAll(deps, evidence, files, summarize(evidence), unproven, {
    "--html": () => evidencePage(evidence, name, deps.documents),
    "--ubl": () => taxExchangeRate(evidence),
  });
}

function requireOut(out: string | undefined): string {
  if (out !== undefined) return out;
  throw new CommandError("--out is missing: name the file to write", 2);
}

const madeBy = ({ clock, version }: EvidenceDeps) => {
  return { at: timestamp(clock.nowMs()), by: `Kurs ${version}` };
};

/** Makes one file for the lines of a list; none where a line has no figure. */
async function makeList(
  deps: EvidenceDeps,
  [base]: PairAndDate,
  file: string,
  options: MakeOptions,
): Promise<void> {
  const { out, html, ubl, document, withoutDocument = false, force = false } = options;
  if (base !== undefined) {
    throw new CommandError(`leave out ${base}: the list in --file has the pairs and dates`, 2);
  }
  if (html !== undefined || ubl !== undefined || document !== undefined) {
    throw new CommandError("--html, --ubl and --document are for one figure, not for --file", 2);
  }
  const query = readListQuery(file, options);
  const files = listFiles({ out: requireOut(out) });
  requireWritable(files, force, file, "--file");
  const { signingKey } = deps.settings();
  await readList(deps, query, async (store, _header, pages) => {
    const rows = (await Array.fromAsync(pages)).flat();
    const uses = { history: store.history, documents: deps.documents };
    const lines = await gatherLines(deps, uses, rows, !withoutDocument);
    const joined = joinEvidence(lines, madeBy(deps));
    const evidence = await withSignature<EvidenceList>(joined, signingKey);
    const unproven = await findUnproven(deps, evidence);
    const own = rows.length - lines.length;
    const without = own === 0 ? "" : `; ${counted(own, "line")} in the tax's own currency`;
    const what = `${counted(lines.length, "figure")} of ${counted(rows.length, "line")}${without}`;
    await writeAll(deps, evidence, files, what, unproven, {});
  });
}

/** Gathers the evidence of each line with a pair. @throws {CommandError} a line has none. */
async function gatherLines(
  deps: EvidenceDeps,
  uses: { readonly history: ObservationReads; readonly documents: DocumentReader },
  rows: readonly ListedRate[],
  withDocument: boolean,
) {
  const problems: string[] = [];
  const asked = rows.flatMap(({ line, outcome }) => {
    if ("error" in outcome) problems.push(`line ${line}: ${outcome.error}`);
    else if (outcome.applied !== undefined) return [{ line, applied: outcome.applied }];
    return [];
  });
  requireNone(problems);
  if (asked.length === 0) throw new CommandError("no evidence: no line has a pair");
  const figures = asked.map(({ applied }) => applied.rate.figure);
  const traced = await traceFigures(uses, figures);
  const read = new Map<number, Awaited<ReturnType<typeof gatherDocuments>>>();
  const lines = [];
  for (const [index, { line, applied }] of asked.entries()) {
    const { publication: id, source } = applied.rate.figure;
    const documents = read.get(id) ?? (await gatherDocuments(uses, id, withDocument));
    read.set(id, documents);
    const origin = traced[index]?.origin ?? ({ kind: "missing" } as const);
    const [publisher] = deps.sourcesOf([source]);
    const evidence = gatherEvidence({ applied, origin, publisher, made: madeBy(deps) }, documents);
    if ("reason" in evidence) problems.push(`line ${line}: ${evidence.reason}`);
    else lines.push({ line, evidence });
  }
  requireNone(problems);
  return lines;
}

const PROBLEMS_MAX = 10;

function requireNone(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length - PROBLEMS_MAX;
  const shown = problems.slice(0, PROBLEMS_MAX).join("; ");
  throw new CommandError(`no evidence: ${shown}${more > 0 ? `; and ${more} more` : ""}`);
}

/** Verifies a file. @returns what is not proven. @throws {CommandError} something fails. */
async function findUnproven(
  deps: EvidenceDeps,
  evidence: Evidence | EvidenceList,
): Promise<readonly string[]> {
  const { signingKey } = deps.settings();
  const keys = signingKey && { file: "SIGNING_KEY_FILE", publicKeys: [signingKey.publicKey] };
  const { checks, lines = [] } = await verifyWith(deps, Buffer.from(serialize(evidence)), keys);
  const all = lines.flatMap(({ line, checks: some }) =>
    some.map(({ result, text }) => ({ result, text: `line ${line}: ${text}` })),
  );
  const texts = (verdict: Verdict) =>
    [...checks, ...all].filter(({ result }) => result === verdict).map(({ text }) => text);
  requireNone(texts("fails"));
  return texts("not proven").filter((text) => !text.startsWith(NOT_SIGNED));
}

/** The files to write. */
function listFiles({ out, html, ubl }: Pick<MakeOptions, "html" | "ubl"> & { out: string }) {
  const named = [
    ["--out", out],
    ["--html", html],
    ["--ubl", ubl],
  ] as const;
  return named.flatMap(([option, path]) => (path === undefined ? [] : [{ option, path }]));
}

/** Writes the files, and says what they have. @param others the texts of those besides --out. */
async function writeAll(
  { write, print }: EvidenceDeps,
  evidence: Evidence | EvidenceList,
  files: readonly OutputFile[],
  what: string,
  unproven: readonly string[],
  others: Readonly<Record<string, () => string>>,
): Promise<void> {
  const texts: typeof others = { "--out": () => serialize(evidence), ...others };
  const written = files.map((one) => ({ ...one, text: texts[one.option]?.() ?? "" }));
  await writeFiles(written, write);
  if (files.some(({ path }) => path === "-")) return;
  print(`${files.map(({ path }) => path).join(", ")}: ${what}`);
  print(signedBy(evidence));
  for (const text of unproven) print(`not proven: ${text}`);
}

function signedBy({ signing_key: key }: Evidence | EvidenceList): string {
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
