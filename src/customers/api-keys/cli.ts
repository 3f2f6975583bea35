import type { Command } from "commander";
import { type OpenStore, type OutputOptions, unknownAccount } from "../../platform/cli/command.ts";
import { type FileUses, readWithProgress, withFile } from "../../platform/cli/input-file.ts";
import { writeList } from "../../platform/cli/list-writer.ts";
import { type Column, createJsonPrinter } from "../../platform/cli/output.ts";
import { normalizeEmail } from "../../platform/shared/text/email.ts";
import { visibleLine } from "../../platform/shared/text/visible-text.ts";
import { pagesOfKeys } from "./api-keys.ts";
import { type BurnReport, burn, type LeakedSessionStore } from "./burn.ts";
import { type CreateKeyDeps, type CreateKeyStores, createKeyCommand } from "./create-cli.ts";
import { findActiveKey, notActive, referenceOf, showKey } from "./find-cli.ts";
import { apiKeyJson, burnReportJson, ownedKeyJson } from "./json.ts";
import { type LimitCommandDeps, limitCommand } from "./limit-cli.ts";
import type { ApiKey } from "./store.ts";

export interface KeyCommandDeps
  extends Omit<CreateKeyDeps & LimitCommandDeps, "openStore">,
    FileUses {
  readonly openStore: OpenStore<CreateKeyStores & { readonly sessions: LeakedSessionStore }>;
}

/** Adds `kurs keys …`. */
export function keyCommands(program: Command, deps: KeyCommandDeps): void {
  const keys = program
    .command("keys")
    .description(
      "show, create, limit and revoke API keys, or revoke every one that a text contains",
    )
    .addHelpText("after", "\nExample:\n  $ kurs keys list ada@example.org");

  keys
    .command("list")
    .description("show every API key of an account, revoked ones too, oldest first")
    .argument("<email>")
    .option("--json", "print them as JSON")
    .addHelpText("after", listExamples)
    .action((email: string, options: OutputOptions) => listKeys(deps, email, options));

  createKeyCommand(keys, deps);
  limitCommand(keys, deps);

  keys
    .command("revoke")
    .description("revoke an API key; takes effect with the next request")
    .argument("<key>", "its id, or its prefix (17 characters: svc_live_ and 8 digits)")
    .addHelpText("after", revokeExamples)
    .action((key: string) => revokeKey(deps, key));

  keys
    .command("burn")
    .description("revoke every API key that a text contains, and end the sessions of its tokens")
    .argument("[file]", "any file; - or nothing for stdin", "-")
    .option("--dry-run", "show what would be revoked, and change nothing")
    .option("--json", "print the revoked keys and the counts as JSON")
    .addHelpText("after", burnExamples)
    .action((file: string, options: BurnOptions) => burnKeys(deps, file, options));
}

const listExamples = `
Examples:
  $ kurs keys list ada@example.org
  $ kurs keys list ada@example.org --json`;

const revokeExamples = `
A complete key is accepted, too, but other users of the machine and the shell's history see it:
kurs keys burn reads it from stdin. If several active keys have the prefix, none is revoked.

Examples:
  $ kurs keys revoke 01a1fc7c-4ab2-7000-8000-000000000001
  $ kurs keys revoke svc_live_01234567`;

const burnExamples = `
Keys are found wherever they are: in JSON, in URLs, in lines of a log, in UTF-16. They are not found
in compressed or encoded data, or where a line break splits them. Only their prefixes are printed.

Examples:
  $ kurs keys burn leaked.log
  $ git log --patch | kurs keys burn --dry-run
  $ zcat access.log.gz | kurs keys burn --json`;

