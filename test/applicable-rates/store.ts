import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ANY_TIME } from "../../src/import/seed.ts";
import { packContent } from "../../src/provenance/documents/content.ts";
import { figureOf } from "../../src/rates/figures.ts";
import { parseQuotation } from "../../src/rates/rules/rate.ts";
import { commandTimeouts } from "../../src/storage/settings.ts";
import { openStore } from "../../src/store.ts";
import { BY } from "../contract/suite/database.ts";
import { publisherOf } from "../sources/publishers/recorded.ts";
import { kursUnchecked } from "../support/command-line.ts";
import { temporaryDirectory } from "../support/process.ts";

/**
 * Parts of recorded documents. ecb-2019-12: TaunoLainevool/currency-calculator at 07788131,
 * eurofxref-hist.xml. ecb-2026-03, cnb-2026-04: recorded for tests of lineofflight/frankfurter.
 * nbp: api.nbp.pl's list of 50 rates of the dollar as of 2024-01-10, recorded in the source of a
 * public program (NbpRates.swift of ChartTest), in the layout of table A. The others are those of
 * test/sources/publishers/fixtures.
 */
export const recorded = (name: string) =>
  readFileSync(
    join(
      import.meta.dirname,
      /-20\d\d/.test(name) ? "fixtures" : "../sources/publishers/fixtures",
      name,
    ),
  );

/** A store, and the command line on it. */
export async function newRateStore() {
  await using starting = new AsyncDisposableStack();
  const directory = starting.use(await temporaryDirectory());
  const dataDirectory = join(directory.path, "data");
  const place = { dataDirectory, database: { engine: "sqlite" }, backupDirectory: "" } as const;
  const timeouts = { ...commandTimeouts, makesStore: true };
  const store = starting.use(await openStore(place, timeouts, () => undefined));
  // Not checked for secrets: a document's SHA-256 looks like one.
  const run = (command: string, input?: string) =>
    kursUnchecked(command.split(" "), { dataDirectory, ...(input === undefined ? {} : { input }) });
  const started = starting.move();
  return {
    ...{ dataDirectory, directory: directory.path, run },
    /** Stores the figures of a publisher's document, as a backfill or a fetch does. */
    async publish(
      source: string,
      content: Buffer,
      receivedAt = "2026-10-01T12:00:00.000Z",
    ): Promise<void> {
      const { archive, parse } = publisherOf(source);
      const response = { address: "", body: content, receivedMs: Date.parse(receivedAt) };
      const figures = (archive?.parse ?? parse)([response]).map((line) => {
        assert.ok(!("reason" in line));
        const rate = parseQuotation(line, ANY_TIME);
        assert.ok(!("reason" in rate));
        return figureOf({ ...line, ...rate, source, place: 0 });
      });
      const documents = [
        { name: `https://example.org/${source}`, receivedAt, stored: await packContent(content) },
      ];
      await store.figures.addFigures(figures, { source, receivedAt, documents }, receivedAt);
    },
    /** Records a restore of a backup, as `kurs restore` does. */
    async recordRestore(takenAt: string, at: string): Promise<void> {
      await store.audit.record("store.restored", { ...BY, at }, { details: { taken_at: takenAt } });
    },
    /** Runs a command that succeeds. @returns its stdout. */
    async output(command: string): Promise<string> {
      const ended = await run(command);
      assert.deepEqual([ended.exitCode, ended.stderr], [0, ""], command);
      return ended.stdout;
    },
    /** Runs a command that fails with one sentence. @returns its message without "kurs: ". */
    async failure(command: string, exitCode = 1): Promise<string> {
      const ended = await run(command);
      assert.deepEqual([ended.exitCode, ended.stdout], [exitCode, ""], command);
      assert.match(ended.stderr, /^kurs: .+\n$/);
      return ended.stderr.slice("kurs: ".length).trimEnd();
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
