import { basename } from "node:path";
import type { EventDetails } from "../../platform/audit/rules.ts";
import type { AuditStore } from "../../platform/audit/store.ts";
import { CommandError, type CommandIo, type OpenStore } from "../../platform/cli/command.ts";
import { type FileUses, withFile } from "../../platform/cli/input-file.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { quoted, visibleLine } from "../../platform/shared/text/visible-text.ts";
import type { FigureStore } from "../served/figures.ts";
import type { PackContent } from "../served/history.ts";
import { holdContradictions } from "../served/rules/contradictions.ts";
import type { ContradictionStore } from "../served/store.ts";
import { readFigures } from "../sources/sorted-figures.ts";
import {
  type DocumentSource,
  type FetchedDocument,
  packDocuments,
  SourceError,
} from "../sources/source.ts";

export interface DocumentDeps extends CommandIo, FileUses {
  readonly openStore: OpenStore<{
    readonly figures: FigureStore;
    readonly contradictions: ContradictionStore;
    readonly audit: AuditStore;
  }>;
  readonly packContent: PackContent;
  /** The publishers whose documents are handed in. */
  readonly documentSources: readonly DocumentSource[];
}

/** A server that writes waits for one transaction. */
const FIGURES_PER_TRANSACTION = 100;

const BYTES_MAX = 16 * 1024 * 1024;

/**
 * Stores a publisher's document that an operator hands in, and its figures in their series, as a
 * backfill does: nothing of it is served.
 *
 * @returns the exit code: 1 where a figure was held or rejected.
 */
export async function importDocument(
  deps: DocumentDeps,
  file: string,
  options: { readonly key: string | undefined; readonly json: boolean; readonly isDryRun: boolean },
): Promise<number> {
  const { openStore, packContent, clock, origin, print, printError } = deps;
  const publisher = requireSource(options.key, deps.documentSources);
  const body = await readDocument(deps, file);
  const document = { address: basename(file), body, receivedMs: clock.nowMs() };
  const { figures: stated, rejections } = figuresIn(publisher, document, file);
  for (const { reason } of rejections) printError(visibleLine(reason));
  const rejected = rejections.length;
  const count = { stored: 0, unchanged: 0, held: 0, rejected };
  if (!options.isDryRun) {
    await using store = await openStore({ makesStore: true });
    const record = (details: EventDetails) =>
      store.audit.record("rates.imported", origin(), {
        details: { file: document.address, source: publisher.key, ...details },
      });
    await record({ started: true });
    const receivedAt = timestamp(document.receivedMs);
    const documents = await packDocuments([document], packContent);
    const received = { source: publisher.key, receivedAt, documents };
    const kept = await holdContradictions(store.contradictions, stated, received, origin());
    const { figures, held } = kept;
    let { publication } = kept;
    count.held = held.length;
    for (let start = 0; start < figures.length; start += FIGURES_PER_TRANSACTION) {
      const some = figures.slice(start, start + FIGURES_PER_TRANSACTION);
      const added = await store.figures.addFigures(some, publication, timestamp(clock.nowMs()));
      publication = added.publication;
      const stored = added.isNew.filter(Boolean).length;
      count.stored += stored;
      count.unchanged += some.length - stored;
    }
    await record(count);
  }
  const { stored, unchanged, held } = count;
  const dryRun = { dry_run: true, figures: stated.length, rejected };
  const text = options.isDryRun
    ? `states ${stated.length} figures, rejected ${rejected}; nothing was stored`
    : `stored ${stored}, unchanged ${unchanged}, held ${held}, rejected ${rejected}`;
  print(options.json ? JSON.stringify(options.isDryRun ? dryRun : count) : text);
  return rejected + held === 0 ? 0 : 1;
}

/** @throws {CommandError} no documents of the source are handed in. */
function requireSource(key = "", sources: readonly DocumentSource[]): DocumentSource {
  const source = sources.find((one) => one.key === key);
  if (source !== undefined) return source;
  const known = sources.map((one) => `${one.key} (${one.name})`).join(", ");
  throw new CommandError(`--document: --source ${quoted(key)} must be one of ${known}`, 2);
}

function readDocument(deps: DocumentDeps, file: string): Promise<Uint8Array> {
  return withFile(file, deps, async ({ bytes }) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      size += chunk.byteLength;
      if (size > BYTES_MAX) throw new CommandError(`${file} has more than ${BYTES_MAX} bytes`);
      chunks.push(new Uint8Array(chunk));
    }
    return Buffer.concat(chunks);
  });
}

/** @throws {CommandError} the file is no document of the publisher. */
function figuresIn({ key, name, read }: DocumentSource, document: FetchedDocument, file: string) {
  try {
    return readFigures(key, read(document), document.receivedMs);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new CommandError(`${file} is no document of ${key} (${name}): ${error.message}`);
  }
}