async function listKeys(deps: KeyCommandDeps, typed: string, { json = false }: OutputOptions) {
  const email = normalizeEmail(typed);
  await using store = await deps.openStore();
  const account = await store.accounts.findByEmail(email);
  if (account === undefined) throw unknownAccount(email);
  const now = deps.origin().at;
  const limited = await store.keys.limited(account.id, now);
  const ends = new Map(limited.map(({ id, limits }) => [id, limits.expiresAt]));
  const pages = pagesOfKeys(store.keys, account.id, now);
  const toJson = (key: ApiKey) => {
    const item = apiKeyJson(key);
    return "revoked_at" in item ? item : { ...item, expires_at: ends.get(key.id) ?? null };
  };
  const rows = { columns: columnsWith(ends), csvColumns: [], toJson };
  const isEmpty = await writeList(pages, { format: "table", json }, rows, deps.write);
  if (isEmpty) deps.print(`${visibleLine(email)} has no API keys.`);
}

const TIME_CHARACTERS = "2026-11-21T12:00:00.000Z".length;

/** @param ends of the active keys; where none has one, there is no column for them. */
function columnsWith(ends: ReadonlyMap<string, string | null>): readonly Column<ApiKey>[] {
  // All pages have the same widths.
  const column = (heading: string, timeOf: (key: ApiKey) => string | null | undefined) =>
    [heading, (key: ApiKey) => (timeOf(key) ?? "-").padEnd(TIME_CHARACTERS)] as const;
  const hasEnds = ends.values().some((end) => end !== null);
  return [
    ["ID", ({ id }) => id],
    ["PREFIX", ({ keyPrefix }) => keyPrefix],
    ["CREATED", ({ createdAt }) => createdAt],
    ...(hasEnds ? [column("EXPIRES", ({ id }) => ends.get(id))] : []),
    column("REVOKED", ({ revokedAt }) => revokedAt),
    ["NAME", ({ name }) => name],
  ];
}

async function revokeKey(deps: KeyCommandDeps, typed: string): Promise<void> {
  const { openStore, origin, print, secrets } = deps;
  const reference = referenceOf(typed, secrets.hash);
  await using store = await openStore();
  const key = await findActiveKey({ ...deps, store }, reference, "revoke");
  if (!(await store.keys.revoke(key.accountId, key.id, origin()))) throw notActive(reference);
  print(`revoked ${showKey(key)}`);
}

interface BurnOptions extends OutputOptions {
  readonly dryRun?: boolean;
}

async function burnKeys(deps: KeyCommandDeps, file: string, options: BurnOptions): Promise<void> {
  const { openStore, showProgress, finishWithoutReader, print, secrets } = deps;
  const isDryRun = options.dryRun ?? false;
  finishWithoutReader();
  await withFile(file, deps, async (opened) => {
    await using store = await openStore();
    if (file === "-") showProgress("reading stdin until its end (Ctrl-D)");
    const text = readWithProgress(opened, showProgress);
    const list = createJsonPrinter(print, '{"revoked_keys":[');
    const uses = { ...deps, store, hash: secrets.hash };
    const report = await burn(text, uses, isDryRun, (revoked) => {
      if (options.json) list.add(revoked.map(ownedKeyJson));
      else print(revoked.map(showKey).join("\n"));
    });
    if (options.json) list.end(`],${JSON.stringify(burnReportJson(report, isDryRun)).slice(1)}`);
    else print(summarize(report, isDryRun));
  });
}

function summarize(report: BurnReport, isDryRun: boolean): string {
  const { keysFound, keysRevoked, keysRevokedBefore, keysUnknown } = report;
  const { tokensFound, sessionsEnded } = report;
  const would = isDryRun ? "would be " : "";
  const keys =
    keysFound === 0
      ? "no string with the form of an API key was found"
      : `API keys found: ${keysFound} (${keysRevoked} ${would}revoked, ` +
        `${keysRevokedBefore} revoked before, ${keysUnknown} unknown)`;
  if (tokensFound === 0) return keys;
  return `${keys}\nsession tokens found: ${tokensFound} (${sessionsEnded} ${would}ended)`;
}
